// The door for pages of merchants: the script behind their buttons, and links made with a public key. A browser may read the answer only
// on a site that the account lists; no cookie is ever asked for or believed (D-52).
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import { authenticateSite } from '../actions/keys/authenticate-site.ts'
import { createLinkFromSite } from '../actions/links/create-link-from-site.ts'
import type { CreateLinkDeps } from '../actions/links/create-payment-link.ts'
import { isRefused, type Refusal } from '../domain/refusal.ts'
import { sendError, sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { WireError } from '../wire/error.ts'
import { createdLinkBody, readLinkBody } from '../wire/link.ts'

export interface ButtonDeps extends CreateLinkDeps {
  hashKey(key: string): string
  pageUrl(linkReference: string): string
  /** How merchants are answered: as at their own door. */
  errors: Readonly<Record<PageRefusal, WireError>>
}

type Answers<Action extends (...given: never[]) => Promise<object>> = Awaited<ReturnType<Action>>
type PageRefusal =
  | 'key_malformed'
  | 'content_type_not_json'
  | Extract<Answers<typeof authenticateSite> | Answers<typeof createLinkFromSite>, { refused: Refusal }>['refused']

const LINKS_PATH = '/checkout/links'
const BODY_LIMIT_BYTES = 8_192
/** For an address: many payers share one, and none makes more than a few. */
const LINKS = { perSecond: 5, burst: 30 }
/** The script changes with the service: no page keeps an old one for long. */
const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page ask for it with `crossorigin`, and so see its errors whole.
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
}
/** For any site: whose key it is, and so which sites are listed, is known only when the request itself comes. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
}

const SCRIPT = smaller(readFileSync(new URL('checkout-button.js', import.meta.url), 'utf8'))

export function checkoutButton(app: FastifyInstance, deps: ButtonDeps): void {
  const mayMake = rateLimit(deps.clock, LINKS)

  app.get('/checkout.js', (_request, reply) => reply.headers(SCRIPT_HEADERS).send(SCRIPT))

  app.options(LINKS_PATH, (_request, reply) => reply.code(204).headers(PREFLIGHT_HEADERS).send())

  const onRequest: onRequestHookHandler = (request, reply, done) => {
    reply.headers({ vary: 'Origin', 'cache-control': 'no-store' })
    if (mayMake(request.ip)) done()
    else sendHouseError(reply, 'too_many_requests')
  }
  app.post(LINKS_PATH, { bodyLimit: BODY_LIMIT_BYTES, onRequest }, async (request, reply) => {
    const { authorization = '', origin, 'content-type': contentType = '' } = request.headers
    const [, key] = /^Bearer (\S+)$/.exec(authorization) ?? []
    if (key === undefined) return refuse(reply, 'key_malformed')
    if (contentType.toLowerCase() !== 'application/json') return refuse(reply, 'content_type_not_json')
    const site = await authenticateSite(deps, key, origin)
    if (isRefused(site)) return refuse(reply, site.refused)
    request.caller = site.caller
    reply.header('access-control-allow-origin', site.origin)
    const outcome = await createLinkFromSite(deps, site.caller, { site, order: readLinkBody(request.body) })
    // Not whose payment has the name already: anybody could ask.
    if (isRefused(outcome)) return refuse(reply, outcome.refused)
    request.paymentReference = outcome.reference
    return sendJson(reply, 200, createdLinkBody(outcome, deps.pageUrl(outcome.linkReference)))
  })

  function refuse(reply: FastifyReply, refused: PageRefusal): FastifyReply {
    return sendError(reply, deps.errors[refused])
  }
}

/** Without comments, indentation, and spaces and ends of lines beside signs; what is quoted stays as it is. */
function smaller(script: string): string {
  const lines = script.replace(/^\s*(\/\/.*)?\n/gm, '').replace(/^\s+/gm, '')
  const parts = lines.trim().split(/(`[^`]*`|'[^']*')/)
  return parts.map((part, at) => (at % 2 === 1 ? part : smallerCode(part))).join('')
}

function smallerCode(code: string): string {
  return code
    .replace(/\bconst\b/g, 'let')
    .replace(/ ?([=+?:<>!&|,{}()]+) ?/g, '$1')
    .replace(/,?\n([})\]])/g, '$1')
    .replace(/([{(,[])\n/g, '$1')
}
