// The lines between the service and the network in a simulated world: calls and callbacks get lost, delayed and repeated. The network
// itself never fails, and neither do its books.
import type { SimulatedCallback } from '../../src/simulator/network.ts'
import { deliverCallback, type Line } from '../kit/direct-operators.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import type { World } from './world.ts'

/** How many of a hundred go wrong. */
export type FaultPercent = 0 | 30 | 100

export interface FaultyLines {
  faultPercent: FaultPercent
  /** The provider's pages that payers were sent to. */
  sessions: string[]
  /** How often each reference was requested of the network. */
  requests: Map<string, number>
  line: Line
  sendCallback(callback: SimulatedCallback): Promise<void>
}

const LATEST_CALLBACK_MS = 600_000

/** `world` is asked for when something happens, and by then it is there. */
export function faultyLines(random: SeededRandom, world: () => World): FaultyLines {
  const goesWrong = (): boolean => random.percent(lines.faultPercent)

  /** While nobody listens, or at a door that is being closed, a callback is lost. */
  function deliver(callback: SimulatedCallback): void {
    const { process, service } = world()
    if (!process.hasCrashed()) void deliverCallback(service, callback).catch(() => {})
  }

  const lines: FaultyLines = {
    faultPercent: 0,
    sessions: [],
    requests: new Map(),
    line: async ({ kind, reference }, make) => {
      const fault = goesWrong() ? random.pick(['lost', 'unanswered', 'refused', 'late'] as const) : 'none'
      if (fault === 'lost') return { does: random.pick(['cut', 'hang'] as const) }
      if (fault === 'refused') return { does: '5xx' }
      if (kind === 'request') lines.requests.set(reference, (lines.requests.get(reference) ?? 0) + 1)
      const reaction = await make()
      if (fault === 'unanswered') return { does: random.pick(['cut', 'hang', '5xx'] as const) }
      if (kind === 'open' && fault === 'none') lines.sessions.push(reference)
      return fault === 'late' && 'answer' in reaction ? { ...reaction, afterMs: random.between(1, 12_000) } : reaction
    },
    sendCallback: async (callback) => {
      if (!goesWrong()) return deliver(callback)
      const late = [...Array(random.below(3))].map(() => random.between(0, LATEST_CALLBACK_MS))
      for (const ms of late) world().clock.after(ms, () => deliver(callback))
    },
  }
  return lines
}
