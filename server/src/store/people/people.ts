// People by their id or their address: one function, one statement. credentials.ts has their
// proofs.

import type { PersonRecord } from '../../domain/people/person.ts'
import type { Language } from '../../domain/texts/language.ts'
import type { Queries } from '../engine/database.ts'
import {
  changesOne,
  columnsOf,
  firstRow,
  insertNew,
  listOf,
  updateOne,
  updateRows,
} from '../rows.ts'

export const PERSON = columnsOf<PersonRecord>({
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

export interface NewPerson
  extends Pick<
    PersonRecord,
    'personId' | 'email' | 'name' | 'language' | 'serviceRole' | 'createdAt'
  > {
  unconfirmedEmail?: string
  passwordHash: string
  isFirstPassword: boolean
}

/** False when another person has confirmed this address. */
export async function insertPerson(tx: Queries, person: NewPerson): Promise<boolean> {
  const {
    personId,
    email,
    unconfirmedEmail = null,
    name,
    language,
    passwordHash,
    serviceRole,
    createdAt,
  } = person
  return insertNew(tx, 'people', {
    personId,
    email,
    unconfirmedEmail,
    name,
    language,
    passwordHash,
    serviceRole,
    isFirstPassword: person.isFirstPassword ? 1 : 0,
    createdAt,
  })
}

export const findPerson = (db: Queries, personId: string) =>
  firstRow<PersonRecord>(
    db,
    `select ${PERSON} from people p where p.person_id = :personId and p.removed_at is null`,
    { personId },
  )

export const findPersonByEmail = (db: Queries, email: string) =>
  firstRow<PersonRecord>(
    db,
    `select ${PERSON} from people p where p.email = :email and p.removed_at is null`,
    { email },
  )

/** The last who signed up with an unconfirmed address. */
export const findUnconfirmedPerson = (db: Queries, email: string) =>
  firstRow<PersonRecord>(
    db,
    `select ${PERSON} from people p where p.unconfirmed_email = :email and p.removed_at is null
     order by p.created_at desc, p.person_id desc limit 1`,
    { email },
  )

/**
 * False when the person has confirmed it before, or the address is another person's now. Lock the
 * address first.
 */
export const setConfirmed = (tx: Queries, personId: string) =>
  changesOne(
    tx,
    `update people set email = unconfirmed_email, unconfirmed_email = null
     where person_id = :personId and removed_at is null and unconfirmed_email is not null
       and not exists (select 1 from people other where other.email = people.unconfirmed_email)`,
    { personId },
  )

/**
 * All others who signed up with the address: their sessions end, because a removed person has none.
 */
export const removeUnconfirmedPeople = (tx: Queries, email: string, at: number) =>
  updateRows(tx, 'people', { unconfirmedEmail: email }, { removedAt: at }, 'removed_at is null')

/**
 * Locks the person until the commit, so that of two who use one code at the same time one is first.
 */
export const lockPerson = (tx: Queries, personId: string) =>
  tx.change('update people set person_id = person_id where person_id = :personId', { personId })

export const setPersonDetails = (
  tx: Queries,
  personId: string,
  { name, language }: { name: string; language: Language },
) => updateRows(tx, 'people', { personId }, { name, language })

export const notePersonSeen = (db: Queries, personId: string, at: number) =>
  updateRows(db, 'people', { personId }, { lastSeenAt: at })

export const listServicePeople = (db: Queries) =>
  db.read<PersonRecord>(
    `select ${PERSON} from people p where p.service_role is not null and p.removed_at is null
     order by p.created_at, p.person_id`,
  )

/** False when there is no such person of the service. */
export const removeServicePerson = (tx: Queries, personId: string, at: number) =>
  updateOne(
    tx,
    'people',
    { personId },
    { removedAt: at },
    'service_role is not null and removed_at is null',
  )

/** How the console and the audit log name people; removed ones by their id. */
export async function namesOfPeople(
  db: Queries,
  personIds: readonly string[],
): Promise<Map<string, string>> {
  if (personIds.length === 0) return new Map()
  const listed = listOf('personId', personIds)
  const rows = await db.read<{ personId: string; name: string }>(
    `select person_id as "personId", name from people where person_id in (${listed.places})`,
    listed.values,
  )
  return new Map(rows.map(({ personId, name }) => [personId, name]))
}

// What the first start in development made: two people and the demo merchant's keys. Production
// looks for them.

/** The action of the audit entry that names the demo people. */
export const DEMO_ACTION = 'people.demo'

export type Demo = { merchantId: string; at: number; personIds: string[] }

export async function findDemo(db: Queries): Promise<Demo | undefined> {
  const [entry] = await db.read<{ merchantId: string; at: number; detail: string }>(
    `select subject as "merchantId", at, detail from audit_log where action = :action
      order by entry limit 1`,
    { action: DEMO_ACTION },
  )
  if (entry === undefined) return undefined
  const { merchantId, at, detail } = entry
  return { merchantId, at, personIds: Object.values(JSON.parse(detail) as Record<string, string>) }
}

export const listDemoPeople = (db: Queries, { personIds: [first = '', second = ''] }: Demo) =>
  db.read<{ personId: string; email: string }>(
    `select person_id as "personId", email from people
     where person_id in (:first, :second) and removed_at is null order by email`,
    { first, second },
  )

const OF_DEMO = `account_id in (select account_id from accounts where merchant_id = :merchantId)
  and created_at <= :at and (expires_at is null or expires_at > :now)`

/** The keys that the first start printed; those made later are the merchant's own. */
export const listDemoKeys = (
  db: Queries,
  { merchantId, at }: Demo,
  now: number,
): Promise<{ keyId: string }[]> =>
  db.read(`select key_id as "keyId" from api_keys where ${OF_DEMO}`, { merchantId, at, now })

export const expireDemoKeys = (tx: Queries, { merchantId, at }: Demo, now: number) =>
  tx.change(`update api_keys set expires_at = :now where ${OF_DEMO}`, { merchantId, at, now })

export const removeDemoPerson = (tx: Queries, personId: string, at: number) =>
  updateRows(tx, 'people', { personId }, { removedAt: at })

// Whether a store has only the demo merchant and no books yet.

export interface DemoStore {
  /** The demo merchant's sandbox. */
  accountId: string
  otherMerchants: number
  livePayments: number
  /** Imported files. */
  statements: number
}

/** Undefined where the first start made no demo merchant. */
export async function findDemoStore(db: Queries): Promise<DemoStore | undefined> {
  const demo = await findDemo(db)
  if (demo === undefined) return undefined
  return firstRow<DemoStore>(
    db,
    `select account_id as "accountId",
       (select count(*) from merchants where merchant_id <> :merchantId) as "otherMerchants",
       (select count(*) from payments where environment = 'live') as "livePayments",
       (select count(*) from statement_files) as "statements"
     from accounts where merchant_id = :merchantId and environment = 'sandbox'`,
    { merchantId: demo.merchantId },
  )
}
