// A whole service on a virtual clock, with the simulated network behind it and no HTTP between
// them: hours of an operator's behaviour in a second, the same at every run.
import type { MachineClock, ServiceClock } from '../../src/domain/clock-and-random.ts'
import type { ConnectDeps, Connected, OpenNetwork } from '../../src/service/connect-operators.ts'
import { type Reaction, simulatedNetwork, simulatedProvider } from '../../src/simulator/network.ts'
import { type StatementParser, statementParser } from '../../src/statements/statement-parser.ts'
import { type Call, connectDirectly, deliverCallback, type Line } from './direct-operators.ts'
import { openTestService, order, post, type TestOverrides, type TestService } from './service.ts'
import { openWatchedStore, type StoreKind } from './stores.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

export interface VirtualService extends TestService {
  clock: VirtualClock
  /** The references of calls to the network, by kind of call. */
  calls: Record<Call['kind'], string[]>
  /**
   * The test's changes to the network's reactions, after it has received the call: silence, delay,
   * other answers.
   */
  network: { change(reaction: Reaction, reference: string): Reaction }
}

export interface VirtualOverrides extends Omit<TestOverrides, 'clock' | 'openStore'> {
  /** The clock of the service, made from the true one. */
  clockFrom?(truth: VirtualClock): Promise<ServiceClock>
  /** Opens connections of merchants. */
  openNetwork?(deps: ConnectDeps): OpenNetwork
  /** What the clock shows first. */
  startAt?: number
}

/** The reference of a new payment whose payer has decided, as its number says. */
export async function settledPayment(
  service: VirtualService,
  secretKey: string,
  change?: Record<string, unknown>,
): Promise<string> {
  const { body } = await post(service, secretKey, order(change))
  await service.clock.advance(4_000)
  return body.reference as string
}

export async function openVirtualService(
  store?: StoreKind,
  settings: Record<string, string> = {},
  { clockFrom = async (truth) => truth, openNetwork, startAt, ...overrides }: VirtualOverrides = {},
): Promise<VirtualService> {
  const clock = virtualClock(startAt)
  const calls: VirtualService['calls'] = {
    request: [],
    status: [],
    refund: [],
    refundStatus: [],
    open: [],
    cancel: [],
  }
  const network: VirtualService['network'] = { change: (reaction) => reaction }
  const line: Line = async ({ kind, reference }, make) => {
    calls[kind].push(reference)
    return network.change(await make(), reference)
  }

  let isStopping = false
  async function connect(deps: ConnectDeps): Promise<Connected> {
    const { db, token, isPaused } = deps
    const { operatorTimeoutMs: timeoutMs } = deps.config
    const provider = simulatedProvider({ db, clock })
    const simulated = simulatedNetwork({
      db,
      clock,
      delayMs: 2_000,
      // A callback to a service that stops is lost, as at a real network.
      sendCallback: async (callback) => {
        if (!isStopping) await deliverCallback(service, callback)
      },
    })
    const connected = connectDirectly({
      network: simulated,
      provider,
      line,
      clock,
      timeoutMs,
      token,
      isPaused,
    })
    return openNetwork === undefined ? connected : { ...connected, openNetwork: openNetwork(deps) }
  }

  const onClock = {
    clock: await clockFrom(clock),
    openStore: (config: TestService['config']) => openWatchedStore(config, clock),
    openParser: (machine: MachineClock) => watchedParser(statementParser(machine), clock),
  }
  const service = await openTestService(store, settings, { connect, ...overrides, ...onClock })
  return {
    ...service,
    clock,
    calls,
    network,
    // It waits for in-flight work, which waits for the clock.
    remove: () => {
      isStopping = true
      return clock.advanceUntil('end of the service', service.remove())
    },
  }
}

/** The threads of a parser work in real time: the clock waits for them. */
function watchedParser(parser: StatementParser, { busy }: VirtualClock): StatementParser {
  async function* watched<T>(items: AsyncGenerator<T>): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const { done, value } = await busy(items.next())
        if (done) return
        yield value
      }
    } finally {
      await items.return(undefined)
    }
  }
  return {
    sample: (source, turn) => busy(parser.sample(source, turn)),
    lines: (source, mapping, turn) => watched(parser.lines(source, mapping, turn)),
    linesAgain: (open, mapping, turn) => watched(parser.linesAgain(open, mapping, turn)),
    rows: (source, turn) => watched(parser.rows(source, turn)),
    close: () => parser.close(),
  }
}
