// What a payer or a merchant is shown of a payment link, before it becomes text and HTML. Pure.

import { byCountry, COUNTRIES, type Country } from '../domain/countries/country.ts'
import { SUBSCRIBER_DIGITS } from '../domain/countries/country-facts.ts'
import { type Cooldown, linkCooldown } from '../domain/limits/try-limit.ts'
import {
  availableMethods,
  hasBegun,
  linkState,
  mayReadReceipt,
  suggestedOf,
  withOutcome,
} from '../domain/links/link-state.ts'
import type { PaymentLink } from '../domain/links/payment-link.ts'
import { isColour, logoPath } from '../domain/merchants/brand.ts'
import { isHosted, type LinkMethod } from '../domain/methods/methods.ts'
import type { PayerStep } from '../domain/methods/payer-step.ts'
import type { FailureReason } from '../domain/payments/payment-status.ts'
import type { RefusedAs } from '../domain/refusals/refusal.ts'

export interface LinkView {
  reference: string
  /** XXXX-XXXX-X, for the payer to read out. */
  publicReference: string
  merchantName: string
  brand?: ShopBrand
  /** The merchant's own title: of the order, or of the account for links that its pages make. */
  title?: string
  /** What an unsigned page calls it, where the account lets payers see that. */
  pageTitle?: string
  description?: string
  amountXof: number
  openAmount?: { minimumXof: number; suggestedXof: readonly number[] }
  /** Many can pay it: it waits for no single payment. */
  isReusable?: boolean
  /** No real money moves. */
  isSimulated: boolean
  expiresAt?: number
  now: number
  state: LinkState
  /**
   * Origin of the site whose frame shows this page: the script posts messages to that origin only.
   */
  embeddedIn?: string
  pageUrl: string
  /** Origins of the pages that a chosen method may send the browser to; ours is always allowed. */
  providerOrigins?: readonly string[]
}

export interface ShopBrand {
  /** `#rrggbb`, on which white text can be read. */
  colour?: string
  /** An address of our own. */
  logoUrl?: string
  phone?: string
}

export type LinkState =
  | OpenLink
  | WaitingLink
  | SucceededLink
  | PaidLink
  | RefundedLink
  | ClosedLink

export interface OpenLink {
  is: 'open'
  methods: readonly LinkMethod[]
  /** Whose customers can pay by phone now; a country without any is not offered. */
  operators: Readonly<Partial<Record<Country, readonly string[]>>>
  /** Operators of this account that people paused. */
  paused?: readonly string[]
  /** Attempts so far. A form from a stale tab has an older count and begins no second attempt. */
  attempts: number
  lastFailure?: FailureReason
  lastMethod?: LinkMethod
  problem?: RefusedAs<
    'msisdn_not_valid' | 'amount_not_valid' | 'provider_unreachable' | 'payer_operator_closed'
  >
  /**
   * No attempt can begin before its time: on this link, or with the number that was typed (D-60).
   */
  cooldown?: Cooldown
  /** Where the payer returns without paying; the link stays open. */
  leaveUrl?: string
  /** What the payer typed, shown again when the number was not valid. */
  typed?: { msisdn: string; country?: Country; amount?: string }
}

export interface WaitingLink {
  is: 'waiting'
  method: LinkMethod
  /** Includes the attempt in progress, so that a page notices when another attempt replaced it. */
  attempts: number
  msisdnShown?: string
  operator?: string
  canAbandon?: boolean
  payerStep?: PayerStep
}

export type Debit = { method: LinkMethod; operator?: string; operatorReference?: string }

export interface SucceededLink extends Debit {
  is: 'succeeded'
  validatedAt: number
  /** The receipt that anyone can check. */
  receiptUrl?: string
  returnUrl?: string
}

/**
 * For a visitor who is not known to have paid: nothing of the payer, the operator or the time
 * (D-117).
 */
export interface PaidLink {
  is: 'paid'
  /** The page's script can show by a form that this frame is the payer's. */
  mayProve: boolean
}

export interface RefundedLink extends Partial<Debit> {
  is: 'refunded'
  mayProve?: boolean
  validatedAt?: number
  receiptUrl?: string
  returnUrl?: string
}

export interface ClosedLink {
  is: 'closed'
  because: 'expired' | 'cancelled' | 'failed'
  returnUrl?: string
}

export type FormError = Pick<OpenLink, 'problem' | 'typed' | 'cooldown'>

export interface LinkViewDeps {
  now: number
  possible: readonly LinkMethod[]
  operatorsIn(country: Country): readonly string[]
  pausedIn(country: Country): readonly string[]
  isSimulated: boolean
  pageUrl: string
  /** Of the receipt that anyone can check. */
  receiptUrl: string
  embeddedIn?: string | undefined
  /** By which this browser shows which attempts it began. */
  browserTokens: readonly string[]
  /**
   * Whether a page in a frame can still show that it is the payer's: not in the answer to its try.
   */
  mayProve: boolean
  formError?: FormError
}

export function buildLinkView(link: PaymentLink, deps: LinkViewDeps): LinkView {
  return {
    reference: link.linkReference,
    publicReference: link.publicReference,
    merchantName: link.merchantName,
    brand: brandOf(link),
    ...wordsOf(link),
    amountXof: link.amountXof,
    ...openAmountOf(link),
    isReusable: link.collected !== null,
    isSimulated: deps.isSimulated,
    ...(link.expiresAt !== null && { expiresAt: link.expiresAt }),
    now: deps.now,
    state: stateOf(link, deps),
    ...(deps.embeddedIn !== undefined && { embeddedIn: deps.embeddedIn }),
    pageUrl: deps.pageUrl,
  }
}

const brandOf = ({ colour, logoHash, shopPhone }: PaymentLink): ShopBrand => ({
  // It becomes a part of a style sheet.
  ...(colour !== null && isColour(colour) && { colour }),
  ...(logoHash !== null && { logoUrl: logoPath(logoHash) }),
  ...(shopPhone !== null && { phone: shopPhone }),
})

/** While it can be paid, the payer types it: after a failed attempt again. */
function openAmountOf(link: PaymentLink): Pick<LinkView, 'openAmount'> {
  const { minimumAmountXof: minimumXof, status, attemptReference } = link
  const canBeTyped = (status === 'initiated' || status === 'pending') && attemptReference === null
  return minimumXof !== null && canBeTyped
    ? { openAmount: { minimumXof, suggestedXof: suggestedOf(link) } }
    : {}
}

/**
 * Anyone can write an unsigned page's title: the account's own is shown with it or instead of it
 * (D-57).
 */
function wordsOf(link: PaymentLink): Pick<LinkView, 'title' | 'pageTitle' | 'description'> {
  const description = link.description === null ? {} : { description: link.description }
  if (link.createdBy !== 'page') return { title: link.title, ...description }
  const own = link.pageWording === '' ? {} : { title: link.pageWording }
  return link.pageTitles === 'hidden' ? own : { ...own, pageTitle: link.title, ...description }
}

function stateOf(link: PaymentLink, deps: LinkViewDeps): LinkState {
  const { now, possible, browserTokens, formError } = deps
  const state = linkState(link, now)
  switch (state.is) {
    case 'open': {
      const { attempts, lastFailure } = state
      const methods = availableMethods(link, possible)
      const operators = operatorsOf(deps)
      const paused = COUNTRIES.flatMap(deps.pausedIn)
      const failure =
        lastFailure === null
          ? {}
          : { lastFailure, ...(link.method !== null && { lastMethod: link.method }) }
      const cooldown = linkCooldown(link, now)
      const { returnUrl: leaveUrl } = returnTo(link, link.onFailedUrl, 'cancelled')
      const leave = leaveUrl === undefined ? {} : { leaveUrl }
      return {
        is: 'open',
        methods,
        operators,
        paused,
        attempts,
        ...failure,
        ...leave,
        ...formError,
        ...(cooldown && { cooldown }),
      }
    }
    case 'under_way': {
      const { method, attempts, msisdnWritten, payerStep } = state
      const number = msisdnWritten === null ? {} : { msisdnShown: endOf(msisdnWritten) }
      const operator =
        !isHosted(method) && link.operator !== null ? { operator: link.operator } : {}
      const shown = { ...number, ...operator }
      const canAbandon = isHosted(method) && hasBegun(link, browserTokens)
      return {
        is: 'waiting',
        method,
        attempts,
        canAbandon,
        ...shown,
        ...(payerStep !== null && { payerStep }),
      }
    }
    case 'succeeded':
      if (!mayReadReceipt(link, browserTokens)) return { is: 'paid', mayProve: mayProveIn(deps) }
      return {
        ...state,
        receiptUrl: deps.receiptUrl,
        ...debitOf(link),
        ...returnTo(link, link.onSuccessUrl, 'succeeded'),
      }
    case 'refunded':
      if (!mayReadReceipt(link, browserTokens))
        return { is: 'refunded', mayProve: mayProveIn(deps) }
      return {
        is: 'refunded',
        receiptUrl: deps.receiptUrl,
        ...debitOf(link),
        ...(state.validatedAt !== null && { validatedAt: state.validatedAt }),
      }
    case 'closed':
      return { ...state, ...returnTo(link, link.onFailedUrl, 'failed') }
  }
}

/** Outside a frame the cookie has decided. */
const mayProveIn = ({ embeddedIn, mayProve }: LinkViewDeps): boolean =>
  embeddedIn !== undefined && mayProve

const operatorsOf = ({ operatorsIn }: LinkViewDeps): OpenLink['operators'] => byCountry(operatorsIn)

/** Of the paid attempt, which need not be the latest (ADR-0008). */
function debitOf(link: PaymentLink): Partial<Debit> {
  const { debitMethod: method, operator, operatorReference, msisdnWritten } = link
  if (method === null || operator === null) return {}
  const isShown =
    operatorReference !== null &&
    operatorReference !== '' &&
    !mayHoldNumber(operatorReference, msisdnWritten)
  return { method, ...(!isHosted(method) && { operator }), ...(isShown && { operatorReference }) }
}

/**
 * The phone's holder can open the receipt: a reference that may contain the payer's number is
 * hidden.
 */
function mayHoldNumber(reference: string, msisdn: string | null): boolean {
  if (msisdn === null) return false
  const subscriber = msisdn.replace(/\D/g, '').slice(-SUBSCRIBER_DIGITS)
  return subscriber.length < SUBSCRIBER_DIGITS || reference.replace(/\D/g, '').includes(subscriber)
}

function returnTo(link: PaymentLink, url: string | null, status: string): { returnUrl?: string } {
  if (url === null) return {}
  return { returnUrl: withOutcome(url, { ...link, reference: link.linkReference, status }) }
}

/**
 * Enough for the payer to recognise the phone, and no more: everyone with the link can open the
 * page.
 */
const endOf = (msisdn: string): string => `•• •• •• ${msisdn.replace(/\D/g, '').slice(-2)}`
