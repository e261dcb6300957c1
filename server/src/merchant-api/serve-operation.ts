// Serves one operation that needs a secret key: gate, body, action, answer. The operation's row in contract.ts says what may be refused.
import type { FastifyInstance } from 'fastify'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import type { MerchantKey } from '../domain/caller.ts'
import { isRefused, type RefusedAs } from '../domain/refusal.ts'
import type { Exchange } from '../http/exchange.ts'
import { ERROR_PARAM_HEADER } from '../wire/error.ts'
import { errorParam, WIRE_ERRORS } from '../wire/refusals.ts'
import {
  EXISTING_REFERENCE_HEADER,
  type MerchantRefusal,
  OPERATIONS,
  type OperationId,
  type RefusalOf,
  routeOf,
} from './contract.ts'
import { gateOf, type Passed } from './gate.ts'
import { BODY_LIMIT_BYTES } from './limits.ts'
import type { liveFirst } from './live-first.ts'

/** The body of a 200, or a refusal that the operation lists. */
type Outcome<Id extends OperationId> = string | RefusedAs<RefusalOf<Id>>

/** The operations that need a secret key. */
type GatedOperationId = Exclude<OperationId, 'readLink' | 'createLinkFromPage'>

export type Serve = <Id extends GatedOperationId>(
  id: Id,
  handle: (exchange: Exchange, caller: MerchantKey) => Promise<Outcome<Id>>,
) => void

export interface ServeDeps {
  authenticate: Authenticate
  inTurn: ReturnType<typeof liveFirst>
}

export function operationServer(app: FastifyInstance, { authenticate, inTurn }: ServeDeps): Serve {
  return (id, handle) => {
    const operation = OPERATIONS[id]
    const passGate = gateOf(operation, authenticate)
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
  exchange.answerError(WIRE_ERRORS[outcome.refused], ...further)
}

/** The name in the request's path, decoded once (D-10); undefined if the encoding is not valid. */
export function nameOf({ nameInPath = '' }: { nameInPath?: string | undefined }, suffix = ''): string | undefined {
  if (!nameInPath.includes('%')) return nameInPath + suffix
  try {
    return decodeURIComponent(nameInPath) + suffix
  } catch {
    return undefined
  }
}

export const queryOf = ({ url }: { url: string }): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
