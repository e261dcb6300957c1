// Looks for payments that are due and takes them to the desk. What a crash left behind comes back here, since a claim is only a
// due time in the future.
import type { Clock } from '../domain/clock-and-chance.ts'
import type { Database } from '../store/database.ts'
import { claimDuePayments } from '../store/pending-payments.ts'
import type { Desk } from './desk.ts'

const MOST_AT_ONCE = 200

export interface ResolveNeeds {
  db: Database
  clock: Clock
  desk: Desk
  leaseMs: number
}

/** One look; true when there may be more at once. */
export async function resolvePayments({ db, clock, desk, leaseMs }: ResolveNeeds): Promise<boolean> {
  const most = Math.min(MOST_AT_ONCE, desk.room())
  if (most <= 0) return false
  const due = await claimDuePayments(db, clock.now(), leaseMs, most)
  for (const payment of due) desk.take(payment)
  return due.length === MOST_AT_ONCE
}
