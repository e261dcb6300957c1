// Serves one operation that needs a secret key: header checks, key, body, action, answer. The
// operation's row in contract.ts lists its refusals.
import type { IncomingHttpHeaders } from 'node:http'
import type { ParsedUrlQuery } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AskedWithKey, Authenticate, KEY_REFUSALS } from '../actions/keys/authenticate-key.ts'
import type { MerchantKey } from '../domain/people/caller.ts'
import type { KeyPermission } from '../domain/people/role.ts'
import { isRefused, type RefusedAs } from '../domain/refusals/refusal.ts'
import { sendError, sendJson } from '../http/errors.ts'
import { networkOf } from '../http/rate-limit.ts'
import { BODY_LIMIT_BYTES, type WireError } from '../wire/error.ts'
import { isoTime } from '../wire/json.ts'
import { errorParam, sentenceOf, WIRE_ERRORS } from '../wire/refusals.ts'
import {
  EXISTING_REFERENCE_HEADER,
  environmentOf,
  type HeadRefusal,
  headCheckOf,
  KEPT_AFTER_HEADER,
  keyOf,
  type MerchantRefusal,
  OPERATIONS,
  type Operation,
  type OperationId,
  REMOVED_UNTIL_HEADER,
  type RefusalOf,
  routeOf,
} from './contract.ts'

/**
 * The body of a 200, a refusal that the operation lists, or the reply once the handler has sent its
 * own answer.
 */
type Outcome<Id extends OperationId> = string | FastifyReply | RefusedAs<RefusalOf<Id>>

/** The operations that need a secret key. */
type GatedOperationId = Exclude<OperationId, 'readLink' | 'createLinkFromPage'>

export type Serve = <Id extends GatedOperationId>(
  id: Id,
  handle: (
    request: FastifyRequest,
    caller: MerchantKey,
    reply: FastifyReply,
  ) => Promise<Outcome<Id>>,
) => void

export function operationServer(app: FastifyInstance, authenticate: Authenticate): Serve {
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
          if (isRefused(outcome)) return void refuse(reply, outcome)
          request.caller = outcome
          done()
        }
      },
      handler: async (request, reply) => {
        const outcome = await handle(request, request.caller as MerchantKey, reply)
        if (typeof outcome === 'string') return sendJson(reply, 200, outcome)
        return isRefused(outcome) ? refuse(reply, outcome) : outcome
      },
    })
  }
}

type Passed = MerchantKey | RefusedAs<HeadRefusal | (typeof KEY_REFUSALS)[number]>

/**
 * Checks the headers that the operation lists, then the key and its account (D-01, rows 1 to 7).
 */
function gateOf(
  operation: Operation,
  authenticate: Authenticate,
): (headers: IncomingHttpHeaders, from: AskedWithKey['from']) => Passed | Promise<Passed> {
  const checkHead = headCheckOf(operation)
  const permission = permissionFor(operation)
  return (headers, from) => {
    const head = checkHead(headers)
    return isRefused(head)
      ? head
      : authenticate(keyOf(head), { environment: environmentOf(head), permission, from })
  }
}

/** What a key must be allowed to do (D-102, D-217). */
function permissionFor({ method, path }: Operation): KeyPermission {
  if (path.startsWith('/webhook_endpoints')) return 'webhooks'
  if (method === 'GET') return 'read'
  return path.endsWith('/refund') ? 'refund' : 'create'
}

function refuse(reply: FastifyReply, outcome: RefusedAs<MerchantRefusal>): FastifyReply {
  if ('existingReference' in outcome)
    reply.header(EXISTING_REFERENCE_HEADER, outcome.existingReference)
  if (outcome.refused === 'cursor_too_old') {
    reply.header(KEPT_AFTER_HEADER, String(outcome.keptAfter))
    reply.header(REMOVED_UNTIL_HEADER, isoTime(outcome.removedUntil))
  }
  return sendError(reply, errorOf(outcome), errorParam(outcome))
}

/** The documented hint lists what an address may be; the answer names the fault of this one. */
const errorOf = (outcome: RefusedAs<MerchantRefusal>): WireError =>
  outcome.refused === 'webhook_url_not_valid'
    ? { ...WIRE_ERRORS.webhook_url_not_valid, hint: sentenceOf(outcome, 'en') }
    : WIRE_ERRORS[outcome.refused]

/** The name in the request's path, decoded once (D-10); undefined if the encoding is not valid. */
export function nameOf(
  { raw: { nameInPath = '' } }: FastifyRequest,
  suffix = '',
): string | undefined {
  if (!nameInPath.includes('%')) return nameInPath + suffix
  try {
    return decodeURIComponent(nameInPath) + suffix
  } catch {
    return undefined
  }
}

export const queryOf = ({ query }: FastifyRequest): ParsedUrlQuery => query as ParsedUrlQuery

/** For the audit log. */
export const fromNetwork = ({ ip }: FastifyRequest, caller: MerchantKey): MerchantKey => ({
  ...caller,
  network: networkOf(ip),
})
