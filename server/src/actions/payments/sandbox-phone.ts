// The sandbox phone: prompts of pending sandbox payments, a person's answer to one, and a payment
// to try it with.

import { COUNTRIES } from '../../domain/countries/country.ts'
import { CURRENCY } from '../../domain/payments/money.ts'
import { type OperatorPayment, requestReferenceOf } from '../../domain/payments/operator-payment.ts'
import { base32 } from '../../domain/payments/reference.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { isRefused, type Refused } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import { listPrompted } from '../../store/payments/pending-payments.ts'
import type { AskOperator, Deps } from '../deps.ts'
import { type CreatePaymentDeps, createPayment } from './create-payment.ts'

export type PhoneAnswer = 'approve' | 'decline' | 'no_credit' | 'ignore'

export interface SandboxPhoneDeps extends Pick<Deps, 'db' | 'clock'> {
  /** The simulated network's; undefined where sandbox is connected to a real one. */
  phone:
    | {
        /** Payments with this number wait for an answer on the phone. */
        msisdn: string
        rings(requestReference: string): Promise<boolean>
        answer(reference: string, answer: PhoneAnswer): Promise<boolean>
      }
    | undefined
  askOperator: AskOperator
}

const MOST_PROMPTS = 20
const TEST_XOF = 1_500

export type Prompts = { merchantName: string; prompts: OperatorPayment[] }

export async function listPrompts(
  { db, phone }: Pick<SandboxPhoneDeps, 'db' | 'phone'>,
  { accountId, environment }: MerchantCaller,
): Promise<Prompts | Refused> {
  const profile = await findProfile(db, accountId)
  if (profile === undefined) return { refused: 'account_not_found' }
  const merchantName = profile.brandName ?? profile.merchantName
  if (phone === undefined || environment !== 'sandbox') return { merchantName, prompts: [] }
  const pending = await listPrompted(db, accountId, MOST_PROMPTS)
  const rings = await Promise.all(
    pending.map((payment) => phone.rings(requestReferenceOf(payment))),
  )
  return { merchantName, prompts: pending.filter((_, index) => rings[index]) }
}

export async function answerPrompt(
  deps: SandboxPhoneDeps,
  caller: MerchantCaller,
  { reference, answer }: { reference: string; answer: PhoneAnswer },
): Promise<{ answered: true } | Refused> {
  const { db, clock, phone, askOperator } = deps
  const { accountId } = caller
  const listed = await listPrompts(deps, caller)
  if ('refused' in listed) return listed
  const payment = listed.prompts.find((each) => each.reference === reference)
  if (phone === undefined || payment === undefined) return { refused: 'prompt_not_found' }
  if (!(await phone.answer(requestReferenceOf(payment), answer)))
    return { refused: 'prompt_not_found' }
  const record = {
    at: clock.now(),
    action: 'sandbox.answer',
    subject: reference,
    accountId,
    detail: { answer },
  }
  await db.transaction((tx) => insertAudit(tx, caller, record))
  // Like the network's callback: an open page shows the outcome at once.
  await askOperator(payment)
  return { answered: true }
}

/** With as many prompts as the phone shows, another is not created. */
export async function createTestPayment(
  deps: SandboxPhoneDeps & CreatePaymentDeps,
  caller: MerchantCaller,
): Promise<{ created: boolean } | Refused> {
  const { db, clock, random, phone } = deps
  const { accountId } = caller
  const listed = await listPrompts(deps, caller)
  if ('refused' in listed) return listed
  const account = await findAccount(db, caller, accountId)
  if (phone === undefined || account?.environment !== 'sandbox')
    return { refused: 'operator_not_available' }
  if (account.status !== 'validated') return { refused: 'account_not_available' }
  if (listed.prompts.length >= MOST_PROMPTS) return { created: false }
  const made = await createPayment(deps, caller, {
    amount: TEST_XOF,
    country: COUNTRIES[0],
    currency: CURRENCY,
    msisdn: phone.msisdn,
    customerName: 'Test',
    externalReference: `test-${base32(random.bytes(10), 16)}`,
  })
  if (isRefused(made)) return made
  const record = { at: clock.now(), action: 'sandbox.pay', subject: made.reference, accountId }
  await db.transaction((tx) => insertAudit(tx, caller, record))
  return { created: true }
}
