// The page behind a payment link, for every state of the link. Turns a view into HTML: no database, no clock, no HTTP.
import { type Html, html, isolated, type Page, webAddress, webOrigin } from '../http/html.ts'
import { largeAmount, writeAmount } from './amounts-and-times.ts'
import { closedPart, paidPart, refundedPart, succeededPart } from './final-parts.ts'
import type { Language, LinkView } from './link-view.ts'
import { openPart } from './open-part.ts'
import type { PageContext, Part } from './page-context.ts'
import { framed } from './page-frame.ts'
import { plainPurpose } from './purpose.ts'
import { FRAME_STATUS, stateMark } from './state-mark.ts'
import { waitingPart } from './waiting-part.ts'
import { WORDS } from './words.ts'

/** How often the page polls the link's state. An open link is polled less: only another tab can have changed it. */
const ASK_EVERY_MS: Partial<Record<LinkView['state']['is'], number>> = { open: 10_000, waiting: 2_500 }
const KINDS = {
  open: 'open',
  waiting: 'waiting',
  succeeded: 'final',
  paid: 'final',
  refunded: 'final',
  closed: 'final',
} as const

const REFRESH_SECONDS = 5
const RETURN_SECONDS = 8
/** A payer who opens the link later than this wants the receipt, and is not redirected. */
const RETURN_WITHIN_MS = 15 * 60_000

export function linkPage(view: LinkView, language: Language, frameAncestors: readonly string[] = []): Page {
  const words = WORDS[language]
  const embeddedIn = webOrigin(view.embeddedIn)
  const isOpen = view.openAmount !== undefined
  const amount = isOpen ? words.anyAmount : writeAmount(view.amountXof, language)
  const merchant = isolated(view.merchantName)
  const sum = isOpen ? html`` : largeAmount(view.amountXof, language)
  const context: PageContext = { view, language, words, merchant, amount, sum, embeddedIn }
  const part = partOf(context)
  const back = returnSoon(context)
  const path = `/pay/${encodeURIComponent(view.reference)}`
  const inLanguage = (other: Language): string =>
    `${path}?lang=${other}${embeddedIn === undefined ? '' : `&embed=${encodeURIComponent(embeddedIn)}`}`
  const here = inLanguage(language)
  const every = ASK_EVERY_MS[view.state.is]
  return framed({
    language,
    kind: isOpen && view.state.is === 'open' ? 'amount' : KINDS[view.state.is],
    stateClass: view.state.is,
    title: html`${part.title} – ${view.merchantName}`,
    head: html`${preview(context)}${withoutScript(view.state.is === 'waiting' ? here : undefined, back)}`,
    body: html`<main>${part.body}</main>`,
    data: {
      here,
      state: stateMark(view.state),
      status: every && `${path}/status`,
      every,
      back,
      frame: embeddedIn,
      reference: embeddedIn && view.reference,
      now: embeddedIn && FRAME_STATUS[view.state.is],
    },
    isSimulated: view.isSimulated,
    brand: view.brand,
    inLanguage,
    isEmbedded: embeddedIn !== undefined,
    formsMayLeadTo: view.providerOrigins ?? [],
    frameAncestors,
  })
}

function partOf(context: PageContext): Part {
  const { state } = context.view
  switch (state.is) {
    case 'open':
      return openPart(context, state)
    case 'waiting':
      return waitingPart(context, state)
    case 'succeeded':
      return succeededPart(context, state, returnSoon(context) !== undefined)
    case 'paid':
      return paidPart(context, state)
    case 'refunded':
      return refundedPart(context, state)
    case 'closed':
      return closedPart(context, state)
  }
}

/** The address that the page redirects to after a success. In a frame the site around it decides. */
function returnSoon({ view: { state, now }, embeddedIn }: PageContext): string | undefined {
  if (state.is !== 'succeeded' || embeddedIn !== undefined) return undefined
  return now - state.validatedAt < RETURN_WITHIN_MS ? webAddress(state.returnUrl) : undefined
}

/** For browsers without JavaScript. The script does the same and lets the payer stop it, as a page that redirects must (WCAG 2.2.1). */
function withoutScript(here: string | undefined, back: string | undefined): Html | false {
  if (here !== undefined) {
    return html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS};url=${here}"></noscript>
`
  }
  return (
    back !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${RETURN_SECONDS};url=${back}"></noscript>
`
  )
}

/** What WhatsApp and other messengers show of the link. */
function preview({ view, words, amount }: PageContext): Html {
  return html`<meta property="og:title" content="${plainPurpose(view, words)}">
<meta property="og:description" content="${words.summary(amount, view.merchantName)}">
<meta property="og:type" content="website">
<meta property="og:locale" content="${words.locale}">
<meta property="og:url" content="${view.pageUrl}">
<meta property="og:site_name" content="Karba">
`
}
