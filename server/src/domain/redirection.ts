// Where a payer goes back to: the merchant's own addresses, and the outcome that they are told there (D-21, D-61).
import { addressHoldsCardNumber } from './card-number.ts'
import type { Environment } from './environment.ts'
import type { PaymentLink } from './payment-link.ts'
import { isPlainText } from './reference.ts'

export const LONGEST_REDIRECTION_URL = 2_048

/** https; in sandbox also http on the merchant's own machine. */
export function isRedirectionUrl(value: unknown, environment: Environment): value is string {
  // URL.parse strips or escapes control characters, but the text is stored as received, and PostgreSQL takes no NUL.
  if (!isPlainText(value, LONGEST_REDIRECTION_URL) || addressHoldsCardNumber(value)) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && environment === 'sandbox' && isOwnMachine)
}

/** Adds the outcome for the merchant's site. A payer can edit it, so it proves nothing: the merchant reads the payment back. */
export function withOutcome(
  url: string,
  outcome: Pick<PaymentLink, 'publicReference' | 'externalReference' | 'amountXof'> & {
    reference: string
    status: string
  },
): string {
  const address = new URL(url)
  address.searchParams.set('reference', outcome.reference)
  address.searchParams.set('status', outcome.status)
  address.searchParams.set('public_reference', outcome.publicReference)
  address.searchParams.set('external_reference', outcome.externalReference)
  address.searchParams.set('amount', String(outcome.amountXof))
  return address.href
}
