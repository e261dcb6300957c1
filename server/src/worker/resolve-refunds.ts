// Sends due refunds to their operators, for each connection one at a time: a network that does not
// answer delays only its own. Each is claimed right before its call, which ends within the lease:
// no other process sends the same refund meanwhile, and none is begun by a process that was frozen
// for longer. A refund that was claimed or sent before is polled first: some networks have no
// idempotency key for refunds.

import type { ServiceClock } from '../domain/clock-and-random.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'
import { type ConnectionKey, connectionText } from '../domain/operators/connection-key.ts'
import { requestReferenceOf } from '../domain/payments/operator-payment.ts'
import type { RefundAnswer } from '../domain/payments/operator-report.ts'
import { DAY_MS } from '../domain/payments/verdict.ts'
import type { OperatorRefund } from '../domain/refunds/refund.ts'
import type { Operator, Reversal } from '../operators/operator.ts'
import type { Operators } from '../operators/registry.ts'
import type { Database } from '../store/engine/database.ts'
import { findRefundAccepted } from '../store/payments/payment-moves.ts'
import { findStatus } from '../store/payments/payments.ts'
import { allDueRefunds, claimDueRefund } from '../store/payments/refunds.ts'

export interface ResolveRefundsDeps {
  db: Database
  clock: ServiceClock
  operators: Pick<Operators, 'find' | 'refundsInPart'>
  /** False while the connection's breaker is open. */
  mayBeCalled(connection: ConnectionKey): boolean
  /** Covers two calls, a status and a refund, and recording what came of them. */
  leaseMs: number
  /** How long one call and recording its answer may take. */
  callMs: number
  recordOutcome(refund: OperatorRefund, answer: RefundAnswer): Promise<void>
  /** Logs a fault of our own; the refund is due again when its lease expires. */
  failed(error: unknown): void
}

/**
 * How many refunds of a connection are sent in a row before the store is read again for those due
 * longest.
 */
const MOST_OF_EACH = 50

export function refundResolver(deps: ResolveRefundsDeps) {
  const { db, clock, operators, mayBeCalled, leaseMs, callMs, recordOutcome, failed } = deps
  const underWay = new Map<string, Promise<void>>()
  let stopped = false

  /**
   * By connection. Without a connector, or while its breaker is open, a connection's refunds stay
   * due.
   */
  async function findDue(): Promise<Map<string, string[]>> {
    const due = new Map<string, string[]>()
    for await (const refund of allDueRefunds(db, clock.now())) {
      const key = connectionText(refund)
      if (underWay.has(key) || operators.find(refund) === undefined || !mayBeCalled(refund))
        continue
      const some = getOrMake(due, key, () => [])
      if (some.length < MOST_OF_EACH) some.push(refund.refundReference)
    }
    return due
  }

  async function resolveInTurn(refundReferences: readonly string[]): Promise<void> {
    try {
      for (const refundReference of refundReferences) {
        if (stopped || !clock.isRight() || !(await resolve(refundReference))) return
      }
    } catch (error) {
      failed(error)
    }
  }

  /** False when its connection must not be called now. */
  async function resolve(refundReference: string): Promise<boolean> {
    const claimedAt = clock.now()
    const refund = await claimDueRefund(db, refundReference, claimedAt, leaseMs)
    if (refund === undefined) return true
    const mayCall = (): boolean => clock.isRight() && clock.now() - claimedAt + callMs <= leaseMs
    const operator = operators.find(refund)
    // If the lease is nearly over, the refund stays pending and is due again when the lease
    // expires.
    const isWholeOnly = isPart(refund) && !operators.refundsInPart(refund)
    const answer = isWholeOnly
      ? WHOLE_ONLY
      : operator && (await callOperator(db, operator, refund, mayCall, clock.now))
    if (answer !== undefined) await recordOutcome(refund, answer)
    return mayBeCalled(refund)
  }

  return {
    /** Claims due refunds and begins their calls without waiting for them; always returns false. */
    round: async (): Promise<boolean> => {
      for (const [key, refundReferences] of await findDue()) {
        if (stopped) break
        const resolving = resolveInTurn(refundReferences).finally(() => underWay.delete(key))
        underWay.set(key, resolving)
      }
      return false
    },
    /** Begins no more calls; resolves when none is in flight. */
    stop: async (): Promise<void> => {
      stopped = true
      await Promise.all(underWay.values())
    },
  }
}

const isPart = ({ amountXof, debitXof }: OperatorRefund): boolean => amountXof < debitXof

/**
 * Its connection was not there when the refund was requested. Sent, the whole payment would go
 * back.
 */
const WHOLE_ONLY: RefundAnswer = {
  is: 'by_hand',
  why: 'This network gives back whole payments only: pay this amount back in another way.',
}

/** The network has reversed the payment on its own: a refund sent now would refund twice. */
const GIVEN_BACK: RefundAnswer = { is: 'refunded', operatorReference: '' }

/**
 * The operator had accepted the refund, and may have made it: sending it again could refund twice.
 * It is polled for a day, because look-ups may lag, and a refund is not urgent enough for a manual
 * search before that.
 */
const forgotten = (forMs: number): RefundAnswer =>
  forMs < DAY_MS
    ? { is: 'unknown', why: 'the operator had accepted the refund, and does not know it now' }
    : {
        is: 'by_hand',
        why: 'The operator accepted this refund and has forgotten it: look for it in the operator’s statement before making it again.',
      }

/** Undefined when there is no time left for a call. */
async function callOperator(
  db: Database,
  operator: Operator,
  refund: OperatorRefund,
  mayCall: () => boolean,
  now: () => number,
): Promise<RefundAnswer | undefined> {
  const reversal: Reversal = {
    ...refund,
    reference: refund.lateReference ?? requestReferenceOf(refund),
  }
  if (refund.claims > 1) {
    if (!mayCall()) return undefined
    const answer = await operator.refundStatus(reversal)
    if (answer.is !== 'not_known') return answer
    const acceptedAt = await findRefundAccepted(db, refund)
    if (acceptedAt !== undefined) return forgotten(now() - acceptedAt)
  }
  const isOwn = refund.lateReference === null
  if (isOwn && (await findStatus(db, refund.accountId, refund.number)) === 'refunded')
    return GIVEN_BACK
  return mayCall() ? operator.refund(reversal) : undefined
}
