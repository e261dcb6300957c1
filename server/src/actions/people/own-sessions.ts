// A person's own sessions: which there are, and their end.
import type { Person } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { sessionLife } from '../../domain/person.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { findPerson } from '../../store/people/people.ts'
import { listSessions, removeSession, removeSessions, type SessionRecord } from '../../store/people/sessions.ts'

interface SessionsDeps {
  db: Database
  clock: Clock
}

export interface OwnSession extends SessionRecord {
  isThis: boolean
}

/** Those that still work, the one used last first. */
export async function listOwnSessions({ db, clock }: SessionsDeps, caller: Person): Promise<{ rows: OwnSession[] }> {
  const now = clock.now()
  const person = await findPerson(db, caller.personId)
  const { idleMs } = sessionLife(person?.serviceRole ?? null)
  const works = ({ endsAt, usedAt }: SessionRecord) => endsAt > now && now - usedAt <= idleMs
  const rows = (await listSessions(db, caller.personId)).filter(works)
  return { rows: rows.map((row) => ({ ...row, isThis: row.sessionId === caller.sessionId })) }
}

/** `sessionId` is one of the caller's own; somebody else's is not found. */
export async function endSession(
  { db, clock }: SessionsDeps,
  caller: Person,
  { sessionId }: { sessionId: string },
): Promise<{ ended: number } | RefusedAs<'session_not_found'>> {
  const { personId } = caller
  return db.transaction(async (tx) => {
    if (!(await removeSession(tx, personId, sessionId))) return { refused: 'session_not_found' }
    const detail = { session: sessionId }
    const record = { at: clock.now(), action: 'person.sign_out', subject: personId, accountId: null, detail }
    await insertAudit(tx, caller, record)
    return { ended: 1 }
  })
}

/** This one as well. */
export async function endAllSessions({ db, clock }: SessionsDeps, caller: Person): Promise<{ ended: number }> {
  const { personId } = caller
  return db.transaction(async (tx) => {
    const ended = await removeSessions(tx, personId)
    const record = { at: clock.now(), action: 'person.sign_out_everywhere', subject: personId, accountId: null }
    await insertAudit(tx, caller, { ...record, detail: { ended } })
    return { ended }
  })
}
