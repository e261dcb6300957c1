// The page behind a payment link, for every state of the link. Turns a view into HTML: no database,
// no clock, no HTTP.
import {
  COUNTRIES,
  type Country,
  connectionName,
  factsOf,
  operatorName,
} from '../domain/countries/country.ts'
import type { Method } from '../domain/methods/method.ts'
import { isHosted, type LinkMethod, methodOf } from '../domain/methods/methods.ts'
import { goToOf } from '../domain/methods/payer-step.ts'
import { writeAmount } from '../domain/payments/money.ts'
import type { Language } from '../domain/texts/language.ts'
import { type Html, html, isolated, type Page, webAddress, webOrigin } from '../http/html.ts'
import { sentenceOf } from '../wire/refusals.ts'
import type {
  ClosedLink,
  Debit,
  LinkView,
  OpenLink,
  PaidLink,
  RefundedLink,
  SucceededLink,
  WaitingLink,
} from './link-view.ts'
import {
  DONE,
  FRAME_STATUS,
  framed,
  GIVEN_BACK,
  methodIcon,
  OVER,
  operatorBadge,
  plainPurpose,
  purposeHeading,
  purposeLine,
  row,
  STOPPED,
  stateMark,
  whole,
} from './page-frame.ts'
import {
  dayAndTime,
  isoTime,
  isSameDay,
  largeAmount,
  RECEIPT_WORDS,
  WORDS,
  type Words,
  writeDayAndTime,
  writeTime,
} from './words.ts'

/**
 * How often the page polls the link's state. An open link is polled less: only another tab can have
 * changed it.
 */
const ASK_EVERY_MS: Partial<Record<LinkView['state']['is'], number>> = {
  open: 10_000,
  waiting: 2_500,
}
const REFRESH_SECONDS = 5
const RETURN_SECONDS = 8
/** A payer who opens the link later than this wants the receipt, and is not redirected. */
const RETURN_WITHIN_MS = 15 * 60_000

export function linkPage(
  view: LinkView,
  language: Language,
  frameAncestors: readonly string[] = [],
): Page {
  const words = WORDS[language]
  const { is } = view.state
  const embeddedIn = webOrigin(view.embeddedIn)
  const isOpen = view.openAmount !== undefined
  const amount = isOpen ? words.anyAmount : writeAmount(view.amountXof, language)
  const merchant = isolated(view.merchantName)
  const sum = isOpen ? html`` : largeAmount(view.amountXof, language)
  const context: PageContext = { view, language, words, merchant, amount, sum, embeddedIn }
  const back = returnSoon(context)
  const part = partOf(context, back !== undefined)
  const path = `/pay/${encodeURIComponent(view.reference)}`
  const inLanguage = (other: Language): string =>
    `${path}?lang=${other}${embeddedIn === undefined ? '' : `&embed=${encodeURIComponent(embeddedIn)}`}`
  const here = inLanguage(language)
  const every = ASK_EVERY_MS[is]
  const running = is === 'open' || is === 'waiting' ? is : 'final'
  const kind = isOpen && is === 'open' ? 'amount' : running
  return framed({
    language,
    kind,
    stateClass: is,
    title: html`${part.title} – ${view.merchantName}`,
    head: html`${preview(context)}${withoutScript(is === 'waiting' ? here : undefined, back)}`,
    body: html`<main>${part.body}</main>`,
    data: {
      here,
      state: stateMark(view.state),
      status: every && `${path}/status`,
      every,
      back,
      frame: embeddedIn,
      reference: embeddedIn && view.reference,
      now: embeddedIn && FRAME_STATUS[is],
    },
    isSimulated: view.isSimulated,
    brand: view.brand,
    inLanguage,
    isEmbedded: embeddedIn !== undefined,
    formsMayLeadTo: view.providerOrigins ?? [],
    frameAncestors,
  })
}

function partOf(context: PageContext, leavesSoon: boolean): Part {
  const { state } = context.view
  switch (state.is) {
    case 'open':
      return openPart(context, state)
    case 'waiting':
      return waitingPart(context, state)
    case 'succeeded':
      return succeededPart(context, state, leavesSoon)
    case 'paid':
      return paidPart(context, state)
    case 'refunded':
      return refundedPart(context, state)
    case 'closed':
      return closedPart(context, state)
  }
}

/**
 * The address that the page redirects to after a success. In a frame the site around it decides.
 */
function returnSoon({ view: { state, now }, embeddedIn }: PageContext): string | undefined {
  if (state.is !== 'succeeded' || embeddedIn !== undefined) return undefined
  return now - state.validatedAt < RETURN_WITHIN_MS ? webAddress(state.returnUrl) : undefined
}

/**
 * Without JavaScript. The script does the same and lets the payer stop the redirect (WCAG 2.2.1).
 */
function withoutScript(here: string | undefined, back: string | undefined): Html | false {
  const [seconds, to] = here === undefined ? [RETURN_SECONDS, back] : [REFRESH_SECONDS, here]
  return (
    to !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${seconds};url=${to}"></noscript>
`
  )
}

function preview({ view, words, amount }: PageContext): Html {
  return html`<meta property="og:title" content="${plainPurpose(view, words)}">
<meta property="og:description" content="${words.summary(amount, view.merchantName)}">
<meta property="og:type" content="website">
<meta property="og:locale" content="${words.locale}">
<meta property="og:url" content="${view.pageUrl}">
<meta property="og:site_name" content="Karba">
`
}

function openPart(context: PageContext, state: OpenLink): Part {
  const { view, words, merchant, amount, sum } = context
  // The link itself is rate limited: another number or method does not help.
  const mustWait = state.cooldown?.why === 'link'
  const form = mustWait ? retryLink(context) : methodForm(context, state)
  const part = html`<div class="head"><h1><small class="soft">${words.paymentTo}</small> ${merchant}</h1>
${sum}
${purposeHeading(view, words)}
${view.description !== undefined && html`<p class="soft">${view.description}</p>`}
<p class="soft">${words.reference} <span class="n">${view.publicReference}</span>${expiry(context)}</p></div>
<div class="part">${note(context, state)}
${pausedLine(context, state)}
${state.methods.length === 0 ? html`<p>${words.noMethod}</p>${retryLink(context)}` : form}
${leaveLink(context, state)}</div>`
  return {
    title: view.openAmount === undefined ? words.pay(html`${amount}`) : words.give,
    body: part,
  }
}

function expiry({ view: { expiresAt, now }, language, words }: PageContext): Html | false {
  if (expiresAt === undefined) return false
  const text = isSameDay(now, expiresAt)
    ? words.validUntil(writeTime(expiresAt, language))
    : words.validUntilDay(writeDayAndTime(expiresAt, language))
  return html`<br><time datetime="${isoTime(expiresAt)}">${text}</time>`
}

/**
 * Why the payer sees this page again. A phone number that is not valid is reported at its field
 * instead.
 */
function note(
  { words, language }: PageContext,
  { problem, cooldown, lastFailure, lastMethod }: OpenLink,
): Html | false {
  if (cooldown !== undefined) {
    const until = nextMinute(cooldown.until)
    const time = html`<time class="n" datetime="${isoTime(until)}">${writeTime(until, language)}</time>`
    return html`<p class="note" role="alert">${words.cooldowns[cooldown.why](time)}</p>`
  }
  if (problem?.refused === 'msisdn_not_valid' || problem?.refused === 'amount_not_valid')
    return false
  if (problem !== undefined)
    return html`<p class="note" role="alert">${sentenceOf(problem, language)}</p>`
  if (lastFailure === undefined) return false
  const declined = lastMethod && methodOf(lastMethod).words[language].declined
  const why = (lastFailure === 'declined' && declined) || words.failures[lastFailure]
  return html`<p class="note" role="alert"><b>${words.notDone}</b> ${why}</p>`
}

/** Whose customers cannot pay by phone now because people paused their operator. */
function pausedLine({ words, language }: PageContext, { paused = [] }: OpenLink): Html | false {
  if (paused.length === 0) return false
  const names = paused.map((connection) =>
    connectionName({ connection, connectionLabel: null }, language),
  )
  return html`<p class="soft">${words.pausedNow(names.join(', '))}</p>`
}

function methodForm(context: PageContext, state: OpenLink): Html {
  const { view, words } = context
  const hosted = state.methods.filter(isHosted)
  const hasMobile = state.methods.includes('mobile')
  return html`<form method="post" action="/pay/${encodeURIComponent(view.reference)}">${hiddenFields(context)}
<input type="hidden" name="attempt" value="${state.attempts}">
${view.openAmount !== undefined && amountFields(context, state, view.openAmount)}
${hasMobile && mobileFields(context, state)}
${hasMobile && hosted.length > 0 && html`<p class="or soft">${words.otherwise}</p>`}
${hosted.length > 0 && hostedButtons(context, hosted)}</form>`
}

/**
 * Suggested amounts, and a field for another one. Both work without a script; the typed amount
 * wins.
 */
function amountFields(
  { words, language }: PageContext,
  { problem, typed }: OpenLink,
  { minimumXof, suggestedXof }: NonNullable<LinkView['openAmount']>,
): Html {
  const isWrong = problem?.refused === 'amount_not_valid'
  const isChosen = (each: number): boolean => typed?.amount === String(each)
  const choices = suggestedXof.map(
    (each) =>
      html`<label class="pick"><input type="radio" name="suggested" value="${each}"${isChosen(each) && html` checked`}><span>${writeAmount(each, language)}</span></label>`,
  )
  const own = suggestedXof.some(isChosen) ? undefined : typed?.amount
  const described = isWrong
    ? html`aria-describedby="ae ah" aria-invalid="true" autofocus`
    : html`aria-describedby="ah"`
  const least = writeAmount(minimumXof, language)
  return html`${choices.length > 0 && html`<fieldset class="picks"><legend>${words.chooseAmount}</legend>${choices}</fieldset>`}
<label for="m">${choices.length > 0 ? words.otherAmount : words.yourAmount}</label>
<input id="m" name="amount" inputmode="numeric" autocomplete="off" maxlength="15" value="${own}" ${described}>
${isWrong && html`<p id="ae" class="err">${words.amountProblem(least)}</p>`}
<p id="ah" class="soft">${words.amountHint(least)}</p>`
}

function mobileFields(
  { view, words, language, amount }: PageContext,
  { problem, typed, operators }: OpenLink,
): Html {
  const isWrong = problem?.refused === 'msisdn_not_valid'
  const namesIn = (country: Country): readonly string[] => operators[country] ?? []
  const countries = COUNTRIES.filter((country) => namesIn(country).length > 0)
  const options = countries.map(
    (country) =>
      html`<option value="${country}"${country === typed?.country && html` selected`}>${words.countryCode(factsOf(country))}</option>`,
  )
  const hint = (country: Country): Html =>
    html`<p data-country="${country}">${words.numberHint(factsOf(country))}<br>${namesIn(country).map((each) => html`${operatorBadge(each)} `)}</p>`
  const described = isWrong
    ? html`aria-describedby="e h" aria-invalid="true" autofocus`
    : html`aria-describedby="h"`
  return html`<label for="n">${words.yourNumber}</label>
<div class="row"><select name="country" aria-label="${words.country}">${options}</select>
<input id="n" name="msisdn" type="tel" inputmode="tel" autocomplete="tel-national" required value="${typed?.msisdn}" ${described}></div>
${isWrong && html`<p id="e" class="err">${sentenceOf(problem, language)}</p>`}
<div id="h" class="soft">${countries.map(hint)}</div>
<button class="go" name="method" value="mobile" data-busy="${words.oneMoment}">${view.openAmount === undefined ? words.pay(html`<span class="n">${amount}</span>`) : words.give}</button>
<p class="soft">${words.payHint}</p>`
}

/** In a frame, the provider's page opens in a new tab, since providers refuse to be framed. */
function hostedButtons(
  { words, language, embeddedIn }: PageContext,
  methods: readonly LinkMethod[],
): Html {
  const newTab = embeddedIn !== undefined && html` formtarget="_blank"`
  const busy = html` data-busy="${words.oneMoment}"`
  const buttons = methods.map(
    (method) => html`
<button class="alt" name="method" value="${method}" formnovalidate${newTab || busy}>${methodIcon(method)}${methodOf(method).words[language].name}</button>`,
  )
  return html`<div class="row">${buttons}</div><p class="soft">${words.hostedHint}</p>`
}

function retryLink({ words, language, embeddedIn }: PageContext): Html {
  const frame = embeddedIn !== undefined && html`&amp;embed=${encodeURIComponent(embeddedIn)}`
  return html`<a class="alt" href="?lang=${language}${frame}">${words.retry}</a>`
}

/** A time that is shown in whole minutes must not be too early. */
const nextMinute = (at: number): number => Math.ceil(at / 60_000) * 60_000

/**
 * Leaving does not close the link: everyone with the link can leave. In a frame, the site has its
 * own close button.
 */
function leaveLink({ words, embeddedIn }: PageContext, { leaveUrl }: OpenLink): Html | false {
  const address = embeddedIn === undefined ? webAddress(leaveUrl) : undefined
  return (
    address !== undefined &&
    html`<a class="alt" href="${address}">${words.leave}</a><p class="soft">${words.leaveHint}</p>`
  )
}

/**
 * The fields of every form. In a frame: the origin of the site around it, and a field that the
 * script fills.
 */
function hiddenFields({ language, embeddedIn }: PageContext): Html {
  return html`<input type="hidden" name="lang" value="${language}">${
    embeddedIn !== undefined &&
    html`<input type="hidden" name="embed" value="${embeddedIn}"><input type="hidden" name="browser">`
  }`
}

interface WaitingView {
  heading(words: Words, operator: Html | string | undefined): Html
  steps(context: PageContext, state: WaitingLink): Html
}

/** By what the payer does. */
const WAITING: Readonly<Record<Method['by'], WaitingView>> = {
  prompt: { heading: (words, operator) => words.approve(operator), steps: onThePhone },
  redirect: { heading: (words) => html`${words.finish}`, steps: atTheProvider },
}

function waitingPart(context: PageContext, state: WaitingLink): Part {
  const { view, words, merchant, amount } = context
  const shown = WAITING[methodOf(state.method).by]
  const heading = (name: (operator: string) => Html | string): Html =>
    shown.heading(words, state.operator && name(state.operator))
  const body = html`<div class="head brief"><span><b>${merchant}</b><br>${purposeLine(view, words)}</span>
<b class="n">${amount}</b></div>
<div class="part"><div class="seal">${methodIcon(state.method)}</div>
<h1>${heading(operatorBadge)}</h1>
${shown.steps(context, state)}</div>`
  return { title: heading(operatorName), body }
}

function onThePhone({ words, amount }: PageContext, { msisdnShown }: WaitingLink): Html {
  const look =
    msisdnShown === undefined
      ? words.stepLookYours
      : words.stepLook(html`<b class="n">${msisdnShown}</b>`)
  return html`<ol><li>${look}</li><li>${words.stepCode(html`<b class="n">${amount}</b>`)}</li><li>${words.stepBack}</li></ol>
${statusLine(words.waiting, words.offline)}
<details><summary>${words.nothingCame}</summary><p class="soft">${words.nothingCameHint}</p></details>`
}

function atTheProvider(context: PageContext, { payerStep, canAbandon }: WaitingLink): Html {
  const { view, words, embeddedIn } = context
  const address = webAddress(goToOf(payerStep))
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

function succeededPart(context: PageContext, state: SucceededLink, leavesSoon: boolean): Part {
  const { words, merchant } = context
  const leaving = html`<p class="leaving soft" data-leaving>${words.backSoon}
<button class="link" data-do="stay" hidden>${words.stay}</button></p>`
  const body = html`${head(context, DONE, words.succeeded, words.thanks(merchant))}
<div class="part"><dl>${row(words.receipt.to, merchant)}${receipt(context, state)}</dl>
${tabOver(context)}${backLink(context, state.returnUrl)}${leavesSoon && leaving}${receiptLink(context, state.receiptUrl)}
<button class="alt" data-do="print" hidden>${words.print}</button></div>`
  return { title: words.succeeded, body }
}

/** Everyone with the link may know that it is paid. The receipt is only for the payer. */
function paidPart(context: PageContext, { mayProve }: PaidLink): Part {
  const { words, merchant } = context
  const body = html`${head(context, DONE, words.paid, words.paidHint)}
<div class="part"><dl>${row(words.receipt.to, merchant)}${receipt(context)}</dl>
<p class="soft">${words.receiptElsewhere} ${words.alreadyPaid(merchant)}</p>${tabOver(context)}${mayProve && proofForm(context)}</div>`
  return { title: words.paid, body }
}

/**
 * A frame gets no cookie: there the script sends the token that it kept, and the answer is the
 * receipt.
 */
const proofForm = (context: PageContext): Html =>
  html`<form method="post" action="/pay/${encodeURIComponent(context.view.reference)}/receipt" data-proof hidden>${hiddenFields(context)}</form>`

function refundedPart(context: PageContext, state: RefundedLink): Part {
  const { words, merchant } = context
  const body = html`${head(context, GIVEN_BACK, words.refunded, words.refundedHint)}
<div class="part"><dl>${row(words.receipt.to, merchant)}${receipt(context, state)}</dl>${tabOver(context)}${backLink(context, state.returnUrl)}${receiptLink(context, state.receiptUrl)}${state.mayProve && proofForm(context)}</div>`
  return { title: words.refunded, body }
}

function closedPart(context: PageContext, { because, returnUrl }: ClosedLink): Part {
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

function receipt(
  { view, words, language }: PageContext,
  paid: Partial<Debit> & { validatedAt?: number } = {},
): Html {
  const { validatedAt: paidAt, method, operator, operatorReference } = paid
  const { for: what, method: how, at } = words.receipt
  const found =
    method !== undefined && isHosted(method)
      ? words.receipt.providerReference
      : words.receipt.operatorReference
  return html`${row(what, purposeLine(view, words))}${method && row(how, methodOf(method).words[language].name)}${operator && row(words.receipt.operator, operatorBadge(operator))}${paidAt !== undefined && row(at, dayAndTime(paidAt, language))}${row(words.reference, whole(view.publicReference))}${operatorReference && row(found, whole(operatorReference))}`
}

/** The receipt that the payer can show: anyone can check it. */
function receiptLink(
  { language, embeddedIn }: PageContext,
  receiptUrl: string | undefined,
): Html | false {
  const newTab = embeddedIn !== undefined && html` target="_blank" rel="noopener"`
  return (
    receiptUrl !== undefined &&
    html`<a class="alt" href="${receiptUrl}?lang=${language}"${newTab}>${RECEIPT_WORDS[language].link}</a>`
  )
}

/**
 * From a frame, the provider's page opens in a new tab. Only the script knows that this is that
 * tab.
 */
const tabOver = ({ words, embeddedIn }: PageContext): Html | false =>
  embeddedIn !== undefined &&
  html`<p data-tab hidden><b>${words.tabOver}</b></p>
`

/** In a frame, the link opens in the page around it. */
function backLink(
  { merchant, words, embeddedIn }: PageContext,
  returnUrl: string | undefined,
): Html | false {
  const address = webAddress(returnUrl)
  const outOfFrame = embeddedIn !== undefined && html` target="_top"`
  return (
    address !== undefined &&
    html`<a class="go" href="${address}"${outOfFrame}>${words.backTo(merchant)}</a>`
  )
}

interface PageContext {
  view: LinkView
  language: Language
  words: Words
  merchant: Html
  amount: string
  sum: Html
  /**
   * The origin of the site around the frame; undefined outside a frame, and for a value that is not
   * an origin.
   */
  embeddedIn: string | undefined
}

type Part = { title: Html | string; body: Html }
