// The order for a payment link and the checks on it (D-21 to D-25). The wire form is in wire/link.ts, its reference in link-reference.ts.
import type { AccountStatus } from './account.ts'
import { holdsCardNumber, maskCardNumbers } from './card-number.ts'
import type { Environment } from './environment.ts'
import { isChosenLinkReference } from './link-reference.ts'
import { isMetadata, metadataText } from './metadata.ts'
import { readAmountXof } from './money.ts'
import { checkStanding, type OpenAmount } from './open-amount.ts'
import type { FailureReason } from './outcome.ts'
import type { PaymentStatus } from './payment-status.ts'
import { isRedirectionUrl } from './redirection.ts'
import { isCustomerName, isExternalReference } from './reference.ts'
import type { RefusedAs } from './refusal.ts'
import { isShownText } from './shown-text.ts'

export const LINK_METHODS = ['mobile', 'bank_card', 'wallet'] as const

export type LinkMethod = (typeof LINK_METHODS)[number]

/** Methods whose payer pays on the provider's own page. */
export const HOSTED_METHODS = ['bank_card', 'wallet'] as const

export type HostedMethodName = (typeof HOSTED_METHODS)[number]

export const isLinkMethod = (value: unknown): value is LinkMethod =>
  (LINK_METHODS as readonly unknown[]).includes(value)

/** `page`: a page, whose word is anybody's. `order`: a page with an order that the merchant's server signed. Null: the merchant (D-57). */
export type LinkMaker = 'page' | 'order' | null

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
  orderReference: unknown
  metadata: unknown
  minimumAmount: unknown
  suggestedAmounts: unknown
  reusable: unknown
  expiresInMinutes: unknown
}

/** What a merchant's server signed for its page: proven, and its fields not checked yet (D-57). */
export interface SignedOrder {
  amount: unknown
  title: unknown
  externalReference: unknown
  /** The merchant's name for what is paid (D-90). */
  orderReference: unknown
  expiresAt: number
}

export interface LinkOrder {
  amountXof: number
  title: string
  description: string | null
  /** Chosen by the merchant; null when we generate it. */
  linkReference: string | null
  externalReference: string | null
  createdBy: LinkMaker
  /** The merchant's order_reference; when an unsigned page makes the link, what that page calls it. */
  clientReference: string | null
  metadata: string | null
  customerName: string | null
  /** Null for a link that never expires. */
  lifeMs: number | null
  onSuccessUrl: string | null
  onFailedUrl: string | null
  /** Not null when the payer types the amount; `amountXof` is the least then. */
  openAmount: OpenAmount | null
  /** Each payer gets a payment of their own. */
  isReusable: boolean
}

/** Whether the account's pages work at all. */
export type CheckoutPages = 'on' | 'off'

/** Whether payers see what an unsigned page calls its order. */
export type PageTitles = 'shown' | 'hidden'

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
  createdAt: number
  expiresAt: number | null
  environment: Environment
  reference: string
  publicReference: string
  externalReference: string
  createdBy: LinkMaker
  clientReference: string | null
  metadata: string | null
  status: PaymentStatus
  failureReason: FailureReason | null
  amountXof: number
  validatedAt: number | null
  attemptReference: string | null
  /** As payers see it, with the shop's own look. */
  merchantName: string
  colour: string | null
  logoHash: string | null
  shopPhone: string | null
  accountStatus: AccountStatus
  /** Comma-separated: the methods that the account offers on its links, and the sites that may create links. */
  linkMethods: string
  origins: string
  pages: CheckoutPages
  /** The account's own words for links that its pages make; empty for none. */
  pageWording: string
  pageTitles: PageTitles
  attempts: number
  method: LinkMethod | null
  attemptStatus: 'pending' | 'succeeded' | 'failed' | null
  attemptFailureReason: FailureReason | null
  /** Of the attempt under way, or of the one that was paid. */
  msisdnWritten: string | null
  providerUrl: string | null
  /** When the latest attempt began; null before the first. */
  attemptAt: number | null
  /** Of the browser that began the attempt under way, or the one that was paid, which need not be the latest (D-78). */
  browserHash: string | null
  /** Of the attempt under way, or of the one that was paid, which need not be the latest (D-78); for a hosted method its name. */
  operator: string | null
  /** The operator's own reference of the debit; null until the link is paid. */
  operatorReference: string | null
  /** Not null when the payer types the amount: the least. */
  minimumAmountXof: number | null
  /** Comma-separated. */
  suggestedAmounts: string
  /** Of a link that many can pay: what they have paid so far; null for any other. */
  collected: { payments: number; amountXof: number } | null
}

/** What anyone with the link may see (D-24). */
export type PublicLink = Pick<
  PaymentLink,
  | 'linkReference'
  | 'status'
  | 'amountXof'
  | 'title'
  | 'description'
  | 'expiresAt'
  | 'publicReference'
  | 'validatedAt'
  | 'minimumAmountXof'
  | 'suggestedAmounts'
  | 'collected'
  | 'attempts'
> & {
  /** Only once the link is paid. */
  paymentReference: string | undefined
}

export const LONGEST_TITLE = 120
export const LONGEST_DESCRIPTION = 500
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
  'order_reference_not_valid',
  'metadata_not_valid',
  'minimum_amount_not_valid',
  'suggested_amounts_not_valid',
  'reusable_not_valid',
  'expires_in_minutes_not_valid',
] as const

export type LinkFault = (typeof LINK_FAULTS)[number]

/** Faults of the fields that a page cannot set: the link's own reference, whether it expires, and what the merchant adds for itself (D-52). */
const NOT_FOR_PAGES = [
  'link_reference_not_valid',
  'should_expire_not_valid',
  'metadata_not_valid',
  'minimum_amount_not_valid',
  'suggested_amounts_not_valid',
  'reusable_not_valid',
  'expires_in_minutes_not_valid',
] as const

export type PageLinkFault = Exclude<LinkFault, (typeof NOT_FOR_PAGES)[number]>

export const PAGE_LINK_FAULTS = LINK_FAULTS.filter(
  (fault): fault is PageLinkFault => !(NOT_FOR_PAGES as readonly LinkFault[]).includes(fault),
)

/** Every check that needs no look-up. */
export function checkLink(unchecked: UncheckedLink, environment: Environment): LinkOrder | RefusedAs<LinkFault> {
  const { amount, title, description, reference, externalReference, customerName, shouldExpire } = unchecked
  const wanted = isGiven(amount) ? amount : unchecked.minimumAmount
  if (isBlank(wanted) || isBlank(title)) return { refused: 'link_body_incomplete', missing: missingOf(wanted, title) }
  const amountXof = readAmountXof(wanted, environment)
  if (amountXof === undefined && isGiven(amount)) return { refused: 'amount_not_valid' }
  if (!isShownText(title, LONGEST_TITLE)) return { refused: 'title_not_valid' }
  if (isGiven(description) && description !== '' && !isParagraph(description))
    return { refused: 'description_not_valid' }
  if (isGiven(reference) && !isChosenLinkReference(reference)) return { refused: 'link_reference_not_valid' }
  if (isGiven(externalReference) && !isNewReference(externalReference)) {
    return { refused: 'external_reference_not_valid' }
  }
  if (isGiven(customerName) && !isCustomerName(customerName)) return { refused: 'customer_name_not_valid' }
  if (isGiven(shouldExpire) && typeof shouldExpire !== 'boolean') return { refused: 'should_expire_not_valid' }
  for (const which of ['onSuccessUrl', 'onFailedUrl'] as const) {
    const url = unchecked[which]
    if (isGiven(url) && !isRedirectionUrl(url, environment)) return { refused: 'redirection_url_not_valid', which }
  }
  const { orderReference } = unchecked
  if (isGiven(orderReference) && !isNewReference(orderReference)) return { refused: 'order_reference_not_valid' }
  const metadata = unchecked.metadata ?? undefined
  if (metadata !== undefined && !isMetadata(metadata)) return { refused: 'metadata_not_valid' }
  const standing = checkStanding(unchecked, environment)
  if ('refused' in standing) return standing
  const text = (value: unknown): string | null => (isGiven(value) && value !== '' ? (value as string) : null)
  const shown = (value: unknown): string | null => maskCardNumbers(text(value) ?? '') || null
  return {
    ...standing,
    amountXof: amountXof as number,
    title: maskCardNumbers(title),
    description: shown(description),
    linkReference: text(reference),
    externalReference: text(externalReference),
    createdBy: null,
    clientReference: text(orderReference),
    metadata: metadataText(metadata),
    customerName: shown(customerName),
    onSuccessUrl: text(unchecked.onSuccessUrl),
    onFailedUrl: text(unchecked.onFailedUrl),
  }
}

function missingOf(amount: unknown, title: unknown): 'amount' | 'title' | undefined {
  if (isBlank(amount) && isBlank(title)) return undefined
  return isBlank(amount) ? 'amount' : 'title'
}

/**
 * An order from a merchant's page. The fields that a page cannot set are ignored, not refused. Without a signed order, what the page calls
 * its order claims no transaction_id; with one, amount, title and names are the server's (D-57).
 */
export function checkPageLink(
  unchecked: UncheckedLink,
  signed: SignedOrder | undefined,
  environment: Environment,
): LinkOrder | RefusedAs<PageLinkFault> {
  const allowed = { ...unchecked, ...NOTHING_BUT_THE_PAGES }
  const wanted = signed === undefined ? allowed : { ...allowed, ...signedFields(signed) }
  const order = checkLink(wanted, environment) as LinkOrder | RefusedAs<PageLinkFault>
  if ('refused' in order) return order
  if (signed !== undefined) return { ...order, createdBy: 'order' }
  return { ...order, externalReference: null, createdBy: 'page', clientReference: order.externalReference }
}

/** What a page cannot set. */
const NOTHING_BUT_THE_PAGES = {
  ...{ reference: undefined, shouldExpire: undefined, orderReference: undefined, metadata: undefined },
  ...{ minimumAmount: undefined, suggestedAmounts: undefined, reusable: undefined, expiresInMinutes: undefined },
}

/** A description beside the server's title would be the page's word. */
const signedFields = ({ amount, title, externalReference, orderReference }: SignedOrder) => ({
  amount,
  title,
  externalReference,
  orderReference,
  description: undefined,
})

/** A card number in it is refused and not masked: references and addresses are given back byte for byte (D-83). */
const isNewReference = (value: unknown): boolean => isExternalReference(value) && !holdsCardNumber(value)

/** A description may have several lines. */
function isParagraph(value: unknown): value is string {
  return typeof value === 'string' && isShownText(value.replace(/\r?\n/g, ' '), LONGEST_DESCRIPTION)
}
