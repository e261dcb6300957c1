// Sends due refunds to their operators, one claimed at a time: each call ends within its lease, so no other process sends the same refund
// meanwhile. One that was claimed or sent before is asked about first: some networks have no idempotency key for refunds.
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorAnswer } from '../domain/outcome.ts'
import type { Operator } from '../operators/operator.ts'
import type { Operators } from '../operators/registry.ts'
import type { Database } from '../store/engine/database.ts'
import { claimDueRefunds, type OperatorRefund } from '../store/payments/refunds.ts'

export interface ResolveRefundsDeps {
  db: Database
  clock: Clock
  operators: Operators
  /** Covers two calls, a status and a refund, and recording what came of them. */
  leaseMs: number
  recordOutcome(refund: OperatorRefund, answer: OperatorAnswer): Promise<void>
}

/** One round; true when more refunds may be due. */
export async function resolveRefunds(deps: ResolveRefundsDeps): Promise<boolean> {
  const { db, clock, operators, leaseMs, recordOutcome } = deps
  const [refund] = await claimDueRefunds(db, clock.now(), leaseMs, 1)
  if (refund === undefined) return false
  const operator = operators.find(refund.environment, refund.operator)
  // If the operator is no longer connected, the refund stays pending and is due again when its lease expires.
  if (operator !== undefined) await recordOutcome(refund, await callOperator(operator, refund))
  return true
}

async function callOperator(operator: Operator, refund: OperatorRefund): Promise<OperatorAnswer> {
  const reversal = { ...refund, reference: refund.attemptReference ?? refund.reference }
  if (refund.claims === 1) return operator.refund(reversal)
  const answer = await operator.refundStatus(refund.refundReference)
  return answer.is === 'not_known' ? operator.refund(reversal) : answer
}
