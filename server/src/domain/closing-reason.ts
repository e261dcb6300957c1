// The names of what a difference was in the end (domain/closing.ts).
export const CLOSING_REASON_NAMES = [
  'top_up',
  'other_income',
  'network_correction',
  'fee',
  'duplicate_of_file',
  'owner_withdrawal',
  'not_ours',
  'amount_corrected',
] as const

export type ClosingReason = (typeof CLOSING_REASON_NAMES)[number]
