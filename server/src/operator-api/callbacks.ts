// The callbacks of networks. A callback is only a hint: its signature is checked where the network
// signs, and it makes us poll the status (D-15). Limited in size, in rate (D-29) and in how many
// are handled at once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CallbackDeps, takeCallback } from '../actions/payments/take-callback.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { isEnvironment } from '../domain/environment.ts'
import { isMerchantConnection } from '../domain/merchants/merchant-connection.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import { isStoreFailure, sendGeneralError, sendJson } from '../http/errors.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { CallbackRequest, Operator, ReadCallback } from '../operators/operator.ts'
import type { Operators } from '../operators/registry.ts'

const BODY_LIMIT_BYTES = 64 * 1024
const MOST_AT_ONCE = 200
/**
 * For each address whose callbacks are not genuine: an operator's mistakes stay below it, an attack
 * does not.
 */
const UNVERIFIED_RATE = { perSecond: 50, burst: 200 }
/**
 * For each address whose callbacks are genuine: far above what a network sends on its busiest day.
 */
const GENUINE_RATE = { perSecond: 2_000, burst: 10_000 }

export function operatorApi(
  app: FastifyInstance,
  { clock, receive }: { clock: Pick<Clock, 'now'>; receive: ReceiveCallback },
): void {
  const unverified = rateLimit(clock, UNVERIFIED_RATE)
  const genuine = rateLimit(clock, GENUINE_RATE)

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const {
      environment,
      connection = '',
      '*': path = '',
    } = request.params as Record<string, string>
    const to = isEnvironment(environment) ? { environment, connection } : undefined
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const method = request.method as CallbackRequest['method']
    const limits = {
      allowGenuine: () => genuine(request.ip),
      allowUnverified: (cost?: 0 | 1) => unverified(request.ip, cost),
      mostAtOnce: MOST_AT_ONCE,
    }
    const outcome = await receive(to, { method, path, headers: request.headers, body }, limits)
    return typeof outcome === 'string'
      ? sendGeneralError(reply, outcome)
      : sendJson(reply, 200, outcome.answer)
  }

  const url = '/operators/:environment/:connection/callback'
  // Networks disagree about the method. The rest of the address is the reference that we gave to
  // the network.
  for (const each of [url, `${url}/*`])
    app.route({ method: ['POST', 'PUT'], url: each, bodyLimit: BODY_LIMIT_BYTES, handler: handle })
}

const CALLBACKS: ServiceItself = { is: 'service', part: 'callbacks' }
const ANSWERED_WITHIN_MS = 1_000
const RECEIVED = '{"status":"received"}'

export interface ReceiveDeps extends CallbackDeps {
  operators: Operators
  /** Logs that the store did not take a callback. */
  notTaken(error: unknown): void
}

/** How much a sender may still send. */
export interface SenderLimits {
  allowGenuine(): boolean
  /** Counts a callback that is not genuine; with 0 it only checks. */
  allowUnverified(cost?: 0 | 1): boolean
  /** Of all callbacks being handled. */
  mostAtOnce: number
}

/** For a network within the process, which calls back only about our own payments. */
export const NO_LIMITS: SenderLimits = {
  allowGenuine: () => true,
  allowUnverified: () => true,
  mostAtOnce: Number.POSITIVE_INFINITY,
}

type CallbackError = 'not_found' | 'unauthorized' | 'too_many_requests' | 'unavailable'

/** Answers with JSON, or with an error. */
export type ReceiveCallback = (
  to: ConnectionKey | undefined,
  callback: CallbackRequest,
  limits: SenderLimits,
) => Promise<{ answer: string } | CallbackError>

export function callbackReceiver(deps: ReceiveDeps): ReceiveCallback {
  const { clock, operators, notTaken } = deps
  const patience = (): Promise<void> =>
    new Promise((resolve) => clock.after(ANSWERED_WITHIN_MS, resolve))
  let underWay = 0

  return async (to, sent, { allowGenuine, allowUnverified, mostAtOnce }) => {
    const reject = (error: CallbackError): CallbackError =>
      allowUnverified() ? error : 'too_many_requests'
    const operator = to && operators.find(to)
    if (to === undefined || operator === undefined) return reject('not_found')
    const callback = parse(operator, sent, allowUnverified)
    if (callback === 'too_many_requests') return callback
    if (callback === undefined) return reject('unauthorized')
    const { reference: requestReference, answer = RECEIVED } = callback
    // A merchant knows the secrets of their own connection, and can sign what they like.
    const isGenuine = callback.isGenuine && !isMerchantConnection(to.connection)
    // An unsigned callback about a payment of this network counts like a signed one; only others
    // use up the limit.
    if (!allowGenuine() || (!isGenuine && !allowUnverified(0))) return 'too_many_requests'
    if (requestReference === null) return { answer }
    if (underWay >= mostAtOnce) return 'unavailable'
    underWay++
    const taken = takeCallback(deps, CALLBACKS, { ...to, requestReference, isGenuine }).finally(
      () => underWay--,
    )
    taken.then(
      (outcome) => !isGenuine && 'refused' in outcome && allowUnverified(),
      (error: unknown) => {
        notTaken(error)
        if (!isGenuine && !isStoreFailure(error)) allowUnverified()
      },
    )
    // Networks give up after two seconds, so a slow store makes them wait for one, and an error
    // makes them call back. For an ended payment, which is not polled, that may be the only news of
    // late money. An unknown one gets a 200 too.
    const isTaken = await Promise.race([taken.then(() => true), patience().then(() => false)])
    return isTaken ? { answer } : 'unavailable'
  }
}

/**
 * One that makes the connector throw counts as unverified: a stranger's bug must not get around the
 * rate limit.
 */
function parse(
  operator: Operator,
  sent: CallbackRequest,
  allowUnverified: () => boolean,
): ReadCallback | 'too_many_requests' | undefined {
  try {
    return operator.parseCallback(sent)
  } catch (error) {
    if (!allowUnverified()) return 'too_many_requests'
    throw error
  }
}
