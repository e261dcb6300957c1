// The fields of a payment that a call to an operator needs.
import type { ClockJump } from '../clock-and-random.ts'
import type { LinkMethod } from '../methods/methods.ts'
import type { ConnectionKey } from '../operators/connection-key.ts'
import type { PaymentNames } from './payment.ts'

export interface OperatorPayment extends ConnectionKey, PaymentNames {
  /**
   * Whose customer the payer is: airtel_ne, mtn_bj … Empty on a link's payment until the payer has
   * chosen.
   */
  operator: string
  /** Null on a link's payment until the payer has chosen. */
  method: LinkMethod | null
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
