// Serves one operation that needs a secret key: gate, body, action, answer. The operation's row in contract.ts says what may be refused.
import type { ParsedUrlQuery } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import type { MerchantKey } from '../domain/caller.ts'
import { isRefused, type RefusedAs } from '../domain/refusal.ts'
import { sendError, sendJson } from '../http/errors.ts'
import {
  EXISTING_REFERENCE_HEADER,
  type MerchantRefusal,
  OPERATIONS,
  type OperationId,
  type RefusalOf,
  routeOf,
} from './contract.ts'
import { errorParam } from './error-param.ts'
import { ERRORS } from './error-table.ts'
import { gateOf, type Passed } from './gate.ts'
import { BODY_LIMIT_BYTES } from './limits.ts'
import type { liveFirst } from './live-first.ts'

/** The body of a 200, or a refusal that the operation lists. */
type Outcome<Id extends OperationId> = string | RefusedAs<RefusalOf<Id>>

/** The operations that need a secret key. */
type GatedOperationId = Exclude<OperationId, 'readLink' | 'createLinkFromPage'>

export type Serve = <Id extends GatedOperationId>(
  id: Id,
  handle: (request: FastifyRequest, caller: MerchantKey, reply: FastifyReply) => Promise<Outcome<Id>>,
) => void

export interface ServeDeps {
  authenticate: Authenticate
  inTurn: ReturnType<typeof liveFirst>
}

export function operationServer(app: FastifyInstance, { authenticate, inTurn }: ServeDeps): Serve {
  return (id, handle) => {
    const operation = OPERATIONS[id]
    const passGate = gateOf(operation, authenticate)
    app.route({
      method: operation.method,
      url: routeOf(operation),
      bodyLimit: BODY_LIMIT_BYTES,
      // Before the body is read: a caller without a valid key cannot make us read one.
      onRequest: (request, reply, done) => {
        const passed = passGate(request.headers, request)
        if (passed instanceof Promise) passed.then(enter).catch(done)
        else enter(passed)

        function enter(outcome: Passed): void {
          if (isRefused(outcome)) {
            refuse(request, reply, outcome)
            return
          }
          request.caller = outcome
          inTurn(outcome.environment, done)
        }
      },
      handler: async (request, reply) => {
        const outcome = await handle(request, request.caller as MerchantKey, reply)
        return typeof outcome === 'string' ? sendJson(reply, 200, outcome) : refuse(request, reply, outcome)
      },
    })
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply, outcome: RefusedAs<MerchantRefusal>): FastifyReply {
  request.refusal = outcome.refused
  if ('existingReference' in outcome) reply.header(EXISTING_REFERENCE_HEADER, outcome.existingReference)
  return sendError(reply, ERRORS[outcome.refused], errorParam(outcome))
}

/** The name in the request's path, decoded once (D-10); undefined if the encoding is not valid. */
export function nameOf({ raw: { nameInPath = '' } }: FastifyRequest, suffix = ''): string | undefined {
  if (!nameInPath.includes('%')) return nameInPath + suffix
  try {
    return decodeURIComponent(nameInPath) + suffix
  } catch {
    return undefined
  }
}

export const queryOf = ({ query }: FastifyRequest): ParsedUrlQuery => query as ParsedUrlQuery
