// From what a browser holds to who is signed in, and to the role in which they act for an account or in the console. A session that was idle too
// long, or has lasted too long, is none (ADR-0014).
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { hashOfToken, type PersonRecord, SEEN_EVERY_MS, sessionLife } from '../../domain/person.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findAccountOfMerchant, findMember } from '../../store/people/members.ts'
import { notePersonSeen } from '../../store/people/people.ts'
import { findSession, noteSessionUsed, type SessionRecord } from '../../store/people/sessions.ts'
import { findViewing, type Viewing } from '../../store/people/viewings.ts'

export interface SessionDeps {
  db: Database
  clock: Clock
  /** Whether the service's people must have TOTP. */
  isProduction: boolean
}

type MustDo = 'set_up_totp' | 'change_password'

export interface OpenSession extends SessionRecord {
  person: PersonRecord
  caller: Person
  viewing: Viewing | null
  /** What this person must do before anything else. */
  mustDo: MustDo | null
}

export async function openSession(
  { db, clock, isProduction }: SessionDeps,
  { network }: Visitor,
  { token }: { token: string },
): Promise<OpenSession | RefusedAs<'signed_out'>> {
  const found = await findSession(db, hashOfToken(token))
  const now = clock.now()
  if (found === undefined || found.endsAt <= now) return { refused: 'signed_out' }
  const { sessionId, personId, serviceRole, usedAt } = found
  if (now - usedAt > sessionLife(serviceRole).idleMs) return { refused: 'signed_out' }
  if (now - usedAt >= SEEN_EVERY_MS) {
    await noteSessionUsed(db, sessionId, now)
    await notePersonSeen(db, personId, now)
  }
  return {
    ...found,
    person: found,
    caller: { is: 'person', personId, sessionId, network },
    viewing: await viewingOf(db, found, now),
    mustDo: mustDoOf(found, isProduction),
  }
}

async function viewingOf(db: Database, { viewingId }: SessionRecord, now: number): Promise<Viewing | null> {
  const viewing = viewingId === null ? undefined : await findViewing(db, viewingId)
  return viewing !== undefined && viewing.until > now ? viewing : null
}

function mustDoOf(person: PersonRecord, isProduction: boolean): MustDo | null {
  if (person.isFirstPassword === 1) return 'change_password'
  return person.serviceRole !== null && isProduction && person.totpSince === null ? 'set_up_totp' : null
}

/** The person in an account: as a member, or one of the service's people as a viewer. Anybody else does not find it. */
export async function actForAccount(
  { db }: Pick<SessionDeps, 'db'>,
  { personId, network }: Person,
  { accountId, viewing }: { accountId: string; viewing: Viewing | null },
): Promise<MerchantPerson | RefusedAs<'account_not_found'>> {
  const account = await findAccountOfMerchant(db, accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const { environment, merchantId } = account
  const isViewed = viewing?.merchantId === merchantId
  const role = isViewed ? 'viewer' : (await findMember(db, merchantId, personId))?.role
  if (role === undefined) return { refused: 'account_not_found' }
  return { is: 'merchant_person', accountId, environment, personId, role, network }
}

/** Undefined for a merchant's people: for them there is no console. */
export function actInConsole({ person, caller }: OpenSession): ServicePerson | undefined {
  const { serviceRole: role, personId } = person
  return role === null ? undefined : { is: 'service_person', personId, role, network: caller.network }
}
