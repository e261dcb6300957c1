// A new password, with the old one or an email's token. Other sessions end: a thief may be in one
// of them.

import { EMAIL_TRIES } from '../../domain/limits/try-limit.ts'
import type { Person, Visitor } from '../../domain/people/caller.ts'
import { passwordFault } from '../../domain/people/password.ts'
import { hashOfToken, isPersonName, readEmail, shownEmail } from '../../domain/people/person.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { maskCardNumbers } from '../../domain/texts/free-text.ts'
import type { Language } from '../../domain/texts/language.ts'
import { holdsWebAddress } from '../../domain/texts/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  findCredentials,
  findReset,
  removeResets,
  setPassword,
  spendReset,
} from '../../store/people/credentials.ts'
import { insertMail } from '../../store/people/mails.ts'
import { findPerson, setPersonDetails } from '../../store/people/people.ts'
import { removeSessions } from '../../store/people/sessions.ts'
import type { Deps } from '../deps.ts'
import type { IssueKeysDeps } from '../keys/manage-keys.ts'
import {
  accountTries,
  emailTries,
  forgive,
  networkTries,
  takeTry,
} from '../limits/limited-tries.ts'
import { newMail } from './new-mail.ts'
import type { PeopleDeps } from './sessions.ts'
import { takeOver } from './sign-up.ts'

export async function changePassword(
  deps: PeopleDeps,
  caller: Person,
  { current, password }: { current: string; password: string },
): Promise<{ changed: true } | Refused> {
  const { db, clock, passwords } = deps
  const { personId, sessionId } = caller
  const [person, credentials] = [
    await findPerson(db, personId),
    await findCredentials(db, personId),
  ]
  if (person === undefined) return { refused: 'signed_out' }
  const fault = passwordFault(password, shownEmail(person))
  if (fault !== undefined) return { refused: 'password_not_good', fault }
  const [account, network] = [accountTries(person.email), networkTries(caller.network)]
  const mayTry = await takeTry(deps, [account, network])
  if (isRefused(mayTry)) return mayTry
  if (!(await passwords.verify(current, credentials?.passwordHash, caller.network)))
    return { refused: 'password_wrong' }
  const passwordHash = await passwords.hash(password, caller.network)
  await db.transaction(async (tx) => {
    const at = clock.now()
    await setPassword(tx, personId, { passwordHash, isFirst: false })
    await forgive(tx, account, network)
    const ended = await removeSessions(tx, personId, sessionId)
    await removeResets(tx, personId)
    // The mailbox of an unconfirmed address may be a stranger's.
    if (person.unconfirmedEmail === null)
      await insertMail(tx, newMail(deps, { kind: 'password_changed', email: person.email }))
    await insertAudit(tx, caller, {
      at,
      action: 'person.password',
      subject: personId,
      detail: { ended },
    })
  })
  return { changed: true }
}

/** The same for every address: the recipient is looked up when the email is written. */
export async function askForReset(
  deps: PeopleDeps,
  { network }: Visitor,
  { email: typed }: { email: string },
): Promise<{ asked: true } | RefusedAs<'too_many_tries' | 'email_not_valid'>> {
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  const ofAddress = { name: hashOfToken(`reset of ${email}`), limit: EMAIL_TRIES }
  const mayTry = await takeTry(deps, [emailTries('reset', network), ofAddress])
  if (isRefused(mayTry)) return mayTry
  await insertMail(deps.db, newMail(deps, { kind: 'password_reset', email }))
  return { asked: true }
}

/** Whether the link of an email still works, so that the page says so before its form. */
export async function checkEmailLink(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  _caller: Visitor,
  { token }: { token: string },
): Promise<{ works: true } | RefusedAs<'token_not_valid'>> {
  const personId = await findReset(db, hashOfToken(token), clock.now())
  return personId === undefined ? { refused: 'token_not_valid' } : { works: true }
}

/**
 * With the token of the email, which works once. TOTP stays as it is: a mailbox alone opens
 * nothing. Of a person whose address is unconfirmed, the mailbox takes everything over: a stranger
 * may have signed up.
 */
export async function resetPassword(
  deps: PeopleDeps & IssueKeysDeps,
  { network }: Visitor,
  { token, password }: { token: string; password: string },
): Promise<{ changed: true } | Refused> {
  const { db, clock, passwords } = deps
  const tokenHash = hashOfToken(token)
  const personId = await findReset(db, tokenHash, clock.now())
  const person = personId === undefined ? undefined : await findPerson(db, personId)
  if (person === undefined) return { refused: 'token_not_valid' }
  const email = shownEmail(person)
  const fault = passwordFault(password, email)
  if (fault !== undefined) return { refused: 'password_not_good', fault }
  const passwordHash = await passwords.hash(password, network)
  return db.transaction(async (tx): Promise<{ changed: true } | Refused> => {
    const at = clock.now()
    if (!(await spendReset(tx, tokenHash, at))) return { refused: 'token_not_valid' }
    // Refused when the person was confirmed meanwhile: then nothing of theirs may be taken over.
    const isUnconfirmed = person.unconfirmedEmail !== null
    if (isUnconfirmed && !(await takeOver(deps, tx, person.personId, email, at)))
      return { refused: 'token_not_valid' }
    await setPassword(tx, person.personId, { passwordHash, isFirst: false })
    await removeResets(tx, person.personId)
    const ended = await removeSessions(tx, person.personId)
    await forgive(tx, accountTries(email), networkTries(network))
    await insertMail(tx, newMail(deps, { kind: 'password_changed', email }))
    const caller = { is: 'person', personId: person.personId, sessionId: '', network } as const
    const record = { at, action: 'person.password_reset', subject: person.personId }
    await insertAudit(tx, caller, {
      ...record,
      detail: { ended, ...(isUnconfirmed && { confirmed: email }) },
    })
    return { changed: true }
  })
}

export async function changeProfile(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Person,
  { name: given, language }: { name: string; language: Language },
): Promise<
  { changed: true } | RefusedAs<'person_name_not_valid' | 'name_holds_address' | 'signed_out'>
> {
  const name = maskCardNumbers(given)
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  if (holdsWebAddress(name)) return { refused: 'name_holds_address' }
  const { personId } = caller
  return db.transaction(async (tx) => {
    const before = await findPerson(tx, personId)
    if (before === undefined) return { refused: 'signed_out' }
    if (before.name === name && before.language === language) return { changed: true }
    await setPersonDetails(tx, personId, { name, language })
    const earlier = { name: before.name, language: before.language }
    const record = { at: clock.now(), action: 'person.profile', subject: personId }
    await insertAudit(tx, caller, { ...record, earlier, detail: { name, language } })
    return { changed: true }
  })
}
