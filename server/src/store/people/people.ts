// People by their id or their address: one function, one statement. What they prove themselves with is in credentials.ts.
import type { Language, PersonRecord } from '../../domain/person.ts'
import type { ServiceRole } from '../../domain/role.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export const PERSON = columns<PersonRecord>({
  personId: 'p.person_id',
  email: 'p.email',
  unconfirmedEmail: 'p.unconfirmed_email',
  name: 'p.name',
  language: 'p.language',
  serviceRole: 'p.service_role',
  isFirstPassword: 'p.is_first_password',
  totpSince: 'p.totp_since',
  createdAt: 'p.created_at',
  lastSeenAt: 'p.last_seen_at',
})

export interface NewPerson {
  personId: string
  /** The person's id when the address is not confirmed. */
  email: string
  unconfirmedEmail?: string
  name: string
  language: Language
  passwordHash: string
  serviceRole: ServiceRole | null
  isFirstPassword: boolean
  createdAt: number
}

/** False when somebody has confirmed this address. */
export async function insertPerson(tx: Queries, person: NewPerson): Promise<boolean> {
  const { personId, email, unconfirmedEmail = null, name, language, passwordHash, serviceRole, createdAt } = person
  const inserted = await tx.change(
    `insert into people (person_id, email, unconfirmed_email, name, language, password_hash, service_role,
       is_first_password, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      ...[personId, email, unconfirmedEmail, name, language, passwordHash, serviceRole],
      ...[person.isFirstPassword ? 1 : 0, createdAt],
    ],
  )
  return inserted === 1
}

export async function findPerson(db: Queries, personId: string): Promise<PersonRecord | undefined> {
  const [person] = await db.rows<PersonRecord>(
    `select ${PERSON} from people p where p.person_id = $1 and p.removed_at is null`,
    [personId],
  )
  return person
}

export async function findPersonByEmail(db: Queries, email: string): Promise<PersonRecord | undefined> {
  const [person] = await db.rows<PersonRecord>(
    `select ${PERSON} from people p where p.email = $1 and p.removed_at is null`,
    [email],
  )
  return person
}

/** The one who signed up last with an address that nobody has confirmed. */
export async function findUnconfirmedPerson(db: Queries, email: string): Promise<PersonRecord | undefined> {
  const [person] = await db.rows<PersonRecord>(
    `select ${PERSON} from people p where p.unconfirmed_email = $1 and p.removed_at is null
     order by p.created_at desc, p.person_id desc limit 1`,
    [email],
  )
  return person
}

/** False when the person has confirmed it before, or the address is somebody else's now. Lock the address first. */
export const setConfirmed = async (tx: Queries, personId: string): Promise<boolean> =>
  (await tx.change(
    `update people set email = unconfirmed_email, unconfirmed_email = null
     where person_id = $1 and removed_at is null and unconfirmed_email is not null
       and not exists (select 1 from people other where other.email = people.unconfirmed_email)`,
    [personId],
  )) === 1

/** Whoever else signed up with the address: their sessions end, because a removed person has none. */
export async function removeUnconfirmedPeople(tx: Queries, email: string, at: number): Promise<void> {
  await tx.change('update people set removed_at = $2 where unconfirmed_email = $1 and removed_at is null', [email, at])
}

/** Locks the person until the commit, so that of two who use one code at the same time one is first. */
export async function lockPerson(tx: Queries, personId: string): Promise<void> {
  await tx.change('update people set person_id = person_id where person_id = $1', [personId])
}

export async function setPersonDetails(
  tx: Queries,
  personId: string,
  { name, language }: { name: string; language: Language },
): Promise<void> {
  await tx.change('update people set name = $2, language = $3 where person_id = $1', [personId, name, language])
}

export async function notePersonSeen(db: Queries, personId: string, at: number): Promise<void> {
  await db.change('update people set last_seen_at = $2 where person_id = $1', [personId, at])
}

export const listServicePeople = (db: Queries): Promise<PersonRecord[]> =>
  db.rows<PersonRecord>(
    `select ${PERSON} from people p where p.service_role is not null and p.removed_at is null
     order by p.created_at, p.person_id`,
  )

/** False when there is no such person of the service. */
export const removeServicePerson = async (tx: Queries, personId: string, at: number): Promise<boolean> =>
  (await tx.change(
    'update people set removed_at = $2 where person_id = $1 and service_role is not null and removed_at is null',
    [personId, at],
  )) === 1

/** How the console and the audit log name somebody; the id alone when they are gone. */
export async function namesOfPeople(db: Queries, personIds: readonly string[]): Promise<Map<string, string>> {
  if (personIds.length === 0) return new Map()
  const places = personIds.map((_, at) => `$${at + 1}`).join(', ')
  const rows = await db.rows<{ personId: string; name: string }>(
    `select person_id as "personId", name from people where person_id in (${places})`,
    personIds,
  )
  return new Map(rows.map(({ personId, name }) => [personId, name]))
}
