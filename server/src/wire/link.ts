// A payment link on the wire, in and out (D-21, D-24).

import { isAmountOpen, suggestedOf } from '../domain/link-state.ts'
import { CURRENCY } from '../domain/money.ts'
import type { LinkOrder, PaymentLink, PublicLink, UncheckedLink } from '../domain/payment-link.ts'
import { optionalTime, parseObject } from './json.ts'

/** The order that a merchant's server signed for its page, as the page sends it (D-57). */
export const signedOrderIn = (raw: unknown): unknown => parseObject(raw).order

/** The fields of the body, unchecked (D-21). */
export function readLinkBody(raw: unknown): UncheckedLink {
  const body = parseObject(raw)
  return {
    amount: body.amount,
    title: body.title,
    description: body.description,
    reference: body.reference,
    externalReference: body.transaction_id,
    customerName: body.customer_name,
    shouldExpire: body.shouldExpire,
    onSuccessUrl: body.on_success_redirection_url,
    onFailedUrl: body.on_failed_redirection_url,
    orderReference: body.order_reference,
    metadata: body.metadata,
    minimumAmount: body.minimum_amount,
    suggestedAmounts: body.suggested_amounts,
    reusable: body.reusable,
    expiresInMinutes: body.expires_in_minutes,
  }
}

/** How the body names the fields of links that stand. */
export const LINK_FIELDS = {
  minimumAmount: 'minimum_amount',
  suggestedAmounts: 'suggested_amounts',
  expiresInMinutes: 'expires_in_minutes',
} as const

export const REDIRECTION_FIELDS = {
  onSuccessUrl: 'on_success_redirection_url',
  onFailedUrl: 'on_failed_redirection_url',
} as const

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
    suggested_amounts: link.openAmount?.suggestedXof,
    reusable: link.isReusable || undefined,
    currency: CURRENCY,
    title: link.title,
    description: link.description ?? undefined,
    expires_at: optionalTime(link.expiresAt),
    public_reference: link.publicReference,
  })
}

/** D-24: anyone with the link may read this, so no field identifies the payer. */
export function linkBody(link: PublicLink): string {
  return JSON.stringify({
    reference: link.linkReference,
    status: link.status,
    amount: isAmountOpen(link) ? undefined : link.amountXof,
    minimum_amount: link.minimumAmountXof ?? undefined,
    suggested_amounts: link.minimumAmountXof === null ? undefined : suggestedOf(link),
    reusable: link.collected === null ? undefined : true,
    payments_count: link.collected?.payments,
    collected_amount: link.collected?.amountXof,
    currency: CURRENCY,
    title: link.title,
    description: link.description ?? undefined,
    expires_at: optionalTime(link.expiresAt),
    public_reference: link.publicReference,
    validated_at: optionalTime(link.validatedAt),
    transaction_id: link.paymentReference,
  })
}
