// The answers an operator can give about a payment, and the closed list of failure reasons. A time-out, a 5xx or a broken
// connection is not an answer: it is `unknown`, and the payment stays pending (D-15).
import type { ClockJump } from './clock-and-random.ts'

/** The reasons a merchant sees as failure_reason, each with its sentence for the documents (D-13). */
export const FAILURE_REASONS = {
  declined: 'The payer declined, or entered a wrong code.',
  insufficient_funds: 'The payer’s account does not hold the amount.',
  expired: 'The payer did not answer in time.',
  cancelled: 'The payer or the operator cancelled it.',
  payer_not_found: 'The number has no mobile money account.',
  payer_not_allowed: 'The payer’s account is blocked, or may not pay merchants.',
  limit_reached: 'The payer’s or the merchant’s account reached a limit.',
  amount_not_allowed: 'The operator does not accept this amount.',
  operator_error: 'The operator could not process it.',
  never_received: 'The operator never received the payment; nothing was debited.',
} as const

export type FailureReason = keyof typeof FAILURE_REASONS

export const isFailureReason = (value: unknown): value is FailureReason =>
  typeof value === 'string' && Object.hasOwn(FAILURE_REASONS, value)

/** What a network said in its own words, for the payment's story: its code, cut to a length. Never shown to payers. */
interface InItsWords {
  code?: string
}

/**
 * A refusal that is about our configuration and not about the payer. `settings`: it names what is the same in all our requests, such as a
 * credential, the currency or the callback address. `form`: it names only the form of this request, which one payer's or one merchant's input may
 * have caused.
 */
export type MisconfigurationKind = 'settings' | 'form'

export interface Misconfiguration {
  kind: MisconfigurationKind
  /** What to change, for the operator of the service. */
  mend: string
}

export type OperatorAnswer =
  /** The operator accepted the request; the outcome comes later. */
  | ({ is: 'accepted' } & InItsWords)
  /** Without an amount where the network does not tell it: then there is nothing to compare ours with. */
  | { is: 'succeeded'; amountXof?: number; operatorReference: string }
  /** `mayChange` where the network says that a payment which it declined may still be paid. */
  | ({ is: 'declined'; reason: FailureReason; mayChange?: true; misconfigured?: Misconfiguration } & InItsWords)
  /** Debited and refunded before we learned of the debit. */
  | { is: 'refunded'; amountXof?: number; operatorReference: string }
  /** The operator has no payment with this reference. `notAsked`: it has one, and shows that the payer was never asked to pay. */
  | { is: 'not_known'; notAsked?: true }
  /** It says that money moved, in another currency or from another payer than we asked for: for a person to look at. */
  | { is: 'contradicts'; told: string }
  /**
   * No answer, or none that we understand. `neverLeft` when nothing can have been sent: the connection could not be opened, or there was no token.
   * `misconfigured` when it will stay so until somebody changes a credential or a setting, here or at the operator. `passesWithinMs` for a refusal
   * of a refund that is tried again for so long, and then left to a person.
   */
  | ({ is: 'unknown'; why: string; neverLeft?: true; misconfigured?: true; passesWithinMs?: number } & InItsWords)

/** `by_hand`: the network has no call for it, or cannot say what became of it. A person refunds, and confirms it with a proof. */
export type RefundAnswer = OperatorAnswer | { is: 'by_hand'; why: string }

/** How long after the payer's request a payment may first be sent to the operator: a later prompt is worse than none (ADR-0007). */
export const SENT_WITHIN_MS = 15 * 60_000

/** Payments of so long before a jump of the clock are counted from the jump. Not more: a machine that slept for an hour sees a jump as well. */
const COUNTED_FROM_JUMP_MS = 60_000

/** From when those 15 minutes are counted: by a clock that was set ahead, a payment of seconds ago would seem too old to be sent. */
export const countedFrom = (requestedAt: number, { from, to }: ClockJump): number =>
  from < to && requestedAt >= from - COUNTED_FROM_JUMP_MS && requestedAt < to ? to : requestedAt

/** How long after the hand-over a `not_known` is trusted: before that, our request may still be under way (D-15). */
export const NOT_KNOWN_TRUSTED_AFTER_MS = 15 * 60_000
