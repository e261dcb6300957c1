// A payment with its story: every exchange with its operator and every move, in order; as it is now, or as it was at a given time.
import type { AccountCaller, MerchantCaller } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import { type MadeMove, type PaymentStatus, statusAt } from '../../domain/payment-status.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type Approval, findLatestApproval } from '../../store/console/approvals.ts'
import type { Queries } from '../../store/engine/database.ts'
import { type ListedPayment, listNumberedPayments } from '../../store/payments/payment-list.ts'
import { listStory, type StoryEntry } from '../../store/payments/payment-story.ts'
import { findOutcome, type PaymentOutcome } from '../../store/payments/pending-payments.ts'
import { findLatestRefund, type ShownRefund } from '../../store/payments/refunds.ts'
import { type Delivery, listDeliveriesOf } from '../../store/webhooks/delivery-log.ts'
import { namesOfAskers } from '../console/ask-for-approval.ts'
import { type FindPaymentDeps, findNamedPayment } from './read-payment.ts'

export interface ShownPayment extends PaymentOutcome {
  payment: OperatorPayment
  /** The status with which it was recorded. */
  began: PaymentStatus
  story: StoryEntry[]
}

export async function showPayment(
  deps: FindPaymentDeps,
  caller: AccountCaller,
  { name, at }: { name: string; at?: number | undefined },
): Promise<ShownPayment | RefusedAs<'payment_not_found' | 'payment_name_ambiguous' | 'payment_not_recorded_then'>> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const { accountId, number, createdAt } = payment
  const fullStory = await listStory(deps.db, accountId, number)
  const moves = movesOf(fullStory)
  const now = (await findOutcome(deps.db, accountId, number)) as PaymentOutcome
  const began = moves[0]?.from ?? now.status
  if (at === undefined) return { payment, ...now, began, story: fullStory }
  const status = statusAt(moves, { status: began, at: createdAt }, at)
  if (status === undefined) return { refused: 'payment_not_recorded_then', createdAt }
  const operatorReference = status === 'succeeded' || status === 'refunded' ? now.operatorReference : null
  return { payment, status, operatorReference, began, story: fullStory.filter((entry) => entry.at <= at) }
}

const movesOf = (story: readonly StoryEntry[]): MadeMove[] =>
  story.filter(({ kind }) => kind === 'moved').map((entry) => ({ at: entry.at, ...entry.detail }) as MadeMove)

// A payment as its merchant looks at it: its row in the list, what happened to it, who was told, and its refund.

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
