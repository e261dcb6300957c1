// From a link's row to what its page shows: the state in the payer's terms, and where to go back to.
import { availableMethods, linkState } from '../actions/links/link-state.ts'
import type { LinkRow } from '../actions/links/read-payment-link.ts'
import { type LinkMethod, withOutcome } from '../domain/payment-link.ts'
import type { LinkState, LinkView, OpenLink } from './link-view.ts'

export interface LinkViewDeps {
  now: number
  possible: readonly LinkMethod[]
  isSimulated: boolean
  pageUrl: string
  embeddedIn?: string | undefined
  /** What was wrong with the form that was just sent. */
  trouble?: Pick<OpenLink, 'problem' | 'typed'>
}

export function buildLinkView(row: LinkRow, deps: LinkViewDeps): LinkView {
  return {
    reference: row.link_reference,
    publicReference: row.public_reference,
    merchantName: row.merchant_name,
    title: row.title,
    ...(row.description !== null && { description: row.description }),
    amountXof: row.amount_xof,
    isSimulated: deps.isSimulated,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    now: deps.now,
    state: stateOf(row, deps),
    ...(deps.embeddedIn !== undefined && { embeddedIn: deps.embeddedIn }),
    pageUrl: deps.pageUrl,
  }
}

function stateOf(row: LinkRow, { now, possible, trouble }: LinkViewDeps): LinkState {
  const state = linkState(row, now)
  switch (state.is) {
    case 'open': {
      const { attempts, lastFailure } = state
      const methods = availableMethods(row, possible)
      return { is: 'open', methods, attempts, ...(lastFailure !== null && { lastFailure }), ...trouble }
    }
    case 'under_way': {
      const { method, attempts, msisdnWritten, providerUrl } = state
      const shown = msisdnWritten === null ? {} : { msisdnShown: endOf(msisdnWritten) }
      return { is: 'waiting', method, attempts, ...shown, ...(providerUrl !== null && { providerUrl }) }
    }
    case 'succeeded':
      return { ...state, ...returnTo(row, row.on_success_url, 'succeeded') }
    case 'refunded':
      return { is: 'refunded', ...(state.validatedAt !== null && { validatedAt: state.validatedAt }) }
    case 'closed':
      return { ...state, ...returnTo(row, row.on_failed_url, 'failed') }
  }
}

function returnTo(row: LinkRow, url: string | null, status: string): { returnUrl?: string } {
  if (url === null) return {}
  const outcome = { reference: row.link_reference, status, publicReference: row.public_reference }
  return { returnUrl: withOutcome(url, outcome) }
}

/** Enough for the payer to know their own number, too little for somebody else who has the link. */
const endOf = (msisdn: string): string => `•• •• ${msisdn.replace(/\D/g, '').slice(-4).replace(/(..)$/, ' $1')}`
