// A person pauses a connection: within a second it gets no new payments. Payments that it took are
// still polled.

import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { actorOf, type Caller, isOfService } from '../../domain/people/caller.ts'
import type { Refused } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  insertPause,
  removeConnectionRefusals,
  removePause,
} from '../../store/operators/connections.ts'
import type { Deps } from '../deps.ts'

export interface PauseDeps extends Pick<Deps, 'db' | 'clock'> {
  isConnected(connection: ConnectionKey): boolean | Promise<boolean>
}

export async function pauseConnection(
  { db, clock, isConnected }: PauseDeps,
  caller: Caller,
  { environment, connection, reason }: ConnectionKey & { reason: string },
): Promise<ConnectionKey | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  if (!(await isConnected({ environment, connection }))) return { refused: 'connection_not_found' }
  if (!isPlainText(reason, LONGEST_NOTE))
    return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  const masked = maskCardNumbers(reason)
  await db.transaction(async (tx) => {
    const at = clock.now()
    await insertPause(tx, {
      environment,
      connection,
      since: at,
      reason: masked,
      pausedBy: actorOf(caller),
    })
    const subject = `${environment}/${connection}`
    await insertAudit(tx, caller, {
      at,
      action: 'connection.pause',
      subject,
      detail: { reason: masked },
    })
  })
  return { environment, connection }
}

export async function resumeConnection(
  { db, clock }: Pick<PauseDeps, 'db' | 'clock'>,
  caller: Caller,
  { environment, connection, reason }: ConnectionKey & { reason: string },
): Promise<ConnectionKey | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  if (!isPlainText(reason, LONGEST_NOTE))
    return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  return db.transaction(async (tx): Promise<ConnectionKey | Refused> => {
    const wasPaused = await removePause(tx, { environment, connection })
    // After a repair, payments need not wait for the next probe.
    const wasRefused = await removeConnectionRefusals(tx, { environment, connection })
    if (!wasPaused && !wasRefused) return { refused: 'connection_not_paused' }
    const at = clock.now()
    const subject = `${environment}/${connection}`
    const detail = { reason: maskCardNumbers(reason) }
    await insertAudit(tx, caller, { at, action: 'connection.resume', subject, detail })
    return { environment, connection }
  })
}
