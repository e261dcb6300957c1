// Looks for payments that are due and takes them to the desk. What a crash left behind comes back here, since a claim is only a
// due time in the future.
import type { Clock } from '../domain/clock-and-random.ts'
import type { Desk } from '../operators/dispatcher.ts'
import type { Database } from '../store/engine/database.ts'
import { claimDuePayments, findDueOperators } from '../store/payments/pending-payments.ts'

export interface ResolveDeps {
  db: Database
  clock: Clock
  desk: Desk
  leaseMs: number
}

/** One look; true when there may be more at once. */
export async function resolvePayments({ db, clock, desk, leaseMs }: ResolveDeps): Promise<boolean> {
  const now = clock.now()
  const wanted = desk.wants()
  const free = wanted.filter(({ most }) => most > 0)
  const due = await findDueOperators(db, now, free)
  // In equal parts: whoever has the longest backlog must not have all the room.
  const part = Math.floor(desk.room() / due.length)
  const claims = due.map(async (lane) => {
    // Creates may have taken more than all the room since it was asked for.
    const most = Math.max(0, Math.min(lane.most, part))
    const claimed = most > 0 ? await claimDuePayments(db, lane, now, leaseMs, most) : []
    for (const payment of claimed) desk.take(payment, now)
    return claimed.length === most
  })
  const areFull = await Promise.all(claims)
  return areFull.includes(true) || free.length < wanted.length
}
