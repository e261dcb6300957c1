// Door 1, /api/v1: gate, body, action, answer. What the contract says is in contract.ts; here it only happens.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import { type CreateLinkDeps, createPaymentLink } from '../actions/links/create-payment-link.ts'
import { readPaymentLink } from '../actions/links/read-payment-link.ts'
import { type CreatePaymentDeps, createPayment } from '../actions/payments/create-payment.ts'
import { readPayment } from '../actions/payments/read-payment.ts'
import { readEvents } from '../actions/webhooks/read-events.ts'
import type { Account } from '../domain/account.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { HOUSE_ERRORS, sendError, sendJson } from '../http/errors.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import {
  createdLinkBody,
  createdPaymentBody,
  feedBody,
  linkBody,
  paymentBody,
  readFeedQuery,
  readLinkBody,
  readOrderBody,
} from './bodies.ts'
import {
  BASE_PATH,
  BODY_LIMIT_BYTES,
  ERRORS,
  EXISTING_REFERENCE_HEADER,
  OPERATIONS,
  type Operation,
  READ_LINK_PATH,
} from './contract.ts'
import { passGate } from './gate.ts'

export interface MerchantApiDeps extends CreatePaymentDeps, CreateLinkDeps {
  /** Public reads a second for each address (D-29). */
  publicRate: number
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
  authenticate: Authenticate
}

export function merchantApi(app: FastifyInstance, deps: MerchantApiDeps): void {
  serve(OPERATIONS.createPayment, async (request, reply, account) => {
    const outcome = await createPayment(deps, account, readOrderBody(request.body))
    if (isRefused(outcome)) return refuse(reply, outcome)
    request.paymentReference = outcome.reference
    return sendJson(reply, 200, createdPaymentBody(outcome))
  })

  serve(OPERATIONS.readPayment, async (request, reply, account) => {
    const outcome = await readPayment(deps.db, account, decodeName(request.raw.nameInPath as string))
    if (isRefused(outcome)) return refuse(reply, outcome)
    request.paymentReference = outcome.reference
    return sendJson(reply, 200, paymentBody(outcome))
  })

  serve(OPERATIONS.createLink, async (request, reply, account) => {
    const outcome = await createPaymentLink(deps, account, readLinkBody(request.body))
    if (isRefused(outcome)) return refuse(reply, outcome)
    request.paymentReference = outcome.reference
    return sendJson(reply, 200, createdLinkBody(outcome, deps.pageUrl(outcome.linkReference)))
  })

  const mayRead = rateLimit(deps.clock, rateOf(deps.publicRate))
  app.get(`${BASE_PATH + READ_LINK_PATH}*`, async (request, reply) => {
    // It is for anybody who has the link, so pages of any site may read it too (D-53).
    reply.header('access-control-allow-origin', '*')
    if (!mayRead(request.ip)) return sendError(reply, HOUSE_ERRORS.too_many_requests)
    const outcome = await readPaymentLink(deps.db, deps.clock, decodeName(request.raw.nameInPath as string))
    reply.header('cache-control', 'no-store')
    return isRefused(outcome) ? refuse(reply, outcome) : sendJson(reply, 200, linkBody(outcome))
  })

  serve(OPERATIONS.listEvents, async (request, reply, account) => {
    const wish = readFeedQuery(request.query as Record<string, unknown>)
    if (isRefused(wish)) return refuse(reply, wish)
    const outcome = await readEvents(deps.db, account, wish)
    if (isRefused(outcome)) return refuse(reply, outcome)
    return sendJson(reply, 200, feedBody(outcome))
  })

  function serve(
    operation: Operation,
    handle: (request: FastifyRequest, reply: FastifyReply, account: Account) => Promise<FastifyReply>,
  ): void {
    app.route({
      method: operation.method as HTTPMethods,
      url: BASE_PATH + operation.path,
      bodyLimit: BODY_LIMIT_BYTES,
      // Before the body is read: a caller we do not know cannot make us read one.
      onRequest: (request, reply, done) => {
        const passed = passGate(request.raw.headers, operation, deps.authenticate)
        if (passed instanceof Promise) passed.then((outcome) => enter(outcome), done)
        else enter(passed)

        function enter(outcome: Account | Refused): void {
          if (isRefused(outcome)) {
            refuse(reply, outcome)
            return
          }
          request.account = outcome
          done()
        }
      },
      handler: (request, reply) => handle(request, reply, request.account as Account),
    })
  }
}

function refuse(reply: FastifyReply, { refused, existingReference }: Refused): FastifyReply {
  if (existingReference !== undefined) reply.header(EXISTING_REFERENCE_HEADER, existingReference)
  return sendError(reply, ERRORS[refused])
}

/** Decoded once (D-10); undefined where it cannot be. */
function decodeName(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
