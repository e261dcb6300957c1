// Payments that wait too long for their outcome, the oldest first: why, and when their operator is asked next.
import { type AccountCaller, isOfService } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { listWaitingPayments, type WaitingPayment } from '../../store/console/waiting-payments.ts'
import type { Database } from '../../store/engine/database.ts'

/** Payers approve within minutes; after this somebody may call. */
const LONG_MS = 10 * 60_000
const MOST_LISTED = 200

export interface LongWait extends WaitingPayment {
  why: 'not_sent' | 'never_asked' | 'no_outcome_yet'
}

export async function listLongWaits(
  { db, clock }: { db: Database; clock: Clock },
  caller: AccountCaller,
): Promise<{ rows: LongWait[] } | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const rows = await listWaitingPayments(db, clock.now() - LONG_MS, MOST_LISTED)
  return { rows: rows.map((row) => ({ ...row, why: whyOf(row) })) }
}

function whyOf({ handedOverAt, polls }: WaitingPayment): LongWait['why'] {
  if (handedOverAt === null) return 'not_sent'
  return polls === 0 ? 'never_asked' : 'no_outcome_yet'
}
