// Writes a letter at the moment it is sent: only then is its token made, and only then is it found out whether anybody is to get it.
import type { ServiceItself } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { hashOfToken, makeToken, TOKEN_BYTES } from '../../domain/person.ts'
import { LONGEST_CUSTOMER_NAME } from '../../domain/reference.ts'
import { isShownText } from '../../domain/shown-text.ts'
import { holdsWebAddress } from '../../domain/web-address.ts'
import type { Database } from '../../store/engine/database.ts'
import { insertReset } from '../../store/people/credentials.ts'
import { findInvitation, setInvitationToken } from '../../store/people/invitations.ts'
import type { Mail } from '../../store/people/mails.ts'
import { findPerson, findPersonByEmail, findUnconfirmedPerson } from '../../store/people/people.ts'
import { LETTERS, type LetterText } from './letter-texts.ts'

const RESET_MS = 3_600_000
const CONFIRMATION_MS = 7 * 24 * 3_600_000

export interface LetterDeps {
  db: Database
  clock: Clock
  random: Random
  /** Where people reach the dashboard, without a slash at its end. */
  dashboardUrl(): string
}

export interface Letter extends LetterText {
  to: string
}

const LONGEST_IN_EMAIL = 60

/** Names from before the rule are left out; a long one is cut, since a sentence needs more room than a name. */
function nameInEmail(name: string): string {
  if (!isShownText(name, LONGEST_CUSTOMER_NAME) || holdsWebAddress(name)) return ''
  const characters = [...name]
  return characters.length <= LONGEST_IN_EMAIL ? name : `${characters.slice(0, LONGEST_IN_EMAIL - 1).join('')}…`
}

/** Undefined when nobody is to get it: nobody has the address, or the invitation is over. */
export async function writeLetter(
  { db, clock, random, dashboardUrl }: LetterDeps,
  _caller: ServiceItself,
  { kind, email, about }: Mail,
): Promise<Letter | undefined> {
  const person = await findPersonByEmail(db, email)
  const token = makeToken(random.bytes(TOKEN_BYTES))
  const now = clock.now()
  if (kind === 'invitation') {
    const invitation = await findInvitation(db, about)
    if (invitation === undefined || invitation.overAt !== null || invitation.endsAt <= now) return undefined
    await setInvitationToken(db, about, hashOfToken(token))
    const address = `${dashboardUrl()}/invitation#${token}`
    const words = LETTERS[person?.language ?? 'fr']
    return { to: email, ...words.invitation({ merchant: nameInEmail(invitation.merchantName), address }) }
  }
  if (kind === 'confirm_address') {
    const newcomer = await findPerson(db, about)
    if (newcomer?.unconfirmedEmail !== email) return undefined
    if (person !== undefined) {
      const facts = { name: nameInEmail(person.name), address: `${dashboardUrl()}/sign-in` }
      return { to: email, ...LETTERS[person.language].has_account(facts) }
    }
    await insertReset(db, { tokenHash: hashOfToken(token), personId: about, endsAt: now + CONFIRMATION_MS })
    const address = `${dashboardUrl()}/confirm#${token}`
    return { to: email, ...LETTERS[newcomer.language].confirm_address({ address }) }
  }
  if (person === undefined) {
    const newcomer = kind === 'password_reset' ? await findUnconfirmedPerson(db, email) : undefined
    if (newcomer === undefined) return undefined
    const { personId, language } = newcomer
    await insertReset(db, { tokenHash: hashOfToken(token), personId, endsAt: now + RESET_MS })
    return { to: email, ...LETTERS[language].take_over({ address: `${dashboardUrl()}/reset#${token}` }) }
  }
  const words = LETTERS[person.language]
  const name = nameInEmail(person.name)
  if (kind === 'password_changed') {
    return { to: email, ...words.password_changed({ name, address: `${dashboardUrl()}/forgotten` }) }
  }
  await insertReset(db, { tokenHash: hashOfToken(token), personId: person.personId, endsAt: now + RESET_MS })
  return { to: email, ...words.password_reset({ name, address: `${dashboardUrl()}/reset#${token}` }) }
}
