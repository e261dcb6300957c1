// The simulated network without HTTP between, for tests on a virtual clock: what the wire does to an answer is done to it here.
import type { Clock } from '../../src/domain/clock-and-random.ts'
import type { OperatorAnswer } from '../../src/domain/outcome.ts'
import { readAnswer } from '../../src/operators/connectors/simulated/mobile.ts'
import type { Operator } from '../../src/operators/operator.ts'
import type { Reaction, SimulatedNetwork } from '../../src/simulator/network.ts'

/** From what the network does to what its connector understands. */
export function directLine(clock: Clock, timeoutMs: number): (reacting: Promise<Reaction>) => Promise<OperatorAnswer> {
  async function perform(reacting: Promise<Reaction>): Promise<OperatorAnswer> {
    const reaction = await reacting
    if (!('answer' in reaction)) {
      if (reaction.does === 'hang') return silence()
      return { is: 'unknown', why: reaction.does === 'cut' ? 'no answer: UND_ERR_SOCKET' : 'HTTP 503' }
    }
    const { afterMs = 0 } = reaction
    if (afterMs > timeoutMs) return silence()
    if (afterMs > 0) await new Promise<void>((resolve) => clock.after(afterMs, resolve))
    return readAnswer(reaction.answer)
  }

  function silence(): Promise<OperatorAnswer> {
    const answer = { is: 'unknown', why: `no answer within ${timeoutMs} ms` } as const
    return new Promise((resolve) => clock.after(timeoutMs, () => resolve(answer)))
  }

  return perform
}

export function directOperator(
  name: string,
  network: SimulatedNetwork,
  clock: Clock,
  timeoutMs: number,
): Omit<Operator, 'parseCallback'> {
  const perform = directLine(clock, timeoutMs)
  return {
    name,
    request: (collection) => perform(network.request(collection)),
    status: (reference) => perform(network.status(reference)),
    refund: (reversal) => perform(network.refund(reversal)),
  }
}
