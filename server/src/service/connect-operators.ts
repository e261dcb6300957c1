// Connects the networks of the operators file, and the simulated network in environments that the
// file does not configure (D-19). Part of the wiring: compose.ts calls it.

import { readFileSync } from 'node:fs'
import { Agent } from 'undici'
import { type Config, type OperatorLimit, SettingRefused } from '../config.ts'
import type { Clock, Random } from '../domain/clock-and-random.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { servedBy } from '../domain/merchants/merchant-connection.ts'
import {
  HOSTED_METHODS,
  type HostedMethodName,
  isHosted,
  LINK_METHODS,
  type LinkMethod,
} from '../domain/methods/methods.ts'
import { type ConnectionKey, connectionText } from '../domain/operators/connection-key.ts'
import type { CallLimits } from '../domain/operators/operator-call.ts'
import { EVERY_ACCOUNT } from '../domain/people/caller.ts'
import { lookUp } from '../domain/texts/free-text.ts'
import type { Connection } from '../operators/connector.ts'
import { CONNECTORS } from '../operators/connectors/all.ts'
import { sender } from '../operators/http-call.ts'
import type { CallbackRequest } from '../operators/operator.ts'
import {
  type Connected as ConnectedNetwork,
  type Operators,
  operatorRegistry,
  type Refusals,
} from '../operators/registry.ts'
import { simulatedHosted, simulator } from '../simulator/connector.ts'
import type { Database, Queries } from '../store/engine/database.ts'
import { listMerchantConnections } from '../store/operators/merchant-connections.ts'
import { openSimulatorInside } from './open-simulator.ts'
import { type FileConnection, type OperatorsFile, readOperatorsFile } from './operators-file.ts'
import { statementDownloads } from './statement-download.ts'

export interface ConnectDeps {
  config: Config
  db: Database
  clock: Clock
  random: Random
  /** Shared by the simulator and its connector. */
  token: string
  /** The address that this server listens on, for callbacks; undefined before it listens. */
  ownAddress(): string | undefined
  /** Handles a callback of a network in this process. */
  takeCallback(to: ConnectionKey, callback: CallbackRequest): Promise<unknown>
  isPaused?(connection: ConnectionKey): boolean
  refusals?: Refusals
}

export interface Connected {
  operators: Operators
  /** The call limits of a connection, where the file sets them. */
  limitsOf?(connection: ConnectionKey): CallLimits | undefined
  /** Opens a merchant's own connection. Without it, merchants have none. */
  openNetwork?: OpenNetwork
  /** Where the network is the simulated one; everywhere without it. */
  simulated?: readonly Environment[]
  close(): Promise<void>
}

export interface OpenedNetwork extends Pick<Connection, 'test'> {
  connected: ConnectedNetwork
  /** After the calls in flight, or at once. */
  close(): Promise<void>
  destroy(): Promise<void>
}

export type OpenNetwork = (connection: FileConnection) => OpenedNetwork

/** Empty without a file. Throws SettingRefused with a sentence for each mistake. */
export function operatorsFileOf(config: Config): OperatorsFile {
  if (config.operatorsFile === '') return { connections: [], environments: [] }
  const readText = (path: string): string => readFileSync(path, 'utf8')
  let text: string
  try {
    text = readText(config.operatorsFile)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SettingRefused(
      `KARBA_OPERATORS_FILE is ${config.operatorsFile}, which cannot be read: ${code}.`,
    )
  }
  const isProduction = config.mode === 'production'
  const env = (name: string) => lookUp(process.env, name)
  const read = readOperatorsFile(text, { connectors: CONNECTORS, env, readText, isProduction })
  if (!('mistakes' in read)) return read
  throw new SettingRefused(
    [`${config.operatorsFile} cannot be used:`, ...read.mistakes.map((each) => `  ${each}`)].join(
      '\n',
    ),
  )
}

/**
 * Sandbox runs on the simulator, live only in development, and neither where the file connects a
 * network.
 */
export function simulatedEnvironments(
  { mode }: Config,
  file: Pick<OperatorsFile, 'environments'>,
): Environment[] {
  const possible = ENVIRONMENTS.filter(
    (environment) => environment === 'sandbox' || mode === 'development',
  )
  return possible.filter((environment) => !file.environments.includes(environment))
}

/**
 * In production there is no page that simulates a card or wallet provider, so sandbox has mobile
 * money only.
 */
export const simulatedMethods = ({ mode }: Config): readonly HostedMethodName[] =>
  mode === 'development' ? HOSTED_METHODS : []

/**
 * The methods that an account's links can be paid with, for commands, which connect no operator.
 */
export async function possibleMethods(
  config: Config,
  db: Queries,
  accountId: string,
): Promise<(environment: Environment) => readonly LinkMethod[]> {
  const connections = await listMerchantConnections(db, { accountId })
  const own = connections.filter(({ state }) => state === 'active').flatMap(servedBy)
  const file = operatorsFileOf(config)
  const simulated = simulatedEnvironments(config, file)
  const hosted: readonly LinkMethod[] = simulatedMethods(config)
  const hosts: readonly string[] = HOSTED_METHODS
  const simulatedHere = (method: LinkMethod): boolean =>
    isHosted(method) ? hosted.includes(method) : config.operators.length > 0
  return (environment) => {
    const ofFile = file.connections.filter((each) => each.environment === environment)
    const connectedHere = (method: LinkMethod): boolean =>
      ofFile.some(({ prompts, pages }) =>
        isHosted(method) ? pages.includes(method) : prompts.length > 0,
      )
    const isOwn = (method: LinkMethod): boolean =>
      isHosted(method) ? own.includes(method) : own.some((name) => !hosts.includes(name))
    const isHere = simulated.includes(environment) ? simulatedHere : connectedHere
    return LINK_METHODS.filter((method) => isOwn(method) || isHere(method))
  }
}

/**
 * Whether a connection can give back a part of a payment, for commands, which connect no operator.
 */
export async function refundsInPartOf(
  config: Config,
  db: Queries,
): Promise<(key: ConnectionKey) => boolean> {
  const own = (await listMerchantConnections(db, EVERY_ACCOUNT)).map(
    ({ environment, connectionId, connector }) => ({
      environment,
      name: connectionId,
      connector: CONNECTORS.find(({ name }) => name === connector),
    }),
  )
  const all = [...operatorsFileOf(config).connections, ...own]
  const wholeOnly = new Set(
    all.filter(({ connector }) => connector?.refundsWholeOnly === true).map(keyOf),
  )
  return (key) => !wholeOnly.has(connectionText(key))
}

export async function connectOperators(deps: ConnectDeps): Promise<Connected> {
  const { config, isPaused = () => false, refusals } = deps
  const file = operatorsFileOf(config)
  const environments = simulatedEnvironments(config, file)
  const simulated = connectSimulator(deps, environments)
  const real = file.connections.map((each) => connectNetwork(deps, each))
  const takesNothing = new Set(file.connections.filter(({ takes }) => !takes).map(keyOf))
  const takes = (key: ConnectionKey): boolean =>
    !isPaused(key) && !takesNothing.has(connectionText(key))
  const limits = new Map(file.connections.map((each) => [keyOf(each), each.limits]))
  return {
    operators: operatorRegistry(
      [...real.map(({ connected }) => connected), ...simulated.connected],
      config.operatorPrefixes,
      takes,
      refusals,
    ),
    limitsOf: (key) => limits.get(connectionText(key)),
    openNetwork: (connection) => connectNetwork(deps, connection),
    simulated: environments,
    close: async () => {
      await Promise.all([...real.map(({ destroy }) => destroy()), simulated.close()])
    },
  }
}

const keyOf = ({ environment, name }: Pick<FileConnection, 'environment' | 'name'>): string =>
  connectionText({ environment, connection: name })

export function connectNetwork(
  {
    config,
    clock,
    random,
    ownAddress,
  }: Pick<ConnectDeps, 'config' | 'clock' | 'random' | 'ownAddress'>,
  connection: FileConnection,
) {
  const { environment, name, connector, address, limits, certificates, options, prompts, pages } =
    connection
  const { operatorTimeoutMs: timeoutMs } = config
  const most = limits.request.atOnce + limits.status.atOnce + SPARE_CONNECTIONS
  const agent = new Agent({
    connections: most,
    ...(certificates !== undefined && { connect: { ca: certificates } }),
  })
  const callbackUrl = (reference: string): string | undefined => {
    const origin = config.publicUrl || ownAddress()
    return origin && `${origin}/operators/${environment}/${name}/callback/${reference}`
  }
  const downloads = statementDownloads({ clock, address, agent })
  const { operator, hosted, statements, check, test } = connector.connect(
    {
      name,
      environment,
      send: sender(agent, address, { clock, timeoutMs }),
      clock,
      random,
      callbackUrl,
      deadlineMs: timeoutMs,
      download: downloads.download,
    },
    options,
  )
  const { refundsWholeOnly } = connector
  const connected: ConnectedNetwork = {
    environment,
    operator,
    hosted,
    statements,
    prompts,
    pages,
    refundsWholeOnly,
  }
  return {
    connected,
    check,
    test,
    close: async () => void (await Promise.all([agent.close(), downloads.destroy()])),
    destroy: async () => void (await Promise.all([agent.destroy(), downloads.destroy()])),
  }
}

/** For tokens, refunds and checks, which no limit counts. */
const SPARE_CONNECTIONS = 4

/** The base address of calls that never leave the process. */
const INSIDE = 'http://simulator.internal'

export function connectSimulator(
  {
    config,
    db,
    clock,
    token,
    takeCallback,
  }: Pick<ConnectDeps, 'config' | 'db' | 'clock' | 'token' | 'takeCallback'>,
  environments: readonly Environment[],
): { connected: ConnectedNetwork[]; close(): Promise<void> } {
  if (environments.length === 0) return { connected: [], close: async () => {} }
  const { simulatorUrl, operatorTimeoutMs: timeoutMs } = config
  const own =
    simulatorUrl === ''
      ? openSimulatorInside({ config, db, clock, token, callBack: takeCallback })
      : undefined
  const agent = own ?? new Agent({ connections: 64 })
  const send = sender(agent, own === undefined ? simulatorUrl : INSIDE, { clock, timeoutMs })
  const connected = environments.flatMap((environment): ConnectedNetwork[] => [
    ...config.operators.map((name) => ({
      environment,
      operator: simulator({ name, send, token }),
      prompts: [name],
      pages: [],
    })),
    ...simulatedMethods(config).map((name) => {
      const hosted = simulatedHosted({ name, send, token })
      return { environment, operator: hosted, hosted, prompts: [], pages: [name] }
    }),
  ])
  return { connected, close: () => agent.destroy() }
}

/**
 * Default call limits. A payer waits for each request, and after an outage ten thousand payments
 * wait for status calls. A network in this process answers once its row is written: with 160
 * concurrent requests there is always something to write; with 40 the store and the event loop
 * waited for each other.
 */
const USUAL_LIMITS: CallLimits = { request: { atOnce: 160 }, status: { atOnce: 40 } }

/** A connection of the simulated network has its operator's name. */
export function simulatedLimits(
  { connection }: ConnectionKey,
  limits: readonly OperatorLimit[],
): CallLimits {
  const own = limits.filter((limit) => limit.operator === connection)
  return {
    ...USUAL_LIMITS,
    ...Object.fromEntries(own.map(({ kind, most }) => [kind, { atOnce: most }])),
  }
}
