// What a payer or a merchant is shown of a payment link, before it becomes text and HTML. Types only.
import type { Country } from '../domain/country.ts'
import type { FailureReason } from '../domain/outcome.ts'
import type { Rest } from '../domain/prompt-limit.ts'

export type Language = 'fr' | 'en'

export type Method = 'mobile' | 'bank_card' | 'wallet'

export interface LinkView {
  reference: string
  /** XXXX-XXXX-X, for the payer to read out. */
  publicReference: string
  merchantName: string
  brand?: ShopBrand
  /** In the merchant's own words: of the order, or of the account for whatever its pages make. */
  title?: string
  /** What an unsigned page calls it, where the account lets payers see that. */
  pageTitle?: string
  description?: string
  amountXof: number
  /** When the payer types the amount. */
  openAmount?: { minimumXof: number; suggestedXof: readonly number[] }
  /** No real money moves. */
  isSimulated: boolean
  expiresAt?: number
  now: number
  state: LinkState
  /** Origin of the site whose frame shows this page: the script posts messages to that origin only. */
  embeddedIn?: string
  /** Absolute. */
  pageUrl: string
  /** Origins of the pages that a chosen method may send the browser to; ours is always allowed. */
  providerOrigins?: readonly string[]
}

/** The shop's own look. */
export interface ShopBrand {
  /** `#rrggbb`, on which white text can be read. */
  colour?: string
  /** An address of our own. */
  logoUrl?: string
  phone?: string
}

export type LinkState = OpenLink | WaitingLink | SucceededLink | PaidLink | RefundedLink | ClosedLink

export interface OpenLink {
  is: 'open'
  methods: readonly Method[]
  /** Whose customers can pay by phone now; a country without any is not offered. */
  operators: Readonly<Record<Country, readonly string[]>>
  /** How many attempts were made so far. A form from a stale tab has an older count, so it does not begin a second attempt. */
  attempts: number
  lastFailure?: FailureReason
  /** By which the attempt that failed was made. */
  lastMethod?: Method
  problem?: 'msisdn_not_valid' | 'amount_not_valid' | 'provider_unreachable'
  /** No attempt can begin before its time: on this link, or with the number that was typed (D-60). */
  rest?: Rest
  /** Where a payer goes who does not want to pay now; the link stays open. */
  leaveUrl?: string
  /** What the payer typed, shown again when the number was not valid. */
  typed?: { msisdn: string; country?: Country; amount?: string }
}

export interface WaitingLink {
  is: 'waiting'
  method: Method
  /** Includes the attempt under way, so that a page notices when another attempt replaced it. */
  attempts: number
  msisdnShown?: string
  /** That asks the payer, on the phone. */
  operator?: string
  /** Whether this browser began the attempt, and can abandon it. */
  canAbandon?: boolean
  /** The provider's page, for a hosted method. */
  providerUrl?: string
}

/** By what the payer finds the debit at the operator. */
export interface Debit {
  method: Method
  /** Only for a payment by phone. */
  operator?: string
  operatorReference?: string
}

export interface SucceededLink extends Debit {
  is: 'succeeded'
  validatedAt: number
  returnUrl?: string
}

/** For whoever has the link and is not known to have paid it: nothing of the payer, the operator or the time (D-117). */
export interface PaidLink {
  is: 'paid'
  /** The page's script can show by a form that this frame is the payer's. */
  mayProve: boolean
}

export interface RefundedLink extends Partial<Debit> {
  is: 'refunded'
  mayProve?: boolean
  validatedAt?: number
  returnUrl?: string
}

export interface ClosedLink {
  is: 'closed'
  because: 'expired' | 'cancelled' | 'failed'
  returnUrl?: string
}
