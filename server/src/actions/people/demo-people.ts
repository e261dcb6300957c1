// The demo people: made by the first start in development, which prints their passwords and the
// demo merchant's keys. In production a start is refused until `karba demo remove` has run
// (ADR-0017). Audited.

import type { Clock } from '../../domain/clock-and-random.ts'
import { type AccountCaller, isOfService, type ServiceCaller } from '../../domain/people/caller.ts'
import type { ServiceRole } from '../../domain/people/role.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { insertMember, removeMember } from '../../store/people/members.ts'
import {
  DEMO_ACTION,
  expireDemoKeys,
  findDemo,
  insertPerson,
  listDemoKeys,
  listDemoPeople,
  removeDemoPerson,
} from '../../store/people/people.ts'
import { removeSessions } from '../../store/people/sessions.ts'
import { type FirstSignIn, makeFirstPassword } from './service-people.ts'
import type { PeopleDeps } from './sessions.ts'
import { makePersonId } from './sign-up.ts'

export type DemoPeople = { owner: FirstSignIn; administrator: FirstSignIn }

type Prepared = Record<keyof DemoPeople, { password: string; passwordHash: string }>

/** Before the transaction that makes them: a hash takes long. */
export async function prepareDemoPeople(deps: PeopleDeps): Promise<Prepared> {
  const prepare = async () => {
    const password = makeFirstPassword(deps)
    return { password, passwordHash: await deps.passwords.hash(password) }
  }
  return { owner: await prepare(), administrator: await prepare() }
}

export async function createDemoPeopleIn(
  deps: Pick<PeopleDeps, 'clock' | 'random'>,
  tx: Queries,
  caller: ServiceCaller,
  { merchantId, prepared }: { merchantId: string; prepared: Prepared },
): Promise<DemoPeople> {
  const at = deps.clock.now()
  async function make(
    who: keyof DemoPeople,
    name: string,
    email: string,
    serviceRole: ServiceRole | null,
  ) {
    const personId = makePersonId(deps)
    const { password, passwordHash } = prepared[who]
    const person = {
      personId,
      email,
      name,
      language: 'fr',
      passwordHash,
      serviceRole,
      isFirstPassword: false,
    } as const
    await insertPerson(tx, { ...person, createdAt: at })
    return { personId, email, password }
  }
  const owner = await make('owner', 'Awa Démo', 'awa@boutique.example', null)
  await insertMember(tx, { merchantId, personId: owner.personId, role: 'owner', createdAt: at })
  const administrator = await make(
    'administrator',
    'Admin Démo',
    'admin@karba.example',
    'administrator',
  )
  const detail = { owner: owner.personId, administrator: administrator.personId }
  await insertAudit(tx, caller, {
    at,
    action: DEMO_ACTION,
    subject: merchantId,
    detail,
  })
  return { owner, administrator }
}

export type DemoCredentials = { emails: string[]; keys: number }

/** Undefined when nothing that the first start printed works any more. */
export async function findDemoCredentials({
  db,
  clock,
}: {
  db: Database
  clock: Pick<Clock, 'now'>
}): Promise<DemoCredentials | undefined> {
  const demo = await findDemo(db)
  if (demo === undefined) return undefined
  const emails = (await listDemoPeople(db, demo)).map(({ email }) => email)
  const keys = (await listDemoKeys(db, demo, clock.now())).length
  return emails.length + keys === 0 ? undefined : { emails, keys }
}

export async function removeDemo(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  caller: AccountCaller,
): Promise<DemoCredentials | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  return db.transaction(async (tx) => {
    const demo = await findDemo(tx)
    if (demo === undefined) return { emails: [], keys: 0 }
    const at = clock.now()
    const people = await listDemoPeople(tx, demo)
    for (const { personId } of people) {
      await removeDemoPerson(tx, personId, at)
      await removeMember(tx, demo.merchantId, personId)
      await removeSessions(tx, personId)
    }
    const keys = await expireDemoKeys(tx, demo, at)
    const emails = people.map(({ email }) => email)
    const record = { at, action: 'people.demo_remove', subject: demo.merchantId }
    await insertAudit(tx, caller, { ...record, earlier: { emails }, detail: { keys } })
    return { emails, keys }
  })
}
