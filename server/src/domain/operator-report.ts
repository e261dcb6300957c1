// The fields of a payment that a call to an operator needs, and the operator's report about it. The
// dispatcher passes both on; actions/payments/record-outcomes.ts records what follows from a
// report.
import type { ClockJump } from './clock-and-random.ts'
import type { Environment } from './environment.ts'
import type { PaymentNames } from './payment.ts'
import type { FailureReason } from './payment-status.ts'
import type { Witness } from './statement.ts'

/** A connection to a network. Its name is permanent: payments are claimed by it. */
export type ConnectionKey = { environment: Environment; connection: string }

/** For maps and sets of connections. */
export const connectionText = ({ environment, connection }: ConnectionKey): string =>
  `${environment} ${connection}`

/** The call that a due payment waits for: a request or a status call. */
export const CALL_KINDS = ['request', 'status'] as const

export type CallKind = (typeof CALL_KINDS)[number]

/**
 * The calls that this process may make to one connection, by kind: requests for money, and status
 * calls.
 */
export type CallLimits = Readonly<Record<CallKind, CallLimit>>

/** Concurrent calls, and calls begun in a second: no limit without it. */
export type CallLimit = { atOnce: number; perSecond?: number | undefined }

export interface DueLine extends ConnectionKey {
  kind: CallKind
}

export interface OperatorPayment extends ConnectionKey, PaymentNames {
  /**
   * Whose customer the payer is: airtel_ne, mtn_bj … Empty on a link's payment until the payer has
   * chosen.
   */
  operator: string
  amountXof: number
  msisdnWritten: string | null
  /** Empty on a link's payment until the payer gives a number. */
  msisdn: string
  createdAt: number
  handedOverAt: number | null
  /** When the operator first said that it has the payment; null when it has not said so yet. */
  acceptedAt: number | null
  /** The network's own id, stored right before the call that can move money; null without one. */
  networkId: string | null
  /** How often the operator was polled since the hand-over. */
  polls: number
  /** Claims with no recorded result, this one included; above 1 it may have been sent. */
  claims: number
  /** When the payer requested it: with the order, or by choosing how to pay a link. */
  requestedAt: number
  /**
   * The reference that the operator was sent for an attempt on a link; null when it was sent the
   * payment's own.
   */
  attemptReference: string | null
}

/** What the operator knows a payment by: its own reference, or that of an attempt on its link. */
export const requestReferenceOf = ({
  attemptReference,
  reference,
}: Pick<OperatorPayment, 'attemptReference' | 'reference'>): string => attemptReference ?? reference

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
  claimedUntil?: number
  answer: OperatorAnswer
}

// Connections that a network refuses for our configuration.

/**
 * By operator: a connection to an aggregator may be enabled for one operator and not for another.
 */
export interface RefusedRoute extends ConnectionKey {
  operator: string
}

/**
 * What reopens it: `settings` and `form` were blamed in the answer to a request, `outcome` by
 * payments that failed.
 */
export type RefusalKind = 'settings' | 'form' | 'outcome'

export interface ConfigurationRefusal extends RefusedRoute {
  kind: RefusalKind
  since: number
  refusedAt: number
  /** What the network said and what to change. */
  why: string
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
  mend: string
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

/** A payment is first sent within this time: a later prompt is worse than none (ADR-0007). */
export const SENT_WITHIN_MS = 15 * 60_000

/**
 * Only payments of the last minute are counted from the jump: after an hour's sleep there is a jump
 * too.
 */
const COUNTED_FROM_JUMP_MS = 60_000

/**
 * The start of those 15 minutes: after the clock was set ahead, a new payment would seem too old.
 */
export const countedFrom = (requestedAt: number, { from, to }: ClockJump): number =>
  from < to && requestedAt >= from - COUNTED_FROM_JUMP_MS && requestedAt < to ? to : requestedAt

/**
 * How long after the hand-over a `not_known` is trusted: before that, our request may still be in
 * flight (D-15).
 */
export const NOT_KNOWN_TRUSTED_AFTER_MS = 15 * 60_000

// Reports that no rule can decide and a person must look at.

export type AnomalyKind =
  | 'amount_mismatch'
  | 'success_after_failure'
  | 'failure_after_success'
  | 'forgotten_by_operator'
  | 'network_id_taken'
  | 'reversed_during_refund'
  | 'unknown_reference'

export interface Anomaly extends ConnectionKey {
  anomalyId: string
  accountId: string | null
  /** The payment's; of one that we do not have, what the operator calls it. */
  reference: string
  operator: string
  kind: AnomalyKind
  detail: string
  /** Who reported it first; null for an anomaly of an older server. */
  witness: Witness | null
  at: number
  resolvedAt: number | null
  resolvedBy: string | null
  note: string | null
}

// Connections as staff see them.

export interface ConnectionPause extends ConnectionKey {
  since: number
  reason: string
  pausedBy: string
}

/** As last reported by the process that calls the connection. */
export interface SeenHealth extends ConnectionKey {
  state: string
  since: number
  why: string | null
  /** 1 or 0. */
  misconfigured: number
  seenAt: number
}

export interface ListedConnection {
  environment: Environment
  name: string
  /** What its merchant calls it; null for a connection of the installation. */
  label: string | null
  /**
   * `simulated` for the simulated network; null for a removed connection that still has payments.
   */
  connector: string | null
  serves: readonly string[]
  takes: boolean
  limits: CallLimits | undefined
  /** The merchant whose connection it is; null for a connection of the installation. */
  owner: string | null
  /**
   * In production: how many merchants collect into its one wallet, when they are several; else 0.
   */
  sharedBy: number
  health: SeenHealth | undefined
  pause: ConnectionPause | undefined
  /** Operators whose payments its network refuses for our configuration, the oldest first. */
  refusals: readonly ConfigurationRefusal[]
}
