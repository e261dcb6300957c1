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
  if (kind === 'invitation') {
    const invitation = await findInvitation(db, about)
    if (invitation === undefined || invitation.overAt !== null || invitation.endsAt <= now) return undefined
    await setInvitationToken(db, about, hashOfToken(token))
    const address = `${dashboardUrl()}/invitation#${token}`
    const words = EMAIL_TEXTS[person?.language ?? 'fr']
    return { to: email, ...words.invitation({ merchant: nameInEmail(invitation.merchantName), address }) }
  }
  if (kind === 'confirm_address') {
    const newcomer = await findPerson(db, about)
    if (newcomer?.unconfirmedEmail !== email) return undefined
    if (person !== undefined) {
      const facts = { name: nameInEmail(person.name), address: `${dashboardUrl()}/sign-in` }
      return { to: email, ...EMAIL_TEXTS[person.language].has_account(facts) }
    }
    await insertReset(db, { tokenHash: hashOfToken(token), personId: about, endsAt: now + CONFIRMATION_MS })
    const address = `${dashboardUrl()}/confirm#${token}`
    return { to: email, ...EMAIL_TEXTS[newcomer.language].confirm_address({ address }) }
  }
  if (person === undefined) {
    const newcomer = kind === 'password_reset' ? await findUnconfirmedPerson(db, email) : undefined
    if (newcomer === undefined) return undefined
    const { personId, language } = newcomer
    await insertReset(db, { tokenHash: hashOfToken(token), personId, endsAt: now + RESET_MS })
    return { to: email, ...EMAIL_TEXTS[language].take_over({ address: `${dashboardUrl()}/reset#${token}` }) }
  }
  const words = EMAIL_TEXTS[person.language]
  const name = nameInEmail(person.name)
  if (kind === 'password_changed') {
    return { to: email, ...words.password_changed({ name, address: `${dashboardUrl()}/forgotten` }) }
  }
  await insertReset(db, { tokenHash: hashOfToken(token), personId: person.personId, endsAt: now + RESET_MS })
  return { to: email, ...words.password_reset({ name, address: `${dashboardUrl()}/reset#${token}` }) }
}

// What our emails say, in both languages. Plain text: every mail program shows it, and nothing in it is fetched.

interface EmailText {
  subject: string
  text: string
}

/** A name that must not be in an email is empty. */
interface Facts {
  name: string
  merchant: string
  address: string
}

/** Emails to an unconfirmed address contain no text of a user: a stranger may have signed up with it. */
interface EmailTexts {
  password_reset(facts: Pick<Facts, 'name' | 'address'>): EmailText
  password_changed(facts: Pick<Facts, 'name' | 'address'>): EmailText
  invitation(facts: Pick<Facts, 'merchant' | 'address'>): EmailText
  confirm_address(facts: Pick<Facts, 'address'>): EmailText
  /** Instead of confirm_address, when the address has an account already. */
  has_account(facts: Pick<Facts, 'name' | 'address'>): EmailText
  /** Instead of password_reset, while the address is not confirmed. */
  take_over(facts: Pick<Facts, 'address'>): EmailText
}

const named = (name: string): string => (name === '' ? '' : ` ${name}`)

const EMAIL_TEXTS: Readonly<Record<Language, EmailTexts>> = {
  fr: {
    password_reset: ({ name, address }) => ({
      subject: 'Karba : choisir un nouveau mot de passe',
      text: `Bonjour${named(name)},

Pour choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :

${address}

Elle ne sert qu’une fois. Si vous n’avez rien demandé, ne faites rien : votre mot de passe reste le même.
`,
    }),
    password_changed: ({ name, address }) => ({
      subject: 'Karba : votre mot de passe a été changé',
      text: `Bonjour${named(name)},

Votre mot de passe vient d’être changé, et vos autres appareils ont été déconnectés.

Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe :

${address}
`,
    }),
    invitation: ({ merchant, address }) => ({
      subject:
        merchant === ''
          ? 'Karba : invitation à rejoindre une équipe'
          : `Karba : invitation à rejoindre « ${merchant} »`,
      text: `Bonjour,

${merchant === '' ? 'Un marchand' : `« ${merchant} »`} vous invite à rejoindre son équipe sur Karba. Pour accepter, ouvrez cette adresse dans les sept jours :

${address}

Si vous ne connaissez pas ce marchand, ne faites rien.
`,
    }),
    confirm_address: ({ address }) => ({
      subject: 'Karba : confirmez votre adresse',
      text: `Bonjour,

Un compte Karba vient d’être créé avec cette adresse. Si c’est vous, confirmez-la dans les sept jours :

${address}

Votre mot de passe vous sera demandé. Si ce n’est pas vous, ne faites rien : cette adresse reste libre.
`,
    }),
    has_account: ({ name, address }) => ({
      subject: 'Karba : vous avez déjà un compte',
      text: `Bonjour${named(name)},

Quelqu’un vient de créer un compte Karba avec votre adresse, qui a déjà le sien. Rien n’a changé dans votre compte.

Si c’était vous, connectez-vous, ou choisissez un nouveau mot de passe si vous l’avez oublié :

${address}

Si ce n’était pas vous, ne faites rien.
`,
    }),
    take_over: ({ address }) => ({
      subject: 'Karba : choisir un nouveau mot de passe',
      text: `Bonjour,

Un compte Karba a été créé avec cette adresse, qui n’est pas encore confirmée. Pour la confirmer et choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :

${address}

Elle ne sert qu’une fois. Les sessions, les codes de connexion, les clés et les webhooks créés avant cesseront de marcher. Si vous n’avez rien demandé, ne faites rien.
`,
    }),
  },
  en: {
    password_reset: ({ name, address }) => ({
      subject: 'Karba: choose a new password',
      text: `Hello${named(name)},

To choose a new password, open this address within the hour:

${address}

It works once. If you did not ask for it, do nothing: your password stays as it is.
`,
    }),
    password_changed: ({ name, address }) => ({
      subject: 'Karba: your password was changed',
      text: `Hello${named(name)},

Your password was changed just now, and your other devices were signed out.

If that was not you, choose a new password at once:

${address}
`,
    }),
    invitation: ({ merchant, address }) => ({
      subject: merchant === '' ? 'Karba: an invitation to join a team' : `Karba: an invitation to join “${merchant}”`,
      text: `Hello,

${merchant === '' ? 'A merchant' : `“${merchant}”`} invites you to join its team on Karba. To accept, open this address within seven days:

${address}

If you do not know this merchant, do nothing.
`,
    }),
    confirm_address: ({ address }) => ({
      subject: 'Karba: confirm your address',
      text: `Hello,

A Karba account was just created with this address. If that was you, confirm it within seven days:

${address}

You will be asked for your password. If that was not you, do nothing: this address stays free.
`,
    }),
    has_account: ({ name, address }) => ({
      subject: 'Karba: you already have an account',
      text: `Hello${named(name)},

Somebody just created a Karba account with your address, which already has one. Nothing has changed in your account.

If that was you, sign in, or choose a new password if you have forgotten yours:

${address}

If that was not you, do nothing.
`,
    }),
    take_over: ({ address }) => ({
      subject: 'Karba: choose a new password',
      text: `Hello,

A Karba account was created with this address, which is not confirmed yet. To confirm it and choose a new password, open this address within the hour:

${address}

It works once. Sessions, sign-in codes, keys and webhooks created before will stop working. If you did not ask for this, do nothing.
`,
    }),
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
