// Wires the simulated network together: its tables, its HTTP server, and its callbacks to the service. It runs inside the service, or as
// `karba simulator` in a process of its own. Its token is derived from the master key, which both processes share.
import { Agent } from 'undici'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { type SimulatedCallback, simulatedNetwork } from '../simulator/network.ts'
import { simulatedProvider } from '../simulator/provider.ts'
import { callbackMessage, SIGNATURE_HEADER, type SimulatorServer, startSimulatorServer } from '../simulator/server.ts'
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

export async function openSimulator(deps: SimulatorDeps): Promise<SimulatorServer> {
  const { config, db, clock, token, callbacksTo, port, keepsAlive } = deps
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
  const server = await startSimulatorServer(network, simulatedProvider({ db, clock }), {
    clock,
    token,
    port,
    keepsAlive,
  })
  return {
    url: server.url,
    close: async () => {
      await agent.destroy()
      await server.close()
    },
  }
}
