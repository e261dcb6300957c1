// The merchant API, /api/v1: gate, body, action, answer. The operations and their refusals are listed in contract.ts; this file only runs
// them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import { type CreateLinkDeps, createPaymentLink } from '../actions/links/create-payment-link.ts'
import { readPaymentLink } from '../actions/links/read-payment-link.ts'
import { type CreatePaymentDeps, createPayment } from '../actions/payments/create-payment.ts'
import { readPayment } from '../actions/payments/read-payment.ts'
import { readEvents } from '../actions/webhooks/read-events.ts'
import type { MerchantKey } from '../domain/caller.ts'
import { isRefused, type RefusedAs } from '../domain/refusal.ts'
import { sendError, sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
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

  serve('createPayment', async (request, caller) => {
    const outcome = await createPayment(deps, caller, readOrderBody(request.body))
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return createdPaymentBody(outcome)
  })

  serve('readPayment', async (request, caller) => {
    const outcome = await readPayment(deps, caller, { name: decodeName(request.raw.nameInPath as string) })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return paymentBody(outcome)
  })

  serve('createLink', async (request, caller) => {
    const outcome = await createPaymentLink(deps, caller, { order: readLinkBody(request.body) })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
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
    return answer<'readLink'>(reply, isRefused(outcome) ? outcome : linkBody(outcome))
  })

  serve('listEvents', async (request, caller) => {
    const query = readFeedQuery(request.query as Record<string, unknown>)
    if (isRefused(query)) return query
    const outcome = await readEvents(deps, caller, query)
    return isRefused(outcome) ? outcome : feedBody(outcome)
  })

  function serve<Id extends GatedOperationId>(
    id: Id,
    handle: (request: FastifyRequest, caller: MerchantKey) => Promise<Outcome<Id>>,
  ): void {
    const operation = OPERATIONS[id]
    const passGate = gateOf(operation, deps.authenticate)
    app.route({
      method: operation.method,
      url: routeOf(operation),
      bodyLimit: BODY_LIMIT_BYTES,
      // Before the body is read: a caller without a valid key cannot make us read one.
      onRequest: (request, reply, done) => {
        const passed = passGate(request.raw.headers)
        if (passed instanceof Promise) passed.then((outcome) => enter(outcome), done)
        else enter(passed)

        function enter(outcome: Passed): void {
          if (isRefused(outcome)) {
            refuse(reply, outcome)
            return
          }
          request.caller = outcome
          inTurn(outcome.environment, done)
        }
      },
      handler: async (request, reply) => answer<Id>(reply, await handle(request, request.caller as MerchantKey)),
    })
  }
}

function answer<Id extends OperationId>(reply: FastifyReply, outcome: Outcome<Id>): FastifyReply {
  return typeof outcome === 'string' ? sendJson(reply, 200, outcome) : refuse(reply, outcome)
}

function refuse(reply: FastifyReply, outcome: RefusedAs<MerchantRefusal>): FastifyReply {
  if ('existingReference' in outcome) reply.header(EXISTING_REFERENCE_HEADER, outcome.existingReference)
  reply.request.refusal = outcome.refused
  return sendError(reply, ERRORS[outcome.refused])
}

/** Decodes once (D-10); undefined if the encoding is not valid. */
function decodeName(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
