// The people of the company that runs the service: made, listed, helped back in and removed by somebody at the shell, or by the first start. Their
// first password is random, shown once, and must be changed. Audited.
import { type AccountCaller, isOfService, type ServiceCaller } from '../../domain/caller.ts'
import type { Random } from '../../domain/clock-and-random.ts'
import { isPersonName, type Language, type PersonRecord, readEmail } from '../../domain/person.ts'
import { base32 } from '../../domain/reference.ts'
import type { Refused, RefusedAs } from '../../domain/refusal.ts'
import type { ServiceRole } from '../../domain/role.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { replaceRecoveryCodes, setPassword, setTotp } from '../../store/people/credentials.ts'
import { insertMember } from '../../store/people/members.ts'
import { findPersonByEmail, insertPerson, listServicePeople, removeServicePerson } from '../../store/people/people.ts'
import { removeSessions } from '../../store/people/sessions.ts'
import type { PeopleDeps } from './people-deps.ts'
import { makePersonId } from './sign-up.ts'

export interface NewServicePerson {
  name: string
  email: string
  role: ServiceRole
  language: Language
}

/** What somebody signs in with first. */
export interface FirstSignIn {
  personId: string
  email: string
  password: string
}

/** 100 random bits, in groups that can be read out. */
const makeFirstPassword = ({ random }: { random: Random }): string =>
  (base32(random.bytes(13), 20).match(/.{4}/g) as string[]).join('-')

export async function createServicePerson(
  deps: PeopleDeps,
  caller: AccountCaller,
  { name, email: typed, role, language }: NewServicePerson,
): Promise<FirstSignIn | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  const { db, clock, passwords } = deps
  const password = makeFirstPassword(deps)
  const passwordHash = await passwords.hash(password)
  return db.transaction(async (tx): Promise<FirstSignIn | Refused> => {
    const personId = makePersonId(deps)
    const at = clock.now()
    const person = { personId, email, name, language, passwordHash, serviceRole: role, isFirstPassword: true }
    if (!(await insertPerson(tx, { ...person, createdAt: at }))) return { refused: 'email_taken' }
    const record = { at, action: 'operator.create', subject: personId, accountId: null, detail: { email, role } }
    await insertAudit(tx, caller, record)
    return { personId, email, password }
  })
}

export async function listOperators(
  { db }: { db: Database },
  caller: AccountCaller,
): Promise<{ rows: PersonRecord[] } | RefusedAs<'caller_not_allowed'>> {
  return isOfService(caller) ? { rows: await listServicePeople(db) } : { refused: 'caller_not_allowed' }
}

export async function removeOperator(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  caller: AccountCaller,
  { email }: { email: string },
): Promise<{ personId: string } | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  return db.transaction(async (tx): Promise<{ personId: string } | Refused> => {
    const person = await findOperator(tx, email)
    if (person === undefined) return { refused: 'person_not_found' }
    const { personId, serviceRole: role } = person
    const at = clock.now()
    await removeServicePerson(tx, personId, at)
    await removeSessions(tx, personId)
    const what = { action: 'operator.remove', subject: personId, accountId: null, earlier: { email, role } }
    await insertAudit(tx, caller, { at, ...what, detail: {} })
    return { personId }
  })
}

/** For somebody who lost password or phone: a new first password, and no TOTP until it is set up again. */
export async function resetOperator(
  deps: PeopleDeps,
  caller: AccountCaller,
  { email }: { email: string },
): Promise<FirstSignIn | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const { db, clock, passwords } = deps
  const password = makeFirstPassword(deps)
  const passwordHash = await passwords.hash(password)
  return db.transaction(async (tx): Promise<FirstSignIn | Refused> => {
    const person = await findOperator(tx, email)
    if (person === undefined) return { refused: 'person_not_found' }
    const { personId } = person
    await setPassword(tx, personId, { passwordHash, isFirst: true })
    await setTotp(tx, personId, { secret: null, since: null, step: 0 })
    await replaceRecoveryCodes(tx, personId, [])
    await removeSessions(tx, personId)
    const record = { at: clock.now(), action: 'operator.reset', subject: personId, accountId: null, detail: {} }
    await insertAudit(tx, caller, record)
    return { personId, email: person.email, password }
  })
}

async function findOperator(tx: Queries, typed: string): Promise<PersonRecord | undefined> {
  const person = await findPersonByEmail(tx, readEmail(typed) ?? '')
  return person?.serviceRole == null ? undefined : person
}

export interface DemoPeople {
  owner: FirstSignIn
  administrator: FirstSignIn
}

type Prepared = Record<keyof DemoPeople, { password: string; passwordHash: string }>

/** Before the transaction that makes them: a hash takes long. */
export async function prepareDemoPeople(deps: PeopleDeps): Promise<Prepared> {
  const prepare = async () => {
    const password = makeFirstPassword(deps)
    return { password, passwordHash: await deps.passwords.hash(password) }
  }
  return { owner: await prepare(), administrator: await prepare() }
}

/** The demo merchant's owner and one of the service's people, for the very first start. */
export async function createDemoPeopleIn(
  deps: Pick<PeopleDeps, 'clock' | 'random'>,
  tx: Queries,
  caller: ServiceCaller,
  { merchantId, prepared }: { merchantId: string; prepared: Prepared },
): Promise<DemoPeople> {
  const at = deps.clock.now()
  async function make(who: keyof DemoPeople, name: string, email: string, serviceRole: ServiceRole | null) {
    const personId = makePersonId(deps)
    const { password, passwordHash } = prepared[who]
    const person = { personId, email, name, language: 'fr', passwordHash, serviceRole, isFirstPassword: false } as const
    await insertPerson(tx, { ...person, createdAt: at })
    return { personId, email, password }
  }
  const owner = await make('owner', 'Awa Démo', 'awa@boutique.example', null)
  await insertMember(tx, { merchantId, personId: owner.personId, role: 'owner', createdAt: at })
  const administrator = await make('administrator', 'Admin Démo', 'admin@karba.example', 'administrator')
  const detail = { owner: owner.personId, administrator: administrator.personId }
  await insertAudit(tx, caller, { at, action: 'people.demo', subject: merchantId, accountId: null, detail })
  return { owner, administrator }
}
