// Requests the full refund of a succeeded payment. The request is recorded with its caller; the worker sends it to the
// operator, and the payment is refunded only when the operator confirms it. Never twice (D-14). People and keys need a
// second person's approval above a limit (D-134).
import { type AccountCaller, actorOf, type MerchantCaller, type ServicePerson } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Payment } from '../../domain/payment.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { base32, makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import type { MerchantRefund } from '../../domain/refund.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { type Approval, findLatestApproval, insertApproval, keepRefundReference } from '../../store/console/tasks.ts'
import type { Database, Transaction } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findReversal, insertStory } from '../../store/payments/payment-moves.ts'
import { findStatus } from '../../store/payments/payments.ts'
import { findLatestRefund, findRefund, insertRefund } from '../../store/payments/refunds.ts'
import { findAccountOfMerchant } from '../../store/people/members.ts'
import { refundDetail } from '../../wire/payment.ts'
import type { Deps } from '../deps.ts'
import { notifyStaff } from '../people/notices.ts'
import {
  type FindPaymentDeps,
  findNamedPayment,
  findRefundState,
  type RefundState,
  readPayment,
} from './read-payment.ts'

export interface RefundDeps extends FindPaymentDeps, Pick<Deps, 'clock' | 'random' | 'nextStoryEntry'> {
  /** Above so many francs a refund needs a second person; 0 for never. */
  refundApprovalAbove: number
}

export interface RequestedRefund {
  refundReference: string
  reference: string
  /** Until a second person approves it. */
  isWaiting: boolean
}

export async function refundPayment(
  deps: RefundDeps,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<(RequestedRefund & RefundState & Pick<OperatorPayment, 'amountXof'>) | Refused> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const requested = await requestRefund(deps, caller, payment)
  if (isRefused(requested)) return requested
  return { ...requested, amountXof: payment.amountXof, ...(await findRefundState(deps.db, payment)) }
}

type Refundable = Pick<OperatorPayment, 'accountId' | 'number' | 'reference' | 'environment' | 'amountXof'>

async function requestRefund(deps: RefundDeps, caller: AccountCaller, payment: Refundable) {
  const prepared = await prepareRefund(deps)
  return deps.db.transaction((tx) =>
    needsApproval(deps, caller, payment)
      ? requestApprovalOfRefund(deps, tx, caller, payment, prepared)
      : requestRefundIn(deps, tx, caller, payment, prepared),
  )
}

type Asker = MerchantCaller | ServicePerson

/** A user of the CLI may do everything. */
const needsApproval = (
  { refundApprovalAbove }: Pick<RefundDeps, 'refundApprovalAbove'>,
  caller: AccountCaller,
  { environment, amountXof }: Refundable,
): caller is Asker =>
  caller.is !== 'shell' &&
  caller.is !== 'service' &&
  environment === 'live' &&
  refundApprovalAbove > 0 &&
  amountXof > refundApprovalAbove

async function requestApprovalOfRefund(
  deps: RefundDeps,
  tx: Transaction,
  caller: Asker,
  payment: Refundable,
  { refundReference }: PreparedRefund,
): Promise<RequestedRefund | Refused> {
  const { accountId, number, reference, amountXof } = payment
  // An approval locks it too: its refund is either seen here, or comes after this request was added to it.
  await lockAccount(tx, accountId)
  const fault = await refundFault(tx, payment)
  if (fault !== undefined) return fault
  const refund = await findLatestRefund(tx, accountId, number)
  if (refund !== undefined && refund.status !== 'failed') return { refused: 'refund_exists' }
  const { merchantId = '' } = (await findAccountOfMerchant(tx, accountId)) ?? {}
  const about = { kind: 'approve_refund', merchantId, accountId, subject: reference } as const
  await requestApproval(deps, tx, caller, { ...about, amountXof, reason: '', refundReference })
  return { refundReference: await keepRefundReference(tx, reference, refundReference), reference, isWaiting: true }
}

/** Requested twice, it waits once. As part of a larger transaction. */
export async function requestApproval(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  tx: Transaction,
  caller: Asker,
  about: Pick<Approval, 'kind' | 'merchantId' | 'accountId' | 'subject' | 'amountXof' | 'reason' | 'refundReference'>,
): Promise<void> {
  const at = clock.now()
  const approvalId = `apr_${base32(random.bytes(10), 16)}`
  const askedBy = caller.is === 'merchant_key' ? caller.keyId : caller.personId
  if (!(await insertApproval(tx, { ...about, approvalId, askedBy, askedAt: at }))) return
  const { kind, subject, amountXof, reason, accountId } = about
  if (kind === 'approve_refund') await notifyStaff(tx, at, { kind: 'refund_waiting', about: approvalId })
  const detail = { approval: approvalId, kind, amount: amountXof, reason }
  await insertAudit(tx, caller, { at, action: 'approval.ask', subject, accountId, detail })
}

export type PreparedRefund = { refundReference: string; storyEntry: number }

export const prepareRefund = async ({ random, nextStoryEntry }: RefundDeps): Promise<PreparedRefund> => ({
  refundReference: makeReference(random.bytes(REFERENCE_BYTES)),
  storyEntry: await nextStoryEntry(),
})

export async function requestRefundIn(
  { clock }: Pick<RefundDeps, 'clock'>,
  tx: Transaction,
  caller: AccountCaller,
  payment: Refundable,
  { refundReference, storyEntry }: PreparedRefund,
): Promise<RequestedRefund | Refused> {
  const { accountId, number, reference } = payment
  const now = clock.now()
  const fault = await refundFault(tx, payment)
  if (fault !== undefined) return fault
  const requestedBy = actorOf(caller)
  const refund = { accountId, number, refundReference, requestedBy, createdAt: now }
  if (!(await insertRefund(tx, refund))) return { refused: 'refund_exists' }
  const detail = refundDetail(refundReference, { by: requestedBy })
  await insertStory(tx, [{ accountId, number, entry: storyEntry, at: now, kind: 'refund_asked', detail }])
  await insertAudit(tx, caller, { at: now, action: 'payment.refund', subject: reference, accountId, detail })
  return { refundReference, reference, isWaiting: false }
}

async function refundFault(tx: Transaction, { accountId, number }: Refundable): Promise<Refused | undefined> {
  const status = (await findStatus(tx, accountId, number)) as PaymentStatus
  if (status === 'refunded') return { refused: 'refund_exists' }
  return status === 'succeeded' ? undefined : { refused: 'payment_not_refundable', status }
}

// The API's refund. A repeated request returns the same refund, so a merchant that lost the answer can repeat it and
// the money goes back once. Only after a failed refund does a request begin another (D-87).

/** Any reference by which the merchant reads the payment; undefined when it could not be decoded. */
type RefundInput = { name: string | undefined }

export async function refundOnce(
  deps: RefundDeps,
  caller: MerchantCaller,
  { name }: RefundInput,
): Promise<MerchantRefund | RefusedAs<'payment_not_found' | 'payment_not_refundable'>> {
  const payment = await readPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const { environment } = caller
  const asked = await requestRefund(deps, caller, { ...payment, environment })
  if (isRefused(asked) && asked.refused === 'payment_not_refundable') return asked
  if (isRefused(asked) && asked.refused !== 'refund_exists') throw new Error(`a refund was refused: ${asked.refused}`)
  const refund = await findRefundOf(deps.db, payment)
  if (refund === undefined) throw new Error('a recorded refund was not found')
  return refund
}

export async function readRefund(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  { name }: RefundInput,
): Promise<MerchantRefund | RefusedAs<'payment_not_found' | 'refund_not_found'>> {
  const payment = await readPayment({ db }, caller, { name })
  if (isRefused(payment)) return payment
  return (await findRefundOf(db, payment)) ?? { refused: 'refund_not_found' }
}

/** A reversal by the operator has the payment's own reference. An unapproved refund has no row yet. */
async function findRefundOf(
  db: Database,
  { accountId, reference, amountXof }: Payment,
): Promise<MerchantRefund | undefined> {
  const refund = await findRefund(db, accountId, reference)
  if (refund !== undefined && refund.status !== 'failed') return refund
  const at = await findReversal(db, accountId, reference)
  const own = { reference, amountXof, failureReason: null }
  if (at !== undefined) return { ...own, refundReference: reference, status: 'succeeded', createdAt: at, updatedAt: at }
  const approval = await findLatestApproval(db, accountId, 'approve_refund', reference)
  if (approval === undefined || approval.askedAt < (refund?.createdAt ?? 0)) return refund
  const { state, askedAt, decidedAt } = approval
  const asked = { ...own, refundReference: approval.refundReference as string, createdAt: askedAt }
  if (state === 'waiting') return { ...asked, status: 'waiting_for_approval', updatedAt: askedAt }
  if (state === 'approved') return refund
  return { ...asked, status: 'failed', failureReason: 'approval_rejected', updatedAt: decidedAt ?? askedAt }
}
