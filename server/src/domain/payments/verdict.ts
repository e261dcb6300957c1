// The effect of an operator's answer: a move, or polling again. Pure, so that every rule of D-15 is
// one test.

import type { Method } from '../methods/method.ts'
import { type LinkMethod, methodOf } from '../methods/methods.ts'
import { NOT_KNOWN_TRUSTED_AFTER_MS, type OperatorAnswer } from './operator-report.ts'
import type { FailureReason } from './payment-status.ts'

export interface OperatorCall {
  /** The payment's. */
  number: number
  method: LinkMethod | null
  amountXof: number
  handedOverAt: number
  /** Null when the operator has not said yet that it has the payment. */
  acceptedAt: number | null
  /**
   * Null when the operator gave the request no id of its own, or the payer was not asked to pay.
   */
  networkId: string | null
  polls: number
  /**
   * When this call was made: its answer describes that time or later, and may have waited to be
   * recorded since.
   */
  calledAt: number
  /** No process can have sent it to the operator. */
  isSurelyUnsent?: boolean
  /** Until when the clock had last jumped ahead. */
  clockJumpedTo?: number | undefined
  now: number
}

export type Verdict =
  | { is: 'move'; to: 'succeeded' | 'refunded'; operatorReference: string }
  | { is: 'move'; to: 'failed'; failureReason: FailureReason }
  | {
      is: 'wait'
      dueInMs: number
      anomaly?: { kind: 'amount_mismatch' | 'forgotten_by_operator'; detail: object }
    }

export function judge(answer: OperatorAnswer, call: OperatorCall): Verdict {
  const wait = { is: 'wait', dueInMs: nextPollInMs(call) } as const
  switch (answer.is) {
    case 'succeeded':
    case 'refunded':
      // Another amount than ours is for a person to look at: no payment is moved on a guess.
      if (answer.amountXof !== undefined && answer.amountXof !== call.amountXof) {
        const detail = { asked: call.amountXof, reported: answer.amountXof }
        return { ...wait, anomaly: { kind: 'amount_mismatch', detail } }
      }
      return { is: 'move', to: answer.is, operatorReference: answer.operatorReference }
    case 'declined':
      return { is: 'move', to: 'failed', failureReason: answer.reason }
    case 'contradicts': {
      const detail = { asked: call.amountXof, reported: answer.reported }
      return { ...wait, anomaly: { kind: 'amount_mismatch', detail } }
    }
    case 'not_known':
      // It may have been sent, and its payer debited, before the operator lost its books.
      if (answer.alsoForgotten !== undefined) {
        const { alsoForgotten } = answer
        return {
          ...wait,
          anomaly: {
            kind: 'forgotten_by_operator',
            detail: { alsoForgotten, reported: 'not_known' },
          },
        }
      }
      if (!call.isSurelyUnsent && ageOf(call) < NOT_KNOWN_TRUSTED_AFTER_MS) return wait
      // The operator had confirmed the payment, so its payer may have been debited: `not_known`
      // proves nothing now.
      if (call.acceptedAt !== null || (call.networkId !== null && answer.notAsked !== true)) {
        const { acceptedAt, networkId } = call
        const had =
          acceptedAt === null ? { networkId } : { acceptedAt: new Date(acceptedAt).toISOString() }
        return {
          ...wait,
          anomaly: { kind: 'forgotten_by_operator', detail: { ...had, reported: 'not_known' } },
        }
      }
      return { is: 'move', to: 'failed', failureReason: 'never_received' }
    case 'accepted':
    case 'unknown':
      return wait
  }
}

/** After the clock was set ahead, a request of seconds ago seems to be minutes old. */
const ageOf = ({ calledAt, handedOverAt, clockJumpedTo = 0 }: OperatorCall): number =>
  calledAt - Math.max(handedOverAt, clockJumpedTo)

/**
 * No payer waits for a refund on a page: it is polled after a sixtieth of its age, at most six
 * hours.
 */
export function nextRefundPollInMs(
  refund: Record<'number' | 'polls' | 'requestedAt' | 'now', number>,
): number {
  const { requestedAt, now } = refund
  const byAge = Math.min((now - requestedAt) / 60, LONGEST_REFUND_POLL_MS)
  const asPayment = { ...refund, method: null, handedOverAt: requestedAt }
  return Math.round(Math.max(nextPollInMs(asPayment), byAge))
}

export const LONGEST_REFUND_POLL_MS = 6 * 3_600_000
const FIRST_POLL_MS = 5_000
/**
 * At most half a minute on the first day, so that an operator's recovery is noticed within a minute
 * (promise 5).
 */
const WHILE_PAYERS_WAIT = { onFirstDay: 30_000, later: 15 * 60_000 }
const LONGEST_POLL_MS: Readonly<Record<Method['by'], typeof WHILE_PAYERS_WAIT>> = {
  prompt: WHILE_PAYERS_WAIT,
  redirect: WHILE_PAYERS_WAIT,
}
export const DAY_MS = 86_400_000

/**
 * The longest wait for the next poll. A payment that is due later has its time from a wrong clock:
 * the watch of the backlog has its limits from here too.
 */
export function longestPollMs(method: LinkMethod, ageMs: number): number {
  const { onFirstDay, later } = LONGEST_POLL_MS[methodOf(method).by]
  return ageMs < DAY_MS ? onFirstDay : later
}

/**
 * Jitter: a wait is shortened by up to this share. Payments made together would else be polled
 * together for ever.
 */
const SPREAD = 0.2
/** Multiples of the golden ratio: their fractions are evenly spread, from 0 to 1. */
const spreadOf = (number: number, polls: number): number =>
  ((number + polls) * 0.618_033_988_75) % 1

/** The delay grows by half with each poll. */
export function nextPollInMs(
  call: Pick<OperatorCall, 'number' | 'method' | 'polls' | 'handedOverAt' | 'now'>,
): number {
  const { number, method, polls, handedOverAt, now } = call
  const longest = longestPollMs(method ?? 'mobile', now - handedOverAt)
  const growing = FIRST_POLL_MS * 1.5 ** Math.min(polls, 40)
  return Math.round(growing < longest ? growing : longest * (1 - SPREAD * spreadOf(number, polls)))
}

// When the operator is polled again about a request that failed as never_received: at growing
// intervals, for three days. Some networks take hours to report, and no merchant looks at a failed
// payment again.

export const LONGEST_RECHECK_MS = 6 * 3_600_000
export const RECHECKED_FOR_MS = 72 * 3_600_000

/** A quarter of the time that has passed since the failure: about 30 checks in all. */
export const nextRecheckInMs = (sinceFailureMs: number): number =>
  Math.min(Math.max(60_000, Math.round(sinceFailureMs / 4)), LONGEST_RECHECK_MS)
