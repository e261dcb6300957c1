// Connects the operators of the settings, or the simulated network in their place (D-19). Part of the wiring: compose.ts calls it.
import { Agent } from 'undici'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { HOSTED_METHODS, type HostedMethodName, LINK_METHODS, type LinkMethod } from '../domain/payment-link.ts'
import { simulatedHosted } from '../operators/connectors/simulated/hosted.ts'
import { simulator } from '../operators/connectors/simulated/mobile.ts'
import { type Operators, operatorRegistry } from '../operators/registry.ts'
import type { Database } from '../store/engine/database.ts'
import { openSimulatorInside } from './open-simulator.ts'

export interface ConnectDeps {
  config: Config
  db: Database
  clock: Clock
  /** Shared by the simulator and its connector. */
  token: string
  /** The address that this server listens on, for callbacks; undefined before it listens. */
  ownAddress(): string | undefined
}

export interface Connected {
  operators: Operators
  close(): Promise<void>
}

/** Sandbox always runs on the simulator, live only in development. */
export const simulatedEnvironments = ({ mode }: Config): Environment[] =>
  ENVIRONMENTS.filter((environment) => environment === 'sandbox' || mode === 'development')

/** In production there is no page that plays a card or wallet provider, so sandbox has mobile money alone. */
const simulatedMethods = ({ mode }: Config): readonly HostedMethodName[] =>
  mode === 'development' ? HOSTED_METHODS : []

/** The methods that links can be paid with, for commands, which connect no operator. */
export function possibleMethods(config: Config): (environment: Environment) => readonly LinkMethod[] {
  const hosted: readonly LinkMethod[] = simulatedMethods(config)
  const methods = LINK_METHODS.filter((method) =>
    method === 'mobile' ? config.operators.length > 0 : hosted.includes(method),
  )
  return (environment) => (simulatedEnvironments(config).includes(environment) ? methods : [])
}

export async function connectOperators({ config, db, clock, token, ownAddress }: ConnectDeps): Promise<Connected> {
  const { simulatorUrl, operatorTimeoutMs: timeoutMs } = config
  const own =
    simulatorUrl === '' ? openSimulatorInside({ config, db, clock, token, callbacksTo: ownAddress }) : undefined
  const agent = own?.dispatcher ?? new Agent({ connections: 64 })
  const url = simulatorUrl === '' ? 'http://simulator.internal' : simulatorUrl
  const connected = simulatedEnvironments(config).flatMap((environment) =>
    config.operators.map((name) => ({
      environment,
      operator: simulator({ name, url, token, agent, clock, timeoutMs }),
    })),
  )
  const hosted = simulatedEnvironments(config).flatMap((environment) =>
    simulatedMethods(config).map((name) => ({
      environment,
      operator: simulatedHosted({ name, url, token, agent, clock, timeoutMs }),
    })),
  )
  return {
    operators: operatorRegistry(connected, config.operatorPrefixes, hosted),
    close: async () => {
      await agent.destroy()
      await own?.close()
    },
  }
}
