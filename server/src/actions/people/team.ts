// A merchant's team: who works there, in which role, and who is invited. An owner always remains.
// Audited.

import { base32 } from '../../domain/payments/reference.ts'
import {
  type AccountCaller,
  actorOf,
  isOfService,
  type MerchantPerson,
  type Visitor,
} from '../../domain/people/caller.ts'
import type { OwnerChange } from '../../domain/people/owner.ts'
import { passwordFault } from '../../domain/people/password.ts'
import { hashOfToken, isPersonName, readEmail } from '../../domain/people/person.ts'
import type { MerchantRole } from '../../domain/people/role.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { maskCardNumbers } from '../../domain/texts/free-text.ts'
import type { Language } from '../../domain/texts/language.ts'
import { holdsWebAddress } from '../../domain/texts/web-address.ts'
import { insertMerchantAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertMail } from '../../store/people/mails.ts'
import {
  type AccountOfMerchant,
  endInvitation,
  findAccountOfMerchant,
  findInvitationByToken,
  findMember,
  type Invitation,
  insertInvitation,
  insertMember,
  listAccountsOfMerchant,
  listInvitations,
  listMembers,
  lockTeam,
  type Member,
  removeMember,
  setRole,
} from '../../store/people/members.ts'
import { findPerson, findPersonByEmail, insertPerson } from '../../store/people/people.ts'
import { refusable, rollBack } from '../deps.ts'
import { invitationTries, lockAddress, takeTry } from '../limits/limited-tries.ts'
import { newMail } from './new-mail.ts'
import { announceOwnerChange } from './owner-changes.ts'
import { type Proof, type Proven, proveAgain } from './prove-again.ts'
import { type PeopleDeps, type StartedSession, startSession } from './sessions.ts'
import { type SignInRequest, signIn } from './sign-in.ts'
import { makePersonId } from './sign-up.ts'

const INVITATION_MS = 7 * 24 * 3_600_000
const MOST_INVITATIONS = 50

type TeamDeps = Pick<PeopleDeps, 'db' | 'clock' | 'random'>

export async function showTeam(
  { db, clock }: TeamDeps,
  caller: MerchantPerson,
): Promise<{ members: Member[]; invitations: Invitation[] } | Refused> {
  const merchant = await merchantOf(db, caller)
  if (isRefused(merchant)) return merchant
  const { merchantId } = merchant
  return {
    members: await listMembers(db, merchantId),
    invitations: await listInvitations(db, merchantId, clock.now()),
  }
}

export type { Member }

type NewInvitation = Pick<Invitation, 'email' | 'role'>

/** An owner with the inviter's proof again (D-214). */
export async function invitePerson(
  deps: PeopleDeps,
  caller: MerchantPerson,
  { email: typed, role, ...proof }: NewInvitation & Proof,
): Promise<Invitation | Refused> {
  const merchant = await merchantOf(deps.db, caller)
  if (isRefused(merchant)) return merchant
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  const proven = role === 'owner' ? await proveAgain(deps, caller, proof) : undefined
  if (proven !== undefined && isRefused(proven)) return proven
  const mayTry = await takeTry(
    deps,
    invitationTries(email, merchant.merchantId, caller.network ?? ''),
  )
  if (isRefused(mayTry)) return mayTry
  return refusable(deps.db, async (tx): Promise<Invitation | Refused> => {
    const unproven = await proven?.finish(tx)
    if (unproven !== undefined) return unproven
    const invited = await invite(deps, tx, caller, merchant, { email, role })
    return isRefused(invited) ? rollBack(invited) : invited
  })
}

export async function inviteToMerchant(
  deps: TeamDeps,
  caller: AccountCaller,
  { merchantId, ...input }: NewInvitation & { merchantId: string },
): Promise<Invitation | Refused> {
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  return deps.db.transaction(async (tx): Promise<Invitation | Refused> => {
    const [account] = await listAccountsOfMerchant(tx, merchantId)
    return account === undefined
      ? { refused: 'merchant_not_found' }
      : invite(deps, tx, caller, account, input)
  })
}

async function invite(
  deps: TeamDeps,
  tx: Queries,
  caller: AccountCaller,
  { merchantId, merchantName }: AccountOfMerchant,
  { email: typed, role }: NewInvitation,
): Promise<Invitation | Refused> {
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  await lockTeam(tx, merchantId)
  const at = deps.clock.now()
  const open = await listInvitations(tx, merchantId, at)
  if (open.length >= MOST_INVITATIONS)
    return { refused: 'too_many_invitations', most: MOST_INVITATIONS }
  if ((await listMembers(tx, merchantId)).some((member) => member.email === email))
    return { refused: 'member_exists' }
  // A repeated invitation replaces the one before.
  for (const { invitationId, email: invited } of open) {
    if (invited === email) await endInvitation(tx, { merchantId, invitationId }, at)
  }
  const invitation = {
    invitationId: `inv_${base32(deps.random.bytes(10), 16)}`,
    merchantId,
    email,
    role,
    invitedBy: actorOf(caller),
    createdAt: at,
    endsAt: at + INVITATION_MS,
  }
  await insertInvitation(tx, invitation)
  await insertMail(tx, newMail(deps, { kind: 'invitation', email, about: invitation.invitationId }))
  const subject = invitation.invitationId
  const what = { action: 'team.invite', subject, detail: { email, role } }
  await insertMerchantAudit(tx, caller, merchantId, { at, ...what })
  if (role === 'owner')
    await announceOwnerChange(tx, caller, { at, merchantId, what: 'invited', subject })
  return { ...invitation, merchantName, overAt: null }
}

export async function withdrawInvitation(
  { db, clock }: TeamDeps,
  caller: MerchantPerson,
  { invitationId }: { invitationId: string },
): Promise<{ withdrawn: true } | Refused> {
  return db.transaction(async (tx): Promise<{ withdrawn: true } | Refused> => {
    const merchant = await merchantOf(tx, caller)
    if (isRefused(merchant)) return merchant
    const at = clock.now()
    const { merchantId } = merchant
    if (!(await endInvitation(tx, { merchantId, invitationId }, at)))
      return { refused: 'invitation_not_found' }
    await insertMerchantAudit(tx, caller, merchantId, {
      at,
      action: 'team.withdraw',
      subject: invitationId,
    })
    return { withdrawn: true }
  })
}

/** With the caller's proof again where somebody becomes an owner, or stops being one (D-214). */
export const changeRole = (
  deps: PeopleDeps,
  caller: MerchantPerson,
  { personId, role, ...proof }: { personId: string; role: MerchantRole } & Proof,
): Promise<{ changed: true } | Refused> =>
  changeMember(deps, caller, { personId, role, proof }, async (tx, { merchantId, member }) => {
    await setRole(tx, merchantId, personId, role)
    const record = {
      at: deps.clock.now(),
      action: 'team.role',
      subject: personId,
      earlier: { role: member.role },
    }
    await insertMerchantAudit(tx, caller, merchantId, { ...record, detail: { role } })
    return { changed: true }
  })

export const removeFromTeam = (
  deps: PeopleDeps,
  caller: MerchantPerson,
  { personId, ...proof }: { personId: string } & Proof,
): Promise<{ removed: true } | Refused> =>
  changeMember(
    deps,
    caller,
    { personId, role: undefined, proof },
    async (tx, { merchantId, member }) => {
      await removeMember(tx, merchantId, personId)
      const record = {
        at: deps.clock.now(),
        action: 'team.remove',
        subject: personId,
        earlier: { role: member.role },
      }
      await insertMerchantAudit(tx, caller, merchantId, record)
      return { removed: true }
    },
  )

interface Colleague {
  merchantId: string
  member: Member
}

interface WantedRole {
  personId: string
  /** Undefined: none, the person leaves. */
  role: MerchantRole | undefined
  proof: Proof
}

/** What the change is for the owners of the merchant; undefined where it is nothing to them. */
function ownerChangeOf(
  { role: earlier }: Pick<Member, 'role'>,
  role: MerchantRole | undefined,
): OwnerChange | undefined {
  if (earlier === role || (earlier !== 'owner' && role !== 'owner')) return undefined
  if (role === 'owner') return 'made'
  return role === undefined ? 'removed' : 'demoted'
}

async function changeMember<Done extends object>(
  deps: PeopleDeps,
  caller: MerchantPerson,
  { personId, role, proof }: WantedRole,
  change: (tx: Queries, colleague: Colleague) => Promise<Done>,
): Promise<Done | Refused> {
  // Before the lock: a password takes long to check.
  const before = await findColleague(deps.db, caller, personId, role)
  if (isRefused(before)) return before
  const wantsProof = ownerChangeOf(before.member, role) !== undefined
  const proven = wantsProof ? await proveAgain(deps, caller, proof) : undefined
  if (proven !== undefined && isRefused(proven)) return proven
  return refusable(deps.db, async (tx): Promise<Done | Refused> => {
    await lockTeam(tx, before.merchantId)
    const found = await findColleague(tx, caller, personId, role)
    if (isRefused(found)) return found
    const what = ownerChangeOf(found.member, role)
    if (what !== undefined) {
      const refused = await announceProven(deps, tx, caller, { proven, what, personId })
      if (refused !== undefined) return refused
    }
    return change(tx, found)
  })
}

/** Spends the proof; none is there when the person has become an owner meanwhile. */
async function announceProven(
  { clock }: PeopleDeps,
  tx: Queries,
  caller: MerchantPerson,
  {
    proven,
    what,
    personId: subject,
  }: { proven: Proven | undefined; what: OwnerChange; personId: string },
): Promise<Refused | undefined> {
  if (proven === undefined) return { refused: 'person_not_found' }
  const unproven = await proven.finish(tx)
  if (unproven !== undefined) return unproven
  const merchant = await merchantOf(tx, caller)
  if (isRefused(merchant)) return merchant
  const { merchantId } = merchant
  await announceOwnerChange(tx, caller, { at: clock.now(), merchantId, what, subject })
  return undefined
}

/** Refused when no owner would be left. */
async function findColleague(
  tx: Queries,
  caller: MerchantPerson,
  personId: string,
  newRole: MerchantRole | undefined,
): Promise<Colleague | Refused> {
  const merchant = await merchantOf(tx, caller)
  if (isRefused(merchant)) return merchant
  const { merchantId } = merchant
  const member = await findMember(tx, merchantId, personId)
  if (member === undefined) return { refused: 'person_not_found' }
  const owners = (await listMembers(tx, merchantId)).filter(({ role }) => role === 'owner')
  const isLast = member.role === 'owner' && owners.length === 1
  return isLast && newRole !== 'owner' ? { refused: 'last_owner' } : { merchantId, member }
}

async function merchantOf(db: Queries, { accountId }: MerchantPerson) {
  return (
    (await findAccountOfMerchant(db, accountId)) ?? {
      refused: 'account_not_found' as const,
    }
  )
}

// Accepts an invitation with the token of its email: a known person signs in, a new one is created.

export interface ReadInvitation
  extends Pick<Invitation, 'merchantId' | 'merchantName' | 'email' | 'role'> {
  /** Null when the service itself invites. */
  inviterName: string | null
  isKnown: boolean
}

export async function readInvitation(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  _caller: Visitor,
  { token }: { token: string },
): Promise<ReadInvitation | RefusedAs<'token_not_valid'>> {
  const invitation = await findInvitationByToken(db, hashOfToken(token), clock.now())
  if (invitation === undefined) return { refused: 'token_not_valid' }
  const { merchantId, merchantName, email, role, invitedBy } = invitation
  // `owner per_…` for a person; the CLI's names no person.
  const inviter = await findPerson(db, invitedBy.split(' ').at(-1) ?? '')
  const inviterName = inviter?.name ?? null
  const isKnown = (await findPersonByEmail(db, email)) !== undefined
  return { merchantId, merchantName, email, role, inviterName, isKnown }
}

export interface AcceptRequest extends Omit<SignInRequest, 'email'> {
  token: string
  name?: string | undefined
  language?: Language | undefined
}

export async function acceptInvitation(
  deps: PeopleDeps,
  visitor: Visitor,
  { token, password, code, name: given, language, ...where }: AcceptRequest,
): Promise<StartedSession | Refused> {
  const name = given === undefined ? undefined : maskCardNumbers(given)
  const { db, clock, passwords } = deps
  const invitation = await findInvitationByToken(db, hashOfToken(token), clock.now())
  if (invitation === undefined) return { refused: 'token_not_valid' }
  const { email } = invitation
  const known = await findPersonByEmail(db, email)
  if (known !== undefined) {
    // Staff stay apart: a person who also acts for a merchant could validate it.
    if (known.serviceRole !== null) return { refused: 'caller_not_allowed' }
    const session = await signIn(deps, visitor, { email, password, code, ...where })
    if (isRefused(session)) return session
    const joined = await db.transaction((tx) => join(deps, tx, visitor, invitation, known.personId))
    return isRefused(joined) ? joined : session
  }
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  if (holdsWebAddress(name)) return { refused: 'name_holds_address' }
  const fault = passwordFault(password, email)
  if (fault !== undefined) return { refused: 'password_not_good', fault }
  const passwordHash = await passwords.hash(password, visitor.network)
  return refusable(db, async (tx): Promise<StartedSession | Refused> => {
    const createdAt = clock.now()
    const personId = makePersonId(deps)
    await lockAddress(tx, email)
    const person = {
      personId,
      email,
      name,
      passwordHash,
      serviceRole: null,
      isFirstPassword: false,
      createdAt,
    }
    if (!(await insertPerson(tx, { ...person, language: language ?? 'fr' })))
      return { refused: 'email_taken' }
    const session = await startSession(
      deps,
      tx,
      person,
      { ...where, network: visitor.network },
      createdAt,
    )
    const joined = await join(deps, tx, visitor, invitation, personId)
    if (isRefused(joined)) rollBack(joined)
    return session
  })
}

async function join(
  { clock }: PeopleDeps,
  tx: Queries,
  { network }: Visitor,
  invitation: Invitation,
  personId: string,
): Promise<{ joined: true } | RefusedAs<'token_not_valid'>> {
  const { merchantId, invitationId, role } = invitation
  const at = clock.now()
  if (!(await endInvitation(tx, invitation, at))) return { refused: 'token_not_valid' }
  await insertMember(tx, { merchantId, personId, role, createdAt: at })
  const caller = { is: 'person', personId, sessionId: '', network } as const
  const detail = { invitation: invitationId, role, merchant: merchantId }
  await insertMerchantAudit(tx, caller, merchantId, {
    at,
    action: 'team.join',
    subject: personId,
    detail,
  })
  return { joined: true }
}
