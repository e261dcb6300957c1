// Reads a payment by our reference or by the merchant's, within one account only (spec §4.2). Our
// own references win over those that a merchant chooses, so no payment can take the place of
// another (D-12).

import { looksLikeLinkReference } from '../../domain/links/payment-link.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { ListedPayment, Payment } from '../../domain/payments/payment.ts'
import {
  isPaid,
  type MadeMove,
  type PaymentStatus,
  statusAt,
} from '../../domain/payments/payment-status.ts'
import { looksLikeReference } from '../../domain/payments/reference.ts'
import { type AccountCaller, type MerchantCaller, scopeOf } from '../../domain/people/caller.ts'
import {
  MOST_REFUNDS,
  type Refund,
  type RefundSums,
  refundSumsOf,
} from '../../domain/refunds/refund.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { isExternalReference } from '../../domain/texts/free-text.ts'
import type { Delivery } from '../../domain/webhooks/webhook-event.ts'
import { listRefundApprovals, type RefundApproval } from '../../store/console/tasks.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { namesOfKeys } from '../../store/keys/api-keys.ts'
import { paymentOfLink } from '../../store/links/payment-links.ts'
import { listNumberedPayments } from '../../store/payments/payment-list.ts'
import { listStory, type StoryEntry } from '../../store/payments/payment-moves.ts'
import {
  findByExternalReference,
  findByExternalReferences,
  findByLinkReference,
  findByNumber,
  findByReference,
  findOperatorPayment,
  findOutcome,
  type PaymentOutcome,
} from '../../store/payments/payments.ts'
import { findRefundable, listRefunds } from '../../store/payments/refunds.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import { listDeliveriesOf } from '../../store/webhooks/delivery-log.ts'
import type { Deps } from '../deps.ts'
import { type PricedPayment, withMoney } from './payment-money.ts'

export async function readPayment(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  /** From the request's path; undefined when it could not be decoded. */
  { name }: { name: string | undefined },
): Promise<Payment | RefusedAs<'payment_not_found'>> {
  // A text that cannot be a reference needs no look-up.
  if (!isExternalReference(name)) return { refused: 'payment_not_found' }
  const byOurs = looksLikeReference(name) ? await findByReference(db, accountId, name) : undefined
  const byLink =
    byOurs === undefined && looksLikeLinkReference(name)
      ? await findByLink(db, accountId, name)
      : undefined
  const payment = byOurs ?? byLink ?? (await findByExternalReference(db, accountId, name))
  return payment ?? { refused: 'payment_not_found' }
}

/** A link has a reference of its own, by which its payment can be read too (D-22). */
async function findByLink(
  db: Database,
  accountId: string,
  name: string,
): Promise<Payment | undefined> {
  const reference = await paymentOfLink(db, accountId, name)
  return reference === undefined ? undefined : findByReference(db, accountId, reference)
}

// A payment by any of its references: ours, its link's, the short one that a customer reads out, or
// the merchant's transaction_id, in the order of D-12. A reference of another merchant's payment is
// not found.

export type FindPaymentDeps = Pick<Deps, 'db' | 'publicReferences'>

/** Enough to choose from: a caller of the service then names one of these. */
const MOST_NAMED = 10

export async function findNamedPayment(
  { db, publicReferences }: FindPaymentDeps,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<OperatorPayment | RefusedAs<'payment_not_found' | 'payment_name_ambiguous'>> {
  const scope = scopeOf(caller)
  const byReference = looksLikeReference(name)
    ? await findOperatorPayment(db, scope, name)
    : undefined
  if (byReference !== undefined) return byReference
  const byLink = looksLikeLinkReference(name)
    ? await findByLinkReference(db, scope, name)
    : undefined
  if (byLink !== undefined) return byLink
  const number = publicReferences.numberOf(name)
  const byNumber = number === undefined ? undefined : await findByNumber(db, scope, number)
  if (byNumber !== undefined) return byNumber
  // A text that cannot be a transaction_id needs no look-up.
  const named = isExternalReference(name)
    ? await findByExternalReferences(db, scope, name, MOST_NAMED)
    : []
  const [first, ...others] = named
  if (first === undefined) return { refused: 'payment_not_found' }
  if (others.length === 0) return first
  return { refused: 'payment_name_ambiguous', references: named.map(({ reference }) => reference) }
}

export interface ShownPayment extends PaymentOutcome {
  payment: OperatorPayment
  began: PaymentStatus
  story: StoryEntry[]
}

export async function showPayment(
  deps: FindPaymentDeps,
  caller: AccountCaller,
  { name, at }: { name: string; at?: number | undefined },
): Promise<
  | ShownPayment
  | RefusedAs<'payment_not_found' | 'payment_name_ambiguous' | 'payment_not_recorded_then'>
> {
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
  const operatorReference = isPaid({ status }) ? now.operatorReference : null
  return {
    payment,
    ...now,
    status,
    operatorReference,
    began,
    story: fullStory.filter((entry) => entry.at <= at),
  }
}

const movesOf = (story: readonly StoryEntry[]): MadeMove[] =>
  story
    .filter(({ kind }) => kind === 'moved')
    .map((entry) => ({ at: entry.at, ...entry.detail }) as MadeMove)

/** A refund, with the request for a second person's approval of it. */
export interface ShownRefund extends Refund {
  approval: { askedBy: string; state: RefundApproval['state'] } | null
}

export interface PaymentPage extends Pick<RefundSums, 'remainingXof'> {
  row: PricedPayment
  connection: string
  /** The newest of those that have not failed first. */
  refunds: ShownRefund[]
  story: StoryEntry[]
  deliveries: Delivery[]
}

export async function showPaymentPage(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { name }: { name: string },
): Promise<
  | PaymentPage
  | RefusedAs<'payment_not_found' | 'payment_name_ambiguous' | 'payment_not_recorded_then'>
> {
  const { db } = deps
  const shown = await showPayment(deps, caller, { name })
  if (isRefused(shown)) return shown
  const { payment, story } = shown
  const { accountId, number } = payment
  const [row] = await listNumberedPayments(db, accountId, [number], {})
  const deliveries = await listDeliveriesOf(db, accountId, number)
  const [priced] = await withMoney(db, accountId, [row as ListedPayment])
  const refunds = await listShownRefunds(db, payment)
  const { remainingXof } = refundSumsOf(await findRefundable(db, payment))
  const { connection } = payment
  return { row: priced as PricedPayment, connection, story, deliveries, refunds, remainingXof }
}

export async function listShownRefunds(
  db: Queries,
  payment: Pick<OperatorPayment, 'accountId' | 'number' | 'reference'>,
): Promise<ShownRefund[]> {
  const refunds = await listRefunds(db, payment, MOST_REFUNDS)
  const approvals = await listRefundApprovals(
    db,
    payment.accountId,
    payment.reference,
    MOST_REFUNDS,
  )
  const names = await namesOfAskers(
    db,
    approvals.map(({ askedBy }) => askedBy),
  )
  const approvalOf = new Map(
    approvals.map(({ refundReference, askedBy, state }) => [
      refundReference,
      { askedBy: names.get(askedBy) ?? askedBy, state },
    ]),
  )
  return refunds.map((refund) => ({
    ...refund,
    approval: approvalOf.get(refund.refundReference) ?? null,
  }))
}

/** By id: a person by name, a key by its name and first characters. */
export async function namesOfAskers(
  db: Queries,
  askers: readonly string[],
): Promise<Map<string, string>> {
  const { keys = [], people = [] } = Object.groupBy(new Set(askers), (id) =>
    id.startsWith('key_') ? 'keys' : 'people',
  )
  return new Map([...(await namesOfPeople(db, people)), ...(await namesOfKeys(db, keys))])
}
