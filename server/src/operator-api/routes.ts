// Callbacks from the operators. A callback is only a hint: its signature is checked where the network signs, and all it does is make us
// poll the status (D-15). Limited in size, in rate (D-44) and in how many are handled at once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CallbackDeps, takeCallback } from '../actions/payments/take-callback.ts'
import type { ServiceItself } from '../domain/caller.ts'
import { type Environment, isEnvironment } from '../domain/environment.ts'
import { sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { Operators } from '../operators/registry.ts'

const CALLBACKS: ServiceItself = { is: 'service', part: 'callbacks' }
const BODY_LIMIT_BYTES = 16 * 1024
const MOST_AT_ONCE = 200
/** For each address whose callbacks are not genuine: an operator's mistakes stay below it, an attack does not. */
const UNVERIFIED_RATE = { perSecond: 50, burst: 200 }
/** For each address whose callbacks are genuine: far above what a network sends on its busiest day. */
const GENUINE_RATE = { perSecond: 2_000, burst: 10_000 }

export interface OperatorApiDeps extends CallbackDeps {
  operators: Operators
}

export function operatorApi(app: FastifyInstance, deps: OperatorApiDeps): void {
  const { clock, operators } = deps
  const allowUnverified = rateLimit(clock, UNVERIFIED_RATE)
  const allowGenuine = rateLimit(clock, GENUINE_RATE)
  let underWay = 0

  function reject(request: FastifyRequest, reply: FastifyReply, error: 'not_found' | 'unauthorized'): FastifyReply {
    return sendHouseError(reply, allowUnverified(request.ip) ? error : 'too_many_requests')
  }

  app.route({
    // Networks disagree about the method.
    method: ['POST', 'PUT'],
    url: '/operators/:environment/:operator/callback',
    bodyLimit: BODY_LIMIT_BYTES,
    handler: async (request: FastifyRequest, reply) => {
      const { environment, operator: name } = request.params as { environment: string; operator: string }
      const operator = isEnvironment(environment) ? operators.find(environment, name) : undefined
      if (operator === undefined) return reject(request, reply, 'not_found')
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const requestReference = operator.parseCallback({ headers: request.headers, body })
      if (requestReference === undefined) return reject(request, reply, 'unauthorized')
      if (!allowGenuine(request.ip)) return sendHouseError(reply, 'too_many_requests')
      if (underWay >= MOST_AT_ONCE) return sendHouseError(reply, 'unavailable')
      underWay++
      try {
        // A payment that is not found gets a 200 too: a network that gets an error would repeat the callback for days.
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
