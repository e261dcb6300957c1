// Door 2: the pages behind payment links. Needs no key: whoever has the link may see it and pay it, and nothing here is believed of what a
// browser says about amounts.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AbandonDeps, abandonAttempt } from '../actions/links/abandon-attempt.ts'
import { type CloseLinkDeps, closePaymentLink } from '../actions/links/close-payment-link.ts'
import { type PayLinkDeps, payPaymentLink } from '../actions/links/pay-payment-link.ts'
import { findLinkToShow, type LinkRow } from '../actions/links/read-payment-link.ts'
import { isCountry } from '../domain/country.ts'
import type { Environment } from '../domain/environment.ts'
import { isStoreAway, sendJson } from '../http/errors.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { isOwnForm, readForm, redirect, sendPage } from '../http/send-page.ts'
import { buildLinkView } from './build-link-view.ts'
import { linkPage } from './link-page.ts'
import type { Language, OpenLink } from './link-view.ts'
import { type Message, messagePage } from './message-page.ts'
import { sharePage } from './share-page.ts'
import { stateMark } from './state-mark.ts'

export interface CheckoutDeps extends PayLinkDeps, AbandonDeps, CloseLinkDeps {
  /** Looks a second for each address. */
  publicRate: number
  /** Whether money is only played with there. */
  isSimulated(environment: Environment): boolean
  /** Asks the operator now: the payer is back from its page. */
  askNow(paymentReference: string): Promise<void>
}

const BODY_LIMIT_BYTES = 4_096
/** Many payers share an address where phones reach the internet through one: this is a limit for machines. */
const FORMS = { perSecond: 10, burst: 60 }
const LONGEST_TYPED = 40

export function checkout(app: FastifyInstance, deps: CheckoutDeps): void {
  const { clock } = deps
  const mayLook = rateLimit(clock, rateOf(deps.publicRate))
  const mayAct = rateLimit(clock, FORMS)

  look('/pay/:reference', async (request, reply, row) => {
    const { returned } = request.query as { returned?: string }
    // Once it is settled there is nothing to ask, however often somebody comes back.
    if (returned !== undefined && row.attempt_status === 'pending' && row.method !== 'mobile') {
      // Should the provider not answer now, the page waits as it would have.
      await deps.askNow(row.reference).catch(() => {})
      return redirect(reply, here(request, row))
    }
    return show(request, reply, row)
  })
  look('/pay/:reference/share', async (request, reply, row) =>
    sendPage(reply, 200, sharePage(viewFor(row), languageOf(request))),
  )
  look('/pay/:reference/status', async (_request, reply, row) =>
    sendJson(reply.header('cache-control', 'no-store'), 200, JSON.stringify({ state: stateMark(viewFor(row).state) })),
  )

  act('/pay/:reference', async (request, reply, row) => {
    const form = readForm(request.body)
    const typed = { country: form.get('country') ?? '', msisdn: (form.get('msisdn') ?? '').slice(0, LONGEST_TYPED) }
    const attempts = Number(form.get('attempt') ?? Number.NaN)
    const outcome = await payPaymentLink(deps, row.link_reference, {
      method: form.get('method') ?? '',
      attempts,
      page: here(request, row),
      ...typed,
    })
    if (outcome.is === 'refused') {
      const { country, msisdn } = typed
      const kept = isCountry(country) ? { typed: { country, msisdn } } : {}
      const again = (await findLinkToShow(deps.db, row.link_reference)) ?? row
      return show(request, reply, again, { problem: outcome.problem, ...kept })
    }
    return redirect(reply, outcome.is === 'begun' && outcome.goTo !== undefined ? outcome.goTo : here(request, row))
  })
  act('/pay/:reference/abandon', async (request, reply, row) => {
    await abandonAttempt(deps, row.link_reference)
    return redirect(reply, here(request, row))
  })
  act('/pay/:reference/cancel', async (request, reply, row) => {
    await closePaymentLink(deps, row.link_reference, 'cancelled')
    return redirect(reply, here(request, row))
  })

  type Handle = (request: FastifyRequest, reply: FastifyReply, row: LinkRow) => Promise<FastifyReply>

  function look(url: string, handle: Handle): void {
    app.get(url, async (request, reply) => {
      if (!mayLook(request.ip)) return message(request, reply, 'too_many')
      return withLink(request, reply, handle)
    })
  }

  function act(url: string, handle: Handle): void {
    app.post(url, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
      if (!mayAct(request.ip)) return message(request, reply, 'too_many')
      // A form of another site: what it wanted is not done, and the payer sees where the link stands.
      if (!isOwnForm(request)) return withLink(request, reply, async (_, answer, row) => show(request, answer, row))
      return withLink(request, reply, handle)
    })
  }

  async function withLink(request: FastifyRequest, reply: FastifyReply, handle: Handle): Promise<FastifyReply> {
    const { reference } = request.params as { reference: string }
    try {
      const row = await findLinkToShow(deps.db, reference)
      return row === undefined ? message(request, reply, 'not_found') : await handle(request, reply, row)
    } catch (error) {
      if (!isStoreAway(error)) throw error
      return message(request, reply, 'unavailable')
    }
  }

  function viewFor(row: LinkRow, embeddedIn?: string, trouble: Pick<OpenLink, 'problem' | 'typed'> = {}) {
    return buildLinkView(row, {
      now: clock.now(),
      possible: deps.linkMethods(row.environment),
      isSimulated: deps.isSimulated(row.environment),
      pageUrl: deps.pageUrl(row.link_reference),
      embeddedIn,
      trouble,
    })
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    row: LinkRow,
    trouble: Pick<OpenLink, 'problem' | 'typed'> = {},
  ): FastifyReply {
    const embed = fieldOf(request, 'embed')
    const origins = row.origins.split(',').filter((origin) => origin !== '')
    const embeddedIn = origins.find((origin) => origin === embed)
    const view = viewFor(row, embeddedIn, trouble)
    const ancestors = embeddedIn === undefined ? [] : [embeddedIn]
    return sendPage(reply, 200, linkPage(view, languageOf(request), ancestors))
  }
}

function message(request: FastifyRequest, reply: FastifyReply, kind: Message): FastifyReply {
  const code = { not_found: 404, too_many: 429, unavailable: 503 }[kind]
  if (code !== 404) reply.header('retry-after', '5')
  return sendPage(reply, code, messagePage(kind, languageOf(request)))
}

/** The link's page in the language and the frame that the payer has it in. */
function here(request: FastifyRequest, row: LinkRow): string {
  const embed = fieldOf(request, 'embed')
  const kept = new URLSearchParams({ lang: languageOf(request), ...(embed !== undefined && { embed }) })
  return `/pay/${row.link_reference}?${kept}`
}

/** In the address, or in the form that was sent. */
function fieldOf(request: FastifyRequest, name: string): string | undefined {
  const asked = (request.query as Record<string, unknown>)[name] ?? readForm(request.body).get(name)
  return typeof asked === 'string' ? asked : undefined
}

/** By choice, else by the browser, else French. */
function languageOf(request: FastifyRequest): Language {
  const chosen = fieldOf(request, 'lang')
  if (chosen === 'fr' || chosen === 'en') return chosen
  const preferred = /\b(fr|en)\b/i.exec(request.headers['accept-language'] ?? '')
  return preferred?.[1]?.toLowerCase() === 'en' ? 'en' : 'fr'
}
