// The staff: created, listed, reset and removed in the CLI. A first password must be changed.
// Audited.

import { base32 } from '../../domain/payments/reference.ts'
import { type AccountCaller, isOfService } from '../../domain/people/caller.ts'
import { isPersonName, type PersonRecord, readEmail } from '../../domain/people/person.ts'
import type { ServiceRole } from '../../domain/people/role.ts'
import type { Refused, RefusedAs } from '../../domain/refusals/refusal.ts'
import { holdsWebAddress } from '../../domain/texts/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { replaceRecoveryCodes, setPassword, setTotp } from '../../store/people/credentials.ts'
import {
  findPersonByEmail,
  insertPerson,
  listServicePeople,
  removeServicePerson,
} from '../../store/people/people.ts'
import { removeSessions } from '../../store/people/sessions.ts'
import type { Deps } from '../deps.ts'
import type { PeopleDeps } from './sessions.ts'
import { makePersonId } from './sign-up.ts'

export type NewStaff = Pick<PersonRecord, 'name' | 'email' | 'language'> & { role: ServiceRole }

export type FirstSignIn = { personId: string; email: string; password: string }

/** 100 random bits, in groups that can be read out. */
export const makeFirstPassword = ({ random }: Pick<Deps, 'random'>): string =>
  (base32(random.bytes(13), 20).match(/.{4}/g) as string[]).join('-')

export async function createStaff(
  deps: PeopleDeps,
  caller: AccountCaller,
  { name, email: typed, role, language }: NewStaff,
): Promise<FirstSignIn | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  if (holdsWebAddress(name)) return { refused: 'name_holds_address' }
  const { db, clock, passwords } = deps
  const password = makeFirstPassword(deps)
  const passwordHash = await passwords.hash(password)
  return db.transaction(async (tx): Promise<FirstSignIn | Refused> => {
    const personId = makePersonId(deps)
    const at = clock.now()
    const person = {
      personId,
      email,
      name,
      language,
      passwordHash,
      serviceRole: role,
      isFirstPassword: true,
    }
    if (!(await insertPerson(tx, { ...person, createdAt: at }))) return { refused: 'email_taken' }
    await insertAudit(tx, caller, {
      at,
      action: 'staff.create',
      subject: personId,
      detail: { email, role },
    })
    return { personId, email, password }
  })
}

export async function listStaff(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
): Promise<{ rows: PersonRecord[] } | RefusedAs<'caller_not_allowed'>> {
  return isOfService(caller)
    ? { rows: await listServicePeople(db) }
    : { refused: 'caller_not_allowed' }
}

export async function removeStaff(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  caller: AccountCaller,
  { email }: { email: string },
): Promise<{ personId: string } | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  return db.transaction(async (tx): Promise<{ personId: string } | Refused> => {
    const person = await findStaff(tx, email)
    if (person === undefined) return { refused: 'person_not_found' }
    const { personId, serviceRole: role } = person
    const at = clock.now()
    await removeServicePerson(tx, personId, at)
    await removeSessions(tx, personId)
    await insertAudit(tx, caller, {
      at,
      action: 'staff.remove',
      subject: personId,
      earlier: { email, role },
    })
    return { personId }
  })
}

/** After a lost password or phone: a new first password, and no TOTP until it is set up again. */
export async function resetStaff(
  deps: PeopleDeps,
  caller: AccountCaller,
  { email }: { email: string },
): Promise<FirstSignIn | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const { db, clock, passwords } = deps
  const password = makeFirstPassword(deps)
  const passwordHash = await passwords.hash(password)
  return db.transaction(async (tx): Promise<FirstSignIn | Refused> => {
    const person = await findStaff(tx, email)
    if (person === undefined) return { refused: 'person_not_found' }
    const { personId } = person
    await setPassword(tx, personId, { passwordHash, isFirst: true })
    await setTotp(tx, personId, { secret: null, since: null, step: 0 })
    await replaceRecoveryCodes(tx, personId, [])
    await removeSessions(tx, personId)
    await insertAudit(tx, caller, { at: clock.now(), action: 'staff.reset', subject: personId })
    return { personId, email: person.email, password }
  })
}

async function findStaff(tx: Queries, typed: string): Promise<PersonRecord | undefined> {
  const person = await findPersonByEmail(tx, readEmail(typed) ?? '')
  return person?.serviceRole == null ? undefined : person
}
