// Sessions by the hash of the token that a browser holds.
import type { PersonRecord } from '../../domain/person.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'
import { PERSON } from './people.ts'

export interface SessionRecord {
  sessionId: string
  startedAt: number
  usedAt: number
  endsAt: number
  network: string
  browser: string
  viewingId: string | null
}

const SESSION = columns<SessionRecord>({
  sessionId: 's.session_id',
  startedAt: 's.created_at',
  usedAt: 's.last_seen_at',
  endsAt: 's.ends_at',
  network: 's.network',
  browser: 's.browser',
  viewingId: 's.viewing_id',
})

export interface NewSession extends Omit<SessionRecord, 'usedAt' | 'viewingId'> {
  tokenHash: string
  personId: string
}

export async function insertSession(tx: Queries, session: NewSession): Promise<void> {
  const { tokenHash, sessionId, personId, startedAt, endsAt, network, browser } = session
  await tx.change(
    `insert into sessions (token_hash, session_id, person_id, created_at, last_seen_at, ends_at, network, browser)
     values ($1, $2, $3, $4, $4, $5, $6, $7)`,
    [tokenHash, sessionId, personId, startedAt, endsAt, network, browser],
  )
}

/** With the person whose it is. A removed person has none. */
export async function findSession(db: Queries, tokenHash: string): Promise<(SessionRecord & PersonRecord) | undefined> {
  const [session] = await db.rows<SessionRecord & PersonRecord>(
    `select ${SESSION}, ${PERSON} from sessions s join people p on p.person_id = s.person_id
     where s.token_hash = $1 and p.removed_at is null`,
    [tokenHash],
  )
  return session
}

export async function noteSessionUsed(db: Queries, sessionId: string, at: number): Promise<void> {
  await db.change('update sessions set last_seen_at = $2 where session_id = $1', [sessionId, at])
}

/** The one used last comes first. */
export const listSessions = (db: Queries, personId: string): Promise<SessionRecord[]> =>
  db.rows<SessionRecord>(`select ${SESSION} from sessions s where s.person_id = $1 order by s.last_seen_at desc`, [
    personId,
  ])

export const removeSession = async (tx: Queries, personId: string, sessionId: string): Promise<boolean> =>
  (await tx.change('delete from sessions where person_id = $1 and session_id = $2', [personId, sessionId])) === 1

export async function removeSessionOfToken(tx: Queries, tokenHash: string): Promise<void> {
  await tx.change('delete from sessions where token_hash = $1', [tokenHash])
}

/** All of a person's sessions, but for one that may stay. Returns how many. */
export const removeSessions = (tx: Queries, personId: string, except = ''): Promise<number> =>
  tx.change('delete from sessions where person_id = $1 and session_id <> $2', [personId, except])

export const removeEndedSessions = (db: Queries, endedBefore: number, most: number): Promise<number> =>
  db.change(
    'delete from sessions where token_hash in (select token_hash from sessions where ends_at < $1 order by ends_at limit $2)',
    [endedBefore, most],
  )

export async function setViewing(tx: Queries, sessionId: string, viewingId: string | null): Promise<void> {
  await tx.change('update sessions set viewing_id = $2 where session_id = $1', [sessionId, viewingId])
}
