// Late changes at networks, hours after their first answer, on top of the simulated network: a
// denied request is debited after all, a declined debit goes through, a success is reversed. A
// callback reports each and is repeated until it is acknowledged, or there is none.

import type {
  Reaction,
  SimulatedCallback,
  SimulatedNetwork,
  WireAnswer,
} from '../../src/simulator/network.ts'
import { behaviourOf } from '../../src/simulator/scenarios.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import type { VirtualClock } from '../kit/virtual-clock.ts'

interface Late {
  /**
   * `denied`: unknown until then, and no callback; `declined`: debited after a refusal; `reversed`:
   * refunded after the debit.
   */
  is: 'denied' | 'declined' | 'reversed'
  at: number
}

export interface LateNetwork extends SimulatedNetwork {
  /** Percentages of requests. */
  percent: number
  /** How long a look-up does not find a request or a refund. */
  lagMs: number
  /** By the reference that was sent. */
  late: ReadonlyMap<string, Late>
  /** References that it received and denies for a while. */
  denied: ReadonlySet<string>
  /** Pending callbacks. */
  pendingCallbacks: ReadonlySet<string>
}

export interface LateDeps {
  network: SimulatedNetwork
  clock: VirtualClock
  random: SeededRandom
  /** True when the service acknowledged it. */
  deliver(callback: SimulatedCallback): Promise<boolean>
}

const MINUTE_MS = 60_000
const CALLBACK_RETRY_MS = 10 * MINUTE_MS
/** The service believes a denial after 15 minutes; an early denial may be revoked soon. */
const BELIEVED_AFTER_MS = 16 * MINUTE_MS
const SOONEST_MS = 20_000
/** Before the last check of an inferred failure, which is after 72 hours. */
const LATEST_MS = 70 * 60 * MINUTE_MS

export function lateMoney({ network, clock, random, deliver }: LateDeps): LateNetwork {
  const late = new Map<string, Late>()
  const [denied, pendingCallbacks] = [new Set<string>(), new Set<string>()]
  const takenAt = new Map<string, number>()

  /** The answer to a look-up: nothing while it lags. */
  function lookUp(
    reference: string,
    find: (reference: string) => Promise<Reaction>,
  ): Promise<Reaction> {
    const isHidden = clock.now() < (takenAt.get(reference) ?? Number.NEGATIVE_INFINITY) + self.lagMs
    if (!isHidden) return find(reference)
    denied.add(reference)
    return Promise.resolve({ answer: { status: 'not_known' } })
  }

  const isAhead = (reference: string, is: Late['is']): boolean => {
    const behaviour = late.get(reference)
    return behaviour?.is === is && clock.now() < behaviour.at
  }

  async function status(reference: string): Promise<Reaction> {
    if (isAhead(reference, 'denied')) return { answer: { status: 'not_known' } }
    if (isAhead(reference, 'declined'))
      return { answer: { status: 'declined', reason: 'declined' } }
    const reaction = await network.status(reference)
    const isReversed = late.get(reference)?.is === 'reversed' && !isAhead(reference, 'reversed')
    if (!isReversed || !('answer' in reaction) || reaction.answer.status !== 'succeeded')
      return reaction
    return { answer: { ...reaction.answer, status: 'refunded' } }
  }

  /** Repeated until it is acknowledged. */
  async function sendCallback(reference: string): Promise<void> {
    const reaction = await status(reference)
    const answer: WireAnswer = 'answer' in reaction ? reaction.answer : { status: 'accepted' }
    const isTaken = !late.has(reference) || (await deliver({ reference, answer, genuine: true }))
    if (isTaken) pendingCallbacks.delete(reference)
    else clock.after(CALLBACK_RETRY_MS, () => void sendCallback(reference))
  }

  function draw(reference: string): Late['is'] {
    const is = random.pick(['denied', 'declined', 'reversed'] as const)
    const soonest = is === 'denied' ? BELIEVED_AFTER_MS : SOONEST_MS
    const ms = random.pick([
      random.between(soonest, 4 * soonest),
      random.between(BELIEVED_AFTER_MS, LATEST_MS),
    ])
    late.set(reference, { is, at: clock.now() + ms })
    if (is === 'denied') return is
    pendingCallbacks.add(reference)
    clock.after(ms, () => void sendCallback(reference))
    return is
  }

  const self: LateNetwork = {
    ...network,
    percent: 0,
    lagMs: 0,
    late,
    denied,
    pendingCallbacks,
    async request(asked) {
      const { reference, msisdn } = asked
      takenAt.set(reference, takenAt.get(reference) ?? clock.now())
      if (late.has(reference)) {
        await network.request(asked)
        return isAhead(reference, 'denied') ? { answer: { status: 'accepted' } } : status(reference)
      }
      const behaviour = behaviourOf(0, msisdn)
      const isOrdinary = behaviour.ending === 'succeeded' && behaviour.status === undefined
      const known = await network.status(reference)
      const isNew = 'answer' in known && known.answer.status === 'not_known'
      const is = isNew && isOrdinary && random.percent(self.percent) ? draw(reference) : undefined
      const reaction = await network.request(asked)
      if (
        is === 'denied' ||
        behaviour.status?.says === 'not_known' ||
        behaviour.request?.registers === false
      )
        denied.add(reference)
      if (is === 'denied') return { does: 'hang' }
      return is === 'declined' ? status(reference) : reaction
    },
    status: (reference) => lookUp(reference, status),
    async refund(asked) {
      const { reference, refundReference } = asked
      takenAt.set(refundReference, takenAt.get(refundReference) ?? clock.now())
      const behaviour = late.get(reference)
      if (
        behaviour !== undefined &&
        (behaviour.is === 'reversed') === clock.now() >= behaviour.at
      ) {
        return { answer: { status: 'declined', reason: 'operator_error' } }
      }
      const reaction = await network.refund(asked)
      // A refunded payment is not reversed too.
      if (!('answer' in reaction) || reaction.answer.status !== 'declined') late.delete(reference)
      return reaction
    },
    refundStatus: (refundReference) => lookUp(refundReference, network.refundStatus),
  }
  return self
}
