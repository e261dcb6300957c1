// Looks for payments that are due and takes them to the desk. What a crash left behind comes back here, since a claim is only a
// due time in the future.
import type { Clock } from '../domain/clock-and-chance.ts'
import type { Database } from '../store/database.ts'
import { claimDuePayments } from '../store/pending-payments.ts'
import type { Desk } from './desk.ts'

const MOST_AT_ONCE = 200
/** Fewer are not worth a journey to the store. */
const LEAST_AT_ONCE = 50

export interface ResolveNeeds {
  db: Database
  clock: Clock
  desk: Desk
  leaseMs: number
}

/** One look; true when there may be more at once. */
export async function resolvePayments({ db, clock, desk, leaseMs }: ResolveNeeds): Promise<boolean> {
  const most = Math.min(MOST_AT_ONCE, desk.room())
  if (most < LEAST_AT_ONCE) return true
  const now = clock.now()
  const due = await claimDuePayments(db, now, leaseMs, most)
  for (const payment of due) desk.take(payment, now)
  return due.length === most
}
