// A whole service on a virtual clock, with the simulated network behind it and no HTTP between them: hours of an operator's
// behaviour in a second, the same at every run. Callbacks come in by the service's own door, signed like real ones.
import type { Connected, ConnectNeeds } from '../../src/connect-operators.ts'
import { COUNTRIES } from '../../src/domain/country.ts'
import { ENVIRONMENTS } from '../../src/domain/environment.ts'
import { operatorNames, operatorRegistry } from '../../src/operators/registry.ts'
import { type Reaction, type SimulatedNetwork, simulatedNetwork } from '../../src/operators/simulated-network.ts'
import { callbackReader } from '../../src/operators/simulator.ts'
import { callbackMessage, SIGNATURE_HEADER } from '../../src/operators/simulator-server.ts'
import { findInHand } from '../../src/store/pending-payments.ts'
import { directOperator } from './direct-operator.ts'
import { openTestService, type TestService } from './service.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

export interface VirtualService extends TestService {
  clock: VirtualClock
  /** Calls that reached the network, by kind. */
  calls: { request: string[]; status: string[]; refund: string[] }
  /** What a test does to the network's reactions, after it has taken the call in: silences it, slows it, twists its words. */
  outside: { change(reaction: Reaction, reference: string): Reaction }
}

export async function openVirtualService(): Promise<VirtualService> {
  const clock = virtualClock()
  const calls: VirtualService['calls'] = { request: [], status: [], refund: [] }
  const outside: VirtualService['outside'] = { change: (reaction) => reaction }
  let service: TestService | undefined

  async function connect({ config, db, token }: ConnectNeeds): Promise<Connected> {
    const network = simulatedNetwork({
      db,
      clock,
      delayMs: 2_000,
      sendCallback: async (callback) => {
        const payment = await findInHand(db, callback.reference)
        const [body, signature] = callbackMessage(token, callback)
        await service?.app.inject({
          method: 'POST',
          url: `/operators/${payment?.environment}/${payment?.operator}/callback`,
          headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
          payload: body,
        })
      },
    })
    const counted = async (list: string[], reference: string, reacting: Promise<Reaction>): Promise<Reaction> => {
      list.push(reference)
      return outside.change(await reacting, reference)
    }
    const reached: SimulatedNetwork = {
      request: (asked) => counted(calls.request, asked.reference, network.request(asked)),
      status: (reference) => counted(calls.status, reference, network.status(reference)),
      refund: (asked) => counted(calls.refund, asked.refundReference, network.refund(asked)),
    }
    const connected = ENVIRONMENTS.flatMap((environment) =>
      COUNTRIES.flatMap(operatorNames).map((name) => ({
        environment,
        operator: {
          ...directOperator(name, reached, clock, config.operatorTimeoutMs),
          parseCallback: callbackReader(token),
        },
      })),
    )
    return { operators: operatorRegistry(connected), close: async () => {} }
  }

  service = await openTestService(undefined, {}, { clock, connect })
  return { ...service, clock, calls, outside }
}
