// The merchant API, /api/v1: the operations of the contract. They and their refusals are listed in contract.ts; this file only runs them.
// What Karba adds is in additions.ts.
import { parse as parseQuery } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import { type CreateLinkDeps, createPaymentLink } from '../actions/links/create-payment-link.ts'
import { readPaymentLink } from '../actions/links/read-payment-link.ts'
import { type CreatePaymentDeps, createPayment } from '../actions/payments/create-payment.ts'
import { readPayment } from '../actions/payments/read-payment.ts'
import { type WaitDeps, waitForPayment } from '../actions/payments/wait-for-payment.ts'
import { isRefused } from '../domain/refusal.ts'
import { sendError, sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { createdLinkBody, linkBody, readLinkBody } from '../wire/link.ts'
import { createdPaymentBody, paymentBody, readOrderBody, readWait } from '../wire/payment.ts'
import { errorParam, WIRE_ERRORS } from '../wire/refusals.ts'
import { type AdditionsDeps, additions } from './additions.ts'
import { OPERATIONS, PAGE_URL_HEADER, routeOf } from './contract.ts'
import { liveFirst } from './live-first.ts'
import { nameOf, operationServer, queryOf } from './serve-operation.ts'

export interface MerchantApiDeps extends CreatePaymentDeps, CreateLinkDeps, AdditionsDeps, WaitDeps {
  /** Reads of links a second for each address (D-29). */
  publicRate: number
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
  authenticate: Authenticate
}

const NO_WAIT = { waitMs: 0 }

export function merchantApi(app: FastifyInstance, deps: MerchantApiDeps): void {
  const serve = operationServer(app, { authenticate: deps.authenticate, inTurn: liveFirst(deps.clock) })

  serve('createPayment', async (exchange, caller) => {
    const outcome = await createPayment(deps, caller, readOrderBody(exchange.body))
    if (isRefused(outcome)) return outcome
    exchange.paymentReference = outcome.reference
    return createdPaymentBody(outcome)
  })

  serve('readPayment', async (exchange, caller) => {
    const name = nameOf(exchange.request)
    const query = queryOf(exchange.request)
    const wait = query === '' ? NO_WAIT : readWait(parseQuery(query))
    if (isRefused(wait)) return wait
    const { waitMs } = wait
    const outcome =
      waitMs === 0
        ? await readPayment(deps, caller, { name })
        : await exchange.waitFor(waitMs, (gone) => waitForPayment(deps, caller, { name, waitMs, gone }))
    if (isRefused(outcome)) return outcome
    exchange.paymentReference = outcome.reference
    return paymentBody(outcome)
  })

  serve('createLink', async (exchange, caller) => {
    const outcome = await createPaymentLink(deps, caller, { order: readLinkBody(exchange.body) })
    if (isRefused(outcome)) return outcome
    exchange.paymentReference = outcome.reference
    return createdLinkBody(outcome, deps.pageUrl(outcome.linkReference))
  })

  const allowRead = rateLimit(deps.clock, rateOf(deps.publicRate))
  app.get(routeOf(OPERATIONS.readLink), async (request, reply) => {
    // Anybody who has the link may read it, so pages of any site may too (D-53).
    reply.header('access-control-allow-origin', '*')
    if (!allowRead(request.ip)) return sendHouseError(reply, 'too_many_requests')
    const outcome = await readPaymentLink(deps, { is: 'payer', linkReference: nameOf(request.raw) ?? '' })
    reply.header('cache-control', 'no-store')
    if (!isRefused(outcome)) {
      // The body is the contract's.
      reply.header(PAGE_URL_HEADER, deps.pageUrl(outcome.linkReference))
      return sendJson(reply, 200, linkBody(outcome))
    }
    request.refusal = outcome.refused
    return sendError(reply, WIRE_ERRORS[outcome.refused], errorParam(outcome))
  })

  additions(serve, deps)
}
