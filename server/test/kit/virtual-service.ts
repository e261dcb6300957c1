// A whole service on a virtual clock, with the simulated network behind it and no HTTP between them: hours of an operator's
// behaviour in a second, the same at every run. Callbacks come in by the service's own door, signed like real ones.

import { COUNTRIES } from '../../src/domain/country.ts'
import { ENVIRONMENTS } from '../../src/domain/environment.ts'
import { HOSTED_METHODS } from '../../src/domain/payment-link.ts'
import { callbackReader } from '../../src/operators/connectors/simulated/mobile.ts'
import { operatorNames, operatorRegistry } from '../../src/operators/registry.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { type Reaction, type SimulatedNetwork, simulatedNetwork } from '../../src/simulator/network.ts'
import { simulatedProvider } from '../../src/simulator/provider.ts'
import { callbackMessage, SIGNATURE_HEADER } from '../../src/simulator/server.ts'
import { findByRequestReference } from '../../src/store/payments/pending-payments.ts'
import { directHosted, type ReachedProvider } from './direct-hosted.ts'
import { directOperator } from './direct-operator.ts'
import { openTestService, type TestService } from './service.ts'
import { STORES, type StoreKind } from './stores.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'
import { openWatchedStore } from './watched-store.ts'

export interface VirtualService extends TestService {
  clock: VirtualClock
  /** Calls that reached the network, by kind. `open` and `cancel` are the card and wallet provider's alone. */
  calls: Record<'request' | 'status' | 'refund' | 'open' | 'cancel', string[]>
  /** What a test does to the network's reactions, after it has taken the call in: silences it, slows it, twists its words. */
  outside: { change(reaction: Reaction, reference: string): Reaction }
}

/** `connectOthers` puts operators of the test's own in the network's place. */
export async function openVirtualService(
  kind: StoreKind = STORES[0] as StoreKind,
  connectOthers?: () => Promise<Connected>,
): Promise<VirtualService> {
  const clock = virtualClock()
  const calls: VirtualService['calls'] = { request: [], status: [], refund: [], open: [], cancel: [] }
  const outside: VirtualService['outside'] = { change: (reaction) => reaction }
  let service: TestService | undefined

  async function connect({ config: { operatorTimeoutMs }, db, token }: ConnectDeps): Promise<Connected> {
    const network = simulatedNetwork({
      db,
      clock,
      delayMs: 2_000,
      sendCallback: async (callback) => {
        const payment = await findByRequestReference(db, callback.reference)
        const [body, signature] = callbackMessage(token, callback)
        await service?.app.inject({
          method: 'POST',
          url: `/operators/${payment?.environment}/${payment?.operator}/callback`,
          headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
          payload: body,
        })
      },
    })
    const provider = simulatedProvider({ db, clock })
    const counted = async (list: string[], reference: string, reacting: Promise<Reaction>): Promise<Reaction> => {
      list.push(reference)
      return outside.change(await reacting, reference)
    }
    const said = async (answering: ReturnType<typeof provider.status>): Promise<Reaction> => ({
      answer: await answering,
    })
    const reached: SimulatedNetwork = {
      request: (asked) => counted(calls.request, asked.reference, network.request(asked)),
      status: (reference) => counted(calls.status, reference, network.status(reference)),
      refund: (asked) => counted(calls.refund, asked.refundReference, network.refund(asked)),
    }
    const reachedProvider: ReachedProvider = {
      open: (session) => counted(calls.open, session.reference, said(provider.open(session))),
      status: (reference) => counted(calls.status, reference, said(provider.status(reference))),
      cancel: (reference) => counted(calls.cancel, reference, said(provider.cancel(reference))),
      refund: reached.refund,
    }
    const parseCallback = callbackReader(token)
    const connected = ENVIRONMENTS.flatMap((environment) =>
      COUNTRIES.flatMap(operatorNames).map((name) => ({
        environment,
        operator: { ...directOperator(name, reached, clock, operatorTimeoutMs), parseCallback },
      })),
    )
    const hosted = ENVIRONMENTS.flatMap((environment) =>
      HOSTED_METHODS.map((name) => ({
        environment,
        operator: { ...directHosted(name, reachedProvider, clock, operatorTimeoutMs), parseCallback },
      })),
    )
    return { operators: operatorRegistry(connected, [], hosted), close: async () => {} }
  }

  const place = await kind.makePlace()
  const store = openWatchedStore(place.config, clock)
  service = await openTestService(
    { ...kind, makePlace: async () => place },
    {},
    {
      clock,
      connect: connectOthers ?? connect,
      store,
    },
  )
  return { ...service, clock, calls, outside }
}
