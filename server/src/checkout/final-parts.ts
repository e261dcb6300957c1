// The link's page in its final states: the receipt, the refund, and why the link is closed.
import { type Html, html, webAddress } from '../http/html.ts'
import { isoTime, writeDay, writeTime } from './amounts-and-times.ts'
import { DONE, GIVEN_BACK, OVER, STOPPED } from './icons.ts'
import type { ClosedLink, Debit, PaidLink, RefundedLink, SucceededLink } from './link-view.ts'
import { hiddenFields } from './open-part.ts'
import { operatorBadge } from './operator-badge.ts'
import type { PageContext, Part } from './page-context.ts'
import { purposeLine } from './purpose.ts'

export function succeededPart(context: PageContext, state: SucceededLink, leavesSoon: boolean): Part {
  const { words, merchant } = context
  const leaving = html`<p class="leaving soft" data-leaving>${words.backSoon}
<button class="link" data-do="stay" hidden>${words.stay}</button></p>`
  const body = html`${head(context, DONE, words.succeeded, words.thanks(merchant))}
<div class="part"><dl>${row(words.receipt.to, merchant)}${receipt(context, state)}</dl>
${tabOver(context)}${backLink(context, state.returnUrl)}${leavesSoon && leaving}
<button class="alt" data-do="print" hidden>${words.print}</button></div>`
  return { title: words.succeeded, body }
}

/** Whoever has the link may know that it is paid. The receipt is the payer's. */
export function paidPart(context: PageContext, { mayProve }: PaidLink): Part {
  const { words, merchant } = context
  const body = html`${head(context, DONE, words.paid, words.paidHint)}
<div class="part"><dl>${row(words.receipt.to, merchant)}${receipt(context)}</dl>
<p class="soft">${words.receiptElsewhere} ${words.alreadyPaid(merchant)}</p>${tabOver(context)}${mayProve && proofForm(context)}</div>`
  return { title: words.paid, body }
}

/** In a frame, where no cookie is sent, the script sends it with what it kept: the answer is the receipt. */
const proofForm = (context: PageContext): Html =>
  html`<form method="post" action="/pay/${encodeURIComponent(context.view.reference)}/receipt" data-proof hidden>${hiddenFields(context)}</form>`

export function refundedPart(context: PageContext, state: RefundedLink): Part {
  const { words, merchant } = context
  const body = html`${head(context, GIVEN_BACK, words.refunded, words.refundedHint)}
<div class="part"><dl>${row(words.receipt.to, merchant)}${receipt(context, state)}</dl>${tabOver(context)}${backLink(context, state.returnUrl)}${state.mayProve && proofForm(context)}</div>`
  return { title: words.refunded, body }
}

export function closedPart(context: PageContext, { because, returnUrl }: ClosedLink): Part {
  const { words, merchant } = context
  const title = words.closed[because]
  const body = html`<div class="head"><div class="seal">${because === 'expired' ? OVER : STOPPED}</div>
<h1>${title}</h1><p>${words.closedHint[because](merchant)}</p></div>
<div class="part"><dl>${row(words.receipt.amount, context.amount)}${row(words.receipt.wasTo, merchant)}${receipt(context)}</dl>
<p class="soft">${words.alreadyPaid(merchant)}</p>${tabOver(context)}${backLink(context, returnUrl)}</div>`
  return { title, body }
}

function head({ sum }: PageContext, icon: Html, title: string, text: Html | string): Html {
  return html`<div class="head"><div class="seal">${icon}</div><h1>${title}</h1>
${sum}<p>${text}</p></div>`
}

function receipt({ view, words, language }: PageContext, paid: Partial<Debit> & { validatedAt?: number } = {}): Html {
  const { validatedAt: paidAt, method, operator, operatorReference } = paid
  const { for: what, method: how, at } = words.receipt
  const found = method === 'mobile' ? words.receipt.operatorReference : words.receipt.providerReference
  const when =
    paidAt !== undefined &&
    html`<time datetime="${isoTime(paidAt)}">${words.dayAndTime(writeDay(paidAt, language), writeTime(paidAt, language))}</time>`
  return html`${row(what, purposeLine(view, words))}${method && row(how, words.methods[method])}${operator && row(words.receipt.operator, operatorBadge(operator))}${when && row(at, when)}${row(words.reference, whole(view.publicReference))}${operatorReference && row(found, whole(operatorReference))}`
}

/** One tap selects all of it, to be copied. */
const whole = (reference: string): Html => html`<bdi class="whole">${reference}</bdi>`

const row = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`

/** Of a frame's page, the provider's page opens in a tab of its own and comes back there. Only the script knows that it is in no frame. */
const tabOver = ({ words, embeddedIn }: PageContext): Html | false =>
  embeddedIn !== undefined &&
  html`<p data-tab hidden><b>${words.tabOver}</b></p>
`

/** In a frame, the link opens in the page around it. */
function backLink({ merchant, words, embeddedIn }: PageContext, returnUrl: string | undefined): Html | false {
  const address = webAddress(returnUrl)
  const outOfFrame = embeddedIn !== undefined && html` target="_top"`
  return address !== undefined && html`<a class="go" href="${address}"${outOfFrame}>${words.backTo(merchant)}</a>`
}
