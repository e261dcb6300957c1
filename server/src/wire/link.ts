// A payment link on the wire, in and out (D-21, D-24).

import { isAmountOpen, type LinkState, suggestedOf } from '../domain/links/link-state.ts'
import type {
  LinkAttempt,
  LinkOrder,
  PaymentLink,
  PublicLink,
  SignedOrder,
  UncheckedLink,
} from '../domain/links/payment-link.ts'
import type { Page } from '../domain/lists/page.ts'
import { CURRENCY } from '../domain/payments/money.ts'
import { PAYMENT_FIELDS } from '../domain/payments/payment-fields.ts'
import { isProven } from '../domain/people/api-key.ts'
import type { Body, UncheckedBody } from './bodies.ts'
import { bodyOf } from './fields.ts'
import { ISO_TIME, isoTime, optionalTime, parseObject, readFields } from './json.ts'

/** The order that a merchant's server signed for its page, as the page sends it (D-57). */
export const signedOrderIn = (raw: unknown): unknown =>
  (parseObject(raw) satisfies UncheckedBody<'PageLinkOrder'>).order

/** How the body names each field. */
export const LINK_FIELDS = {
  amount: 'amount',
  title: 'title',
  description: 'description',
  reference: 'reference',
  externalReference: 'transaction_id',
  customerName: 'customer_name',
  shouldExpire: 'shouldExpire',
  onSuccessUrl: 'on_success_redirection_url',
  onFailedUrl: 'on_failed_redirection_url',
  orderReference: 'order_reference',
  metadata: 'metadata',
  minimumAmount: 'minimum_amount',
  suggestedAmounts: 'suggested_amounts',
  reusable: 'reusable',
  expiresInMinutes: 'expires_in_minutes',
} as const satisfies Record<keyof UncheckedLink, keyof Body<'LinkOrder'>>

/** The fields of the body, unchecked (D-21). */
export const readLinkBody = (raw: unknown): UncheckedLink => readFields(raw, LINK_FIELDS)

type CreatedLink = Pick<
  PaymentLink,
  'linkReference' | 'amountXof' | 'title' | 'description' | 'expiresAt' | 'publicReference'
> &
  Pick<LinkOrder, 'openAmount' | 'isReusable'>

/** D-21 */
export function createdLinkBody(link: CreatedLink, pageUrl: string): string {
  return JSON.stringify({
    reference: link.linkReference,
    page_url: pageUrl,
    status: 'initiated',
    amount: link.openAmount === null ? link.amountXof : undefined,
    minimum_amount: link.openAmount?.minimumXof,
    suggested_amounts: link.openAmount ? [...link.openAmount.suggestedXof] : undefined,
    reusable: link.isReusable || undefined,
    ...shownFields(link),
  } satisfies Body<'CreatedLink'>)
}

const shownFields = (
  link: Pick<PaymentLink, 'title' | 'description' | 'expiresAt' | 'publicReference'>,
) => ({
  currency: CURRENCY as typeof CURRENCY,
  title: link.title,
  description: link.description ?? undefined,
  expires_at: optionalTime(link.expiresAt),
  public_reference: link.publicReference,
})

const amountFields = (link: Omit<PublicLink, 'paymentReference'>) => ({
  amount: isAmountOpen(link) ? undefined : link.amountXof,
  minimum_amount: link.minimumAmountXof ?? undefined,
  suggested_amounts: link.minimumAmountXof === null ? undefined : suggestedOf(link),
  reusable: link.collected === null ? undefined : true,
  payments_count: link.collected?.payments,
  collected_amount: link.collected?.amountXof,
})

/** D-24: anyone with the link may read this, so no field identifies the payer. */
export function linkBody(link: PublicLink): string {
  return JSON.stringify({
    reference: link.linkReference,
    status: link.status,
    ...amountFields(link),
    ...shownFields(link),
    validated_at: optionalTime(link.validatedAt),
    transaction_id: link.paymentReference,
  } satisfies Body<'Link'>)
}

// A link as its merchant and the service's staff see it, printed by commands.

type LinkAddresses = { page: string; share: string }

type NewLink = Pick<PaymentLink, 'linkReference' | 'publicReference' | 'expiresAt'>

export const newLinkFields = (link: NewLink, { page, share }: LinkAddresses): object => ({
  reference: link.linkReference,
  page_url: page,
  share_url: share,
  public_reference: link.publicReference,
  expires_at: optionalTime(link.expiresAt),
})

interface ListedLink {
  link: PaymentLink
  state: LinkState
  /** Undefined when the settings name no public address. */
  addresses: LinkAddresses | undefined
}

const { createdBy, clientReference, orderReference } = PAYMENT_FIELDS
const MAKER_FIELDS = { createdBy, clientReference, orderReference }

const listedLinkFields = ({ link, state, addresses }: ListedLink): object => ({
  reference: link.linkReference,
  state: state.is,
  because: state.is === 'closed' ? state.because : undefined,
  account: link.accountId,
  environment: link.environment,
  payment_reference: link.collected === null ? link.reference : undefined,
  public_reference: link.publicReference,
  external_reference: link.collected === null ? link.externalReference : undefined,
  title: link.title,
  ...amountFields(link),
  expires_at: optionalTime(link.expiresAt),
  origin: link.origin ?? undefined,
  ...bodyOf(MAKER_FIELDS, link),
  page_url: addresses?.page,
  share_url: addresses?.share,
})

/** `next` is left out on the last page. */
export const linkPageFields = ({ rows, next }: Page<ListedLink>): object => ({
  links: rows.map(listedLinkFields),
  next,
})

export const shownLinkFields = (
  shown: ListedLink & { attempts: readonly LinkAttempt[] },
): object => ({
  ...listedLinkFields(shown),
  attempts: shown.attempts.map(
    ({ attempt, method, operator, status, failureReason, createdAt, endedAt }) => ({
      attempt,
      method,
      operator,
      status,
      failure_reason: failureReason ?? undefined,
      created_at: isoTime(createdAt),
      ended_at: optionalTime(endedAt),
    }),
  ),
})

// An order signed by a merchant's server: base64url of JSON, a dot, and the signature of that text
// (D-57).

/**
 * Undefined unless one of the keys signed it and it says when it expires; its other fields are not
 * checked yet.
 */
export function readSignedOrder(
  text: unknown,
  orderKeys: readonly Uint8Array[],
): SignedOrder | undefined {
  const [, payload, signature] =
    (typeof text === 'string' && /^([\w-]+)\.([0-9a-f]{64})$/.exec(text)) || []
  if (payload === undefined || signature === undefined) return undefined
  if (!orderKeys.some((key) => isProven(payload, signature, key))) return undefined
  const order = parseObject(Buffer.from(payload, 'base64url'))
  const { expires_at: expiresAt } = order
  if (typeof expiresAt !== 'string' || !ISO_TIME.test(expiresAt)) return undefined
  const {
    amount,
    title,
    transaction_id: externalReference,
    order_reference: orderReference,
  } = order
  return { amount, title, externalReference, orderReference, expiresAt: Date.parse(expiresAt) }
}
