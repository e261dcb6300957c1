// Sends due refunds to their operators, one claimed at a time: each call ends within its lease, so no other process sends the same refund
// meanwhile, and none is begun by a process that was frozen for longer. One that was claimed or sent before is asked about first: some
// networks have no idempotency key for refunds.
import type { ServiceClock } from '../domain/clock-and-random.ts'
import { requestReferenceOf } from '../domain/operator-report.ts'
import type { RefundAnswer } from '../domain/outcome.ts'
import type { Operator, Reversal } from '../operators/operator.ts'
import type { Operators } from '../operators/registry.ts'
import type { Database } from '../store/engine/database.ts'
import { findStatus } from '../store/payments/pending-payments.ts'
import { claimDueRefunds, type OperatorRefund } from '../store/payments/refunds.ts'

export interface ResolveRefundsDeps {
  db: Database
  clock: ServiceClock
  operators: Operators
  /** Covers two calls, a status and a refund, and recording what came of them. */
  leaseMs: number
  /** How long one call and recording its answer may take. */
  callMs: number
  recordOutcome(refund: OperatorRefund, answer: RefundAnswer): Promise<void>
}

/** One round; true when more refunds may be due. */
export async function resolveRefunds(deps: ResolveRefundsDeps): Promise<boolean> {
  const { db, clock, operators, leaseMs, callMs, recordOutcome } = deps
  const claimedAt = clock.now()
  const [refund] = await claimDueRefunds(db, claimedAt, leaseMs, 1)
  if (refund === undefined) return false
  const mayCall = (): boolean => clock.isRight() && clock.now() - claimedAt + callMs <= leaseMs
  const operator = operators.find(refund)
  // If the connection is gone, or the lease is nearly over, the refund stays pending and is due again when the lease expires.
  const answer = operator && (await callOperator(db, operator, refund, mayCall))
  if (answer !== undefined) await recordOutcome(refund, answer)
  return true
}

/** The network has given the money back by itself: a refund that is sent now would give it back twice. */
const GIVEN_BACK: RefundAnswer = { is: 'refunded', operatorReference: '' }

/** Undefined when there is no time left for a call. */
async function callOperator(
  db: Database,
  operator: Operator,
  refund: OperatorRefund,
  mayCall: () => boolean,
): Promise<RefundAnswer | undefined> {
  const reversal: Reversal = { ...refund, reference: refund.lateReference ?? requestReferenceOf(refund) }
  if (refund.claims > 1) {
    if (!mayCall()) return undefined
    const answer = await operator.refundStatus(reversal)
    if (answer.is !== 'not_known') return answer
  }
  const isOwn = refund.lateReference === null
  if (isOwn && (await findStatus(db, refund.accountId, refund.number)) === 'refunded') return GIVEN_BACK
  return mayCall() ? operator.refund(reversal) : undefined
}
