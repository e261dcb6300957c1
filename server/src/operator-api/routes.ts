// Door 4: callbacks from the networks. A callback is only ever a hint: it must be genuine where the network allows us to know,
// and all it does is make us ask for the status (D-15). Limited in size, in rate (D-44) and in how many are looked at together.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CallbackDeps, takeCallback } from '../actions/payments/take-callback.ts'
import type { ServiceItself } from '../domain/caller.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { type Environment, isEnvironment } from '../domain/environment.ts'
import { sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { Operators } from '../operators/registry.ts'

const CALLBACKS: ServiceItself = { is: 'service', part: 'callbacks' }
const BODY_LIMIT_BYTES = 16 * 1024
const MOST_AT_ONCE = 200
/** Whoever cannot prove to be an operator is a stranger or a mistake: some callbacks are forgiven, a stream of them is not. */
const STRANGERS = { perSecond: 50, burst: 200 }
/** Far above what a network sends on its busiest day: no operator is limited by accident. */
const GENUINE = { perSecond: 2_000, burst: 10_000 }

export interface OperatorApiDeps extends CallbackDeps {
  clock: Clock
  operators: Operators
}

export function operatorApi(app: FastifyInstance, deps: OperatorApiDeps): void {
  const { clock, operators } = deps
  const strangerMay = rateLimit(clock, STRANGERS)
  const genuineMay = rateLimit(clock, GENUINE)
  let underWay = 0

  function turnAway(request: FastifyRequest, reply: FastifyReply, error: 'not_found' | 'unauthorized'): FastifyReply {
    return sendHouseError(reply, strangerMay(request.ip) ? error : 'too_many_requests')
  }

  app.route({
    // Networks disagree about the method.
    method: ['POST', 'PUT'],
    url: '/operators/:environment/:operator/callback',
    bodyLimit: BODY_LIMIT_BYTES,
    handler: async (request: FastifyRequest, reply) => {
      const { environment, operator: name } = request.params as { environment: string; operator: string }
      const operator = isEnvironment(environment) ? operators.find(environment, name) : undefined
      if (operator === undefined) return turnAway(request, reply, 'not_found')
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const requestReference = operator.parseCallback({ headers: request.headers, body })
      if (requestReference === undefined) return turnAway(request, reply, 'unauthorized')
      if (!genuineMay(request.ip)) return sendHouseError(reply, 'too_many_requests')
      if (underWay >= MOST_AT_ONCE) return sendHouseError(reply, 'unavailable')
      underWay++
      try {
        // What is not found is answered like everything else: a network that is refused would send it for days.
        await takeCallback(deps, CALLBACKS, {
          environment: environment as Environment,
          operator: name,
          requestReference,
        })
      } finally {
        underWay--
      }
      return sendJson(reply, 200, '{"status":"received"}')
    },
  })
}
