// Turns a link's row into the view that its page shows: the state in the payer's terms, and the address to return to.
import { availableMethods, linkState } from '../domain/link-state.ts'
import { type LinkMethod, type PaymentLink, withOutcome } from '../domain/payment-link.ts'
import type { LinkState, LinkView, OpenLink } from './link-view.ts'

export interface LinkViewDeps {
  now: number
  possible: readonly LinkMethod[]
  isSimulated: boolean
  pageUrl: string
  embeddedIn?: string | undefined
  /** What was wrong with the form that was just sent. */
  formError?: Pick<OpenLink, 'problem' | 'typed'>
}

export function buildLinkView(link: PaymentLink, deps: LinkViewDeps): LinkView {
  return {
    reference: link.linkReference,
    publicReference: link.publicReference,
    merchantName: link.merchantName,
    title: link.title,
    ...(link.description !== null && { description: link.description }),
    amountXof: link.amountXof,
    isSimulated: deps.isSimulated,
    ...(link.expiresAt !== null && { expiresAt: link.expiresAt }),
    now: deps.now,
    state: stateOf(link, deps),
    ...(deps.embeddedIn !== undefined && { embeddedIn: deps.embeddedIn }),
    pageUrl: deps.pageUrl,
  }
}

function stateOf(link: PaymentLink, { now, possible, formError }: LinkViewDeps): LinkState {
  const state = linkState(link, now)
  switch (state.is) {
    case 'open': {
      const { attempts, lastFailure } = state
      const methods = availableMethods(link, possible)
      return { is: 'open', methods, attempts, ...(lastFailure !== null && { lastFailure }), ...formError }
    }
    case 'under_way': {
      const { method, attempts, msisdnWritten, providerUrl } = state
      const shown = msisdnWritten === null ? {} : { msisdnShown: endOf(msisdnWritten) }
      return { is: 'waiting', method, attempts, ...shown, ...(providerUrl !== null && { providerUrl }) }
    }
    case 'succeeded':
      return { ...state, ...returnTo(link, link.onSuccessUrl, 'succeeded') }
    case 'refunded':
      return { is: 'refunded', ...(state.validatedAt !== null && { validatedAt: state.validatedAt }) }
    case 'closed':
      return { ...state, ...returnTo(link, link.onFailedUrl, 'failed') }
  }
}

function returnTo(link: PaymentLink, url: string | null, status: string): { returnUrl?: string } {
  if (url === null) return {}
  const outcome = { reference: link.linkReference, status, publicReference: link.publicReference }
  return { returnUrl: withOutcome(url, outcome) }
}

/** Enough for the payer to recognise their number, too little for anybody else who has the link to learn it. */
const endOf = (msisdn: string): string => `•• •• ${msisdn.replace(/\D/g, '').slice(-4).replace(/(..)$/, ' $1')}`
