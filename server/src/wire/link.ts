// A payment link on the wire, in and out (D-21, D-24).
import { CURRENCY } from '../domain/money.ts'
import type { PaymentLink, PublicLink, UncheckedLink } from '../domain/payment-link.ts'
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
  }
}

export const REDIRECTION_FIELDS = {
  onSuccessUrl: 'on_success_redirection_url',
  onFailedUrl: 'on_failed_redirection_url',
} as const

type CreatedLink = Pick<
  PaymentLink,
  'linkReference' | 'amountXof' | 'title' | 'description' | 'expiresAt' | 'publicReference'
>

/** D-21 */
export function createdLinkBody(link: CreatedLink, pageUrl: string): string {
  return JSON.stringify({
    reference: link.linkReference,
    page_url: pageUrl,
    status: 'initiated',
    amount: link.amountXof,
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
    amount: link.amountXof,
    currency: CURRENCY,
    title: link.title,
    description: link.description ?? undefined,
    expires_at: optionalTime(link.expiresAt),
    public_reference: link.publicReference,
    validated_at: optionalTime(link.validatedAt),
    transaction_id: link.paymentReference,
  })
}
