// The link's page while an attempt is under way: what the payer must do now, on the phone or on the provider's page.
import { operatorName } from '../domain/operator-names.ts'
import { type Html, html, webAddress } from '../http/html.ts'
import { METHOD_ICONS } from './icons.ts'
import type { WaitingLink } from './link-view.ts'
import { hiddenFields } from './open-part.ts'
import { operatorBadge } from './operator-badge.ts'
import type { PageContext, Part } from './page-context.ts'
import { purposeLine } from './purpose.ts'

export function waitingPart(context: PageContext, state: WaitingLink): Part {
  const { view, words, merchant, amount } = context
  const isMobile = state.method === 'mobile'
  const heading = (name: (operator: string) => Html | string): Html =>
    isMobile ? words.approve(state.operator === undefined ? undefined : name(state.operator)) : html`${words.finish}`
  const body = html`<div class="head brief"><span><b>${merchant}</b><br>${purposeLine(view, words)}</span>
<b class="n">${amount}</b></div>
<div class="part"><div class="seal">${METHOD_ICONS[state.method]}</div>
<h1>${heading(operatorBadge)}</h1>
${isMobile ? onThePhone(context, state) : atTheProvider(context, state)}</div>`
  return { title: heading(operatorName), body }
}

function onThePhone({ words, amount }: PageContext, { msisdnShown }: WaitingLink): Html {
  const look = msisdnShown === undefined ? words.stepLookYours : words.stepLook(html`<b class="n">${msisdnShown}</b>`)
  return html`<ol><li>${look}</li><li>${words.stepCode(html`<b class="n">${amount}</b>`)}</li><li>${words.stepBack}</li></ol>
${statusLine(words.waiting, words.offline)}
<details><summary>${words.nothingCame}</summary><p class="soft">${words.nothingCameHint}</p></details>`
}

function atTheProvider(context: PageContext, { providerUrl, canAbandon }: WaitingLink): Html {
  const { view, words, embeddedIn } = context
  const address = webAddress(providerUrl)
  const newTab = embeddedIn !== undefined && html` target="_blank" rel="noopener"`
  // In a frame only the script knows whether this browser began the attempt.
  const mayAbandon = canAbandon === true || embeddedIn !== undefined
  const hidden = canAbandon !== true && html` hidden`
  const abandon = html`<form method="post" action="/pay/${encodeURIComponent(view.reference)}/abandon"${hidden}>${hiddenFields(context)}
<button class="alt">${words.changedMind}</button></form>`
  return html`<p>${words.finishHint}</p>
${address !== undefined && html`<a class="go" href="${address}"${newTab}>${words.toProvider}</a>`}
${statusLine(words.waitingHosted, words.offline)}
${mayAbandon && abandon}${canAbandon !== true && html`<p class="soft" data-elsewhere>${words.begunElsewhere}</p>`}`
}

/** The script writes here when the page is offline. */
function statusLine(text: string, offline: string): Html {
  return html`<p class="status" role="status" aria-live="polite" data-offline="${offline}">${text}</p>`
}
