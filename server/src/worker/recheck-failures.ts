// Asks operators again about requests that failed as never_received. Should one have been debited after all, recording the report makes it
// an anomaly for a person: the payment itself stays failed (D-15).
import type { Clock } from '../domain/clock-and-random.ts'
import type { Dispatcher } from '../operators/dispatcher.ts'
import type { Database } from '../store/engine/database.ts'
import { findByRequestReference } from '../store/payments/pending-payments.ts'
import { claimDueRechecks, scheduleRecheck } from '../store/payments/rechecks.ts'

const MOST_AT_ONCE = 50

export interface RecheckDeps {
  db: Database
  clock: Clock
  dispatcher: Dispatcher
  leaseMs: number
}

/** One round; true when there may be more at once. */
export async function recheckFailures({ db, clock, dispatcher, leaseMs }: RecheckDeps): Promise<boolean> {
  const now = clock.now()
  const due = await claimDueRechecks(db, now, leaseMs, MOST_AT_ONCE)
  for (const recheck of due) {
    const { requestReference } = recheck
    // An operator that is busy or down is asked later, when this claim expires: its own pending payments come first.
    if (!dispatcher.hasRoom(recheck)) continue
    const payment = await findByRequestReference(db, requestReference)
    if (payment !== undefined) dispatcher.take(payment, now)
    await scheduleRecheck(db, recheck, now)
  }
  return due.length === MOST_AT_ONCE
}
