// A person has dealt with an anomaly: it is closed with a note that says how. Nothing about the payment changes here.
import { type AccountCaller, actorOf, isOfService, scopeOf } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { isPlainText } from '../../domain/reference.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { resolveAnomaly } from '../../store/payments/anomalies.ts'

export const LONGEST_NOTE = 500

export function closeAnomaly(
  { db, clock }: { db: Database; clock: Clock },
  caller: AccountCaller,
  input: { anomalyId: string; note: string },
): Promise<{ anomalyId: string } | Refused> {
  return db.transaction(async (tx): Promise<{ anomalyId: string } | Refused> => {
    // Whether money was really moved twice is for the service's own people to find out.
    if (!isOfService(caller)) return { refused: 'anomaly_not_found' }
    if (!isPlainText(input.note, LONGEST_NOTE)) return { refused: 'note_not_valid', longest: LONGEST_NOTE }
    const { anomalyId } = input
    const note = maskCardNumbers(input.note)
    const at = clock.now()
    const resolved = await resolveAnomaly(tx, scopeOf(caller), anomalyId, { at, by: actorOf(caller), note })
    if (resolved === undefined) return { refused: 'anomaly_not_found' }
    const { accountId } = resolved
    await insertAudit(tx, caller, { at, action: 'anomaly.resolve', subject: anomalyId, accountId, detail: { note } })
    return { anomalyId }
  })
}
