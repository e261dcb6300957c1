// POST /checkout/links: a merchant's page makes a payment link with the public key. A browser may
// read the answer only on a site that the account lists; cookies are neither set nor read (D-52).
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import { authenticateSite } from '../actions/keys/authenticate-key.ts'
import type { OrderKeysDeps } from '../actions/keys/manage-keys.ts'
import { type CreateLinkDeps, createLinkFromSite } from '../actions/links/create-payment-link.ts'
import type { KeyHasher } from '../domain/people/api-key.ts'
import { isRefused, type RefusedAs } from '../domain/refusals/refusal.ts'
import { sendError, sendGeneralError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import {
  ERROR_CODE_HEADER,
  ERROR_HINT_HEADER,
  ERROR_PARAM_HEADER,
  PAGE_BODY_LIMIT_BYTES,
} from '../wire/error.ts'
import { createdLinkBody, readLinkBody, signedOrderIn } from '../wire/link.ts'
import { errorParam, WIRE_ERRORS } from '../wire/refusals.ts'
import {
  headCheckOf,
  keyOf,
  OPERATIONS,
  PAGE_LINK_RATE,
  type RefusalOf,
  routeOf,
} from './contract.ts'

export interface PageLinksDeps extends CreateLinkDeps, OrderKeysDeps {
  hashKey: KeyHasher
  pageUrl(linkReference: string): string
}

/**
 * The same for any site: a preflight carries no key, so the account and its listed sites are not
 * known yet.
 */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
}

/** What a page may read of an answer. */
export const EXPOSED_HEADERS = [
  ERROR_CODE_HEADER,
  ERROR_PARAM_HEADER,
  ERROR_HINT_HEADER,
  'link',
].join(', ')

export function pageLinks(app: FastifyInstance, deps: PageLinksDeps): void {
  const url = routeOf(OPERATIONS.createLinkFromPage)
  const checkHead = headCheckOf(OPERATIONS.createLinkFromPage)
  const allowCreate = rateLimit(deps.clock, PAGE_LINK_RATE)

  app.options(url, (_request, reply) => reply.code(204).headers(PREFLIGHT_HEADERS).send())

  const onRequest: onRequestHookHandler = (request, reply, done) => {
    reply.headers({ vary: 'Origin', 'cache-control': 'no-store' })
    if (allowCreate(request.ip)) done()
    else sendGeneralError(reply, 'too_many_requests')
  }
  app.post(url, { bodyLimit: PAGE_BODY_LIMIT_BYTES, onRequest }, async (request, reply) => {
    const head = checkHead(request.headers)
    if (isRefused(head)) return refuse(reply, head)
    const site = await authenticateSite(deps, keyOf(head), request.headers.origin)
    if (isRefused(site)) return refuse(reply, site)
    request.caller = site.caller
    reply.header('access-control-allow-origin', site.origin)
    reply.header('access-control-expose-headers', EXPOSED_HEADERS)
    const input = {
      site,
      order: readLinkBody(request.body),
      signedOrder: signedOrderIn(request.body),
    }
    const outcome = await createLinkFromSite(deps, site.caller, input)
    // Without Svc-Existing-Reference: any visitor can send this, and must not learn references of
    // payments.
    if (isRefused(outcome)) return refuse(reply, outcome)
    request.paymentReference = outcome.reference
    return sendJson(reply, 200, createdLinkBody(outcome, deps.pageUrl(outcome.linkReference)))
  })
}

const refuse = (
  reply: FastifyReply,
  outcome: RefusedAs<RefusalOf<'createLinkFromPage'>>,
): FastifyReply => sendError(reply, WIRE_ERRORS[outcome.refused], errorParam(outcome))
