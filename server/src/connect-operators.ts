// Which operators are connected, and the simulated network where it stands in for them (D-19). Part of the wiring: compose.ts
// calls it.
import { Agent } from 'undici'
import type { Config } from './config.ts'
import type { Clock } from './domain/clock-and-chance.ts'
import { COUNTRIES } from './domain/country.ts'
import { ENVIRONMENTS, type Environment } from './domain/environment.ts'
import { type Operators, operatorNames, operatorRegistry } from './operators/registry.ts'
import { simulatedNetwork } from './operators/simulated-network.ts'
import { simulator } from './operators/simulator.ts'
import { callbackMessage, SIGNATURE_HEADER, startSimulatorServer } from './operators/simulator-server.ts'
import type { Database } from './store/database.ts'
import { findInHand } from './store/pending-payments.ts'

export interface ConnectNeeds {
  config: Config
  db: Database
  clock: Clock
  /** Known to the simulator and to its connector. */
  token: string
  /** Where our own door for callbacks listens; undefined before it does. */
  ownAddress(): string | undefined
}

export interface Connected {
  operators: Operators
  close(): Promise<void>
}

/** Sandbox always runs on the simulator, live only in development. */
export const simulatedEnvironments = ({ mode }: Config): Environment[] =>
  ENVIRONMENTS.filter((environment) => environment === 'sandbox' || mode === 'development')

export async function connectOperators({ config, db, clock, token, ownAddress }: ConnectNeeds): Promise<Connected> {
  const dispatcher = new Agent({ connections: 64 })
  const network = simulatedNetwork({
    db,
    clock,
    delayMs: config.sandboxDelayMs,
    sendCallback: async (callback) => {
      const address = ownAddress()
      const to = await findInHand(db, callback.reference).catch(() => undefined)
      if (address === undefined || to === undefined) return
      const [body, signature] = callbackMessage(token, callback)
      const path = `/operators/${to.environment}/${to.operator}/callback`
      const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }
      // A callback is sent once: whoever does not get it asks.
      await dispatcher
        .request({ origin: address, path, method: 'POST', headers, body })
        .then((answer) => answer.body.dump())
        .catch(() => {})
    },
  })
  const server = await startSimulatorServer(network, { clock, token })
  const connected = simulatedEnvironments(config).flatMap((environment) =>
    COUNTRIES.flatMap(operatorNames).map((name) => ({
      environment,
      operator: simulator({ name, url: server.url, token, dispatcher, clock, timeoutMs: config.operatorTimeoutMs }),
    })),
  )
  return {
    operators: operatorRegistry(connected),
    close: async () => {
      await dispatcher.destroy()
      await server.close()
    },
  }
}
