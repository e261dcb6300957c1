// The merchant API, /api/v1: gate, body, action, answer. The operations and their refusals are listed in contract.ts; this file only runs
// them.
import type { IncomingMessage } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import { type CreateLinkDeps, createPaymentLink } from '../actions/links/create-payment-link.ts'
import { readPaymentLink } from '../actions/links/read-payment-link.ts'
import { type CreatePaymentDeps, createPayment } from '../actions/payments/create-payment.ts'
import { readPayment } from '../actions/payments/read-payment.ts'
import { readEvents } from '../actions/webhooks/read-events.ts'
import type { MerchantKey } from '../domain/caller.ts'
import { isRefused, type RefusedAs } from '../domain/refusal.ts'
import { sendError, sendHouseError, sendJson } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { ERROR_PARAM_HEADER } from '../wire/error.ts'
import { feedBody, readFeedQuery } from '../wire/event.ts'
import { createdLinkBody, linkBody, readLinkBody } from '../wire/link.ts'
import { createdPaymentBody, paymentBody, readOrderBody } from '../wire/payment.ts'
import {
  ERRORS,
  EXISTING_REFERENCE_HEADER,
  type MerchantRefusal,
  OPERATIONS,
  type OperationId,
  type RefusalOf,
  routeOf,
} from './contract.ts'
import { errorParam } from './error-param.ts'
import { gateOf, type Passed } from './gate.ts'
import { BODY_LIMIT_BYTES } from './limits.ts'
import { liveFirst } from './live-first.ts'

export interface MerchantApiDeps extends CreatePaymentDeps, CreateLinkDeps {
  /** Reads of links a second for each address (D-29). */
  publicRate: number
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
  authenticate: Authenticate
}

/** The body of a 200, or a refusal that the operation lists. */
type Outcome<Id extends OperationId> = string | RefusedAs<RefusalOf<Id>>

/** The operations that need a secret key. */
type GatedOperationId = Exclude<OperationId, 'readLink' | 'createLinkFromPage'>

export function merchantApi(app: FastifyInstance, deps: MerchantApiDeps): void {
  const inTurn = liveFirst(deps.clock)

  serve('createPayment', async (exchange, caller) => {
    const outcome = await createPayment(deps, caller, readOrderBody(exchange.body))
    if (isRefused(outcome)) return outcome
    exchange.paymentReference = outcome.reference
    return createdPaymentBody(outcome)
  })

  serve('readPayment', async (exchange, caller) => {
    const outcome = await readPayment(deps, caller, { name: decodeName(exchange.request.nameInPath as string) })
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
    const linkReference = decodeName(request.raw.nameInPath as string) ?? ''
    const outcome = await readPaymentLink(deps, { is: 'payer', linkReference })
    reply.header('cache-control', 'no-store')
    if (!isRefused(outcome)) return sendJson(reply, 200, linkBody(outcome))
    request.refusal = outcome.refused
    return sendError(reply, ERRORS[outcome.refused], errorParam(outcome))
  })

  serve('listEvents', async (exchange, caller) => {
    const query = readFeedQuery(parseQuery(queryOf(exchange.request)))
    if (isRefused(query)) return query
    const outcome = await readEvents(deps, caller, query)
    return isRefused(outcome) ? outcome : feedBody(outcome)
  })

  function serve<Id extends GatedOperationId>(
    id: Id,
    handle: (exchange: Exchange, caller: MerchantKey) => Promise<Outcome<Id>>,
  ): void {
    const operation = OPERATIONS[id]
    const passGate = gateOf(operation, deps.authenticate)
    app.exchange({
      method: operation.method,
      url: routeOf(operation),
      bodyLimit: BODY_LIMIT_BYTES,
      // Before the body is read: a caller without a valid key cannot make us read one.
      enter: (exchange, goOn) => {
        const passed = passGate(exchange.request.headers, exchange)
        return passed instanceof Promise ? passed.then(enter) : enter(passed)

        function enter(outcome: Passed): void {
          if (isRefused(outcome)) {
            refuse(exchange, outcome)
            return
          }
          exchange.caller = outcome
          inTurn(outcome.environment, goOn)
        }
      },
      handle: async (exchange) => {
        const outcome = await handle(exchange, exchange.caller as MerchantKey)
        if (typeof outcome === 'string') exchange.answer(200, outcome)
        else refuse(exchange, outcome)
      },
    })
  }
}

function refuse(exchange: Exchange, outcome: RefusedAs<MerchantRefusal>): void {
  exchange.refusal = outcome.refused
  const further: string[] = []
  const param = errorParam(outcome)
  if (param !== undefined) further.push(ERROR_PARAM_HEADER, param)
  if ('existingReference' in outcome) further.push(EXISTING_REFERENCE_HEADER, outcome.existingReference)
  exchange.answerError(ERRORS[outcome.refused], ...further)
}

/** Decodes once (D-10); undefined if the encoding is not valid. */
function decodeName(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

const queryOf = ({ url = '' }: IncomingMessage): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
