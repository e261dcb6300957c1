// Faults of a simulated world: calls and callbacks between service and network are lost, delayed
// and repeated, and stores fail. The network itself and its books never fail.
import type { WireCallback, WireReaction } from '../../../simulators/src/network.ts'
import type { Service } from '../../src/service/compose.ts'
import type { Reaction, SimulatedCallback } from '../../src/simulator/network.ts'
import {
  StoreContended,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from '../../src/store/engine/database.ts'
import type { CrashingOptions, StoreFault } from '../kit/crashing-service.ts'
import { deliverCallback } from '../kit/direct-operators.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { deliverByInject } from '../networks/harness.ts'
import type { WireLine } from './wire-networks.ts'
import type { World } from './world.ts'

/** Percentages of faults. */
export type FaultPercent = 0 | 30 | 100

/**
 * Arrivals at the network: in time, and from a process that was frozen between its last check and
 * the sending.
 */
export interface Arrivals {
  inTime: number
  held: number
}

export interface FaultyLines {
  faultPercent: FaultPercent
  /** Whether refunds are answered after a minute, and decided much later. */
  refundsAreSlow: boolean
  /** The provider's pages that payers were sent to. */
  sessions: string[]
  /** Requests that reached the network, by payment or attempt, and by refund. */
  requests: Map<string, Arrivals>
  refunds: Map<string, Arrivals>
  line: NonNullable<CrashingOptions['line']>
  sendCallback(callback: SimulatedCallback): Promise<void>
  /** True when a process acknowledged it. */
  deliver(callback: SimulatedCallback): Promise<boolean>
  /**
   * The same faults for networks with their real wire format, and their callbacks: the answer's
   * status code, if there is one.
   */
  wire: WireLine
  sendWireCallback(callback: WireCallback): Promise<number | undefined>
}

const LATEST_CALLBACK_MS = 600_000
/** A process that crashes or freezes during a callback never answers it. */
const ANSWERED_WITHIN_MS = 30_000
const SLOW_REFUND_MS = 60_000
/**
 * A proxy between the service and a network reports that the network was unreachable or did not
 * answer.
 */
const GATEWAY_CODES = [500, 502, 503, 504] as const

/** `world` is called when something happens; by then the world exists. */
export function faultyLines(random: SeededRandom, world: () => World): FaultyLines {
  const goesWrong = (): boolean => random.percent(lines.faultPercent)

  /** A callback is lost while no process listens, or while a process closes its port. */
  async function deliver(callback: SimulatedCallback): Promise<boolean> {
    return (await atAnyService((service) => deliverCallback(service, callback))) ?? false
  }

  async function atAnyService<T>(come: (service: Service) => Promise<T>): Promise<T | undefined> {
    const service = world().anyService()
    if (service === undefined) return undefined
    const unanswered = new Promise<undefined>((resolve) => {
      world().clock.after(ANSWERED_WITHIN_MS, () => resolve(undefined))
    })
    return Promise.race([come(service).catch(() => undefined), unanswered])
  }

  const gatewayPage = (): WireReaction => ({
    code: random.pick(GATEWAY_CODES),
    body: '<html>Bad Gateway</html>',
  })
  const cutOrSilent = (): WireReaction => random.pick([{ cut: true }, { silent: true }] as const)
  const after = (reaction: WireReaction, ms: number): WireReaction =>
    'silent' in reaction ? reaction : { ...reaction, afterMs: (reaction.afterMs ?? 0) + ms }

  function count(arrivals: Map<string, Arrivals>, reference: string, heldMs: number): void {
    const before = arrivals.get(reference) ?? { inTime: 0, held: 0 }
    const after =
      heldMs > 0 ? { ...before, held: before.held + 1 } : { ...before, inTime: before.inTime + 1 }
    arrivals.set(reference, after)
  }

  const late = (reaction: Reaction, afterMs: number): Reaction =>
    'answer' in reaction ? { ...reaction, afterMs } : reaction

  const lines: FaultyLines = {
    faultPercent: 0,
    refundsAreSlow: false,
    sessions: [],
    requests: new Map(),
    refunds: new Map(),
    line: async ({ kind, reference, heldMs }, make) => {
      const fault = goesWrong()
        ? random.pick(['lost', 'unanswered', 'refused', 'late'] as const)
        : 'none'
      if (fault === 'lost') return { does: random.pick(['cut', 'hang'] as const) }
      if (fault === 'refused') return { does: '5xx' }
      // The deadline passed during the freeze: the call is cancelled if it waited for a connection,
      // and sent if the freeze came right before the write.
      if (heldMs > 0 && random.percent(50)) return { does: 'cut' }
      if (kind === 'request') count(lines.requests, reference, heldMs)
      if (kind === 'refund') count(lines.refunds, reference, heldMs)
      const reaction = await make()
      if (fault === 'unanswered') return { does: random.pick(['cut', 'hang', '5xx'] as const) }
      if (kind === 'open' && fault === 'none') lines.sessions.push(reference)
      if (kind === 'refund' && lines.refundsAreSlow)
        return late(reaction, random.between(1, SLOW_REFUND_MS))
      return fault === 'late' ? late(reaction, random.between(1, 12_000)) : reaction
    },
    sendCallback: async (callback) => {
      if (!goesWrong()) return void deliver(callback)
      const delays = [...Array(random.below(3))].map(() => random.between(0, LATEST_CALLBACK_MS))
      for (const ms of delays) world().clock.after(ms, () => void deliver(callback))
    },
    deliver: async (callback) => !goesWrong() && deliver(callback),
    wire: ({ isRefund, heldMs }, make) => {
      const fault = goesWrong()
        ? random.pick(['unreached', 'lost', 'unanswered', 'unanswered', 'refused', 'late'] as const)
        : 'none'
      if (fault === 'unreached') return { unreached: true }
      if (fault === 'lost') return cutOrSilent()
      if (fault === 'refused') return gatewayPage()
      if (heldMs > 0 && random.percent(50)) return { cut: true }
      const reaction = make()
      if (fault === 'unanswered') return random.percent(50) ? cutOrSilent() : gatewayPage()
      if (isRefund && lines.refundsAreSlow)
        return after(reaction, random.between(1, SLOW_REFUND_MS))
      return fault === 'late' ? after(reaction, random.between(1, 12_000)) : reaction
    },
    sendWireCallback: async (callback) => {
      const come = () => atAnyService((service) => deliverByInject(service, callback))
      if (!goesWrong()) return come()
      for (let copies = random.below(3); copies > 0; copies--) {
        world().clock.after(random.between(0, LATEST_CALLBACK_MS), () => void come())
      }
      return random.percent(30) ? come() : undefined
    },
  }
  return lines
}

/** A silent connection is closed after this time. */
const SILENT_MS = 10_000

export function storeFaultOf(
  random: SeededRandom,
  percent: number,
  during: 'read' | 'write' | 'transaction',
): StoreFault | undefined {
  if (percent === 0 || !random.percent(percent)) return undefined
  const afterMs = random.percent(20) ? random.between(1, SILENT_MS) : 0
  const away = new StoreUnavailable('the connection was refused')
  if (during === 'read') return { error: away, isDone: false, afterMs }
  const contended = new StoreContended('another transaction holds the lock')
  if (during === 'transaction')
    return { error: random.pick([away, contended]), isDone: false, afterMs: 0 }
  const unknown = new StoreOutcomeUnknown('the connection was lost in the middle of a write')
  const error = random.pick([away, contended, unknown, unknown])
  return { error, isDone: error === unknown && random.percent(50), afterMs }
}
