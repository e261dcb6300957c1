// What a payer or a merchant is shown of a payment link, before it is words and HTML. Types only.
import type { Country } from '../domain/country.ts'
import type { FailureReason } from '../domain/outcome.ts'

export type Language = 'fr' | 'en'

export type Method = 'mobile' | 'bank_card' | 'wallet'

export interface LinkView {
  reference: string
  /** XXXX-XXXX-X, for the payer to read out. */
  publicReference: string
  merchantName: string
  title: string
  description?: string
  amountXof: number
  /** No real money moves. */
  isSimulated: boolean
  expiresAt?: number
  now: number
  state: LinkState
  /** Origin of the site whose frame shows this page: the script talks to that origin only. */
  embeddedIn?: string
  /** Absolute. */
  pageUrl: string
  /** Origins of the pages that a chosen method may send the browser to; ours is always allowed. */
  providerOrigins?: readonly string[]
}

export type LinkState = OpenLink | WaitingLink | SucceededLink | RefundedLink | ClosedLink

export interface OpenLink {
  is: 'open'
  methods: readonly Method[]
  /** How many were made so far: a form of a stale tab names an older count and does nothing twice. */
  attempts: number
  lastFailure?: FailureReason
  problem?: 'msisdn_not_valid' | 'provider_unreachable'
  /** Kept when the number was not understood. */
  typed?: { msisdn: string; country: Country }
}

export interface WaitingLink {
  is: 'waiting'
  method: Method
  /** Counts the one that is under way, so that a page notices when another took its place. */
  attempts: number
  msisdnShown?: string
  /** Where a hosted method is paid. */
  providerUrl?: string
}

export interface SucceededLink {
  is: 'succeeded'
  method: Method
  validatedAt: number
  returnUrl?: string
}

export interface RefundedLink {
  is: 'refunded'
  validatedAt?: number
  returnUrl?: string
}

export interface ClosedLink {
  is: 'closed'
  because: 'expired' | 'cancelled' | 'failed'
  returnUrl?: string
}
