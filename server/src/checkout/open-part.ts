// The link's page while it can be paid: what for, how much, and every method. One form, so that the Enter key presses the button that
// belongs to the phone number.

import { COUNTRIES, type Country } from '../domain/country.ts'
import { type Html, html, webAddress } from '../http/html.ts'
import { sentenceOf } from '../wire/refusals.ts'
import { isoTime, isSameDay, writeAmount, writeDay, writeTime } from './amounts-and-times.ts'
import { METHOD_ICONS } from './icons.ts'
import type { LinkView, Method, OpenLink } from './link-view.ts'
import { operatorBadge } from './operator-badge.ts'
import type { PageContext, Part } from './page-context.ts'
import { purposeHeading } from './purpose.ts'

export function openPart(context: PageContext, state: OpenLink): Part {
  const { view, words, merchant, amount, sum } = context
  // A rest of the link itself: no number and no method helps.
  const mustRest = state.rest?.why === 'link'
  const part = html`<div class="head"><h1><small class="soft">${words.paymentTo}</small> ${merchant}</h1>
${sum}
${purposeHeading(view, words)}
${view.description !== undefined && html`<p class="soft">${view.description}</p>`}
<p class="soft">${words.reference} <span class="n">${view.publicReference}</span>${expiry(context)}</p></div>
<div class="part">${note(context, state)}
${state.methods.length === 0 ? html`<p>${words.noMethod}</p>` : mustRest ? retryLink(context) : methodForm(context, state)}
${leaveLink(context, state)}</div>`
  return { title: view.openAmount === undefined ? words.pay(html`${amount}`) : words.give, body: part }
}

function expiry({ view: { expiresAt, now }, language, words }: PageContext): Html | false {
  if (expiresAt === undefined) return false
  const time = writeTime(expiresAt, language)
  const text = isSameDay(now, expiresAt)
    ? words.validUntil(time)
    : words.validUntilDay(writeDay(expiresAt, language), time)
  return html`<br><time datetime="${isoTime(expiresAt)}">${text}</time>`
}

/** Why the payer sees this page again. A phone number that is not valid is reported at its field instead. */
function note({ words, language }: PageContext, { problem, rest, lastFailure, lastMethod }: OpenLink): Html | false {
  if (rest !== undefined) {
    const until = nextMinute(rest.until)
    const time = html`<time class="n" datetime="${isoTime(until)}">${writeTime(until, language)}</time>`
    return html`<p class="note" role="alert">${words.rests[rest.why](time)}</p>`
  }
  if (problem === 'msisdn_not_valid' || problem === 'amount_not_valid') return false
  if (problem !== undefined) return html`<p class="note" role="alert">${sentenceOf({ refused: problem }, language)}</p>`
  if (lastFailure === undefined) return false
  const why =
    lastFailure === 'declined' && lastMethod === 'bank_card' ? words.cardDeclined : words.failures[lastFailure]
  return html`<p class="note" role="alert"><b>${words.notDone}</b> ${why}</p>`
}

function methodForm(context: PageContext, state: OpenLink): Html {
  const { view, words } = context
  const hosted = state.methods.filter((method) => method !== 'mobile')
  const hasMobile = state.methods.includes('mobile')
  return html`<form method="post" action="/pay/${encodeURIComponent(view.reference)}">${hiddenFields(context)}
<input type="hidden" name="attempt" value="${state.attempts}">
${view.openAmount !== undefined && amountFields(context, state, view.openAmount)}
${hasMobile && mobileFields(context, state)}
${hasMobile && hosted.length > 0 && html`<p class="or soft">${words.otherwise}</p>`}
${hosted.length > 0 && hostedButtons(context, hosted)}</form>`
}

/** Suggestions to choose from, and a field for any other amount: without a script both work, and what is typed wins. */
function amountFields(
  { words, language }: PageContext,
  { problem, typed }: OpenLink,
  { minimumXof, suggestedXof }: NonNullable<LinkView['openAmount']>,
): Html {
  const isWrong = problem === 'amount_not_valid'
  const isChosen = (each: number): boolean => typed?.amount === String(each)
  const choices = suggestedXof.map(
    (each) =>
      html`<label class="pick"><input type="radio" name="suggested" value="${each}"${isChosen(each) && html` checked`}><span>${writeAmount(each, language)}</span></label>`,
  )
  const own = suggestedXof.some(isChosen) ? undefined : typed?.amount
  const described = isWrong ? html`aria-describedby="ae ah" aria-invalid="true" autofocus` : html`aria-describedby="ah"`
  const least = writeAmount(minimumXof, language)
  return html`${choices.length > 0 && html`<fieldset class="picks"><legend>${words.chooseAmount}</legend>${choices}</fieldset>`}
<label for="m">${choices.length > 0 ? words.otherAmount : words.yourAmount}</label>
<input id="m" name="amount" inputmode="numeric" autocomplete="off" maxlength="15" value="${own}" ${described}>
${isWrong && html`<p id="ae" class="err">${words.amountProblem(least)}</p>`}
<p id="ah" class="soft">${words.amountHint(least)}</p>`
}

function mobileFields({ view, words, language, amount }: PageContext, { problem, typed, operators }: OpenLink): Html {
  const isWrong = problem === 'msisdn_not_valid'
  const countries = COUNTRIES.filter((country) => operators[country].length > 0)
  const options = countries.map(
    (country) =>
      html`<option value="${country}"${country === typed?.country && html` selected`}>${words.countries[country]}</option>`,
  )
  const hint = (country: Country): Html =>
    html`<p data-country="${country}">${words.numberHints[country]}<br>${operators[country].map((each) => html`${operatorBadge(each)} `)}</p>`
  const described = isWrong ? html`aria-describedby="e h" aria-invalid="true" autofocus` : html`aria-describedby="h"`
  return html`<label for="n">${words.yourNumber}</label>
<div class="row"><select name="country" aria-label="${words.country}">${options}</select>
<input id="n" name="msisdn" type="tel" inputmode="tel" autocomplete="tel-national" required value="${typed?.msisdn}" ${described}></div>
${isWrong && html`<p id="e" class="err">${sentenceOf({ refused: problem }, language)}</p>`}
<div id="h" class="soft">${countries.map(hint)}</div>
<button class="go" name="method" value="mobile" data-busy="${words.oneMoment}">${view.openAmount === undefined ? words.pay(html`<span class="n">${amount}</span>`) : words.give}</button>
<p class="soft">${words.payHint}</p>`
}

/** In a frame, the provider's page opens in a new tab, since providers refuse to be framed. */
function hostedButtons({ words, embeddedIn }: PageContext, methods: readonly Method[]): Html {
  const newTab = embeddedIn !== undefined && html` formtarget="_blank"`
  const busy = html` data-busy="${words.oneMoment}"`
  const buttons = methods.map(
    (method) => html`
<button class="alt" name="method" value="${method}" formnovalidate${newTab || busy}>${METHOD_ICONS[method]}${words.methods[method]}</button>`,
  )
  return html`<div class="row">${buttons}</div><p class="soft">${words.hostedHint}</p>`
}

function retryLink({ words, language, embeddedIn }: PageContext): Html {
  const frame = embeddedIn !== undefined && html`&amp;embed=${encodeURIComponent(embeddedIn)}`
  return html`<a class="alt" href="?lang=${language}${frame}">${words.retry}</a>`
}

/** A time that is shown in whole minutes must not be too early. */
const nextMinute = (at: number): number => Math.ceil(at / 60_000) * 60_000

/** Leaving closes nothing: anybody who has the link could leave. In a frame, the site around it has its own way to close it. */
function leaveLink({ words, embeddedIn }: PageContext, { leaveUrl }: OpenLink): Html | false {
  const address = embeddedIn === undefined ? webAddress(leaveUrl) : undefined
  return (
    address !== undefined &&
    html`<a class="alt" href="${address}">${words.leave}</a><p class="soft">${words.leaveHint}</p>`
  )
}

/** The fields of every form: the language, the origin of the site around the frame, and there a field that the script fills. */
export function hiddenFields({ language, embeddedIn }: PageContext): Html {
  return html`<input type="hidden" name="lang" value="${language}">${
    embeddedIn !== undefined &&
    html`<input type="hidden" name="embed" value="${embeddedIn}"><input type="hidden" name="browser">`
  }`
}
