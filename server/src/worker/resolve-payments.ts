// Looks for payments that are due and takes them to the dispatcher. What a crash left behind comes back here, since a claim is only a
// due time in the future.
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

/** One look; true when there may be more at once. */
export async function resolvePayments({ db, clock, dispatcher, leaseMs }: ResolveDeps): Promise<boolean> {
  const now = clock.now()
  const wanted = dispatcher.wants()
  const free = wanted.filter(({ most }) => most > 0)
  const due = await findDueOperators(db, now, free)
  // In equal parts: whoever has the longest backlog must not have all the room.
  const part = Math.floor(dispatcher.room() / due.length)
  const claims = due.map(async (operator) => {
    // Creates may have taken more than all the room since it was asked for.
    const most = Math.max(0, Math.min(operator.most, part))
    const claimed = most > 0 ? await claimDuePayments(db, operator, now, leaseMs, most) : []
    for (const payment of claimed) dispatcher.take(payment, now)
    return claimed.length === most
  })
  const areFull = await Promise.all(claims)
  return areFull.includes(true) || free.length < wanted.length
}
