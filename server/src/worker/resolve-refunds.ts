// Takes due refunds to their operators, one after the other: there are few, and asking again with the same reference is how
// their outcome is learnt.
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

/** One look; true when there may be more at once. */
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
    // Nobody is connected any more: it stays pending and comes back.
    const reference = refund.attemptReference ?? refund.reference
    if (operator !== undefined) await recordOutcome(refund, await operator.refund({ ...refund, reference }))
  }
  return due.length === MOST_AT_ONCE
}
