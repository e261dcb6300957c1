// The link as its merchant sees it: its state, a QR code to scan, and buttons to send it. Printed, it is a sign for the shop's counter.
import { html, isolated, type Page } from '../http/html.ts'
import { isoTime, largeAmount, writeAmount, writeDay, writeTime } from './amounts-and-times.ts'
import type { Language, LinkView } from './link-view.ts'
import { framed } from './page-frame.ts'
import { plainPurpose, purposeHeading } from './purpose.ts'
import { qrCode } from './qr-code.ts'
import { smsText } from './sms-text.ts'
import { stateMark } from './state-mark.ts'
import { WORDS } from './words.ts'

const ASK_EVERY_MS = 10_000

export function sharePage(view: LinkView, language: Language): Page {
  const words = WORDS[language]
  const { state, pageUrl } = view
  const isOpen = view.openAmount !== undefined
  const amount = isOpen ? words.anyAmount : writeAmount(view.amountXof, language)
  const canBePaid = state.is === 'open' || state.is === 'waiting'
  const heading = canBePaid ? words.share : words.paymentLink
  const stateText = words.shareStates[state.is === 'closed' ? state.because : state.is]
  const paidAt =
    state.is === 'succeeded' &&
    html`, <time datetime="${isoTime(state.validatedAt)}">${words.dayAndTime(writeDay(state.validatedAt, language), writeTime(state.validatedAt, language))}</time>`
  const { merchantName } = view
  const purpose = plainPurpose(view, words)
  const text = encodeURIComponent(words.shareText(amount, merchantName, purpose, pageUrl))
  const sms = smsText((whom) => words.smsText(amount, whom), merchantName, purpose, pageUrl)
  const paySection = html`<div class="part"><p class="scan">${words.scan}</p>${qrCode(pageUrl, words.qr)}
<div class="row"><input readonly aria-label="${words.address}" value="${pageUrl}">
<button class="alt" data-do="copy" data-done="${words.copied}" hidden>${words.copy}</button></div>
<a class="go" href="https://wa.me/?text=${text}">${words.sendBy} WhatsApp</a>
<a class="alt" href="sms:?&amp;body=${encodeURIComponent(sms)}">${words.sendBy} SMS</a></div>`
  return framed({
    language,
    kind: 'share',
    stateClass: state.is,
    title: `${heading} – ${view.merchantName}`,
    body: html`<main><div class="head"><h1><small class="soft">${heading}</small> ${isolated(view.merchantName)}</h1>
${isOpen ? html`<p class="sum">${amount}</p>` : largeAmount(view.amountXof, language)}${purposeHeading(view, words)}
<p class="soft">${words.reference} <span class="n">${view.publicReference}</span></p>
<p class="state">${stateText}${paidAt}</p></div>${canBePaid && paySection}</main>`,
    data: {
      here: `?lang=${language}`,
      state: stateMark(state),
      ...(canBePaid && { status: `/pay/${encodeURIComponent(view.reference)}/status`, every: ASK_EVERY_MS }),
    },
    isSimulated: view.isSimulated,
    brand: view.brand,
  })
}
