// Wires the simulated network: its tables, its transport, and its callbacks to the service. It runs
// inside the service, or as `karba simulator` in its own process. Its token is derived from the
// master key, which both share.
import { Agent, type Dispatcher } from 'undici'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import type { CallbackRequest } from '../operators/operator.ts'
import {
  type SimulatedCallback,
  SUCCEEDS_AT_ONCE,
  simulatedNetwork,
  simulatedProvider,
} from '../simulator/network.ts'
import {
  callbackMessage,
  InProcessDispatcher,
  SIGNATURE_HEADER,
  type SimulatorServer,
  simulatorAnswers,
  startSimulatorServer,
} from '../simulator/server.ts'
import { insertSimulatedPayment } from '../simulator/tables.ts'
import type { Database } from '../store/engine/database.ts'
import { findByRequestReference } from '../store/payments/payments.ts'
import type { MasterKey } from './master-key.ts'

export interface SimulatorDeps {
  config: Config
  db: Database
  clock: Clock
  token: string
  /**
   * Sends a callback to the service, once, without retries: the service polls the status if it is
   * lost.
   */
  callBack(to: ConnectionKey, callback: CallbackRequest): Promise<unknown>
  /** Any free port by default. */
  port?: number
  /**
   * Whether the server keeps its process alive: yes for `karba simulator`, no inside the service.
   */
  keepsAlive?: boolean
}

export const simulatorToken = (master: MasterKey): string =>
  master.derive('simulator').toString('hex')

/** In a process of its own. */
export async function openSimulator(deps: SimulatorDeps): Promise<SimulatorServer> {
  const { clock, port, keepsAlive } = deps
  return startSimulatorServer(answersOf(deps), { clock, port, keepsAlive })
}

/** Within the service: the dispatcher that passes calls to it. */
export const openSimulatorInside = (deps: SimulatorDeps): Dispatcher =>
  new InProcessDispatcher({ clock: deps.clock, answers: answersOf(deps) })

function answersOf({ config, db, clock, token, callBack }: SimulatorDeps) {
  async function sendCallback(callback: SimulatedCallback): Promise<void> {
    try {
      const to = await findByRequestReference(db, callback.reference)
      if (to === undefined) return
      const [body, signature] = callbackMessage(token, callback)
      const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }
      await callBack(to, { method: 'POST', path: '', headers, body: Buffer.from(body) })
    } catch {
      // Not retried: real networks lose callbacks too.
    }
  }

  const { sandboxDelayMs: delayMs, sandboxSeed: seed } = config
  const network = simulatedNetwork({ db, clock, delayMs, seed, sendCallback })
  return simulatorAnswers(network, simulatedProvider({ db, clock }), token)
}

/**
 * Payments that the simulated network never received: it counts them as collected, and refunds them
 * when asked.
 */
export const knownToSimulator =
  (db: Database) =>
  async (
    payments: readonly { reference: string; amountXof: number; at: number }[],
  ): Promise<void> => {
    for (const { reference, amountXof, at } of payments)
      await insertSimulatedPayment(db, {
        reference,
        amountXof,
        msisdn: SUCCEEDS_AT_ONCE,
        requestedAt: at,
      })
  }

/** After this timeout the callback is lost. */
const CALLBACK_MS = 10_000

/** Callbacks to a service in another process. */
export function callBackOverHttp(origin: string): {
  callBack: SimulatorDeps['callBack']
  close(): Promise<void>
} {
  const agent = new Agent({
    connections: 64,
    headersTimeout: CALLBACK_MS,
    bodyTimeout: CALLBACK_MS,
  })
  return {
    callBack: async ({ environment, connection }, { method, headers, body }) => {
      const path = `/operators/${environment}/${connection}/callback`
      const answer = await agent.request({ origin, path, method, headers, body })
      await answer.body.dump()
    },
    close: () => agent.destroy(),
  }
}
