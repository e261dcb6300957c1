// The invariants of the store, and a name for each violation. The store brings the evidence.
import { isPaid, type PaymentStatus } from '../payments/payment-status.ts'
import type { PublicReferences } from '../payments/reference.ts'

/** A payment, and what other tables say of it. The counts are of rows that belong to it. */
export interface PaymentEvidence {
  accountId: string
  number: number
  reference: string
  publicReference: string
  status: PaymentStatus
  amountXof: number
  validatedAt: number | null
  dueAt: number | null
  attemptReference: string | null
  accounts: number
  /** The payment itself, as found by the indexes on its references. */
  byReference: number
  byExternalReference: number
  /** Events of the status that it has, and events that this status rules out. */
  ownEvents: number
  /** 1 when events that were written after its creation are removed: its own may be among them. */
  eventsRemoved: number
  contradictingEvents: number
  links: number
  attempts: number
  /** Of the attempt that it names. */
  attemptStatus: 'pending' | 'succeeded' | 'failed' | null
  /** Pending, although the payment names another one or none. */
  strayAttempts: number
  refundsSucceeded: number
  refundsPending: number
  /** What its refunds add up to: those that succeeded, and those that have not failed. */
  refundsSucceededXof: number
  refundsReservedXof: number
  /** The same sums, as the payment has them. */
  refundedXof: number
  reservedXof: number
  /** Ledger entries of a reversal by the network. */
  reversals: number
  /** Pending, and no worker will look at them again. */
  refundsForgotten: number
  /** What its ledger entries add up to: paid, and given back. */
  bookedXof: number
  bookedBackXof: number
  /** What the network owes for it, without its refunds. */
  owedXof: number
  /**
   * Lines of its collection, with its amount, that are booked as something else and will not be
   * judged again.
   */
  strayLines: number
  /** Whose the network's id is that it has; null without one. */
  networkIdOwner: string | null
  /** The first number that no payment can have yet. */
  nextNumber: number | null
}

const PAYMENT_FAULTS = {
  payment_without_account: (p) => p.accounts !== 1,
  payment_number_not_given_out: (p) => p.number >= (p.nextNumber ?? 0),
  public_reference_wrong: (p, references) => p.publicReference !== references.of(p.number),
  reference_not_found: (p) => p.byReference !== 1,
  transaction_id_not_found: (p) => p.byExternalReference !== 1,
  outcome_without_event: (p) => hasOutcome(p) && p.ownEvents === 0 && p.eventsRemoved === 0,
  event_twice: (p) => p.ownEvents > 1,
  event_contradicts_payment: (p) => p.contradictingEvents > 0,
  succeeded_without_time: (p) => p.status === 'succeeded' && p.validatedAt === null,
  // An open link is pending too, between two attempts: nothing is due then.
  pending_not_due: (p) =>
    p.status === 'pending' && p.dueAt === null && (p.attemptReference !== null || p.links === 0),
  outcome_still_due: (p) => hasOutcome(p) && p.dueAt !== null,
  initiated_without_link: (p) => p.status === 'initiated' && p.links === 0,
  attempt_without_link: (p) => p.attempts > 0 && p.links === 0,
  attempt_does_not_match: (p) =>
    p.attemptReference !== null && p.attemptStatus !== attemptStatusOf(p),
  attempt_left_pending: (p) => p.strayAttempts > 0,
  refund_without_success: (p) => p.refundsPending + p.refundsSucceeded > 0 && !isPaid(p),
  refund_not_shown: (p) => p.status === 'succeeded' && p.refundsSucceededXof >= p.amountXof,
  // A network's own reversal also ends refunds that were not sent.
  refunds_do_not_add_up: (p) =>
    p.reservedXof > p.amountXof ||
    (p.reversals === 0 &&
      (p.refundedXof !== p.refundsSucceededXof || p.reservedXof !== p.refundsReservedXof)),
  refund_not_due: (p) => p.refundsForgotten > 0,
  books_differ: (p) =>
    p.bookedXof !== (isPaid(p) ? p.amountXof : 0) ||
    p.bookedBackXof !== (p.status === 'refunded' ? p.amountXof : p.refundedXof),
  // To be received, or in the wallet. A reversal has no reference by which it could be told from
  // the payment.
  payment_in_two_places: (p) =>
    isPaid(p) &&
    p.reversals === 0 &&
    p.owedXof !== 0 &&
    (p.owedXof !== p.amountXof || p.strayLines > 0),
  network_id_of_another: (p) => p.networkIdOwner !== null && p.networkIdOwner !== p.reference,
} as const satisfies Record<
  string,
  (payment: PaymentEvidence, publicReferences: PublicReferences) => boolean
>

/** A line of a network's statement, and what it has booked. */
export interface LineEvidence {
  environment: string
  connection: string
  lineNumber: number
  accountId: string | null
  /** The amount without its fee and tax. */
  netXof: number
  /**
   * What its entries have put into the wallet, and left unexplained: above 0 for money that came.
   */
  walletXof: number
  unexplainedXof: number
  /** 1 when a person has said that the line is there twice. */
  isTakenBack: number
  /**
   * 1 for a line that is the payment, refund or movement that it names, and for late money that was
   * given back.
   */
  isExplained: number
  openDifferences: number
  /** The latest; null for none. */
  differenceId: string | null
}

/** A line is booked once, as a whole, and stays unexplained only while a difference is open. */
export function lineFaultOf(
  line: LineEvidence,
): 'line_not_booked_once' | 'line_unexplained' | undefined {
  const bookedXof = line.accountId === null || line.isTakenBack === 1 ? 0 : line.netXof
  if (line.walletXof !== bookedXof) return 'line_not_booked_once'
  const isLeft = line.unexplainedXof !== 0 && line.isExplained === 0 && line.openDifferences === 0
  return isLeft ? 'line_unexplained' : undefined
}

const hasOutcome = (payment: PaymentEvidence): boolean =>
  isPaid(payment) || payment.status === 'failed'

/** The state of the attempt that a payment names; a failed attempt is named by none. */
const attemptStatusOf = (payment: PaymentEvidence): string =>
  isPaid(payment) ? 'succeeded' : 'pending'

type PaymentFault = keyof typeof PAYMENT_FAULTS

export function faultsOf(
  payment: PaymentEvidence,
  publicReferences: PublicReferences,
): PaymentFault[] {
  const kinds = Object.keys(PAYMENT_FAULTS) as PaymentFault[]
  return kinds.filter((kind) => PAYMENT_FAULTS[kind](payment, publicReferences))
}

export type FindingKind =
  | PaymentFault
  | 'payment_number_twice'
  | 'link_without_payment'
  | 'attempt_without_payment'
  | 'refund_without_payment'
  | 'event_without_payment'
  | 'events_missing'
  | 'figures_do_not_add_up'
  | 'poster_does_not_add_up'
  | 'line_not_booked_once'
  | 'line_unexplained'
  | 'import_cut_off'
  | 'opening_differs'
  | 'entry_without_payment'
  | 'entries_missing'
  | 'balance_does_not_add_up'
  | 'audit_entries_missing'
  | 'audit_entry_altered'
  | 'migration_changed'
  | 'migration_missing'
  | 'file_damaged'

export interface Finding {
  kind: FindingKind
  /**
   * What it is about, by its own name: a payment's reference, an event's or entry's number, a
   * migration.
   */
  subject: string
  /** Null for what concerns no single account. */
  accountId: string | null
}

/**
 * The numbers that are missing before `found`, when `last` was the one before it: `4`, or `4 to 6`.
 */
export function gapBetween(last: number, found: number): string | undefined {
  if (found <= last + 1) return undefined
  return found === last + 2 ? `${last + 1}` : `${last + 1} to ${found - 1}`
}
