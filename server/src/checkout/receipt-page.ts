// The page of a receipt and the page on which a person types a code. Turns a view into HTML: no
// database, no HTTP.
import { writeAmount } from '../domain/payments/money.ts'
import type { Language } from '../domain/texts/language.ts'
import { html, isolated, type Page } from '../http/html.ts'
import { qrImage } from '../http/qr-code.ts'
import { DONE, framed, GIVEN_BACK, LOST, row, STOPPED, whole } from './page-frame.ts'
import { dayAndTime, largeAmount, RECEIPT_WORDS, WORDS } from './words.ts'

export interface ReceiptView {
  code: string
  /** Its own address. */
  url: string
  publicReference: string
  merchantName: string
  amountXof: number
  validatedAt: number
  refundedXof: number
  /** No money moved. */
  isTest: boolean
}

export type ReceiptState = 'paid' | 'refunded' | 'inPart'

export function receiptState({ refundedXof, amountXof }: ReceiptView): ReceiptState {
  if (refundedXof >= amountXof) return 'refunded'
  return refundedXof > 0 ? 'inPart' : 'paid'
}

/** `pay.example.ne/r`: what a person types. */
export const checkAddress = (url: string): string =>
  url.replace(/^https?:\/\//, '').replace(/\/[^/]*$/, '')

export function receiptTitle(view: ReceiptView, language: Language): string {
  const words = RECEIPT_WORDS[language]
  const state = words[receiptState(view)]
  return view.isTest ? `${words.test} – ${state}` : state
}

export function receiptPage(view: ReceiptView, language: Language): Page {
  const words = RECEIPT_WORDS[language]
  const state = receiptState(view)
  const title = receiptTitle(view, language)
  const isGivenBack = state === 'refunded'
  const { icon, stateClass } = view.isTest
    ? { icon: STOPPED, stateClass: 'closed' as const }
    : {
        icon: isGivenBack ? GIVEN_BACK : DONE,
        stateClass: isGivenBack ? ('refunded' as const) : ('succeeded' as const),
      }
  const all = writeAmount(view.amountXof, language)
  const given = writeAmount(view.refundedXof, language)
  const hint = {
    paid: words.paidHint,
    refunded: words.refundedHint,
    inPart: words.inPartHint(given, all),
  }[state]
  return framed({
    language,
    kind: 'receipt',
    stateClass,
    title: `${title} – ${view.merchantName}`,
    body: html`<main><div class="head"><div class="seal">${icon}</div><h1>${title}</h1>
${largeAmount(view.amountXof, language)}${view.isTest ? html`<p class="warn">${words.testHint}</p>` : html`<p>${hint}</p>`}</div>
<div class="part"><dl>${row(words.to, isolated(view.merchantName))}${row(words.amount, all)}${state !== 'paid' && row(words.given, given)}${row(words.at, dayAndTime(view.validatedAt, language))}${row(words.state, title)}${row(WORDS[language].reference, whole(view.publicReference))}</dl></div>
<div class="part"><p class="soft">${words.code}</p><p class="code whole">${view.code}</p>
${qrImage(view.url, words.qr, 'qr')}
<p class="soft">${words.checkAt(checkAddress(view.url))}. ${words.genuine(new URL(view.url).host)}</p>
<a class="alt" href="${new URL(view.url).pathname}.pdf?lang=${language}">${words.pdf}</a>
<button class="alt" data-do="print" hidden>${WORDS[language].print}</button>
<a class="alt" href="/r?lang=${language}">${words.another}</a></div></main>`,
    isSimulated: view.isTest,
  })
}

/** `wrong` is what the person typed, when no payment has that code. */
export function checkPage(language: Language, wrong?: string): Page {
  const words = RECEIPT_WORDS[language]
  const isWrong = wrong !== undefined
  const described = isWrong
    ? html`aria-describedby="e" aria-invalid="true" autofocus`
    : html`autofocus`
  return framed({
    language,
    kind: 'receipt',
    stateClass: isWrong ? 'closed' : 'open',
    title: `${words.check} – Karba`,
    // The address of a wrong code is left: the form's own works for every code.
    inLanguage: (other) => `/r?lang=${other}`,
    body: html`<main><div class="head"><div class="seal">${LOST}</div><h1>${words.check}</h1>
<p>${words.checkHint}</p></div>
<div class="part">${isWrong && html`<p id="e" class="warn" role="alert">${words.unknown}</p><br>`}
<form method="post" action="/r"><input type="hidden" name="lang" value="${language}">
<label for="c">${words.code}</label>
<input id="c" name="code" required maxlength="60" autocomplete="off" autocapitalize="characters" spellcheck="false" value="${wrong}" ${described}>
<button class="go">${words.send}</button></form></div></main>`,
  })
}
