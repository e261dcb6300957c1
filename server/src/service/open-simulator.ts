// Wires the simulated network together: its tables, the way to it, and its callbacks to the service. It runs inside the service, or as
// `karba simulator` in a process of its own. Its token is derived from the master key, which both processes share.
import { Agent, type Dispatcher } from 'undici'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { InProcessDispatcher } from '../simulator/in-process.ts'
import { type SimulatedCallback, simulatedNetwork } from '../simulator/network.ts'
import { simulatedProvider } from '../simulator/provider.ts'
import {
  callbackMessage,
  SIGNATURE_HEADER,
  type SimulatorServer,
  simulatorAnswers,
  startSimulatorServer,
} from '../simulator/server.ts'
import type { Database } from '../store/engine/database.ts'
import { findByRequestReference } from '../store/payments/pending-payments.ts'
import type { MasterKey } from './master-key.ts'

export interface SimulatorDeps {
  config: Config
  db: Database
  clock: Clock
  token: string
  /** The origin that callbacks are sent to; undefined before it is known. */
  callbacksTo(): string | undefined
  /** Any free port by default. */
  port?: number
  /** Whether the server keeps its process alive: yes for `karba simulator`, no inside the service. */
  keepsAlive?: boolean
}

export const simulatorToken = (master: MasterKey): string => master.derive('simulator').toString('hex')

/** In a process of its own. */
export async function openSimulator(deps: SimulatorDeps): Promise<SimulatorServer> {
  const { clock, port, keepsAlive } = deps
  const { answers, close } = simulation(deps)
  const server = await startSimulatorServer(answers, { clock, port, keepsAlive })
  return {
    url: server.url,
    close: async () => {
      await close()
      await server.close()
    },
  }
}

/** Within the service: what calls to it are dispatched by. */
export function openSimulatorInside(deps: SimulatorDeps): { dispatcher: Dispatcher; close(): Promise<void> } {
  const { answers, close } = simulation(deps)
  return { dispatcher: new InProcessDispatcher({ clock: deps.clock, answers }), close }
}

function simulation({ config, db, clock, token, callbacksTo }: SimulatorDeps) {
  const agent = new Agent({ connections: 64 })

  /** Sent once, without retries: the service polls the status if a callback is lost. */
  async function sendCallback(callback: SimulatedCallback): Promise<void> {
    const origin = callbacksTo()
    const to = await findByRequestReference(db, callback.reference).catch(() => undefined)
    if (origin === undefined || to === undefined) return
    const [body, signature] = callbackMessage(token, callback)
    const path = `/operators/${to.environment}/${to.connection}/callback`
    const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }
    await agent
      .request({ origin, path, method: 'POST', headers, body })
      .then((answer) => answer.body.dump())
      .catch(() => {})
  }

  const { sandboxDelayMs: delayMs, sandboxSeed: seed } = config
  const network = simulatedNetwork({ db, clock, delayMs, seed, sendCallback })
  const answers = simulatorAnswers(network, simulatedProvider({ db, clock }), token)
  return { answers, close: () => agent.destroy() }
}
