// The address that operators send their callbacks to. Limited in size, in rate (D-29) and in how many are handled at once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../domain/clock-and-random.ts'
import { isEnvironment } from '../domain/environment.ts'
import { sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { CallbackRequest } from '../operators/operator.ts'
import type { ReceiveCallback } from './receive-callback.ts'

const BODY_LIMIT_BYTES = 64 * 1024
const MOST_AT_ONCE = 200
/** For each address whose callbacks are not genuine: an operator's mistakes stay below it, an attack does not. */
const UNVERIFIED_RATE = { perSecond: 50, burst: 200 }
/** For each address whose callbacks are genuine: far above what a network sends on its busiest day. */
const GENUINE_RATE = { perSecond: 2_000, burst: 10_000 }

export interface OperatorApiDeps {
  clock: Pick<Clock, 'now'>
  receive: ReceiveCallback
}

export function operatorApi(app: FastifyInstance, { clock, receive }: OperatorApiDeps): void {
  const unverified = rateLimit(clock, UNVERIFIED_RATE)
  const genuine = rateLimit(clock, GENUINE_RATE)

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { environment, connection = '', '*': path = '' } = request.params as Record<string, string>
    const to = isEnvironment(environment) ? { environment, connection } : undefined
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const method = request.method as CallbackRequest['method']
    const limits = {
      allowGenuine: () => genuine(request.ip),
      allowUnverified: (cost?: 0 | 1) => unverified(request.ip, cost),
      mostAtOnce: MOST_AT_ONCE,
    }
    const outcome = await receive(to, { method, path, headers: request.headers, body }, limits)
    return typeof outcome === 'string' ? sendHouseError(reply, outcome) : sendJson(reply, 200, outcome.answer)
  }

  for (const url of [
    '/operators/:environment/:connection/callback',
    '/operators/:environment/:connection/callback/*',
  ]) {
    // Networks disagree about the method. What follows the address is what we gave the network: a reference.
    app.route({ method: ['POST', 'PUT'], url, bodyLimit: BODY_LIMIT_BYTES, handler: handle })
  }
}
