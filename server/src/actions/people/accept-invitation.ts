// Accepts an invitation with the token of its letter: somebody who is known signs in with it, somebody new becomes a person by it.
import type { Visitor } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import { passwordFault } from '../../domain/password.ts'
import { hashOfToken, isPersonName, type Language } from '../../domain/person.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusal.ts'
import { holdsWebAddress } from '../../domain/web-address.ts'
import { insertMerchantAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { endInvitation, findInvitationByToken, type Invitation } from '../../store/people/invitations.ts'
import { insertMember } from '../../store/people/members.ts'
import { findPersonByEmail, insertPerson } from '../../store/people/people.ts'
import { lockAddress } from './limited-tries.ts'
import type { PeopleDeps } from './people-deps.ts'
import { signIn } from './sign-in.ts'
import { makePersonId } from './sign-up.ts'
import { type Browser, type StartedSession, startSession } from './start-session.ts'

export interface ReadInvitation extends Pick<Invitation, 'merchantId' | 'merchantName' | 'email' | 'role'> {
  isKnown: boolean
}

export async function readInvitation(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  _caller: Visitor,
  { token }: { token: string },
): Promise<ReadInvitation | RefusedAs<'token_not_valid'>> {
  const invitation = await findInvitationByToken(db, hashOfToken(token), clock.now())
  if (invitation === undefined) return { refused: 'token_not_valid' }
  const { merchantId, merchantName, email, role } = invitation
  return { merchantId, merchantName, email, role, isKnown: (await findPersonByEmail(db, email)) !== undefined }
}

export interface AcceptRequest extends Browser {
  token: string
  password: string
  code?: string | undefined
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
    // The service's people stay apart: one who could also act for a merchant could validate it.
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
  return db
    .transaction(async (tx): Promise<StartedSession | Refused> => {
      const createdAt = clock.now()
      const personId = makePersonId(deps)
      await lockAddress(tx, email)
      const person = { personId, email, name, passwordHash, serviceRole: null, isFirstPassword: false, createdAt }
      if (!(await insertPerson(tx, { ...person, language: language ?? 'fr' }))) return { refused: 'email_taken' }
      const session = await startSession(deps, tx, person, { ...where, network: visitor.network }, createdAt)
      // Throwing undoes the person; the token was valid a moment ago.
      const joined = await join(deps, tx, visitor, invitation, personId)
      if (isRefused(joined)) throw new InvitationOver()
      return session
    })
    .catch((error): Refused => {
      if (error instanceof InvitationOver) return { refused: 'token_not_valid' }
      throw error
    })
}

class InvitationOver extends Error {
  override name = 'InvitationOver'
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
  await insertMerchantAudit(tx, caller, merchantId, { at, action: 'team.join', subject: personId, detail })
  return { joined: true }
}
