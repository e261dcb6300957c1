// The order for a payment link and the checks on it (D-21 to D-25). The wire form is in wire/link.ts.
import type { AccountStatus } from './account.ts'
import type { Environment } from './environment.ts'
import { isAmountXof } from './money.ts'
import type { FailureReason } from './outcome.ts'
import type { PaymentStatus } from './payment-status.ts'
import { base32, isCustomerName, isExternalReference, isPlainText } from './reference.ts'
import type { RefusedAs } from './refusal.ts'

export const LINK_METHODS = ['mobile', 'bank_card', 'wallet'] as const

export type LinkMethod = (typeof LINK_METHODS)[number]

/** Methods whose payer pays on the provider's own page. */
export const HOSTED_METHODS = ['bank_card', 'wallet'] as const

export type HostedMethodName = (typeof HOSTED_METHODS)[number]

export const isLinkMethod = (value: unknown): value is LinkMethod =>
  (LINK_METHODS as readonly unknown[]).includes(value)

/** The order as received: no field is checked yet. */
export interface UncheckedLink {
  amount: unknown
  title: unknown
  description: unknown
  reference: unknown
  externalReference: unknown
  customerName: unknown
  shouldExpire: unknown
  onSuccessUrl: unknown
  onFailedUrl: unknown
}

export interface LinkOrder {
  amountXof: number
  title: string
  description: string | null
  /** Chosen by the merchant; null when we generate it. */
  linkReference: string | null
  externalReference: string | null
  customerName: string | null
  shouldExpire: boolean
  onSuccessUrl: string | null
  onFailedUrl: string | null
}

/** A link with its payment, its merchant, and its latest attempt. */
export interface PaymentLink {
  accountId: string
  number: number
  linkReference: string
  title: string
  description: string | null
  onSuccessUrl: string | null
  onFailedUrl: string | null
  origin: string | null
  expiresAt: number | null
  environment: Environment
  reference: string
  publicReference: string
  externalReference: string
  status: PaymentStatus
  failureReason: FailureReason | null
  amountXof: number
  validatedAt: number | null
  attemptReference: string | null
  merchantName: string
  accountStatus: AccountStatus
  /** Comma-separated: the methods that the account offers on its links, and the sites that may create links. */
  linkMethods: string
  origins: string
  attempts: number
  method: LinkMethod | null
  attemptStatus: 'pending' | 'succeeded' | 'failed' | null
  attemptFailureReason: FailureReason | null
  msisdnWritten: string | null
  providerUrl: string | null
}

/** What anyone with the link may see (D-24). */
export type PublicLink = Pick<
  PaymentLink,
  'linkReference' | 'status' | 'amountXof' | 'title' | 'description' | 'expiresAt' | 'publicReference' | 'validatedAt'
> & {
  /** Only once the link is paid. */
  paymentReference: string | undefined
}

/** 160 random bits (D-23). */
export const LINK_REFERENCE_BYTES = 20
export const makeLinkReference = (bytes: Uint8Array): string => base32(bytes, 32)

/** D-25 */
export const LINK_LIFE_MS = 30 * 60_000

export const LONGEST_TITLE = 120
export const LONGEST_DESCRIPTION = 500
export const LONGEST_REDIRECTION_URL = 2_048
/** D-23 */
export const LINK_REFERENCE_LENGTH = { least: 32, most: 128, leastDifferent: 10 } as const
export const LINK_REFERENCE_FORM = new RegExp(
  `^[A-Za-z0-9_-]{${LINK_REFERENCE_LENGTH.least},${LINK_REFERENCE_LENGTH.most}}$`,
)

/** Absent and null are the same: not given. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null
const isBlank = (value: unknown): boolean => !isGiven(value) || (typeof value === 'string' && value.trim() === '')

/** What can be wrong with an order: missing fields, then each field in the order of D-21. The first fault is returned. */
export const LINK_FAULTS = [
  'link_body_incomplete',
  'amount_not_valid',
  'title_not_valid',
  'description_not_valid',
  'link_reference_not_valid',
  'external_reference_not_valid',
  'customer_name_not_valid',
  'should_expire_not_valid',
  'redirection_url_not_valid',
] as const

export type LinkFault = (typeof LINK_FAULTS)[number]

/** Faults of the fields that a page cannot set: the link's own reference, and whether it expires (D-52). */
const NOT_FOR_PAGES = ['link_reference_not_valid', 'should_expire_not_valid'] as const

export type PageLinkFault = Exclude<LinkFault, (typeof NOT_FOR_PAGES)[number]>

export const PAGE_LINK_FAULTS = LINK_FAULTS.filter(
  (fault): fault is PageLinkFault => !(NOT_FOR_PAGES as readonly LinkFault[]).includes(fault),
)

/** Every check that needs no look-up. */
export function checkLink(unchecked: UncheckedLink, environment: Environment): LinkOrder | RefusedAs<LinkFault> {
  const { amount, title, description, reference, externalReference, customerName, shouldExpire } = unchecked
  if (isBlank(amount) || isBlank(title)) return { refused: 'link_body_incomplete' }
  if (!isAmountXof(amount, environment)) return { refused: 'amount_not_valid' }
  if (!isPlainText(title, LONGEST_TITLE)) return { refused: 'title_not_valid' }
  if (isGiven(description) && description !== '' && !isParagraph(description))
    return { refused: 'description_not_valid' }
  if (isGiven(reference) && !isLinkReference(reference)) return { refused: 'link_reference_not_valid' }
  if (isGiven(externalReference) && !isExternalReference(externalReference)) {
    return { refused: 'external_reference_not_valid' }
  }
  if (isGiven(customerName) && !isCustomerName(customerName)) return { refused: 'customer_name_not_valid' }
  if (isGiven(shouldExpire) && typeof shouldExpire !== 'boolean') return { refused: 'should_expire_not_valid' }
  const urls = [unchecked.onSuccessUrl, unchecked.onFailedUrl]
  if (urls.some((url) => isGiven(url) && !isRedirectionUrl(url, environment))) {
    return { refused: 'redirection_url_not_valid' }
  }
  const text = (value: unknown): string | null => (isGiven(value) && value !== '' ? (value as string) : null)
  return {
    amountXof: amount,
    title,
    description: text(description),
    linkReference: text(reference),
    externalReference: text(externalReference),
    customerName: text(customerName),
    shouldExpire: shouldExpire !== false,
    onSuccessUrl: text(unchecked.onSuccessUrl),
    onFailedUrl: text(unchecked.onFailedUrl),
  }
}

/** The same for an order from a merchant's page: the fields that a page cannot set are ignored, not refused. */
export function checkPageLink(
  unchecked: UncheckedLink,
  environment: Environment,
): LinkOrder | RefusedAs<PageLinkFault> {
  const allowed = { ...unchecked, reference: undefined, shouldExpire: undefined }
  return checkLink(allowed, environment) as LinkOrder | RefusedAs<PageLinkFault>
}

/** D-23: long enough to be random, and with enough different characters not to be a counter. */
export function isLinkReference(value: unknown): value is string {
  if (typeof value !== 'string' || !LINK_REFERENCE_FORM.test(value)) return false
  return new Set(value).size >= LINK_REFERENCE_LENGTH.leastDifferent
}

/** A description may have several lines. */
function isParagraph(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value.replace(/\r?\n/g, ' '), LONGEST_DESCRIPTION)
}

/** https; in sandbox also http on the merchant's own machine. */
function isRedirectionUrl(value: unknown, environment: Environment): value is string {
  // URL.parse strips or escapes control characters, but the text is stored as received, and PostgreSQL takes no NUL.
  if (!isPlainText(value, LONGEST_REDIRECTION_URL)) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && environment === 'sandbox' && isOwnMachine)
}

/** Adds the outcome for the merchant's site. A payer can edit it, so it proves nothing: the merchant reads the payment back. */
export function withOutcome(
  url: string,
  outcome: { reference: string; status: string; publicReference: string },
): string {
  const address = new URL(url)
  address.searchParams.set('reference', outcome.reference)
  address.searchParams.set('status', outcome.status)
  address.searchParams.set('public_reference', outcome.publicReference)
  return address.href
}
