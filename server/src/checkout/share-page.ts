// The link as its merchant sees it: state, QR code, buttons to send it. Printed, it is a sign for
// the counter.
import { writeAmount } from '../domain/payments/money.ts'
import type { Language } from '../domain/texts/language.ts'
import { html, isolated, type Page } from '../http/html.ts'
import { qrImage } from '../http/qr-code.ts'
import type { LinkView } from './link-view.ts'
import { framed, plainPurpose, purposeHeading, stateMark } from './page-frame.ts'
import { dayAndTime, largeAmount, WORDS } from './words.ts'

const ASK_EVERY_MS = 10_000

export function sharePage(view: LinkView, language: Language): Page {
  const words = WORDS[language]
  const { state, pageUrl } = view
  const isOpen = view.openAmount !== undefined
  const amount = isOpen ? words.anyAmount : writeAmount(view.amountXof, language)
  const canBePaid = state.is === 'open' || state.is === 'waiting'
  const heading = canBePaid ? words.share : words.paymentLink
  const isOpenPoster = view.isReusable && canBePaid
  const stateName = state.is === 'closed' ? state.because : state.is
  const stateText = words.shareStates[isOpenPoster ? 'reusable' : stateName]
  const paidAt = state.is === 'succeeded' && html`, ${dayAndTime(state.validatedAt, language)}`
  const { merchantName } = view
  const purpose = plainPurpose(view, words)
  const text = encodeURIComponent(words.shareText(amount, merchantName, purpose, pageUrl))
  const sms = smsText((whom) => words.smsText(amount, whom), merchantName, purpose, pageUrl)
  const paySection = html`<div class="part"><p class="scan">${words.scan}</p>${qrImage(pageUrl, words.qr, 'qr')}
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
      ...(canBePaid && {
        status: `/pay/${encodeURIComponent(view.reference)}/status`,
        every: ASK_EVERY_MS,
      }),
    },
    isSimulated: view.isSimulated,
    brand: view.brand,
  })
}

const LONGEST = 160
const ALPHABET =
  '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const INSTEAD: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  œ: 'oe',
  Œ: 'OE',
}

/** Characters that the SMS alphabet lacks lose their accent or are left out. @internal */
export function inSmsAlphabet(text: string): string {
  const characters = [...text.replace(/\s/g, ' ')].map((character) => {
    if (ALPHABET.includes(character)) return character
    const instead = INSTEAD[character] ?? character.normalize('NFD')
    return [...instead].filter((each) => ALPHABET.includes(each)).join('')
  })
  return characters.join('').replace(/ {2,}/g, ' ')
}

/**
 * `write` gets the name to use: the merchant with the title, the merchant alone, or as much of its
 * name as fits.
 */
export function smsText(
  write: (whom: string) => string,
  merchant: string,
  purpose: string,
  url: string,
): string {
  const whole = (whom: string): string => inSmsAlphabet(write(whom)) + url
  const wished = [`${merchant} (${purpose})`, merchant]
    .map(whole)
    .find((text) => text.length <= LONGEST)
  if (wished !== undefined) return wished
  const room = LONGEST - whole('x').length + 1
  return room > 0 ? whole(inSmsAlphabet(merchant).slice(0, room).trim()) : url
}
