// Sessions by the hash of the token that a browser holds.
import type { PersonRecord } from '../../domain/people/person.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, deleteRows, firstRow, insertRow, updateRows } from '../rows.ts'
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

const SESSION = columnsOf<SessionRecord>({
  sessionId: 's.session_id',
  endsAt: 's.ends_at',
  network: 's.network',
  browser: 's.browser',
  viewingId: 's.viewing_id',
  startedAt: 's.created_at',
  usedAt: 's.last_seen_at',
})

export interface NewSession extends Omit<SessionRecord, 'usedAt' | 'viewingId'> {
  tokenHash: string
  personId: string
}

export const insertSession = (tx: Queries, { startedAt, ...session }: NewSession) =>
  insertRow(tx, 'sessions', { ...session, createdAt: startedAt, lastSeenAt: startedAt })

/** With the person whose it is. A removed person has none. */
export const findSession = (db: Queries, tokenHash: string) =>
  firstRow<SessionRecord & PersonRecord>(
    db,
    `select ${SESSION}, ${PERSON} from sessions s join people p on p.person_id = s.person_id
     where s.token_hash = :tokenHash and p.removed_at is null`,
    { tokenHash },
  )

export const noteSessionUsed = (db: Queries, sessionId: string, at: number) =>
  updateRows(db, 'sessions', { sessionId }, { lastSeenAt: at })

/** The one used last comes first. */
export const listSessions = (db: Queries, personId: string) =>
  db.read<SessionRecord>(
    `select ${SESSION} from sessions s where s.person_id = :personId order by s.last_seen_at desc`,
    { personId },
  )

export const removeSession = async (tx: Queries, personId: string, sessionId: string) =>
  (await deleteRows(tx, 'sessions', { personId, sessionId })) === 1

export const removeSessionOfToken = (tx: Queries, tokenHash: string) =>
  deleteRows(tx, 'sessions', { tokenHash })

/** All of a person's sessions, but for one that may stay. Returns how many. */
export const removeSessions = (tx: Queries, personId: string, except = '') =>
  tx.change('delete from sessions where person_id = :personId and session_id <> :except', {
    personId,
    except,
  })

export const removeEndedSessions = (db: Queries, endedBefore: number, most: number) =>
  db.change(
    `delete from sessions where token_hash in (select token_hash from sessions
     where ends_at < :endedBefore order by ends_at limit :most)`,
    { endedBefore, most },
  )

export const setViewing = (tx: Queries, sessionId: string, viewingId: string | null) =>
  updateRows(tx, 'sessions', { sessionId }, { viewingId })

// Views of a merchant's dashboard by staff: why, and until when.

export interface Viewing {
  viewingId: string
  merchantId: string
  personId: string
  reason: string
  beganAt: number
  until: number
}

const VIEWING = columnsOf<Viewing>({
  viewingId: 'viewing_id',
  merchantId: 'merchant_id',
  personId: 'person_id',
  reason: 'reason',
  beganAt: 'began_at',
  until: 'until',
})

export const insertViewing = (tx: Queries, viewing: Viewing) =>
  insertRow(tx, 'viewings', { ...viewing })

export const findViewing = (db: Queries, viewingId: string) =>
  firstRow<Viewing>(db, `select ${VIEWING} from viewings where viewing_id = :viewingId`, {
    viewingId,
  })

export const endViewing = (tx: Queries, viewingId: string, at: number) =>
  updateRows(tx, 'viewings', { viewingId }, { until: at }, 'until > :until')

export interface ViewingByName extends Viewing {
  by: string
}

/** The latest first. */
export const listViewings = (db: Queries, merchantId: string, most: number) =>
  db.read<ViewingByName>(
    `select ${VIEWING}, (select name from people p
      where p.person_id = viewings.person_id) as "by" from viewings
     where merchant_id = :merchantId order by began_at desc limit :most`,
    { merchantId, most },
  )
