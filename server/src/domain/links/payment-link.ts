// A payment link: its reference, the order for it and the checks on it (D-21 to D-25). Its state is
// in link-state.ts, its wire form in wire/link.ts.
import type { AccountStatus, Environment } from '../environment.ts'
import type { LinkMethod } from '../methods/methods.ts'
import { MINIMUM_XOF, readAmountXof } from '../payments/money.ts'
import {
  isBlank,
  isGiven,
  isMetadata,
  isNewReference,
  type LinkMaker,
  metadataText,
  type PaymentNames,
} from '../payments/payment.ts'
import type { PaymentRefusals } from '../payments/payment-refusals.ts'
import type { FailureReason, PaymentStatus } from '../payments/payment-status.ts'
import { base32 } from '../payments/reference.ts'
import type { RefusedOf } from '../refused.ts'
import { isCustomerName, isShownText, maskCardNumbers } from '../texts/free-text.ts'
import { isRedirectionUrl } from '../texts/web-address.ts'
import type { LinkRefusals } from './link-refusals.ts'

type LinkText =
  | 'title'
  | 'description'
  | 'customerName'
  | 'onSuccessUrl'
  | 'onFailedUrl'
  | 'metadata'
type LinkName = 'reference' | 'externalReference' | 'orderReference'
type LinkTerm =
  | 'shouldExpire'
  | 'expiresInMinutes'
  | 'reusable'
  | 'amount'
  | 'minimumAmount'
  | 'suggestedAmounts'

/** The order as received: no field is checked yet. */
export type UncheckedLink = Partial<Record<LinkText | LinkName | LinkTerm, unknown>>

/** What a merchant's server signed for its page: proven, and its fields not checked yet (D-57). */
export type SignedOrder = Pick<
  UncheckedLink,
  'amount' | 'title' | 'externalReference' | 'orderReference'
> & {
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
  /**
   * The merchant's order_reference; when an unsigned page makes the link, what that page calls it.
   */
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
export interface PaymentLink extends PaymentNames {
  linkReference: string
  title: string
  description: string | null
  onSuccessUrl: string | null
  onFailedUrl: string | null
  origin: string | null
  createdAt: number
  expiresAt: number | null
  environment: Environment
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
  /** Comma-separated: the methods that the merchant chose for its links; null before it chooses. */
  linkMethods: string | null
  /** Comma-separated: the sites that may create links. */
  origins: string
  pages: CheckoutPages
  /** The account's own words for links that its pages make; empty for none. */
  pageWording: string
  pageTitles: PageTitles
  attempts: number
  method: LinkMethod | null
  attemptStatus: 'pending' | 'succeeded' | 'failed' | null
  attemptFailureReason: FailureReason | null
  /** Of the attempt in progress or the paid one. */
  msisdnWritten: string | null
  /** As JSON: see domain/methods/payer-step.ts. */
  payerStep: string | null
  /** When the latest attempt began; null before the first. */
  attemptAt: number | null
  /**
   * Of the browser that began the attempt in progress or the paid one, not always the latest
   * (ADR-0008).
   */
  browserHash: string | null
  /** Of the attempt in progress or the paid one, not always the latest (ADR-0008). */
  debitMethod: LinkMethod | null
  /** Of the same attempt, as the API names it: on a provider's page the method (D-216). */
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

type PublicState =
  | 'linkReference'
  | 'publicReference'
  | 'status'
  | 'validatedAt'
  | 'expiresAt'
  | 'attempts'
type PublicTerms =
  | 'title'
  | 'description'
  | 'amountXof'
  | 'minimumAmountXof'
  | 'suggestedAmounts'
  | 'collected'

/** What anyone with the link may see (D-24). `paymentReference`: only once the link is paid. */
export type PublicLink = Pick<PaymentLink, PublicState | PublicTerms> & {
  paymentReference: string | undefined
}

export const LONGEST_TITLE = 120
export const LONGEST_DESCRIPTION = 500

const TERMS_FAULTS = [
  'minimum_amount_not_valid',
  'suggested_amounts_not_valid',
  'reusable_not_valid',
  'expires_in_minutes_not_valid',
] as const

/** Missing fields, then each field in the order of D-21. The first fault is returned. */
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
  ...TERMS_FAULTS,
] as const

export type LinkFault = (typeof LINK_FAULTS)[number]

/** Faults of the fields that a page cannot set (D-52). */
const NOT_FOR_PAGES = [
  'link_reference_not_valid',
  'should_expire_not_valid',
  'metadata_not_valid',
  ...TERMS_FAULTS,
] as const

/** A link's body has fields of a payment, which are refused by the payment's names. */
type RefusedAs<Fault extends LinkFault> = RefusedOf<LinkRefusals & PaymentRefusals, Fault>

export type PageLinkFault = Exclude<LinkFault, (typeof NOT_FOR_PAGES)[number]>

export const PAGE_LINK_FAULTS = LINK_FAULTS.filter(
  (fault): fault is PageLinkFault => !(NOT_FOR_PAGES as readonly LinkFault[]).includes(fault),
)

/** Every check that needs no look-up. */
export function checkLink(
  unchecked: UncheckedLink,
  environment: Environment,
): LinkOrder | RefusedAs<LinkFault> {
  const { amount, title, description, reference, externalReference, customerName, shouldExpire } =
    unchecked
  const wanted = isGiven(amount) ? amount : unchecked.minimumAmount
  if (isBlank(wanted) || isBlank(title))
    return { refused: 'link_body_incomplete', missing: missingOf(wanted, title) }
  const amountXof = readAmountXof(wanted, environment)
  if (amountXof === undefined && isGiven(amount)) return { refused: 'amount_not_valid' }
  if (!isShownText(title, LONGEST_TITLE)) return { refused: 'title_not_valid' }
  if (isGiven(description) && description !== '' && !isParagraph(description))
    return { refused: 'description_not_valid' }
  if (isGiven(reference) && !isChosenLinkReference(reference))
    return { refused: 'link_reference_not_valid' }
  if (isGiven(externalReference) && !isNewReference(externalReference)) {
    return { refused: 'external_reference_not_valid' }
  }
  if (isGiven(customerName) && !isCustomerName(customerName))
    return { refused: 'customer_name_not_valid' }
  if (isGiven(shouldExpire) && typeof shouldExpire !== 'boolean')
    return { refused: 'should_expire_not_valid' }
  for (const which of ['onSuccessUrl', 'onFailedUrl'] as const) {
    const url = unchecked[which]
    if (isGiven(url) && !isRedirectionUrl(url, environment))
      return { refused: 'redirection_url_not_valid', which }
  }
  const { orderReference } = unchecked
  if (isGiven(orderReference) && !isNewReference(orderReference))
    return { refused: 'order_reference_not_valid' }
  const metadata = unchecked.metadata ?? undefined
  if (metadata !== undefined && !isMetadata(metadata)) return { refused: 'metadata_not_valid' }
  const terms = checkLinkTerms(unchecked, environment)
  if ('refused' in terms) return terms
  const text = (value: unknown): string | null =>
    isGiven(value) && value !== '' ? (value as string) : null
  const shown = (value: unknown): string | null => maskCardNumbers(text(value) ?? '') || null
  return {
    ...terms,
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
 * An order from a merchant's page. The fields that a page cannot set are ignored, not refused.
 * Without a signed order, what the page calls its order claims no transaction_id; with one, amount,
 * title and names are the server's (D-57).
 */
export function checkPageLink(
  unchecked: UncheckedLink,
  signed: SignedOrder | undefined,
  environment: Environment,
): LinkOrder | RefusedAs<PageLinkFault> {
  const allowed = { ...unchecked, ...FIELDS_A_PAGE_CANNOT_SET }
  const wanted = signed === undefined ? allowed : { ...allowed, ...signedFields(signed) }
  const order = checkLink(wanted, environment) as LinkOrder | RefusedAs<PageLinkFault>
  if ('refused' in order) return order
  if (signed !== undefined) return { ...order, createdBy: 'order' }
  return {
    ...order,
    externalReference: null,
    createdBy: 'page',
    clientReference: order.externalReference,
  }
}

const FIELDS_A_PAGE_CANNOT_SET = {
  reference: undefined,
  shouldExpire: undefined,
  orderReference: undefined,
  metadata: undefined,
  minimumAmount: undefined,
  suggestedAmounts: undefined,
  reusable: undefined,
  expiresInMinutes: undefined,
}

/**
 * The page's own description is dropped: next to the server's title it would pass for the
 * merchant's.
 */
const signedFields = ({ expiresAt: _, ...fields }: SignedOrder) => ({
  ...fields,
  description: undefined,
})

/** A description may have several lines. */
function isParagraph(value: unknown): value is string {
  return typeof value === 'string' && isShownText(value.replace(/\r?\n/g, ' '), LONGEST_DESCRIPTION)
}

// The reference. Anyone who knows it can open the link, so it must not be guessable (spec §4.3,
// D-23).

/** 160 random bits (D-23). */
export const LINK_REFERENCE_BYTES = 20
export const makeLinkReference = (bytes: Uint8Array): string => base32(bytes, 32)

const { least, most, leastDifferent } = { least: 32, most: 128, leastDifferent: 7 }

/** Every reference that a link can have: ours, or a merchant's. */
export const LINK_REFERENCE_FORM = new RegExp(`^[A-Za-z0-9_-]{${least},${most}}$`)
export const looksLikeLinkReference = (text: string): boolean => LINK_REFERENCE_FORM.test(text)

/**
 * One that a merchant chooses: hexadecimal digits or a UUID. Words and counters are not random,
 * however long.
 */
export const CHOSEN_LINK_REFERENCE_FORM = new RegExp(
  `^(?:[0-9A-Fa-f]{${least},${most}}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`,
)

/** D-23: with enough different digits not to be a counter. */
function isChosenLinkReference(value: unknown): value is string {
  if (typeof value !== 'string' || !CHOSEN_LINK_REFERENCE_FORM.test(value)) return false
  return new Set(value.toLowerCase().replaceAll('-', '')).size >= leastDifferent
}

export interface OpenAmount {
  minimumXof: number
  /** For the payer to choose from. */
  suggestedXof: readonly number[]
}

/** D-25 */
export const LINK_LIFE_MS = 30 * 60_000

export const MOST_SUGGESTED = 4
export const LIFE_MINUTES = { least: 5, most: 129_600 } as const

/** Null for a link with an amount. */
function readOpenAmount(
  { amount, minimumAmount, suggestedAmounts }: UncheckedLink,
  environment: Environment,
): OpenAmount | null | RefusedOf<LinkRefusals, TermsFault> {
  if (isGiven(amount) || !isGiven(minimumAmount)) {
    if (isGiven(minimumAmount)) return { refused: 'minimum_amount_not_valid' }
    return isGiven(suggestedAmounts) ? { refused: 'suggested_amounts_not_valid' } : null
  }
  const minimumXof = readAmountXof(minimumAmount, environment)
  if (minimumXof === undefined) return { refused: 'minimum_amount_not_valid' }
  const given = suggestedAmounts ?? []
  if (!Array.isArray(given) || given.length > MOST_SUGGESTED)
    return { refused: 'suggested_amounts_not_valid' }
  const suggestedXof = given.map((each) => readAmountXof(each, environment))
  const isValid = suggestedXof.every((each) => each !== undefined && each >= minimumXof)
  return isValid
    ? { minimumXof, suggestedXof: suggestedXof as number[] }
    : { refused: 'suggested_amounts_not_valid' }
}

/** Whole groups of three alone: `1000,00` without its comma would be a hundred times as much. */
const GROUPED = /^(?:\d{1,9}|\d{1,3}(?:[ .,\u00a0\u202f]\d{3}){1,2})$/

/**
 * What a payer typed: digits, with the spaces, dots or commas between groups of three that people
 * write.
 */
export function readTypedAmount(typed: string, minimumXof: number): number | undefined {
  const written = typed.trim()
  if (!GROUPED.test(written)) return undefined
  const amount = readAmountXof(written.replace(/\D/g, ''), 'live')
  return amount === undefined || amount < Math.max(minimumXof, MINIMUM_XOF.live)
    ? undefined
    : amount
}

const isLifeMinutes = (value: unknown): value is number =>
  Number.isInteger(value) &&
  (value as number) >= LIFE_MINUTES.least &&
  (value as number) <= LIFE_MINUTES.most

type LinkTerms = Pick<LinkOrder, 'openAmount' | 'isReusable' | 'lifeMs'>
type TermsFault = (typeof TERMS_FAULTS)[number]

/** Amount mode, reuse and expiry (D-92). */
function checkLinkTerms(
  unchecked: UncheckedLink,
  environment: Environment,
): LinkTerms | RefusedOf<LinkRefusals, TermsFault> {
  const { reusable, expiresInMinutes, shouldExpire, externalReference, orderReference } = unchecked
  const openAmount = readOpenAmount(unchecked, environment)
  if (openAmount !== null && 'refused' in openAmount) return openAmount
  if (isGiven(reusable) && typeof reusable !== 'boolean') return { refused: 'reusable_not_valid' }
  const isReusable = reusable === true
  // Each payer's payment has its own references: a shared one would be refused at the second
  // payment.
  if (isReusable && (isGiven(externalReference) || isGiven(orderReference)))
    return { refused: 'reusable_not_valid' }
  if (isGiven(expiresInMinutes) && (!isLifeMinutes(expiresInMinutes) || shouldExpire === false)) {
    return { refused: 'expires_in_minutes_not_valid' }
  }
  // A poster expires only if its merchant sets an expiry.
  const expires = isGiven(shouldExpire) ? shouldExpire === true : !isReusable
  const usualMs = expires ? LINK_LIFE_MS : null
  return {
    openAmount,
    isReusable,
    lifeMs: isGiven(expiresInMinutes) ? (expiresInMinutes as number) * 60_000 : usualMs,
  }
}

export interface CheckoutSettings {
  methods: readonly LinkMethod[]
  /** The sites that may create links with its public key. */
  origins: string[]
  pages: CheckoutPages
  /** The account's own words on links that its pages make; empty for none. */
  wording: string
  pageTitles: PageTitles
}

export interface LinkAttempt {
  attempt: number
  method: LinkMethod
  operator: string
  status: 'pending' | 'succeeded' | 'failed'
  failureReason: FailureReason | null
  createdAt: number
  endedAt: number | null
}
