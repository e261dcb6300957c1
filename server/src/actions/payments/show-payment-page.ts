// A payment as its merchant looks at it: its row in the list, what happened to it, who was told, and its refund.
import type { MerchantCaller } from '../../domain/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type Approval, findLatestApproval } from '../../store/console/approvals.ts'
import type { Queries } from '../../store/engine/database.ts'
import { type ListedPayment, listNumberedPayments } from '../../store/payments/payment-list.ts'
import type { StoryEntry } from '../../store/payments/payment-story.ts'
import { findLatestRefund, type ShownRefund } from '../../store/payments/refunds.ts'
import { type Delivery, listDeliveriesOf } from '../../store/webhooks/delivery-log.ts'
import { namesOfAskers } from '../console/names-of-askers.ts'
import type { FindPaymentDeps } from './find-payment.ts'
import { showPayment } from './show-payment.ts'

export interface PaymentPage {
  row: ListedPayment
  story: StoryEntry[]
  deliveries: Delivery[]
  refund: ShownRefund | undefined
  /** When a second person had to be asked about a refund: by whom, and what became of it. */
  approval: { askedBy: string; askedAt: number; state: Approval['state'] } | undefined
}

export async function showPaymentPage(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { name }: { name: string },
): Promise<PaymentPage | RefusedAs<'payment_not_found' | 'payment_name_ambiguous' | 'payment_not_recorded_then'>> {
  const shown = await showPayment(deps, caller, { name })
  if (isRefused(shown)) return shown
  const { accountId, number } = shown.payment
  const [row] = await listNumberedPayments(deps.db, accountId, [number], {})
  return {
    row: row as ListedPayment,
    story: shown.story,
    deliveries: await listDeliveriesOf(deps.db, accountId, number),
    refund: await findLatestRefund(deps.db, accountId, number),
    approval: await approvalOf(deps.db, accountId, shown.payment.reference),
  }
}

async function approvalOf(db: Queries, accountId: string, reference: string): Promise<PaymentPage['approval']> {
  const approval = await findLatestApproval(db, accountId, 'approve_refund', reference)
  if (approval === undefined) return undefined
  const { askedBy, askedAt, state } = approval
  return { askedBy: (await namesOfAskers(db, [askedBy])).get(askedBy) ?? askedBy, askedAt, state }
}
