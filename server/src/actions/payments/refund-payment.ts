// Requests the full refund of a succeeded payment. The request is recorded with its caller; the worker sends it to the operator, and
// the payment is refunded only when the operator confirms it. Never twice (D-14).
import { type AccountCaller, actorOf } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { findStatus } from '../../store/payments/pending-payments.ts'
import { insertRefund } from '../../store/payments/refunds.ts'
import { refundDetail } from '../../wire/refund.ts'
import { type FindPaymentDeps, findNamedPayment } from './find-payment.ts'

export interface RefundDeps extends FindPaymentDeps {
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

export interface RequestedRefund {
  refundReference: string
  /** The payment's reference. */
  reference: string
}

export async function refundPayment(
  deps: RefundDeps,
  caller: AccountCaller,
  /** Any reference of the payment. */
  { name }: { name: string },
): Promise<RequestedRefund | Refused> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const prepared = await prepareRefund(deps)
  return deps.db.transaction((tx) => requestRefundIn(deps, tx, caller, payment, prepared))
}

export interface PreparedRefund {
  refundReference: string
  storyEntry: number
}

/** What must be known before the transaction. */
export const prepareRefund = async ({ random, nextStoryEntry }: RefundDeps): Promise<PreparedRefund> => ({
  refundReference: makeReference(random.bytes(REFERENCE_BYTES)),
  storyEntry: await nextStoryEntry(),
})

/** As part of a larger transaction. */
export async function requestRefundIn(
  { clock }: Pick<RefundDeps, 'clock'>,
  tx: Transaction,
  caller: AccountCaller,
  { accountId, number, reference }: OperatorPayment,
  { refundReference, storyEntry }: PreparedRefund,
): Promise<RequestedRefund | Refused> {
  const now = clock.now()
  const status = (await findStatus(tx, accountId, number)) as PaymentStatus
  if (status === 'refunded') return { refused: 'refund_exists' }
  if (status !== 'succeeded') return { refused: 'payment_not_refundable', status }
  const requestedBy = actorOf(caller)
  const refund = { accountId, number, refundReference, requestedBy, createdAt: now }
  if (!(await insertRefund(tx, refund))) return { refused: 'refund_exists' }
  const detail = refundDetail(refundReference, { by: requestedBy })
  await insertStory(tx, [{ accountId, number, entry: storyEntry, at: now, kind: 'refund_asked', detail }])
  await insertAudit(tx, caller, { at: now, action: 'payment.refund', subject: reference, accountId, detail })
  return { refundReference, reference }
}
