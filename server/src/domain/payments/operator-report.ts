// An operator's report about a payment. The dispatcher passes it on;
// actions/payments/record-outcomes.ts records what follows from it.
import type { OperatorPayment } from './operator-payment.ts'
import type { FailureReason } from './payment-status.ts'

export interface OperatorReport {
  payment: OperatorPayment
  /** `callback`: a status call after a callback, whose content is not read. */
  via: 'request' | 'status' | 'callback'
  calledAt: number
  /** Until when the clock had last jumped ahead, as far as the caller had seen. */
  clockJumpedTo?: number
  /**
   * The due time that claimed the payment for this call; undefined for a status call without a
   * claim.
   */
  claimedDueAt?: number
  answer: OperatorAnswer
}

// An operator's answers. A time-out, a 5xx or a broken connection is `unknown`: the payment stays
// pending (D-15).

/** The network's own code for the payment's history, cut to a length. Never shown to payers. */
type InItsWords = { code?: string }

/**
 * A refusal that is about our configuration and not about the payer. `settings`: it names what is
 * the same in all our requests, such as a credential, the currency or the callback address. `form`:
 * it names only the form of this request, which one payer's or one merchant's input may have
 * caused.
 */
export type MisconfigurationKind = 'settings' | 'form'

export interface Misconfiguration {
  kind: MisconfigurationKind
  /** What to change, for the operator of the service. */
  remedy: string
}

export type OperatorAnswer =
  /** The operator accepted the request; the outcome comes later. */
  | ({ is: 'accepted' } & InItsWords)
  /**
   * Without an amount where the network does not tell it: then there is nothing to compare ours
   * with.
   */
  | { is: 'succeeded'; amountXof?: number; operatorReference: string }
  /** `mayChange` where the network says that a payment which it declined may still be paid. */
  | ({
      is: 'declined'
      reason: FailureReason
      mayChange?: true
      misconfigured?: Misconfiguration
    } & InItsWords)
  /** Debited and refunded before we learned of the debit. */
  | { is: 'refunded'; amountXof?: number; operatorReference: string }
  /**
   * The operator has no such payment. `notAsked`: it has one, and never prompted the payer.
   * `alsoForgotten`: the reference of a payment that it had accepted and does not know either, so
   * its `not_known` proves nothing.
   */
  | { is: 'not_known'; notAsked?: true; alsoForgotten?: string }
  /**
   * It reports a debit in another currency or from another payer than requested: a person must
   * check it.
   */
  | { is: 'contradicts'; reported: string }
  /**
   * No answer, or none that we understand. `neverLeft`: nothing can have been sent.
   * `misconfigured`: until a person changes a credential or a setting. `passesWithinMs`: a refused
   * refund is retried so long, then left to a person.
   */
  | ({
      is: 'unknown'
      why: string
      neverLeft?: true
      misconfigured?: true
      passesWithinMs?: number
    } & InItsWords)

/**
 * `by_hand`: the network cannot do it or report on it. A person refunds, and confirms it with a
 * proof.
 */
export type RefundAnswer = OperatorAnswer | { is: 'by_hand'; why: string }

/**
 * How long after the hand-over a `not_known` is trusted: before that, our request may still be in
 * flight (D-15).
 */
export const NOT_KNOWN_TRUSTED_AFTER_MS = 15 * 60_000
