// One transaction of the simulated FedaPay. Its status is computed from the time and from what was planned for it, so that a clock that jumps
// changes nothing: moves lie in the past or in the future, and the last one that has come is what the transaction is.

export type Status =
  | 'pending'
  | 'approved'
  | 'declined'
  | 'canceled'
  | 'expired'
  | 'transferred'
  | 'refunded'
  | 'approved_partially_refunded'
  | 'transferred_partially_refunded'

export interface Move {
  at: number
  to: Status
  errorCode?: string
}

export interface Customer {
  id: number
  firstname: string | null
  lastname: string | null
  email: string | null
  phoneNumber: { number: string; country: string } | null
  createdAt: number
}

export interface Transaction {
  id: number
  reference: string
  merchantReference: string | null
  amount: number
  description: string
  callbackUrl: string | null
  customMetadata: object | null
  customer: Customer | null
  createdAt: number
  expiresAt: number
  /** How the payer pays, once somebody has tried. */
  mode: string | null
  /** Whom a prompt was sent to. */
  number: string
  token: string | null
  moves: Move[]
  /** How often it was asked for: creations under its reference, and prompts. */
  requests: number
  isDeleted: boolean
}

export const TRANSFERRED_AFTER_MS = 72 * 3_600_000

const NOT_TERMINAL: readonly Status[] = ['pending', 'declined', 'canceled']

export function statusAt({ moves, createdAt, expiresAt }: Transaction, now: number): Move {
  const latest = moves.filter(({ at }) => at <= now).at(-1) ?? { at: createdAt, to: 'pending' as const }
  if (latest.to === 'pending' && now >= expiresAt) return { at: expiresAt, to: 'expired' }
  if (latest.to === 'approved' && now >= latest.at + TRANSFERRED_AFTER_MS) {
    return { at: latest.at + TRANSFERRED_AFTER_MS, to: 'transferred' }
  }
  return latest
}

/** Whether it may still be paid: FedaPay lets a payer try again after a refusal. */
export const isOpen = (transaction: Transaction, now: number): boolean =>
  !transaction.isDeleted && NOT_TERMINAL.includes(statusAt(transaction, now).to)

/** What was planned and has not come is dropped. */
export function forgetPlans(transaction: Transaction, now: number): void {
  transaction.moves = transaction.moves.filter(({ at }) => at <= now)
}

const countOf = ({ moves }: Transaction, now: number, to: Status): number =>
  moves.filter((move) => move.at <= now && move.to === to).length

export const debitsOf = (transaction: Transaction, now: number): number => countOf(transaction, now, 'approved')
export const refundsOf = (transaction: Transaction, now: number): number => countOf(transaction, now, 'refunded')

/** When it last became this, for the fields `approved_at`, `declined_at` and the like. */
export const timeOf = (transaction: Transaction, now: number, to: Status): number | null => {
  const current = statusAt(transaction, now)
  if (current.to === to) return current.at
  return transaction.moves.filter((move) => move.at <= now && move.to === to).at(-1)?.at ?? null
}
