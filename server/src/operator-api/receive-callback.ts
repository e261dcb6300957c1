// What becomes of a callback, however it came to us. It is only a hint: its signature is checked where the network signs, and all it does is
// make us poll the status (D-15).
import { type CallbackDeps, takeCallback } from '../actions/payments/take-callback.ts'
import type { ServiceItself } from '../domain/caller.ts'
import type { ConnectionKey } from '../domain/operator-report.ts'
import { isStoreFailure } from '../http/errors.ts'
import type { CallbackRequest, Operator, ReadCallback } from '../operators/operator.ts'
import type { Operators } from '../operators/registry.ts'

const CALLBACKS: ServiceItself = { is: 'service', part: 'callbacks' }
const ANSWERED_WITHIN_MS = 1_000
const RECEIVED = '{"status":"received"}'

export interface ReceiveDeps extends CallbackDeps {
  operators: Operators
  /** Logs that the store did not take a callback. */
  notTaken(error: unknown): void
}

/** What a sender may still send. */
export interface SenderLimits {
  allowGenuine(): boolean
  /** Counts one that is not genuine; with 0 it only looks. */
  allowUnverified(cost?: 0 | 1): boolean
  /** Of all that are under way. */
  mostAtOnce: number
}

/** For a network within the process, which calls back about our own payments and nothing else. */
export const NO_LIMITS: SenderLimits = {
  allowGenuine: () => true,
  allowUnverified: () => true,
  mostAtOnce: Number.POSITIVE_INFINITY,
}

type CallbackError = 'not_found' | 'unauthorized' | 'too_many_requests' | 'unavailable'

/** JSON to answer with, or an error. */
type CallbackAnswer = { answer: string } | CallbackError

export type ReceiveCallback = (
  to: ConnectionKey | undefined,
  callback: CallbackRequest,
  limits: SenderLimits,
) => Promise<CallbackAnswer>

export function callbackReceiver(deps: ReceiveDeps): ReceiveCallback {
  const { clock, operators, notTaken } = deps
  const patience = (): Promise<void> => new Promise((resolve) => clock.after(ANSWERED_WITHIN_MS, resolve))
  let underWay = 0

  return async (to, sent, { allowGenuine, allowUnverified, mostAtOnce }) => {
    const reject = (error: CallbackError): CallbackError => (allowUnverified() ? error : 'too_many_requests')
    const operator = to && operators.find(to)
    if (to === undefined || operator === undefined) return reject('not_found')
    const callback = parse(operator, sent, allowUnverified)
    if (callback === 'too_many_requests') return callback
    if (callback === undefined) return reject('unauthorized')
    const { reference: requestReference, isGenuine, answer = RECEIVED } = callback
    // An unsigned callback about a payment that this network has is as good as a signed one; only others use up what a stranger may send.
    if (!allowGenuine() || (!isGenuine && !allowUnverified(0))) return 'too_many_requests'
    if (requestReference === null) return { answer }
    if (underWay >= mostAtOnce) return 'unavailable'
    underWay++
    const taken = takeCallback(deps, CALLBACKS, { ...to, requestReference, isGenuine }).finally(() => underWay--)
    taken.then(
      (outcome) => !isGenuine && 'refused' in outcome && allowUnverified(),
      (error: unknown) => {
        notTaken(error)
        if (!isGenuine && !isStoreFailure(error)) allowUnverified()
      },
    )
    // The network gives up on us within two seconds, so a store that is slow makes it wait for one. Then it is told that nothing is taken yet:
    // it says it again, and about a payment that has ended, which nobody polls, that may be all that we ever hear of late money. A payment that
    // is not found gets a 200 too.
    const isTaken = await Promise.race([taken.then(() => true), patience().then(() => false)])
    return isTaken ? { answer } : 'unavailable'
  }
}

/** A callback that makes the connector throw counts as unverified: a bug that a stranger found must not get around the rate limit. */
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
