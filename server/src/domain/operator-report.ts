// A payment as its operator is called about it, and what the operator then reported. The dispatcher carries both; recording
// what follows from a report is an action's work.
import type { Environment } from './environment.ts'
import type { OperatorAnswer } from './outcome.ts'

/** Whose payments are claimed and called about together. */
export interface OperatorKey {
  environment: Environment
  operator: string
}

export interface OperatorPayment extends OperatorKey {
  accountId: string
  number: number
  reference: string
  publicReference: string
  externalReference: string
  amountXof: number
  msisdnWritten: string | null
  /** Empty while nobody has chosen how to pay a link. */
  msisdn: string
  createdAt: number
  handedOverAt: number | null
  /** How often the operator was asked about it since the hand-over. */
  polls: number
  /** When the payer requested it: with the order, or by choosing how to pay a link. */
  requestedAt: number
  /** What the operator knows it by while it is paid through a link; null when that is its own reference. */
  attemptReference: string | null
}

export interface OperatorReport {
  payment: OperatorPayment
  /** What a callback claims is not looked at: it makes us ask for the status, and that answer counts. */
  via: 'request' | 'status' | 'callback'
  calledAt: number
  answer: OperatorAnswer
}
