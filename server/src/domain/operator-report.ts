// What a call to an operator needs to know of a payment, and what the operator then reported about it. The dispatcher passes both on;
// actions/payments/record-outcomes.ts records what follows from a report.
import type { Environment } from './environment.ts'
import type { OperatorAnswer } from './outcome.ts'
import type { LinkMaker } from './payment.ts'

/** One connection to a network: the dispatcher has a queue for each, and payments are claimed by it. Its name is for ever. */
export interface ConnectionKey {
  environment: Environment
  connection: string
}

/** What payments that are due wait for: to be sent, or to be asked about. */
export const CALL_KINDS = ['request', 'status'] as const

export type CallKind = (typeof CALL_KINDS)[number]

/** The payments of one connection that wait for one kind of call. */
export interface DueLine extends ConnectionKey {
  kind: CallKind
}

export interface OperatorPayment extends ConnectionKey {
  /** Whose customer the payer is: airtel_ne, mtn_bj … Empty on a link's payment until the payer has chosen. */
  operator: string
  accountId: string
  number: number
  reference: string
  publicReference: string
  externalReference: string
  createdBy: LinkMaker
  clientReference: string | null
  metadata: string | null
  amountXof: number
  msisdnWritten: string | null
  /** Empty on a link's payment until the payer gives a number. */
  msisdn: string
  createdAt: number
  handedOverAt: number | null
  /** When the operator first said that it has the payment; null when it has not said so yet. */
  acceptedAt: number | null
  /** The network's own id of the request, kept right before the call that can move money; null when it has none, or was not called. */
  networkId: string | null
  /** How often the operator was polled since the hand-over. */
  polls: number
  /** How often it was claimed without word of what came of it, this claim included: from the second on, it may have been sent. */
  claims: number
  /** When the payer requested it: with the order, or by choosing how to pay a link. */
  requestedAt: number
  /** The reference that the operator was sent for an attempt on a link; null when it was sent the payment's own. */
  attemptReference: string | null
}

/** What the operator knows a payment by: its own reference, or that of an attempt on its link. */
export const requestReferenceOf = ({
  attemptReference,
  reference,
}: Pick<OperatorPayment, 'attemptReference' | 'reference'>): string => attemptReference ?? reference

export interface OperatorReport {
  payment: OperatorPayment
  /** `callback`: a callback made us request the status. The answer to that request counts; the callback's content is not read. */
  via: 'request' | 'status' | 'callback'
  calledAt: number
  /** Until when the clock had last jumped ahead, as far as the caller had seen. */
  clockJumpedTo?: number
  /** The due time that claimed the payment for this call; undefined when it was asked about without a claim. */
  claimedUntil?: number
  answer: OperatorAnswer
}

// Connections that a network refuses for our configuration.

/** By operator: a connection to an aggregator may be enabled for one operator and not for another. */
export interface RefusedRoute extends ConnectionKey {
  operator: string
}

/**
 * How a connection is refused, which decides what reopens it. `settings` and `form`: the answer to the request blames our configuration, surely or
 * perhaps. `outcome`: the network accepts requests, and the payments then fail for our configuration.
 */
export type RefusalKind = 'settings' | 'form' | 'outcome'

export interface ConfigurationRefusal extends RefusedRoute {
  kind: RefusalKind
  since: number
  /** The last refusal. */
  refusedAt: number
  /** What the network said and what to change. */
  why: string
}
