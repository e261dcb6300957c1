// Sends due refunds to their operators, one after the other: there are few. The same call with the same reference, its idempotency key, is
// repeated until the operator says how the refund ended.
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorAnswer } from '../domain/outcome.ts'
import type { Operators } from '../operators/registry.ts'
import type { Database } from '../store/engine/database.ts'
import { claimDueRefunds, type OperatorRefund } from '../store/payments/refunds.ts'

const MOST_AT_ONCE = 10

export interface ResolveRefundsDeps {
  db: Database
  clock: Clock
  operators: Operators
  leaseMs: number
  recordOutcome(refund: OperatorRefund, answer: OperatorAnswer): Promise<void>
}

/** One round; true when more refunds may be due. */
export async function resolveRefunds({
  db,
  clock,
  operators,
  leaseMs,
  recordOutcome,
}: ResolveRefundsDeps): Promise<boolean> {
  const due = await claimDueRefunds(db, clock.now(), leaseMs, MOST_AT_ONCE)
  for (const refund of due) {
    const operator = operators.find(refund.environment, refund.operator)
    const reference = refund.attemptReference ?? refund.reference
    // If the operator is no longer connected, the refund stays pending and is due again when its lease expires.
    if (operator !== undefined) await recordOutcome(refund, await operator.refund({ ...refund, reference }))
  }
  return due.length === MOST_AT_ONCE
}
