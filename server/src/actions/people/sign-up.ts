// Makes a person and their merchant, with an account in each environment, and signs them in. The live account waits for its validation; keys are
// made in the dashboard, where they can be shown. The address is not looked up: until a link sent there confirms it, it belongs to nobody, so the
// answer and its time are the same whether or not it has an account (ADR-0014).
import type { Visitor } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import { passwordFault } from '../../domain/password.ts'
import { isPersonName, type Language, readEmail } from '../../domain/person.ts'
import { base32, LONGEST_CUSTOMER_NAME } from '../../domain/reference.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { isShownText } from '../../domain/shown-text.ts'
import { holdsWebAddress } from '../../domain/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertMail } from '../../store/people/mails.ts'
import { insertMember } from '../../store/people/members.ts'
import { insertPerson } from '../../store/people/people.ts'
import { insertMerchantWithAccounts } from '../merchants/create-merchant.ts'
import { confirmationTries, letterTries, takeTry } from './limited-tries.ts'
import { newMail } from './new-mail.ts'
import type { PeopleDeps } from './people-deps.ts'
import { type Browser, type StartedSession, startSession } from './start-session.ts'

export interface SignUpRequest extends Browser {
  name: string
  email: string
  password: string
  merchantName: string
  language: Language
}

export const makePersonId = ({ random }: Pick<PeopleDeps, 'random'>): string => `per_${base32(random.bytes(10), 16)}`

export async function signUp(
  deps: PeopleDeps,
  { network }: Visitor,
  { email: typed, password, language, ...given }: SignUpRequest,
): Promise<StartedSession | Refused> {
  const { browser, heldToken } = given
  const [name, merchantName] = [maskCardNumbers(given.name), maskCardNumbers(given.merchantName)]
  const { db, clock, passwords } = deps
  const email = readEmail(typed)
  if (email === undefined) return { refused: 'email_not_valid' }
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  if (!isShownText(merchantName, LONGEST_CUSTOMER_NAME)) return { refused: 'merchant_name_not_valid' }
  if (holdsWebAddress(name) || holdsWebAddress(merchantName)) return { refused: 'name_holds_address' }
  const fault = passwordFault(password, email)
  if (fault !== undefined) return { refused: 'password_not_good', fault }
  const mayTry = await takeTry(deps, [letterTries('sign-up', network)])
  if (isRefused(mayTry)) return mayTry
  // A stranger who uses up an address's emails must not keep its owner from signing up: the email can be sent again later.
  const mayMail = !isRefused(await takeTry(deps, [confirmationTries(email)]))
  const passwordHash = await passwords.hash(password, network)
  return db.transaction(async (tx): Promise<StartedSession | Refused> => {
    const now = clock.now()
    const personId = makePersonId(deps)
    const person = { personId, email: personId, unconfirmedEmail: email, name, language, passwordHash }
    await insertPerson(tx, { ...person, serviceRole: null, isFirstPassword: false, createdAt: now })
    const { merchantId } = await insertMerchantWithAccounts(deps, tx, { name: merchantName, validateLive: false })
    await insertMember(tx, { merchantId, personId, role: 'owner', createdAt: now })
    const session = await startSession(deps, tx, { personId, serviceRole: null }, { browser, heldToken, network }, now)
    if (mayMail) await insertMail(tx, newMail(deps, { kind: 'confirm_address', email, about: personId }))
    const caller = { is: 'person', personId, sessionId: '', network } as const
    const detail = { name: merchantName, owner: personId }
    await insertAudit(tx, caller, { at: now, action: 'merchant.sign_up', subject: merchantId, accountId: null, detail })
    return session
  })
}
