// Callbacks from the operators. A callback is only a hint: its signature is checked where the network signs, and all it does is make us
// poll the status (D-15). Limited in size, in rate (D-44) and in how many are handled at once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CallbackDeps, takeCallback } from '../actions/payments/take-callback.ts'
import type { ServiceItself } from '../domain/caller.ts'
import { isEnvironment } from '../domain/environment.ts'
import { sendHouseError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { Operators } from '../operators/registry.ts'

const CALLBACKS: ServiceItself = { is: 'service', part: 'callbacks' }
const BODY_LIMIT_BYTES = 64 * 1024
const MOST_AT_ONCE = 200
const ANSWERED_WITHIN_MS = 1_000
const RECEIVED = '{"status":"received"}'
/** For each address whose callbacks are not genuine: an operator's mistakes stay below it, an attack does not. */
const UNVERIFIED_RATE = { perSecond: 50, burst: 200 }
/** For each address whose callbacks are genuine: far above what a network sends on its busiest day. */
const GENUINE_RATE = { perSecond: 2_000, burst: 10_000 }

export interface OperatorApiDeps extends CallbackDeps {
  operators: Operators
  /** Logs that the store did not take a callback. */
  notTaken(error: unknown): void
}

export function operatorApi(app: FastifyInstance, deps: OperatorApiDeps): void {
  const { clock, operators } = deps
  const allowUnverified = rateLimit(clock, UNVERIFIED_RATE)
  const allowGenuine = rateLimit(clock, GENUINE_RATE)
  let underWay = 0

  function reject(request: FastifyRequest, reply: FastifyReply, error: 'not_found' | 'unauthorized'): FastifyReply {
    return sendHouseError(reply, allowUnverified(request.ip) ? error : 'too_many_requests')
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { environment, connection, '*': path = '' } = request.params as Record<string, string>
    const key = isEnvironment(environment) ? { environment, connection: connection as string } : undefined
    const operator = key && operators.find(key)
    if (key === undefined || operator === undefined) return reject(request, reply, 'not_found')
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const method = request.method as 'POST' | 'PUT'
    const callback = operator.parseCallback({ method, path, headers: request.headers, body })
    if (callback === undefined) return reject(request, reply, 'unauthorized')
    const { reference: requestReference, isGenuine, answer = RECEIVED } = callback
    // An unsigned callback about a payment that this network has is as good as a signed one; only others use up what a stranger may send.
    const isAllowed = allowGenuine(request.ip) && (isGenuine || allowUnverified(request.ip, 0))
    if (!isAllowed) return sendHouseError(reply, 'too_many_requests')
    if (requestReference === null) return sendJson(reply, 200, answer)
    if (underWay >= MOST_AT_ONCE) return sendHouseError(reply, 'unavailable')
    underWay++
    const taken = takeCallback(deps, CALLBACKS, { ...key, requestReference, isGenuine }).finally(() => underWay--)
    taken.then((outcome) => !isGenuine && 'refused' in outcome && allowUnverified(request.ip), deps.notTaken)
    // The network gives up on us within two seconds, so a store that is slow makes it wait for one. Then it is told that nothing is taken yet:
    // it says it again, and about a payment that has ended, which nobody polls, that may be all that we ever hear of late money. A payment that
    // is not found gets a 200 too.
    const isTaken = await Promise.race([taken.then(() => true), patience().then(() => false)])
    return isTaken ? sendJson(reply, 200, answer) : sendHouseError(reply, 'unavailable')
  }

  const patience = (): Promise<void> => new Promise((resolve) => clock.after(ANSWERED_WITHIN_MS, resolve))

  for (const url of [
    '/operators/:environment/:connection/callback',
    '/operators/:environment/:connection/callback/*',
  ]) {
    // Networks disagree about the method. What follows the address is what we gave the network: a reference.
    app.route({ method: ['POST', 'PUT'], url, bodyLimit: BODY_LIMIT_BYTES, handler: handle })
  }
}
