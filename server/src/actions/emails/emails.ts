// Writes an email when it is sent: only then is its token made, and its recipient and its subject
// looked up.

import type { Environment } from '../../domain/environment.ts'
import { detailOf } from '../../domain/merchants/money-change.ts'
import { EVERY_ACCOUNT, type ServiceItself } from '../../domain/people/caller.ts'
import { CHOSEN_NOTICES, isNoticeKind, type NoticeKind } from '../../domain/people/notice.ts'
import { OWNER_CHANGES } from '../../domain/people/owner.ts'
import {
  hashOfToken,
  makeToken,
  type PersonRecord,
  TOKEN_BYTES,
} from '../../domain/people/person.ts'
import { isShownText, LONGEST_CUSTOMER_NAME, typesetText } from '../../domain/texts/free-text.ts'
import type { Language } from '../../domain/texts/language.ts'
import { holdsWebAddress } from '../../domain/texts/web-address.ts'
import { failingSince } from '../../domain/webhooks/webhook-event.ts'
import { findWaitingApproval, namesOfMerchants } from '../../store/console/tasks.ts'
import { listKeys } from '../../store/keys/api-keys.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import { findMoneyChange } from '../../store/operators/money-changes.ts'
import { findOperatorPayment, findStatus } from '../../store/payments/payments.ts'
import { insertReset } from '../../store/people/credentials.ts'
import type { Mail } from '../../store/people/mails.ts'
import {
  findAccountOfMerchant,
  findInvitation,
  findMember,
  type Invitation,
  setInvitationToken,
} from '../../store/people/members.ts'
import {
  findPerson,
  findPersonByEmail,
  findUnconfirmedPerson,
  namesOfPeople,
} from '../../store/people/people.ts'
import { findEndpoint } from '../../store/webhooks/endpoints.ts'
import { type StatementEmail, writeStatementEmail } from '../books/statement-email.ts'
import type { Deps } from '../deps.ts'
import {
  EMAIL_WORDS,
  type EmailWords,
  type MoneyChangeFacts,
  type OwnerChangeFacts,
  type Wording,
} from './email-words.ts'

const RESET_MS = 3_600_000
const CONFIRMATION_MS = 7 * 24 * 3_600_000

export interface EmailDeps extends Pick<Deps, 'db' | 'clock' | 'random'> {
  /** Where people reach the dashboard, without a slash at its end. */
  dashboardUrl(): string
}

/** Its parts, from which the sender makes the HTML, and all of it as plain text. */
export interface Email {
  to: string
  language: Language
  subject: string
  before: readonly string[]
  tables?: StatementEmail['tables']
  /** The text of the button that opens the address. */
  button: string
  address: string
  after: readonly string[]
  text: string
}

const LONGEST_IN_EMAIL = 60

/**
 * Names from before the rule are left out; a long one is cut, since a sentence needs more room than
 * a name.
 */
function nameInEmail(name: string): string {
  if (!isShownText(name, LONGEST_CUSTOMER_NAME) || holdsWebAddress(name)) return ''
  const characters = [...name]
  return characters.length <= LONGEST_IN_EMAIL
    ? name
    : `${characters.slice(0, LONGEST_IN_EMAIL - 1).join('')}…`
}

/**
 * What an email says in any language, the path that it names, and the recipient's name where it may
 * be used.
 */
interface Written {
  language: Language
  wording(words: EmailWords): Wording
  path: string
  name?: string
  /** The person can switch this kind off. */
  isNotice?: boolean
  /**
   * Of the account that it is about: the subject names the sandbox, so that a test is not taken for
   * real.
   */
  environment?: Environment | undefined
}

/** Undefined when it has no recipient: no person has the address, or its subject is over. */
export async function writeEmail(
  deps: EmailDeps,
  _caller: ServiceItself,
  mail: Mail,
): Promise<Email | undefined> {
  const { kind, email, about } = mail
  const person = await findPersonByEmail(deps.db, email)
  if (kind === 'statement') {
    const written =
      person && (await writeStatementEmail(deps.db, person, about, deps.dashboardUrl()))
    return written && { to: email, language: person.language, ...written }
  }
  const written = isNoticeKind(kind)
    ? person && (await noticeTo(deps, person, { ...mail, kind }))
    : await personalEmail(deps, person, mail)
  return written && emailOf(email, written, deps.dashboardUrl())
}

function emailOf(to: string, written: Written, url: string): Email {
  const { language, wording, path, name = '', isNotice, environment } = written
  const words = EMAIL_WORDS[language]
  const [about, before, button, after] = wording(words)
  const subject =
    environment === 'sandbox' ? about.replace('Karba', `Karba (${words.sandbox})`) : about
  const set = (text: string): string => typesetText(text, language)
  const greeting = `${words.hello}${name === '' ? '' : ` ${name}`},`
  const parts = {
    before: [greeting, set(before)],
    button,
    address: `${url}/${path}`,
    after: [...(after === undefined ? [] : [set(after)]), ...(isNotice ? [set(words.footer)] : [])],
  }
  const text = `${[...parts.before, parts.address, ...parts.after].join('\n\n')}\n`
  return { to, language, subject: set(subject), ...parts, text }
}

/** Emails that a person asked for, or that concern their own account. */
async function personalEmail(
  deps: EmailDeps,
  person: PersonRecord | undefined,
  { kind, email, about }: Mail,
): Promise<Written | undefined> {
  const { db, clock, random } = deps
  const token = makeToken(random.bytes(TOKEN_BYTES))
  const now = clock.now()
  const reset = (personId: string, lastsMs: number): Promise<void> =>
    insertReset(db, { tokenHash: hashOfToken(token), personId, endsAt: now + lastsMs })
  if (kind === 'invitation') {
    const invitation = await findInvitation(db, about)
    if (invitation === undefined || invitation.overAt !== null || invitation.endsAt <= now)
      return undefined
    await setInvitationToken(db, about, hashOfToken(token))
    const { language, ...facts } = await invitationFacts(deps, invitation)
    return {
      language: person?.language ?? language,
      wording: (words) => words.invitation(facts),
      path: `invitation#${token}`,
    }
  }
  if (kind === 'confirm_address') {
    const newcomer = await findPerson(db, about)
    if (newcomer?.unconfirmedEmail !== email) return undefined
    if (person !== undefined) {
      const { language, name } = person
      return {
        language,
        wording: (words) => words.has_account,
        path: 'sign-in',
        name: nameInEmail(name),
      }
    }
    await reset(about, CONFIRMATION_MS)
    return {
      language: newcomer.language,
      wording: (words) => words.confirm_address,
      path: `confirm#${token}`,
    }
  }
  if (person === undefined) {
    const newcomer = kind === 'password_reset' ? await findUnconfirmedPerson(db, email) : undefined
    if (newcomer === undefined) return undefined
    await reset(newcomer.personId, RESET_MS)
    return {
      language: newcomer.language,
      wording: (words) => words.take_over,
      path: `reset#${token}`,
    }
  }
  const to = { language: person.language, name: nameInEmail(person.name) }
  if (kind === 'password_changed')
    return { ...to, wording: (words) => words.password_changed, path: 'forgotten' }
  await reset(person.personId, RESET_MS)
  return { ...to, wording: (words) => words.password_reset, path: `reset#${token}` }
}

/**
 * `invitedBy` is `owner per_…` for a person, and names no person for the CLI. A newcomer reads the
 * inviter's language.
 */
async function invitationFacts({ db }: EmailDeps, { merchantName, invitedBy, role }: Invitation) {
  const inviter = await findPerson(db, invitedBy.split(' ').at(-1) ?? '')
  const language = inviter?.language ?? 'fr'
  return {
    merchant: nameInEmail(merchantName),
    inviter: nameInEmail(inviter?.name ?? ''),
    role,
    language,
  }
}

type Notice = Omit<Mail, 'kind'> & { kind: NoticeKind }
type NoticeText = Pick<Written, 'wording' | 'path' | 'environment'>

async function noticeTo(
  deps: EmailDeps,
  person: PersonRecord,
  mail: Notice,
): Promise<Written | undefined> {
  const text = await NOTICE_TEXTS[mail.kind](deps, mail, person)
  const isNotice = (CHOSEN_NOTICES as readonly string[]).includes(mail.kind)
  return text && { ...text, language: person.language, name: nameInEmail(person.name), isNotice }
}

/** Each looks its subject up: an email whose cause has ended is not sent. */
const NOTICE_TEXTS: Readonly<
  Record<
    NoticeKind,
    (deps: EmailDeps, mail: Notice, person: PersonRecord) => Promise<NoticeText | undefined>
  >
> = {
  account_status: async ({ db }, { about }) => {
    const [accountId = '', status = ''] = about.split(' ')
    const account = await findAccountOfMerchant(db, accountId)
    if (account === undefined || account.status !== status) return undefined
    const { environment, reason } = account
    const keys = await listKeys(db, accountId)
    const facts = {
      merchant: nameInEmail(account.merchantName),
      environment,
      reason: reason ?? '',
      hasSecretKey: keys.some(({ kind }) => kind === 'secret'),
    }
    return {
      wording: (words) => words.account_status[account.status](facts),
      path: account.status === 'validated' ? `a/${accountId}` : `a/${accountId}/account/business`,
      environment,
    }
  },
  endpoint_failing: async ({ db, clock }, { about }) => {
    const endpoint = await findEndpoint(db, EVERY_ACCOUNT, about)
    const since = endpoint === undefined ? null : failingSince(endpoint, clock.now())
    if (endpoint === undefined || since === null) return undefined
    const { url, lastStatusCode, accountId } = endpoint
    const facts = { url, since, lastStatusCode }
    const { environment } = (await findAccountOfMerchant(db, accountId)) ?? {}
    const path = `a/${accountId}/developers/webhooks`
    return { wording: (words) => words.endpoint_failing(facts), path, environment }
  },
  late_money: async ({ db }, { about }, { serviceRole }) => {
    const payment = await findOperatorPayment(db, EVERY_ACCOUNT, about)
    if (payment === undefined) return undefined
    // Accepted meanwhile, it has not failed any more.
    if ((await findStatus(db, payment.accountId, payment.number)) !== 'failed') return undefined
    const { accountId, environment, amountXof, publicReference } = payment
    const merchant = await merchantOf(db, accountId)
    return {
      wording: (words) =>
        words.late_money({ merchant, amountXof, publicReference, isStaff: serviceRole !== null }),
      path: serviceRole === null ? `a/${accountId}/payments/${about}` : 'console/tasks',
      environment,
    }
  },
  file_waiting: async ({ db }, { about }) => {
    const profile = await findProfile(db, about)
    if (profile === undefined || profile.validationAskedAt === null) return undefined
    const merchant = nameInEmail(profile.merchantName)
    return {
      wording: (words) => words.file_waiting({ merchant }),
      path: `console/merchants/${profile.merchantId}`,
    }
  },
  refund_waiting: async ({ db }, { about }) => {
    const approval = await findWaitingApproval(db, about)
    if (approval === undefined) return undefined
    const facts = {
      merchant: await merchantOf(db, approval.accountId),
      amountXof: approval.amountXof ?? 0,
    }
    return { wording: (words) => words.refund_waiting(facts), path: 'console/tasks' }
  },
  money_change: async ({ db }, { about }, { serviceRole }) => {
    const [changeId = '', state = ''] = about.split(' ')
    const change = await findMoneyChange(db, EVERY_ACCOUNT, changeId)
    if (change === undefined || change.state !== state || change.state === 'replaced')
      return undefined
    const { accountId, askedAt, endsAt, decidedAt, askedBy, decidedBy } = change
    const account = await findAccountOfMerchant(db, accountId)
    const names = await namesOfPeople(db, [askedBy, decidedBy ?? askedBy])
    const nameOf = (personId: string | null): string =>
      nameInEmail(names.get(personId ?? '') ?? '') || personId || ''
    const detail = detailOf(change)
    const facts: MoneyChangeFacts = {
      merchant: nameInEmail(account?.merchantName ?? ''),
      detail: 'label' in detail ? { ...detail, label: nameInEmail(detail.label) } : detail,
      asker: nameOf(askedBy),
      decider: nameOf(decidedBy),
      askedAt,
      endsAt,
      decidedAt: decidedAt ?? askedAt,
      isStaff: serviceRole !== null,
    }
    const page = detail.kind === 'pi_alias' ? 'account/brand' : 'account/networks'
    const ownersPath = change.state === 'waiting' ? `a/${accountId}` : `a/${accountId}/${page}`
    const path = serviceRole === null ? ownersPath : `console/merchants/${account?.merchantId}`
    const { state: as } = change
    return { wording: (words) => words.money_change[as](facts), path }
  },
  owner_change: async ({ db }, { about, createdAt }, { personId, serviceRole }) => {
    const [accountId = '', what = '', subject = '', by = ''] = about.split(' ')
    const account = await findAccountOfMerchant(db, accountId)
    const change = OWNER_CHANGES.find((each) => each === what)
    if (account === undefined || change === undefined) return undefined
    const { merchantId } = account
    const names = await namesOfPeople(db, [subject, by])
    const invited = change === 'invited' ? await findInvitation(db, subject) : undefined
    const facts: OwnerChangeFacts = {
      merchant: nameInEmail(account.merchantName),
      who: invited?.email ?? (nameInEmail(names.get(subject) ?? '') || subject),
      by: nameInEmail(names.get(by) ?? ''),
      at: createdAt,
      isStaff: serviceRole !== null,
    }
    const isMember = (await findMember(db, merchantId, personId)) !== undefined
    const ownersPath = isMember ? `a/${accountId}/account/team` : 'sign-in'
    const path = serviceRole === null ? ownersPath : `console/merchants/${merchantId}`
    return { wording: (words) => words.owner_change[change](facts), path }
  },
  new_sign_in: async (_deps, { about, createdAt }) => ({
    wording: (words) => words.new_sign_in({ network: about, at: createdAt }),
    path: 'forgotten',
  }),
}

const merchantOf = async (db: EmailDeps['db'], accountId: string): Promise<string> =>
  nameInEmail((await namesOfMerchants(db, [accountId])).get(accountId) ?? '')
