// Writes an email when it is sent: only then is its token made, and its recipient looked up.
import type { ServiceItself } from '../../domain/caller.ts'
import { isShownText, LONGEST_CUSTOMER_NAME } from '../../domain/free-text.ts'
import { hashOfToken, type Language, makeToken, TOKEN_BYTES } from '../../domain/person.ts'
import { base32 } from '../../domain/reference.ts'
import { holdsWebAddress } from '../../domain/web-address.ts'
import { insertReset } from '../../store/people/credentials.ts'
import type { Mail } from '../../store/people/mails.ts'
import { findInvitation, setInvitationToken } from '../../store/people/members.ts'
import { findPerson, findPersonByEmail, findUnconfirmedPerson } from '../../store/people/people.ts'
import { writeStatementEmail } from '../books/statement-email.ts'
import type { Deps } from '../deps.ts'

const RESET_MS = 3_600_000
const CONFIRMATION_MS = 7 * 24 * 3_600_000

export interface EmailDeps extends Pick<Deps, 'db' | 'clock' | 'random'> {
  /** Where people reach the dashboard, without a slash at its end. */
  dashboardUrl(): string
}

export interface Email extends EmailText {
  to: string
}

const LONGEST_IN_EMAIL = 60

/** Names from before the rule are left out; a long one is cut, since a sentence needs more room than a name. */
function nameInEmail(name: string): string {
  if (!isShownText(name, LONGEST_CUSTOMER_NAME) || holdsWebAddress(name)) return ''
  const characters = [...name]
  return characters.length <= LONGEST_IN_EMAIL ? name : `${characters.slice(0, LONGEST_IN_EMAIL - 1).join('')}…`
}

/** Undefined when it has no recipient: no person has the address, or the invitation is over. */
export async function writeEmail(
  { db, clock, random, dashboardUrl }: EmailDeps,
  _caller: ServiceItself,
  { kind, email, about }: Mail,
): Promise<Email | undefined> {
  const person = await findPersonByEmail(db, email)
  const token = makeToken(random.bytes(TOKEN_BYTES))
  const now = clock.now()
  const reset = (personId: string, lastsMs: number): Promise<void> =>
    insertReset(db, { tokenHash: hashOfToken(token), personId, endsAt: now + lastsMs })
  const write = (language: Language, wording: (texts: Wordings) => Wording, path: string, name?: string): Email => {
    const texts = WORDINGS[language]
    return { to: email, ...textOf(texts.hello, wording(texts), `${dashboardUrl()}/${path}`, name) }
  }
  if (kind === 'invitation') {
    const invitation = await findInvitation(db, about)
    if (invitation === undefined || invitation.overAt !== null || invitation.endsAt <= now) return undefined
    await setInvitationToken(db, about, hashOfToken(token))
    const merchant = nameInEmail(invitation.merchantName)
    return write(person?.language ?? 'fr', (texts) => texts.invitation(merchant), `invitation#${token}`)
  }
  if (kind === 'confirm_address') {
    const newcomer = await findPerson(db, about)
    if (newcomer?.unconfirmedEmail !== email) return undefined
    if (person !== undefined)
      return write(person.language, (texts) => texts.has_account, 'sign-in', nameInEmail(person.name))
    await reset(about, CONFIRMATION_MS)
    return write(newcomer.language, (texts) => texts.confirm_address, `confirm#${token}`)
  }
  if (kind === 'statement') {
    const written = person && (await writeStatementEmail(db, person, about, dashboardUrl()))
    return written && { to: email, ...written }
  }
  if (person === undefined) {
    const newcomer = kind === 'password_reset' ? await findUnconfirmedPerson(db, email) : undefined
    if (newcomer === undefined) return undefined
    await reset(newcomer.personId, RESET_MS)
    return write(newcomer.language, (texts) => texts.take_over, `reset#${token}`)
  }
  const name = nameInEmail(person.name)
  if (kind === 'password_changed') return write(person.language, (texts) => texts.password_changed, 'forgotten', name)
  await reset(person.personId, RESET_MS)
  return write(person.language, (texts) => texts.password_reset, `reset#${token}`, name)
}

// What our emails say, in both languages. Plain text: every mail program shows it, and nothing in it is fetched. A
// statement has a table in HTML too.

/** Without `html`, plain text alone. */
type EmailText = { subject: string; text: string; html?: string }

/** What comes before the address, and after it. */
type Wording = [subject: string, before: string, after?: string]

/** Emails to an unconfirmed address contain no text of a user: a stranger may have signed up with it. */
interface Wordings {
  hello: string
  password_reset: Wording
  password_changed: Wording
  /** A name that must not be in an email is empty. */
  invitation(merchant: string): Wording
  confirm_address: Wording
  /** Instead of confirm_address, when the address has an account already. */
  has_account: Wording
  /** Instead of password_reset, while the address is not confirmed. */
  take_over: Wording
}

function textOf(hello: string, [subject, before, after]: Wording, address: string, name = ''): EmailText {
  const greeting = `${hello}${name === '' ? '' : ` ${name}`},`
  return { subject, text: `${[greeting, before, address, ...(after === undefined ? [] : [after])].join('\n\n')}\n` }
}

const WORDINGS: Readonly<Record<Language, Wordings>> = {
  fr: {
    hello: 'Bonjour',
    password_reset: [
      'Karba : choisir un nouveau mot de passe',
      'Pour choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :',
      'Elle ne sert qu’une fois. Si vous n’avez rien demandé, ne faites rien : votre mot de passe reste le même.',
    ],
    password_changed: [
      'Karba : votre mot de passe a été changé',
      `Votre mot de passe vient d’être changé, et vos autres appareils ont été déconnectés.

Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe :`,
    ],
    invitation: (merchant) => [
      merchant === '' ? 'Karba : invitation à rejoindre une équipe' : `Karba : invitation à rejoindre « ${merchant} »`,
      `${merchant === '' ? 'Un marchand' : `« ${merchant} »`} vous invite à rejoindre son équipe sur Karba. Pour accepter, ouvrez cette adresse dans les sept jours :`,
      'Si vous ne connaissez pas ce marchand, ne faites rien.',
    ],
    confirm_address: [
      'Karba : confirmez votre adresse',
      'Un compte Karba vient d’être créé avec cette adresse. Si c’est vous, confirmez-la dans les sept jours :',
      'Votre mot de passe vous sera demandé. Si ce n’est pas vous, ne faites rien : cette adresse reste libre.',
    ],
    has_account: [
      'Karba : vous avez déjà un compte',
      `Quelqu’un vient de créer un compte Karba avec votre adresse, qui a déjà le sien. Rien n’a changé dans votre compte.

Si c’était vous, connectez-vous, ou choisissez un nouveau mot de passe si vous l’avez oublié :`,
      'Si ce n’était pas vous, ne faites rien.',
    ],
    take_over: [
      'Karba : choisir un nouveau mot de passe',
      'Un compte Karba a été créé avec cette adresse, qui n’est pas encore confirmée. Pour la confirmer et choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :',
      'Elle ne sert qu’une fois. Les sessions, les codes de connexion, les clés et les webhooks créés avant cesseront de marcher. Si vous n’avez rien demandé, ne faites rien.',
    ],
  },
  en: {
    hello: 'Hello',
    password_reset: [
      'Karba: choose a new password',
      'To choose a new password, open this address within the hour:',
      'It works once. If you did not ask for it, do nothing: your password stays as it is.',
    ],
    password_changed: [
      'Karba: your password was changed',
      `Your password was changed just now, and your other devices were signed out.

If that was not you, choose a new password at once:`,
    ],
    invitation: (merchant) => [
      merchant === '' ? 'Karba: an invitation to join a team' : `Karba: an invitation to join “${merchant}”`,
      `${merchant === '' ? 'A merchant' : `“${merchant}”`} invites you to join its team on Karba. To accept, open this address within seven days:`,
      'If you do not know this merchant, do nothing.',
    ],
    confirm_address: [
      'Karba: confirm your address',
      'A Karba account was just created with this address. If that was you, confirm it within seven days:',
      'You will be asked for your password. If that was not you, do nothing: this address stays free.',
    ],
    has_account: [
      'Karba: you already have an account',
      `Somebody just created a Karba account with your address, which already has one. Nothing has changed in your account.

If that was you, sign in, or choose a new password if you have forgotten yours:`,
      'If that was not you, do nothing.',
    ],
    take_over: [
      'Karba: choose a new password',
      'A Karba account was created with this address, which is not confirmed yet. To confirm it and choose a new password, open this address within the hour:',
      'It works once. Sessions, sign-in codes, keys and webhooks created before will stop working. If you did not ask for this, do nothing.',
    ],
  },
}

export const newMail = (
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  { kind, email, about = '' }: Pick<Mail, 'kind' | 'email'> & { about?: string },
): Mail => ({
  mailId: `mail_${base32(random.bytes(10), 16)}`,
  email,
  kind,
  about,
  createdAt: clock.now(),
  attempts: 0,
})
