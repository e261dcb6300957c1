// Claims payments that are due and queues them in the dispatcher. Payments that a crashed process had claimed are claimed again here, since
// a claim is only a due time in the future.
import type { Clock } from '../domain/clock-and-random.ts'
import type { Dispatcher } from '../operators/dispatcher.ts'
import type { Database } from '../store/engine/database.ts'
import { claimDuePayments, findDueOperators } from '../store/payments/pending-payments.ts'

export interface ResolveDeps {
  db: Database
  clock: Clock
  dispatcher: Dispatcher
  leaseMs: number
}

/** One round; true when more payments may be due, or when a queue was too full to claim for. */
export async function resolvePayments({ db, clock, dispatcher, leaseMs }: ResolveDeps): Promise<boolean> {
  const now = clock.now()
  const limits = dispatcher.claimLimits()
  const free = limits.filter(({ most }) => most > 0)
  const due = await findDueOperators(db, now, free)
  // In equal shares: the operator with the longest backlog must not use up all the room.
  const share = Math.floor(dispatcher.room() / due.length)
  const claims = due.map(async (operator) => {
    // Can be negative: creates go straight to the dispatcher, and may have used up the room since.
    const most = Math.max(0, Math.min(operator.most, share))
    const claimed = most > 0 ? await claimDuePayments(db, operator, now, leaseMs, most) : []
    for (const payment of claimed) dispatcher.take(payment, now)
    return claimed.length === most
  })
  const areFull = await Promise.all(claims)
  return areFull.includes(true) || free.length < limits.length
}
