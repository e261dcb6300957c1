// The sandbox phone: prompts of pending sandbox payments, and a person's answer to one.
import type { MerchantCaller } from '../../domain/caller.ts'
import { type OperatorPayment, requestReferenceOf } from '../../domain/operator-report.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import { listPrompted } from '../../store/payments/pending-payments.ts'
import type { Deps } from '../deps.ts'

export type PhoneAnswer = 'approve' | 'decline' | 'no_credit' | 'ignore'

export interface SandboxPhoneDeps extends Pick<Deps, 'db' | 'clock'> {
  /** The simulated network's; undefined where sandbox is connected to a real one. */
  phone:
    | {
        rings(requestReference: string): Promise<boolean>
        answer(reference: string, answer: PhoneAnswer): Promise<boolean>
      }
    | undefined
  askOperator(payment: OperatorPayment): Promise<void>
}

const MOST_PROMPTS = 20

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
  const rings = await Promise.all(pending.map((payment) => phone.rings(requestReferenceOf(payment))))
  return { merchantName, prompts: pending.filter((_, at) => rings[at]) }
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
  if (!(await phone.answer(requestReferenceOf(payment), answer))) return { refused: 'prompt_not_found' }
  const record = { at: clock.now(), action: 'sandbox.answer', subject: reference, accountId, detail: { answer } }
  await db.transaction((tx) => insertAudit(tx, caller, record))
  // Like the network's callback: an open page shows the outcome at once.
  await askOperator(payment)
  return { answered: true }
}
