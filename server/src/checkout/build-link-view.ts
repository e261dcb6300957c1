// Turns a link's row into the view that its page shows: the state in the payer's terms, and the address to return to.
import { availableMethods, hasBegun, linkState } from '../domain/link-state.ts'
import { type LinkMethod, type PaymentLink, withOutcome } from '../domain/payment-link.ts'
import { linkRest } from '../domain/prompt-limit.ts'
import type { LinkState, LinkView, OpenLink } from './link-view.ts'

/** What was wrong with the form that was just sent. */
export type FormError = Pick<OpenLink, 'problem' | 'typed' | 'rest'>

export interface LinkViewDeps {
  now: number
  possible: readonly LinkMethod[]
  isSimulated: boolean
  pageUrl: string
  embeddedIn?: string | undefined
  /** By which this browser shows that it began the attempt. */
  browserToken?: string | undefined
  formError?: FormError
}

export function buildLinkView(link: PaymentLink, deps: LinkViewDeps): LinkView {
  return {
    reference: link.linkReference,
    publicReference: link.publicReference,
    merchantName: link.merchantName,
    ...wordsOf(link),
    amountXof: link.amountXof,
    isSimulated: deps.isSimulated,
    ...(link.expiresAt !== null && { expiresAt: link.expiresAt }),
    now: deps.now,
    state: stateOf(link, deps),
    ...(deps.embeddedIn !== undefined && { embeddedIn: deps.embeddedIn }),
    pageUrl: deps.pageUrl,
  }
}

/** An unsigned page's words are anybody's: beside them stand the account's own, or instead of them (D-57). */
function wordsOf(link: PaymentLink): Pick<LinkView, 'title' | 'pageTitle' | 'description'> {
  const description = link.description === null ? {} : { description: link.description }
  if (link.createdBy !== 'page') return { title: link.title, ...description }
  const own = link.pageWording === '' ? {} : { title: link.pageWording }
  return link.pageTitles === 'hidden' ? own : { ...own, pageTitle: link.title, ...description }
}

function stateOf(link: PaymentLink, { now, possible, browserToken, formError }: LinkViewDeps): LinkState {
  const state = linkState(link, now)
  switch (state.is) {
    case 'open': {
      const { attempts, lastFailure } = state
      const methods = availableMethods(link, possible)
      const failure = lastFailure === null ? {} : { lastFailure }
      const rest = linkRest(link, now)
      const { returnUrl: leaveUrl } = returnTo(link, link.onFailedUrl, 'cancelled')
      const leave = leaveUrl === undefined ? {} : { leaveUrl }
      return { is: 'open', methods, attempts, ...failure, ...leave, ...formError, ...(rest && { rest }) }
    }
    case 'under_way': {
      const { method, attempts, msisdnWritten, providerUrl } = state
      const shown = msisdnWritten === null ? {} : { msisdnShown: endOf(msisdnWritten) }
      const canAbandon = method !== 'mobile' && hasBegun(link, browserToken)
      return { is: 'waiting', method, attempts, canAbandon, ...shown, ...(providerUrl !== null && { providerUrl }) }
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

/** Enough for the payer to tell their phones apart, and no more: whoever has the link can open the page. */
const endOf = (msisdn: string): string => `•• •• •• ${msisdn.replace(/\D/g, '').slice(-2)}`
