// From a browser's token to the signed-in person, and to the role in which they act for an account
// or in the console. Sessions expire after idle time and after a total time (ADR-0014).

import { base32 } from '../../domain/payments/reference.ts'
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../../domain/people/caller.ts'
import type { Passwords } from '../../domain/people/password.ts'
import {
  hashOfToken,
  makeToken,
  type PersonRecord,
  SEEN_EVERY_MS,
  sessionLife,
  TOKEN_BYTES,
} from '../../domain/people/person.ts'
import type { AccountRole, ServiceRole } from '../../domain/people/role.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import { maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import {
  type AccountOfMerchant,
  findAccountOfMerchant,
  findMember,
  listAccountsOfMerchant,
  listAccountsOfPerson,
} from '../../store/people/members.ts'
import { findPerson, notePersonSeen } from '../../store/people/people.ts'
import {
  findSession,
  findViewing,
  insertSession,
  listSessions,
  noteSessionUsed,
  removeSession,
  removeSessionOfToken,
  removeSessions,
  type SessionRecord,
  type Viewing,
} from '../../store/people/sessions.ts'
import type { Deps } from '../deps.ts'

export interface SessionDeps extends Pick<Deps, 'db' | 'clock'> {
  /** In production staff must have TOTP. */
  isProduction: boolean
}

type MustDo = 'set_up_totp' | 'change_password'

export interface OpenSession extends SessionRecord {
  person: PersonRecord
  caller: Person
  viewing: Viewing | null
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

async function viewingOf(db: Database, { viewingId }: SessionRecord, now: number) {
  const viewing = viewingId === null ? undefined : await findViewing(db, viewingId)
  return viewing !== undefined && viewing.until > now ? viewing : null
}

function mustDoOf(person: PersonRecord, isProduction: boolean): MustDo | null {
  if (person.isFirstPassword === 1) return 'change_password'
  return person.serviceRole !== null && isProduction && person.totpSince === null
    ? 'set_up_totp'
    : null
}

/**
 * The person in an account: a member, or one of the staff who looks at it. For anyone else the
 * account is not found.
 */
export async function actForAccount(
  { db }: Pick<SessionDeps, 'db'>,
  { personId, network }: Person,
  { accountId, viewing }: { accountId: string; viewing: Viewing | null },
): Promise<MerchantPerson | RefusedAs<'account_not_found'>> {
  const account = await findAccountOfMerchant(db, accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const { environment, merchantId } = account
  const isViewed = viewing?.merchantId === merchantId
  const role = isViewed ? 'staff' : (await findMember(db, merchantId, personId))?.role
  if (role === undefined) return { refused: 'account_not_found' }
  return { is: 'merchant_person', accountId, environment, personId, role, network }
}

/** Undefined for a merchant's people, who have no console. */
export function actInConsole({ person, caller }: OpenSession): ServicePerson | undefined {
  const { serviceRole: role, personId } = person
  return role === null
    ? undefined
    : { is: 'service_person', personId, role, network: caller.network }
}

// Begins a session. The browser's earlier session ends, which prevents session fixation.

export type Browser = { browser: string; heldToken: string | undefined }

/** For the browser; the store has its hash alone. */
export type StartedSession = { token: string; endsAt: number }

const LONGEST_BROWSER = 200

export async function startSession(
  { random }: Pick<Deps, 'random'>,
  tx: Queries,
  person: { personId: string; serviceRole: ServiceRole | null },
  where: Browser & { network: string },
  now: number,
): Promise<StartedSession> {
  const { browser, heldToken, network } = where
  if (heldToken !== undefined) await removeSessionOfToken(tx, hashOfToken(heldToken))
  const token = makeToken(random.bytes(TOKEN_BYTES))
  const endsAt = now + sessionLife(person.serviceRole).mostMs
  await insertSession(tx, {
    tokenHash: hashOfToken(token),
    sessionId: `ses_${base32(random.bytes(10), 16)}`,
    personId: person.personId,
    startedAt: now,
    endsAt,
    network,
    browser: maskCardNumbers(browser.slice(0, LONGEST_BROWSER)),
  })
  await notePersonSeen(tx, person.personId, now)
  return { token, endsAt }
}

type SessionsDeps = Pick<Deps, 'db' | 'clock'>

export async function listOwnSessions(
  { db, clock }: SessionsDeps,
  caller: Person,
): Promise<{ rows: (SessionRecord & { isThis: boolean })[] }> {
  const now = clock.now()
  const person = await findPerson(db, caller.personId)
  const { idleMs } = sessionLife(person?.serviceRole ?? null)
  const works = ({ endsAt, usedAt }: SessionRecord) => endsAt > now && now - usedAt <= idleMs
  const rows = (await listSessions(db, caller.personId)).filter(works)
  return { rows: rows.map((row) => ({ ...row, isThis: row.sessionId === caller.sessionId })) }
}

/** `sessionId` is one of the caller's own; another person's is not found. */
export async function endSession(
  { db, clock }: SessionsDeps,
  caller: Person,
  { sessionId }: { sessionId: string },
): Promise<{ ended: number } | RefusedAs<'session_not_found'>> {
  const { personId } = caller
  return db.transaction(async (tx) => {
    if (!(await removeSession(tx, personId, sessionId))) return { refused: 'session_not_found' }
    const detail = { session: sessionId }
    await insertAudit(tx, caller, {
      at: clock.now(),
      action: 'person.sign_out',
      subject: personId,
      detail,
    })
    return { ended: 1 }
  })
}

/** This one as well. */
export async function endAllSessions(
  { db, clock }: SessionsDeps,
  caller: Person,
): Promise<{ ended: number }> {
  const { personId } = caller
  return db.transaction(async (tx) => {
    const ended = await removeSessions(tx, personId)
    const record = { at: clock.now(), action: 'person.sign_out_everywhere', subject: personId }
    await insertAudit(tx, caller, { ...record, detail: { ended } })
    return { ended }
  })
}

export interface Workplace {
  merchantId: string
  name: string
  role: AccountRole
  /** Sandbox before live. */
  accounts: AccountOfMerchant[]
}

/** Staff have no merchant of their own; they see the one whose dashboard they view. */
export async function listWorkplaces(
  { db }: Pick<Deps, 'db'>,
  { personId }: Person,
  { viewing }: { viewing: Viewing | null },
): Promise<Workplace[]> {
  const viewed = viewing === null ? [] : await listAccountsOfMerchant(db, viewing.merchantId)
  const own = await listAccountsOfPerson(db, personId)
  const all = [...viewed.map((account) => ({ ...account, role: 'staff' as const })), ...own]
  return [...Map.groupBy(all, ({ merchantId }) => merchantId).values()].map((accounts) => {
    const [{ merchantId, merchantName: name, role }] = accounts as [(typeof all)[number]]
    return { merchantId, name, role, accounts }
  })
}

export interface PeopleDeps extends Pick<Deps, 'db' | 'clock' | 'random'> {
  passwords: Passwords
  totpSecrets: MasterBox
}

/** Where a TOTP secret is sealed for; the rotation of the master key names it the same way. */
export const totpPlace = (personId: string): string => `${personId} totp_secret`
