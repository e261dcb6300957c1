// The layout of every page: head, header band, footer, and its style and script, inlined so that a
// page is one request. Their files are read at the start; style sheets are minified then, scripts
// by `npm run minify`. And what pages read of a request.
import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OPERATORS, shownOperator } from '../domain/countries/country.ts'
import { type LinkMethod, methodOf } from '../domain/methods/methods.ts'
import type { Language } from '../domain/texts/language.ts'
import {
  contentSecurityPolicy,
  type Html,
  html,
  isolated,
  type Page,
  policyHash,
  readForm,
  sendPage,
  trusted,
} from '../http/html.ts'
import type { LinkState, LinkView, ShopBrand } from './link-view.ts'
import { WORDS, type Words } from './words.ts'

// The icons, as SVG of 24 by 24. The logo is a coin above a calabash: karɓa is Hausa for to
// receive.

const icon = (drawing: string): Html =>
  trusted(`<svg viewBox="0 0 24 24" aria-hidden="true">${drawing}</svg>`)

const CALABASH = 'M2 12h20a10 10 0 0 1-20 0z'

export const MARK = icon(
  `<path fill="currentColor" stroke="none" d="${CALABASH}"/><circle cx="12" cy="5.5" r="4" fill="#f2b34c" stroke="none"/>`,
)

export const MARK_FILE = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path fill='#2b3583' d='${CALABASH}'/><circle cx='12' cy='5.5' r='4' fill='#f2b34c'/></svg>`

/** The logo as the page's icon, so that browsers do not request /favicon.ico. */
export const MARK_ADDRESS = trusted(`data:image/svg+xml,${MARK_FILE.replaceAll('#', '%23')}`)

export const methodIcon = (method: LinkMethod): Html => icon(methodOf(method).icon)

export const DONE = icon('<path d="m5 12.5 5 5L19.5 7"/>')
export const GIVEN_BACK = icon('<path d="M9 6 4 11l5 5M4 11h10a5 5 0 0 1 0 10h-3"/>')
export const OVER = icon('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>')
export const STOPPED = icon('<path d="m6 6 12 12M18 6 6 18"/>')
export const LOST = icon('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 5 5"/>')

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** One line, so that its hash does not depend on the line endings of a git checkout. */
const SCRIPT = read('scripts/page.min.js').trim()

const sheet = (name: string): string =>
  read(`styles/${name}.css`)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/ \/ /g, '/')
    .replace(/\b0\./g, '.')
    .replace(/;}/g, '}')
    .trim()

const sheets = (...names: string[]): string =>
  ['colours', 'every-page', ...names].map(sheet).join('')

const BADGE_COLOURS = OPERATORS.map(
  ({ operator, colour, textColour }) => `.${operator}{color:${textColour};background:${colour}}`,
).join('')

const STYLES = {
  open: sheets('open', 'badge') + BADGE_COLOURS,
  amount: sheets('open', 'badge', 'amount') + BADGE_COLOURS,
  waiting: sheets('seal', 'waiting', 'badge') + BADGE_COLOURS,
  final: sheets('seal', 'final', 'badge') + BADGE_COLOURS + sheet('print'),
  share: sheets('open', 'final', 'share', 'print'),
  receipt: sheets('seal', 'final', 'receipt', 'print'),
}

type Kind = keyof typeof STYLES

/**
 * Two thirds of a page never change and are encoded once: encoding is most of what a page costs.
 */
const SCRIPT_BYTES = Buffer.from(`${SCRIPT}</script></body></html>\n`)
const STYLE_BYTES = Object.fromEntries(
  Object.entries(STYLES).map(([kind, text]) => [kind, Buffer.from(text)]),
) as Readonly<Record<Kind, Buffer>>

const SCRIPT_HASH = policyHash(SCRIPT)
const STYLE_HASHES = Object.fromEntries(
  Object.entries(STYLES).map(([kind, text]) => [kind, policyHash(text)]),
) as Readonly<Record<Kind, string>>

type StateClass = 'open' | 'waiting' | 'succeeded' | 'paid' | 'refunded' | 'closed'

/**
 * The colour of the header band, for the phone's status bar too; the style sheet has the same
 * values.
 */
const BAND: Readonly<Record<StateClass, string>> = {
  open: '#2b3583',
  waiting: '#2b3583',
  succeeded: '#0f6b45',
  paid: '#0f6b45',
  refunded: '#4d4a5c',
  closed: '#4d4a5c',
}

export interface Frame {
  language: Language
  kind: Kind
  stateClass: StateClass
  title: Html | string
  body: Html
  /**
   * More for the HTML head: the preview for messengers, and the redirect for browsers without
   * JavaScript.
   */
  head?: Html
  /** What the script reads of the page: attributes data-… of the body. */
  data?: Readonly<Record<string, string | number | undefined>>
  isSimulated?: boolean
  brand?: ShopBrand | undefined
  inLanguage?(language: Language): string
  /** Adds a button that asks the site around the frame to close it. */
  isEmbedded?: boolean
  formsMayLeadTo?: readonly string[]
  frameAncestors?: readonly string[]
}

export function framed(frame: Frame): Page {
  const {
    language,
    kind,
    stateClass,
    title,
    body,
    head,
    data = {},
    isSimulated,
    isEmbedded,
  } = frame
  const {
    inLanguage = (other) => `?lang=${other}`,
    formsMayLeadTo = [],
    frameAncestors = [],
  } = frame
  const { colour, logoUrl, phone } = frame.brand ?? {}
  const isInColour = colour !== undefined && (kind === 'open' || kind === 'waiting')
  const shopStyle = isInColour ? styleInColour(colour) : ''
  const words = WORDS[language]
  const other = language === 'fr' ? 'en' : 'fr'
  const attributes = Object.entries(data).map(
    ([name, value]) => value !== undefined && html` data-${trusted(name)}="${value}"`,
  )
  const top = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" content="${isInColour ? colour : BAND[stateClass]}">
<meta name="format-detection" content="telephone=no">
${head}<link rel="icon" href="${MARK_ADDRESS}">
<style>`
  const rest = html`</style>${shopStyle !== '' && html`<style>${trusted(shopStyle)}</style>`}</head>
<body class="${stateClass}"${attributes}>
<header>${logoUrl !== undefined && html`<img class="logo" src="${logoUrl}" alt="">`}<b>${MARK}Karba</b><a href="${inLanguage(other)}" hreflang="${other}" lang="${other}">${words.otherLanguage}</a>
${isEmbedded && html`<button class="link" data-do="close" aria-label="${words.close}" hidden>✕</button>`}
${isSimulated && html`<p class="test">${words.test}</p>`}</header>
${body}
<footer>${phone !== undefined && html`<p><a href="tel:${phone.replace(/[ .-]/g, '')}">${phone}</a></p>`}${(kind === 'open' || kind === 'waiting') && words.footer}</footer>
<script>`
  return {
    html: Buffer.concat([bytesOf(top), STYLE_BYTES[kind], bytesOf(rest), SCRIPT_BYTES]),
    contentSecurityPolicy: contentSecurityPolicy({
      styles: [STYLE_HASHES[kind], ...(shopStyle === '' ? [] : [policyHash(shopStyle)])],
      scripts: [SCRIPT_HASH],
      formsMayLeadTo,
      frameAncestors,
    }),
  }
}

/** In the dark, the shop's colour would be too dark for text. */
const styleInColour = (colour: string): string =>
  `:root{--band:${colour};--act:${colour}}@media not all and (prefers-color-scheme:dark){:root{--brand:${colour}}}`

const bytesOf = (text: Html): Buffer => Buffer.from(text.toString())

export type Message = 'not_found' | 'no_page' | 'too_many' | 'unavailable'

export function messagePage(kind: Message, language: Language): Page {
  const words = WORDS[language]
  const [title, text] = words.messages[kind] as [string, string]
  return framed({
    language,
    kind: 'final',
    stateClass: 'closed',
    title: `${title} – Karba`,
    body: html`<main><div class="head"><div class="seal">${kind === 'not_found' || kind === 'no_page' ? LOST : OVER}</div>
<h1>${title}</h1><p>${text}</p>
${kind === 'no_page' && html`<a class="go" href="/">${words.toHome}</a>`}${(kind === 'too_many' || kind === 'unavailable') && html`<a class="go" href="?lang=${language}">${words.retry}</a>`}</div></main>`,
  })
}

/** Of a list of facts. */
export const row = (
  name: string,
  value: Html | string,
): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`

/** One tap selects all of it, to be copied. */
export const whole = (reference: string): Html => html`<bdi class="whole">${reference}</bdi>`

export function operatorBadge(operator: string): Html {
  const shown = shownOperator(operator)
  return shown === undefined
    ? html`<b>${operator}</b>`
    : html`<b class="badge n ${operator}">${shown.name}</b>`
}

type Purpose = { main: Html | undefined; fromPage: Html | undefined }

function purposeOf({ title, pageTitle }: LinkView, words: Words): Purpose {
  const untitled = pageTitle === undefined ? html`${words.onlinePayment}` : undefined
  return {
    main: title === undefined ? untitled : isolated(title),
    fromPage: pageTitle === undefined ? undefined : html`${words.pageSays} ${isolated(pageTitle)}`,
  }
}

export function purposeLine(view: LinkView, words: Words): Html {
  const { main, fromPage } = purposeOf(view, words)
  return html`${main}${main && fromPage && html`<br>`}${fromPage}`
}

export function purposeHeading(view: LinkView, words: Words): Html {
  const { main, fromPage } = purposeOf(view, words)
  return html`${main && html`<p><b>${main}</b></p>`}${fromPage && html`<p class="soft">${fromPage}</p>`}`
}

/**
 * For previews and messages, which are read away from the page: never the words of an unsigned
 * page.
 */
export const plainPurpose = ({ title }: LinkView, words: Words): string =>
  title ?? words.onlinePayment

export function stateMark(state: LinkState): string {
  // The state is the link's, the same for every visitor.
  const name = state.is === 'paid' ? 'succeeded' : state.is
  return `${name}:${'attempts' in state ? state.attempts : 0}`
}

/**
 * The state as a payment status of the contract (D-14), for the site whose frame shows the page.
 */
export const FRAME_STATUS: Readonly<Record<LinkState['is'], string>> = {
  open: 'initiated',
  waiting: 'pending',
  succeeded: 'succeeded',
  paid: 'succeeded',
  refunded: 'refunded',
  closed: 'failed',
}

// What every payers' page reads of a request, and its short answers: fields, the language,
// messages.

export function message(request: FastifyRequest, reply: FastifyReply, kind: Message): FastifyReply {
  const code = { not_found: 404, no_page: 404, too_many: 429, unavailable: 503 }[kind]
  if (code !== 404) reply.header('retry-after', '5')
  return sendPage(reply, code, messagePage(kind, languageOf(request)))
}

/** The page for an unknown address of any part of the service. */
export const missingPage = (acceptLanguage: string): Page =>
  messagePage('no_page', preferredLanguage(acceptLanguage))

export function fieldOf(request: FastifyRequest, name: string): string | undefined {
  const asked = (request.query as Record<string, unknown>)[name] ?? readForm(request.body).get(name)
  return typeof asked === 'string' ? asked : undefined
}

export function languageOf(request: FastifyRequest): Language {
  const chosen = fieldOf(request, 'lang')
  if (chosen === 'fr' || chosen === 'en') return chosen
  return preferredLanguage(request.headers['accept-language'] ?? '')
}

/**
 * French unless English is liked better: what the browser likes as well as French, most payers here
 * do not.
 */
export function preferredLanguage(acceptLanguage: string): Language {
  const liked = { fr: 0, en: 0 }
  for (const range of acceptLanguage.toLowerCase().split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const language = tag.split('-', 1)[0] as Language
    if (!Object.hasOwn(liked, language)) continue
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
    liked[language] = Math.max(liked[language], Number(weight) || 0)
  }
  return liked.en > liked.fr ? 'en' : 'fr'
}
