// Makes a person and their merchant, with an account in each environment, and signs them in. The
// sandbox has both keys at once; the live account waits for validation and has a public key. The
// address is not looked up before a link sent there confirms it, so the answer and its time do not
// show whether it has an account (ADR-0014).

import { EMAIL_TRIES } from '../../domain/limits/try-limit.ts'
import { base32 } from '../../domain/payments/reference.ts'
import type { Person, Visitor } from '../../domain/people/caller.ts'
import { passwordFault } from '../../domain/people/password.ts'
import { hashOfToken, isPersonName, readEmail } from '../../domain/people/person.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  isShownText,
  LONGEST_CUSTOMER_NAME,
  maskCardNumbers,
} from '../../domain/texts/free-text.ts'
import type { Language } from '../../domain/texts/language.ts'
import { holdsWebAddress } from '../../domain/texts/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { type ApiKey, expireKeys, listKeys } from '../../store/keys/api-keys.ts'
import { removeSecretsOfEndedKeys } from '../../store/keys/kept-secrets.ts'
import {
  findCredentials,
  findReset,
  removeResets,
  replaceRecoveryCodes,
  setTotp,
  spendReset,
} from '../../store/people/credentials.ts'
import { insertMail } from '../../store/people/mails.ts'
import { insertMember, listAccountsOfPerson, listMembers } from '../../store/people/members.ts'
import {
  findPerson,
  insertPerson,
  removeUnconfirmedPeople,
  setConfirmed,
} from '../../store/people/people.ts'
import { listEndpoints, removeEndpoint } from '../../store/webhooks/endpoints.ts'
import { insertMerchantWithAccounts } from '../accounts/insert-merchant.ts'
import { type KeepSecretDeps, keepSandboxKey } from '../keys/kept-secrets.ts'
import { type IssueKeysDeps, issueKeys, issueUnlimitedKey } from '../keys/manage-keys.ts'
import {
  accountTries,
  confirmationTries,
  emailTries,
  forgive,
  lockAddress,
  networkTries,
  takeTry,
} from '../limits/limited-tries.ts'
import { newMail } from './new-mail.ts'
import { type Browser, type PeopleDeps, type StartedSession, startSession } from './sessions.ts'

export interface SignUpRequest extends Browser {
  name: string
  email: string
  password: string
  merchantName: string
  language: Language
}

export const makePersonId = ({ random }: Pick<PeopleDeps, 'random'>): string =>
  `per_${base32(random.bytes(10), 16)}`

export async function signUp(
  deps: PeopleDeps & IssueKeysDeps & KeepSecretDeps,
  { network }: Visitor,
  { email: typed, password, language, ...given }: SignUpRequest,
): Promise<StartedSession | Refused> {
  const { browser, heldToken } = given
  const [name, merchantName] = [maskCardNumbers(given.name), maskCardNumbers(given.merchantName)]
  const { db, clock, passwords } = deps
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  if (!isShownText(merchantName, LONGEST_CUSTOMER_NAME))
    return { refused: 'merchant_name_not_valid' }
  if (holdsWebAddress(name) || holdsWebAddress(merchantName))
    return { refused: 'name_holds_address' }
  const fault = passwordFault(password, email)
  if (fault !== undefined) return { refused: 'password_not_good', fault }
  const mayTry = await takeTry(deps, [emailTries('sign-up', network)])
  if (isRefused(mayTry)) return mayTry
  // A stranger who uses up an address's emails must not keep its owner from signing up.
  const mayMail = !isRefused(await takeTry(deps, [confirmationTries(email)]))
  const passwordHash = await passwords.hash(password, network)
  return db.transaction(async (tx): Promise<StartedSession | Refused> => {
    const now = clock.now()
    const personId = makePersonId(deps)
    const person = {
      personId,
      email: personId,
      unconfirmedEmail: email,
      name,
      language,
      passwordHash,
    }
    await insertPerson(tx, { ...person, serviceRole: null, isFirstPassword: false, createdAt: now })
    const { merchantId, accounts } = await insertMerchantWithAccounts(deps, tx, {
      name: merchantName,
      validateLive: false,
    })
    const { accountId } = accounts.sandbox
    const { secretKey: key } = await issueKeys(deps, tx, accountId, 'sandbox')
    const { keyId } = (await listKeys(tx, accountId)).find(
      ({ kind }) => kind === 'secret',
    ) as ApiKey
    await keepSandboxKey(deps, tx, { accountId, environment: 'sandbox', keyId, key })
    await issueUnlimitedKey(
      deps,
      tx,
      { accountId: accounts.live.accountId, environment: 'live' },
      'public',
    )
    await insertMember(tx, { merchantId, personId, role: 'owner', createdAt: now })
    const session = await startSession(
      deps,
      tx,
      { personId, serviceRole: null },
      { browser, heldToken, network },
      now,
    )
    if (mayMail)
      await insertMail(tx, newMail(deps, { kind: 'confirm_address', email, about: personId }))
    const caller = { is: 'person', personId, sessionId: '', network } as const
    const detail = { name: merchantName, owner: personId }
    await insertAudit(tx, caller, {
      at: now,
      action: 'merchant.sign_up',
      subject: merchantId,
      detail,
    })
    return session
  })
}

// Confirms an address by the token of an email and the password. The token alone is not enough: a
// stranger may have signed up, and an owner of the mailbox who follows the link by mistake must not
// help them (ADR-0014).

/**
 * The same whether or not the address has an account: that is found out when the email is written.
 */
export async function askForConfirmation(
  deps: Pick<PeopleDeps, 'db' | 'clock' | 'random'>,
  { personId, network }: Person,
): Promise<{ asked: true } | RefusedAs<'too_many_tries' | 'signed_out'>> {
  const person = await findPerson(deps.db, personId)
  if (person === undefined) return { refused: 'signed_out' }
  const email = person.unconfirmedEmail
  if (email === null) return { asked: true }
  const fromNetwork = { name: hashOfToken(`confirmation ${network}`), limit: EMAIL_TRIES }
  const mayTry = await takeTry(deps, [confirmationTries(email), fromNetwork])
  if (isRefused(mayTry)) return mayTry
  await insertMail(deps.db, newMail(deps, { kind: 'confirm_address', email, about: personId }))
  return { asked: true }
}

/**
 * Begins no session: the page signs in with the same password, and with a code where one is needed.
 */
export async function confirmAddress(
  deps: PeopleDeps,
  visitor: Visitor,
  { token, password }: { token: string; password: string },
): Promise<{ email: string } | Refused> {
  const { db, clock, passwords } = deps
  const tokenHash = hashOfToken(token)
  const personId = await findReset(db, tokenHash, clock.now())
  const person = personId === undefined ? undefined : await findPerson(db, personId)
  const email = person?.unconfirmedEmail
  if (person === undefined || email == null) return { refused: 'token_not_valid' }
  const [account, network] = [accountTries(person.personId), networkTries(visitor.network)]
  const mayTry = await takeTry(deps, [account, network])
  if (isRefused(mayTry)) return mayTry
  const credentials = await findCredentials(db, person.personId)
  if (!(await passwords.verify(password, credentials?.passwordHash, visitor.network)))
    return { refused: 'password_wrong' }
  return db.transaction(async (tx): Promise<{ email: string } | Refused> => {
    const at = clock.now()
    if (!(await spendReset(tx, tokenHash, at))) return { refused: 'token_not_valid' }
    if (!(await claimAddress(tx, person.personId, email, at))) return { refused: 'token_not_valid' }
    await removeResets(tx, person.personId)
    await forgive(tx, account, network)
    const caller = {
      is: 'person',
      personId: person.personId,
      sessionId: '',
      network: visitor.network,
    } as const
    await insertAudit(tx, caller, {
      at,
      action: 'person.confirm',
      subject: person.personId,
      detail: { email },
    })
    return { email }
  })
}

/**
 * False when the address is another person's by now. Other people who signed up with it are
 * removed.
 */
async function claimAddress(
  tx: Queries,
  personId: string,
  email: string,
  at: number,
): Promise<boolean> {
  await lockAddress(tx, email)
  if (!(await setConfirmed(tx, personId))) return false
  await removeUnconfirmedPeople(tx, email, at)
  return true
}

/**
 * The owner of the mailbox takes over a person who signed up with it, for the transaction that sets
 * a new password and ends the sessions. What an earlier holder could still use ends too: the
 * authenticator app, and keys and webhook endpoints of merchants without other people. Their
 * accounts get new public keys.
 */
export async function takeOver(
  deps: IssueKeysDeps,
  tx: Queries,
  personId: string,
  email: string,
  at: number,
): Promise<boolean> {
  if (!(await claimAddress(tx, personId, email, at))) return false
  await setTotp(tx, personId, { secret: null, since: null, step: 0 })
  await replaceRecoveryCodes(tx, personId, [])
  for (const { accountId, merchantId, environment } of await listAccountsOfPerson(tx, personId)) {
    if ((await listMembers(tx, merchantId)).length > 1) continue
    await expireKeys(tx, { accountId }, { accountId }, at)
    await removeSecretsOfEndedKeys(tx, accountId, at)
    await issueUnlimitedKey(deps, tx, { accountId, environment }, 'public')
    for (const { endpointId } of await listEndpoints(tx, { accountId }))
      await removeEndpoint(tx, accountId, endpointId)
  }
  return true
}
