// The pages of payment links: everyone with the link may see and pay it. The amount comes from the store.
// And the script of the buttons on merchants' pages.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as paying from '../actions/links/pay-payment-link.ts'
import { openLink } from '../actions/links/read-payment-link.ts'
import type { Payer } from '../domain/caller.ts'
import { type Country, isCountry } from '../domain/country.ts'
import type { Environment } from '../domain/environment.ts'
import { holdsCardNumber } from '../domain/free-text.ts'
import { mayReadReceipt } from '../domain/link-state.ts'
import { countryNamedIn, LONGEST_MSISDN } from '../domain/msisdn.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import type { ReceiptCodes } from '../domain/receipt-code.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { isStoreFailure, sendJson } from '../http/errors.ts'
import { isOwnForm, readForm, redirect, sendPage } from '../http/html.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { serveDocument } from '../http/send-document.ts'
import { linkPage } from './link-page.ts'
import { buildLinkView, type FormError } from './link-view.ts'
import { fieldOf, languageOf, message, stateMark } from './page-frame.ts'
import { sharePage } from './share-page.ts'

export interface CheckoutDeps extends paying.PayLinkDeps, paying.AbandonDeps, paying.ReturnDeps {
  /** Page views a second for each address (D-29). */
  publicRate: number
  operatorsIn(environment: Environment, country: Country, accountId: string): readonly string[]
  receiptCodes: ReceiptCodes
  receiptUrl(code: string): string
  /** Whether the environment's operators are simulated, so that no real money moves. */
  isSimulated(environment: Environment): boolean
}

const BODY_LIMIT_BYTES = 4_096
const LONGEST_AMOUNT = 20
/** Form posts for each address. Many phones share an address (carrier NAT), so this limit only stops programs. */
const FORMS = { perSecond: 10, burst: 60 }

export function checkout(app: FastifyInstance, deps: CheckoutDeps): void {
  const { clock } = deps
  const allowGet = rateLimit(clock, rateOf(deps.publicRate))
  const allowPost = rateLimit(clock, FORMS)

  onGet('/pay/:reference', async (request, reply, link) => {
    const { returned } = request.query as { returned?: string }
    const isRecognised = recognise(request, reply, link)
    const wasAsked = returned !== undefined && (await askNow(link))
    return wasAsked || isRecognised ? redirect(reply, here(request, link)) : show(request, reply, link)
  })
  onGet('/pay/:reference/share', async (request, reply, link) =>
    sendPage(reply, 200, sharePage(viewFor(request, link), languageOf(request))),
  )
  onGet('/pay/:reference/status', async (request, reply, link) => {
    const state = stateMark(viewFor(request, link).state)
    return sendJson(reply.header('cache-control', 'no-store'), 200, JSON.stringify({ state }))
  })

  onPost('/pay/:reference', async (request, reply, link) => {
    const form = readForm(request.body)
    const msisdn = (form.get('msisdn') ?? '').slice(0, LONGEST_MSISDN)
    // The country code of a number overrides the list of countries, which many payers do not change.
    const country = countryNamedIn(msisdn) ?? form.get('country') ?? ''
    // A typed amount overrides a suggested one.
    const amount = (form.get('amount') || form.get('suggested') || '').slice(0, LONGEST_AMOUNT)
    const typed = { country, msisdn, amount }
    const attempts = Number(form.get('attempt') ?? Number.NaN)
    const outcome = await paying.payPaymentLink(deps, payerOf(link), {
      method: form.get('method') ?? '',
      attempts,
      page: here(request, link),
      browserToken: frameTokenOf(request),
      ...typed,
    })
    if (!isRefused(outcome)) {
      const { linkReference, browserToken } = outcome
      const pageUrl = deps.pageUrl(linkReference)
      if (browserToken !== undefined) setAttemptCookie(request, reply, browserToken, { linkReference, pageUrl })
      return redirect(reply, outcome.goTo ?? here(request, { ...link, linkReference }))
    }
    const error = formErrorOf(outcome)
    if (error === undefined) return redirect(reply, here(request, link))
    // A card number typed by mistake is not shown again.
    const shown = { msisdn: holdsCardNumber(msisdn) ? '' : msisdn, amount: holdsCardNumber(amount) ? '' : amount }
    const kept = { typed: isCountry(country) ? { country, ...shown } : shown }
    const again = await openLink(deps, payerOf(link))
    if (error.rest !== undefined) {
      const seconds = Math.ceil((error.rest.until - clock.now()) / 1_000)
      reply.header('retry-after', String(Math.max(1, seconds)))
    }
    return show(request, reply, isRefused(again) ? link : again, { ...error, ...kept })
  })
  onPost('/pay/:reference/abandon', async (request, reply, link) => {
    await paying.abandonAttempt(deps, payerOf(link), { browserTokens: browserTokensOf(request) })
    return redirect(reply, here(request, link))
  })

  // A page in a frame shows that it is the payer's by a form, which its script sends.
  onPost('/pay/:reference/receipt', async (request, reply, link) => show(request, reply, link))

  /** Remembers a browser that the provider sent back with the payer's hash; false if nothing is new. */
  function recognise(request: FastifyRequest, reply: FastifyReply, link: PaymentLink): boolean {
    const { payer } = request.query as { payer?: unknown }
    if (typeof payer !== 'string' || payer !== link.browserHash) return false
    if (mayReadReceipt(link, browserTokensOf(request))) return false
    const { linkReference } = link
    setAttemptCookie(request, reply, payer, { linkReference, pageUrl: deps.pageUrl(linkReference) })
    return true
  }

  /** Polls the provider for a payer who returns from its page; false without an attempt to poll. */
  async function askNow(link: PaymentLink): Promise<boolean> {
    try {
      const outcome = await paying.returnFromProvider(deps, payerOf(link))
      return !isRefused(outcome) && outcome.asked
    } catch {
      return true
    }
  }

  type Handle = (request: FastifyRequest, reply: FastifyReply, link: PaymentLink) => Promise<FastifyReply>

  function onGet(url: string, handle: Handle): void {
    app.get(url, { exposeHeadRoute: true }, async (request, reply) => {
      if (!allowGet(request.ip)) return message(request, reply, 'too_many')
      return withLink(request, reply, handle)
    })
  }

  function onPost(url: string, handle: Handle): void {
    app.post(url, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
      if (!allowPost(request.ip)) return message(request, reply, 'too_many')
      // A form from another site is not carried out: the payer sees the current state of the link.
      if (!isOwnForm(request)) return withLink(request, reply, async (_, answer, link) => show(request, answer, link))
      return withLink(request, reply, handle)
    })
  }

  async function withLink(request: FastifyRequest, reply: FastifyReply, handle: Handle): Promise<FastifyReply> {
    const { reference } = request.params as { reference: string }
    try {
      const link = await openLink(deps, { is: 'payer', linkReference: reference })
      return isRefused(link) ? message(request, reply, 'not_found') : await handle(request, reply, link)
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      return message(request, reply, 'unavailable')
    }
  }

  function viewFor(request: FastifyRequest, link: PaymentLink, embeddedIn?: string, formError: FormError = {}) {
    return buildLinkView(link, {
      now: clock.now(),
      possible: deps.linkMethods(link.environment, link.accountId),
      operatorsIn: (country) => deps.operatorsIn(link.environment, country, link.accountId),
      isSimulated: deps.isSimulated(link.environment),
      pageUrl: deps.pageUrl(link.linkReference),
      receiptUrl: deps.receiptUrl(deps.receiptCodes.of(link)),
      embeddedIn,
      browserTokens: browserTokensOf(request),
      mayProve: request.method === 'GET',
      formError,
    })
  }

  function show(request: FastifyRequest, reply: FastifyReply, link: PaymentLink, formError: FormError = {}) {
    const embeddedIn = embeddingSite(request, link)
    const view = viewFor(request, link, embeddedIn, formError)
    const ancestors = embeddedIn === undefined ? [] : [embeddedIn]
    const code = formError.rest === undefined ? 200 : 429
    return sendPage(reply, code, linkPage(view, languageOf(request), ancestors))
  }
}

function embeddingSite(request: FastifyRequest, { origins }: Pick<PaymentLink, 'origins'>): string | undefined {
  const embed = fieldOf(request, 'embed')
  return origins.split(',').find((origin) => origin !== '' && origin === embed)
}

/** What the payer is shown about a refusal; undefined when the page alone shows it, loaded again. */
function formErrorOf(outcome: Refused): FormError | undefined {
  const { refused: problem } = outcome
  if (problem === 'payer_must_wait') return { rest: { why: outcome.why, until: outcome.until } }
  const isShown = problem === 'msisdn_not_valid' || problem === 'amount_not_valid' || problem === 'provider_unreachable'
  return isShown ? { problem } : undefined
}

const payerOf = ({ linkReference }: PaymentLink): Payer => ({ is: 'payer', linkReference })

function here(request: FastifyRequest, link: Pick<PaymentLink, 'linkReference' | 'origins'>): string {
  const embed = embeddingSite(request, link)
  const kept = new URLSearchParams({ lang: languageOf(request), ...(embed !== undefined && { embed }) })
  return `/pay/${link.linkReference}?${kept}`
}

const NAME = 'karba_attempt'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([0-9a-z.]+)`)
/** As long as a payer may look for the receipt: three months, like the life of a link. */
const LIFE_SECONDS = 90 * 24 * 60 * 60
/** One for each attempt of this browser, of which an earlier one may be paid late (ADR-0008). */
const MOST_TOKENS = 12

/** Secure where the page itself is. The new token comes before those that the browser already has for this link. */
function setAttemptCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  { linkReference, pageUrl }: { linkReference: string; pageUrl: string },
): void {
  const secure = pageUrl.startsWith('https:') ? '; Secure' : ''
  const place = `Path=/pay/${linkReference}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax${secure}`
  const tokens = [token, ...cookieTokensOf(request)].slice(0, MOST_TOKENS)
  reply.header('set-cookie', `${NAME}=${tokens.join('.')}; ${place}`)
}

function browserTokensOf(request: FastifyRequest): readonly string[] {
  const fromFrame = frameTokenOf(request)
  return fromFrame === undefined ? cookieTokensOf(request) : [fromFrame]
}

const cookieTokensOf = ({ headers }: FastifyRequest): string[] =>
  (COOKIE.exec(headers.cookie ?? '')?.[1] ?? '')
    .split('.')
    .filter((token) => token !== '')
    .slice(0, MOST_TOKENS)

/** What the script of a page in a frame has chosen for it. */
function frameTokenOf({ body }: FastifyRequest): string | undefined {
  const sent = readForm(body).get('browser') ?? ''
  return /^[0-9a-f]{32}$/.test(sent) ? sent : undefined
}

// Serves the script for the buttons on merchants' pages, which makes links by POST /checkout/links (D-52).

export interface ButtonScript {
  text: string
  /** For a page that pins this version. */
  path: string
  integrity: string
}

const FOLDER = new URL('scripts/', import.meta.url)

function scriptOf(file: string): ButtonScript {
  const text = readFileSync(new URL(file, FOLDER), 'utf8').trim()
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const integrity = `sha384-${createHash('sha384').update(text).digest('base64')}`
  return { text, path: `/checkout-${version}.js`, integrity }
}

export const BUTTON_SCRIPT = scriptOf('button.min.js')

/** With those of earlier versions, kept as `button-<version>.min.js` for the pages that pinned them. */
const SERVED_SCRIPTS: readonly ButtonScript[] = [
  BUTTON_SCRIPT,
  ...readdirSync(FOLDER)
    .filter((name) => /^button-.+\.min\.js$/.test(name))
    .map(scriptOf),
]

const SCRIPT_HEADERS = {
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page load it with `crossorigin`, and so check its integrity and see its errors in full.
  'access-control-allow-origin': '*',
}
/** /checkout.js changes with the service; an address with a version never changes. */
const LATEST = 'public, max-age=300'
const PINNED = 'public, max-age=31536000, immutable'

export function checkoutButton(app: FastifyInstance): void {
  serveScript(app, '/checkout.js', BUTTON_SCRIPT, LATEST)
  for (const script of SERVED_SCRIPTS) serveScript(app, script.path, script, PINNED)
}

function serveScript(app: FastifyInstance, url: string, { text }: ButtonScript, cacheControl: string): void {
  const contentType = 'text/javascript; charset=utf-8'
  serveDocument(app, url, () => ({ contentType, text, headers: SCRIPT_HEADERS, cacheControl }))
}
