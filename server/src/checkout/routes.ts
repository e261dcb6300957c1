// The pages of payment links: everyone with the link may see and pay it. The amount comes from the
// store.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PayLinkDeps } from '../actions/links/begin-attempt.ts'
import {
  type AbandonDeps,
  abandonAttempt,
  payPaymentLink,
  type ReturnDeps,
  returnFromProvider,
} from '../actions/links/pay-payment-link.ts'
import { openLink } from '../actions/links/read-payment-link.ts'
import { type Country, isCountry } from '../domain/countries/country.ts'
import { countryNamedIn, LONGEST_MSISDN } from '../domain/countries/msisdn.ts'
import type { Environment } from '../domain/environment.ts'
import { mayReadReceipt } from '../domain/links/link-state.ts'
import type { PaymentLink } from '../domain/links/payment-link.ts'
import type { ReceiptCodes } from '../domain/payments/receipt-code.ts'
import type { Payer } from '../domain/people/caller.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { holdsCardNumber } from '../domain/texts/free-text.ts'
import { isStoreFailure, sendJson } from '../http/errors.ts'
import { isOwnForm, readForm, redirect, sendPage } from '../http/html.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { linkPage } from './link-page.ts'
import { buildLinkView, type FormError } from './link-view.ts'
import { fieldOf, languageOf, message, stateMark } from './page-frame.ts'
import { browserTokensOf, frameTokenOf, setAttemptCookie } from './payer-browser.ts'
import { sharePage } from './share-page.ts'

export interface CheckoutDeps extends PayLinkDeps, AbandonDeps, ReturnDeps {
  /** Page views a second for each address (D-29). */
  publicRate: number
  operatorsIn(environment: Environment, country: Country, accountId: string): readonly string[]
  pausedIn(environment: Environment, country: Country, accountId: string): readonly string[]
  receiptCodes: ReceiptCodes
  receiptUrl(code: string): string
  /** Whether the environment's operators are simulated, so that no real money moves. */
  isSimulated(environment: Environment): boolean
}

const BODY_LIMIT_BYTES = 4_096
const LONGEST_AMOUNT = 20
/**
 * Form posts for each address. Many phones share an address (carrier NAT), so this limit only stops
 * programs.
 */
const FORMS = { perSecond: 10, burst: 60 }

export function checkout(app: FastifyInstance, deps: CheckoutDeps): void {
  const pages = new LinkPages(deps)
  const { onGet, onPost } = linkRoutes(app, deps, pages)
  onGet('/pay/:reference', async (request, reply, link) => {
    const { returned } = request.query as { returned?: string }
    const isRecognised = recognise(deps, request, reply, link)
    const wasAsked = returned !== undefined && (await askNow(deps, link))
    if (wasAsked || isRecognised) return redirect(reply, here(request, link))
    return pages.show(request, reply, link)
  })
  onGet('/pay/:reference/share', async (request, reply, link) =>
    sendPage(reply, 200, sharePage(pages.view(request, link), languageOf(request))),
  )
  onGet('/pay/:reference/status', async (request, reply, link) => {
    const state = stateMark(pages.view(request, link).state)
    return sendJson(reply.header('cache-control', 'no-store'), 200, JSON.stringify({ state }))
  })
  onPost('/pay/:reference', (request, reply, link) => pay(deps, pages, request, reply, link))
  onPost('/pay/:reference/abandon', async (request, reply, link) => {
    await abandonAttempt(deps, payerOf(link), { browserTokens: browserTokensOf(request) })
    return redirect(reply, here(request, link))
  })
  // A page in a frame shows that it is the payer's by a form, which its script sends.
  onPost('/pay/:reference/receipt', async (request, reply, link) =>
    pages.show(request, reply, link),
  )
}

type Handle = (
  request: FastifyRequest,
  reply: FastifyReply,
  link: PaymentLink,
) => Promise<FastifyReply>

/** Routes of one link, within the limits of their address. */
function linkRoutes(app: FastifyInstance, deps: CheckoutDeps, pages: LinkPages) {
  const allowGet = rateLimit(deps.clock, rateOf(deps.publicRate))
  const allowPost = rateLimit(deps.clock, FORMS)

  async function withLink(
    request: FastifyRequest,
    reply: FastifyReply,
    handle: Handle,
  ): Promise<FastifyReply> {
    const { reference } = request.params as { reference: string }
    try {
      const link = await openLink(deps, { is: 'payer', linkReference: reference })
      return isRefused(link)
        ? message(request, reply, 'not_found')
        : await handle(request, reply, link)
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      return message(request, reply, 'unavailable')
    }
  }
  return {
    onGet(url: string, handle: Handle): void {
      app.get(url, { exposeHeadRoute: true }, async (request, reply) => {
        if (!allowGet(request.ip)) return message(request, reply, 'too_many')
        return withLink(request, reply, handle)
      })
    },
    onPost(url: string, handle: Handle): void {
      app.post(url, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
        if (!allowPost(request.ip)) return message(request, reply, 'too_many')
        if (isOwnForm(request)) return withLink(request, reply, handle)
        // A form from another site is not carried out: the payer sees the link as it is.
        return withLink(request, reply, async (_, answer, link) =>
          pages.show(request, answer, link),
        )
      })
    },
  }
}

async function pay(
  deps: CheckoutDeps,
  pages: LinkPages,
  request: FastifyRequest,
  reply: FastifyReply,
  link: PaymentLink,
): Promise<FastifyReply> {
  const form = readForm(request.body)
  const typed = typedIn(form)
  const outcome = await payPaymentLink(deps, payerOf(link), {
    method: form.get('method') ?? '',
    attempts: Number(form.get('attempt') ?? Number.NaN),
    page: here(request, link),
    browserToken: frameTokenOf(request),
    ...typed,
  })
  if (!isRefused(outcome)) {
    const { linkReference, browserToken } = outcome
    const pageUrl = deps.pageUrl(linkReference)
    if (browserToken !== undefined)
      setAttemptCookie(request, reply, browserToken, { linkReference, pageUrl })
    return redirect(reply, outcome.goTo ?? here(request, { ...link, linkReference }))
  }
  const error = formErrorOf(outcome)
  if (error === undefined) return redirect(reply, here(request, link))
  if (error.cooldown !== undefined) {
    const seconds = Math.ceil((error.cooldown.until - deps.clock.now()) / 1_000)
    reply.header('retry-after', String(Math.max(1, seconds)))
  }
  const again = await openLink(deps, payerOf(link))
  return pages.show(request, reply, isRefused(again) ? link : again, {
    ...error,
    ...shownAgain(typed),
  })
}

type Typed = { country: string; msisdn: string; amount: string }

function typedIn(form: URLSearchParams): Typed {
  const msisdn = (form.get('msisdn') ?? '').slice(0, LONGEST_MSISDN)
  return {
    // The country code of a number overrides the list of countries, which many payers do not
    // change.
    country: countryNamedIn(msisdn) ?? form.get('country') ?? '',
    msisdn,
    // A typed amount overrides a suggested one.
    amount: (form.get('amount') || form.get('suggested') || '').slice(0, LONGEST_AMOUNT),
  }
}

/** A card number typed by mistake is not shown again. */
function shownAgain({ country, msisdn, amount }: Typed): Pick<FormError, 'typed'> {
  const withoutCard = (text: string): string => (holdsCardNumber(text) ? '' : text)
  const shown = { msisdn: withoutCard(msisdn), amount: withoutCard(amount) }
  return { typed: isCountry(country) ? { country, ...shown } : shown }
}

/**
 * Remembers a browser that the provider sent back with the payer's hash; false if nothing is new.
 */
function recognise(
  deps: CheckoutDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  link: PaymentLink,
): boolean {
  const { payer } = request.query as { payer?: unknown }
  if (typeof payer !== 'string' || payer !== link.browserHash) return false
  if (mayReadReceipt(link, browserTokensOf(request))) return false
  const { linkReference } = link
  setAttemptCookie(request, reply, payer, { linkReference, pageUrl: deps.pageUrl(linkReference) })
  return true
}

/** Polls the provider for a payer who returns from its page; false without an attempt to poll. */
async function askNow(deps: CheckoutDeps, link: PaymentLink): Promise<boolean> {
  try {
    const outcome = await returnFromProvider(deps, payerOf(link))
    return !isRefused(outcome) && outcome.asked
  } catch {
    return true
  }
}

/** What a request sees of a link. */
class LinkPages {
  readonly #deps: CheckoutDeps

  constructor(deps: CheckoutDeps) {
    this.#deps = deps
  }

  view(request: FastifyRequest, link: PaymentLink, formError: FormError = {}, embeddedIn?: string) {
    const deps = this.#deps
    return buildLinkView(link, {
      now: deps.clock.now(),
      possible: deps.linkMethods(link.environment, link.accountId),
      operatorsIn: (country) => deps.operatorsIn(link.environment, country, link.accountId),
      pausedIn: (country) => deps.pausedIn(link.environment, country, link.accountId),
      isSimulated: deps.isSimulated(link.environment),
      pageUrl: deps.pageUrl(link.linkReference),
      receiptUrl: deps.receiptUrl(deps.receiptCodes.of(link)),
      embeddedIn,
      browserTokens: browserTokensOf(request),
      mayProve: request.method === 'GET',
      formError,
    })
  }

  show(request: FastifyRequest, reply: FastifyReply, link: PaymentLink, formError: FormError = {}) {
    const embeddedIn = embeddingSite(request, link)
    const ancestors = embeddedIn === undefined ? [] : [embeddedIn]
    const code = formError.cooldown === undefined ? 200 : 429
    const page = linkPage(
      this.view(request, link, formError, embeddedIn),
      languageOf(request),
      ancestors,
    )
    return sendPage(reply, code, page)
  }
}

function embeddingSite(
  request: FastifyRequest,
  { origins }: Pick<PaymentLink, 'origins'>,
): string | undefined {
  const embed = fieldOf(request, 'embed')
  return origins.split(',').find((origin) => origin !== '' && origin === embed)
}

/**
 * What the payer is shown about a refusal; undefined when the page alone shows it, loaded again.
 */
function formErrorOf(outcome: Refused): FormError | undefined {
  switch (outcome.refused) {
    case 'payer_must_wait':
      return { cooldown: { why: outcome.why, until: outcome.until } }
    case 'msisdn_not_valid':
    case 'amount_not_valid':
    case 'provider_unreachable':
    case 'payer_operator_closed':
      return { problem: outcome }
    default:
      return undefined
  }
}

const payerOf = ({ linkReference }: PaymentLink): Payer => ({ is: 'payer', linkReference })

function here(
  request: FastifyRequest,
  link: Pick<PaymentLink, 'linkReference' | 'origins'>,
): string {
  const embed = embeddingSite(request, link)
  const kept = new URLSearchParams({
    lang: languageOf(request),
    ...(embed !== undefined && { embed }),
  })
  return `/pay/${link.linkReference}?${kept}`
}
