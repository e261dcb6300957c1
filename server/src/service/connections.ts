// The connections of an installation, as staff see them: what they serve, pauses, and health at the
// last call.
import { connect } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { Logger } from 'pino'
import type { AskOperator } from '../actions/deps.ts'
import { credentialsPlace } from '../actions/operators/money-destinations.ts'
import { recordOutcomes } from '../actions/payments/record-outcomes.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import { type SealedConnection, servedBy } from '../domain/merchants/merchant-connection.ts'
import type { ListedConnection } from '../domain/operators/connection.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import { requestReferenceOf } from '../domain/payments/operator-payment.ts'
import { type Caller, EVERY_ACCOUNT, type ServiceItself } from '../domain/people/caller.ts'
import { configurationRefusals } from '../operators/configuration-refusals.ts'
import { type CheckLine, type NetworkStatements, wrong } from '../operators/connector.ts'
import type { Operator } from '../operators/operator.ts'
import type { Database, Queries } from '../store/engine/database.ts'
import {
  listConnectionRefusals,
  listHealth,
  listPauses,
  removeConnectionRefusal,
  writeConnectionRefusal,
} from '../store/operators/connections.ts'
import {
  countValidatedAccounts,
  findMerchantConnection,
  listChangedConnections,
  listNamedConnections,
  listServedAccounts,
} from '../store/operators/merchant-connections.ts'
import { findPendingConnections } from '../store/payments/pending-payments.ts'
import {
  connectNetwork,
  connectSimulator,
  operatorsFileOf,
  simulatedEnvironments,
  simulatedLimits,
  simulatedMethods,
} from './connect-operators.ts'
import { boxOf } from './master-key.ts'
import { networkOf } from './merchant-networks.ts'
import { simulatorToken } from './open-simulator.ts'
import { type FileConnection, USUAL_LIMITS } from './operators-file.ts'
import { keepAliveClock, type Runtime } from './runtime.ts'

/**
 * Those of the file and the simulated ones, in order of preference, and merchants' own; then
 * removed ones with payments.
 */
export async function listConnections(config: Config, db: Queries): Promise<ListedConnection[]> {
  const [health, pauses, pending] = [
    await listHealth(db),
    await listPauses(db),
    await findPendingConnections(db),
  ]
  const refusals = await listConnectionRefusals(db)
  const seen = <Row extends ConnectionKey>(
    rows: readonly Row[],
    environment: Environment,
    name: string,
  ) => rows.find((row) => row.environment === environment && row.connection === name)
  const shared = await findSharedConnections(config, db)
  const listed = [...connectionsOf(config), ...(await ownConnections(db))].map((each) => ({
    ...each,
    sharedBy:
      shared.find(({ name }) => each.environment === 'live' && name === each.name)?.merchants ?? 0,
    health: seen(health, each.environment, each.name),
    pause: seen(pauses, each.environment, each.name),
    refusals: refusals.filter(
      ({ environment, connection }) => environment === each.environment && connection === each.name,
    ),
  }))
  const gone = pending
    .filter(({ environment, connection }) => !isListed(listed, environment, connection))
    .map(({ environment, connection }) => ({
      environment,
      name: connection,
      connector: null,
      serves: [],
      takes: false,
      limits: undefined,
      label: null,
      owner: null,
      sharedBy: 0,
      health: undefined,
      pause: undefined,
      refusals: [],
    }))
  return [...listed, ...gone]
}

type Known = Omit<ListedConnection, 'health' | 'pause' | 'refusals' | 'sharedBy'>

const isListed = (listed: readonly Known[], environment: Environment, name: string): boolean =>
  listed.some((each) => each.environment === environment && each.name === name)

/** Merchants' own, without removed ones. */
async function ownConnections(db: Queries): Promise<Known[]> {
  const own = await listNamedConnections(db)
  return own
    .filter(({ state }) => state !== 'removed')
    .map(({ environment, connectionId, label, connector, serves, state, merchantName }) => ({
      environment,
      name: connectionId,
      label,
      connector,
      serves: serves.split(','),
      takes: state === 'active',
      limits: USUAL_LIMITS,
      owner: merchantName,
    }))
}

/** Whether the installation has such a connection. */
export const isInstalledIn =
  (config: Config) =>
  ({ environment, connection }: ConnectionKey): boolean =>
    isListed(connectionsOf(config), environment, connection)

/** Whether there is such a connection; a merchant's own also after its removal. */
export const isConnectedIn =
  (config: Config, db: Queries) =>
  async (key: ConnectionKey): Promise<boolean> =>
    isInstalledIn(config)(key) ||
    (await findMerchantConnection(db, EVERY_ACCOUNT, key.connection))?.environment ===
      key.environment

/** Whether a connection is the caller's own account's, also after its removal. */
export const isOwnConnectionIn =
  (db: Queries) =>
  async (caller: Caller, { environment, connection }: ConnectionKey): Promise<boolean> =>
    'accountId' in caller &&
    (await findMerchantConnection(db, { accountId: caller.accountId }, connection))?.environment ===
      environment

/** The connector of a connection; undefined for the simulated network. */
export const connectorIn =
  (config: Config, db: Queries) =>
  async ({ environment, connection }: ConnectionKey): Promise<string | undefined> =>
    connectionsOf(config).find(
      (each) => each.environment === environment && each.name === connection,
    )?.connector ?? (await findMerchantConnection(db, EVERY_ACCOUNT, connection))?.connector

export type SharedConnection = { name: string; merchants: number }

/**
 * Live connections of several merchants, in production: only a licensed company may hold their
 * money in one wallet.
 */
export async function findSharedConnections(
  config: Config,
  db: Queries,
): Promise<SharedConnection[]> {
  if (config.mode !== 'production') return []
  const taking = operatorsFileOf(config).connections.filter(
    (each) => each.environment === 'live' && each.takes,
  )
  if (taking.length === 0) return []
  const merchants = await countValidatedAccounts(db, 'live')
  const served = await listServedAccounts(db, 'live')
  /** Merchants without a connection of their own for it. */
  const sharing = (name: string): number =>
    merchants -
    new Set(
      served.filter((each) => servedBy(each).includes(name)).map(({ accountId }) => accountId),
    ).size
  return taking
    .map(({ name, prompts, pages }) => ({
      name,
      merchants: Math.max(0, ...[...prompts, ...pages].map(sharing)),
    }))
    .filter((each) => each.merchants > 1)
}

function connectionsOf(config: Config): Known[] {
  const file = operatorsFileOf(config)
  const real = file.connections.map(
    ({ environment, name, connector, prompts, pages, takes, limits }) => ({
      environment,
      name,
      connector: connector.name,
      serves: [...prompts, ...pages],
      takes,
      limits,
      label: null,
      owner: null,
    }),
  )
  const simulated = simulatedEnvironments(config, file).flatMap((environment) =>
    [...config.operators, ...simulatedMethods(config)].map((name) => {
      const limits = simulatedLimits({ environment, connection: name }, config.operatorLimits)
      return {
        environment,
        name,
        label: null,
        connector: 'simulated',
        serves: [name],
        takes: true,
        limits,
        owner: null,
      }
    }),
  )
  return [...real, ...simulated]
}

// Every connection as a command can open it: those of the operators file, and merchants' own.

type NetworkDeps = Pick<Runtime, 'config' | 'db' | 'master' | 'random'>

interface KnownNetwork extends Pick<FileConnection, 'environment' | 'name'> {
  /** Undefined for a merchant's connection that cannot be opened. */
  network: FileConnection | undefined
}

/** Without removed ones of merchants. */
async function knownNetworks({ config, db, master, random }: NetworkDeps): Promise<KnownNetwork[]> {
  const box = boxOf(master, 'network credentials', random)
  const open = (row: SealedConnection): FileConnection | undefined => {
    try {
      return networkOf(config, row, box.open(row.credentials, credentialsPlace(row.connectionId)))
    } catch {
      return undefined
    }
  }
  const own = (await listChangedConnections(db, 0)).filter(({ state }) => state !== 'removed')
  return [
    ...operatorsFileOf(config).connections.map((network) => ({ ...network, network })),
    ...own.map((row) => ({
      environment: row.environment,
      name: row.connectionId,
      network: open(row),
    })),
  ]
}

const openNetwork = ({ config, random }: NetworkDeps, network: FileConnection) =>
  connectNetwork({ config, clock: keepAliveClock, random, ownAddress: () => undefined }, network)

/** While `work` runs, the network of one connection is open. Undefined where there is none. */
export async function withNetwork<Outcome>(
  deps: NetworkDeps,
  { environment, connection }: ConnectionKey,
  work: (statementsOf: (key: ConnectionKey) => NetworkStatements | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const networks = await knownNetworks(deps)
  const { network } =
    networks.find((each) => each.environment === environment && each.name === connection) ?? {}
  if (network === undefined) return work(() => undefined)
  const opened = openNetwork(deps, network)
  try {
    return await work(() => opened.connected.statements)
  } finally {
    await opened.destroy()
  }
}

// Asks a network about one payment, for a command.

type AskDeps = NetworkDeps & Pick<Runtime, 'clock' | 'nextStoryEntry'>

const COMMAND: ServiceItself = { is: 'service', part: 'command' }

/** The answer is recorded as the server would. Undefined where the connection cannot be opened. */
export const askFromCommand =
  (deps: AskDeps): AskOperator =>
  async (payment) => {
    const opened = await openOperator(deps, payment)
    if (opened === undefined) return undefined
    try {
      const calledAt = deps.clock.now()
      const answer = await opened.operator.status(requestReferenceOf(payment), payment.networkId)
      await recordOutcomes(deps, COMMAND, [{ payment, via: 'status', calledAt, answer }])
      return answer
    } finally {
      await opened.close()
    }
  }

type OpenedOperator = { operator: Operator; close(): Promise<void> }

async function openOperator(
  deps: AskDeps,
  key: ConnectionKey,
): Promise<OpenedOperator | undefined> {
  const networks = await knownNetworks(deps)
  const known = networks.find(
    ({ environment, name }) => environment === key.environment && name === key.connection,
  )
  if (known !== undefined) {
    const opened = known.network && openNetwork(deps, known.network)
    return opened && { operator: opened.connected.operator, close: opened.destroy }
  }
  const { config, db, clock, master } = deps
  const simulated = connectSimulator(
    { config, db, clock, token: simulatorToken(master), takeCallback: async () => undefined },
    simulatedEnvironments(config, operatorsFileOf(config)),
  )
  const found = simulated.connected.find(
    ({ environment, operator }) =>
      environment === key.environment && operator.name === key.connection,
  )
  if (found !== undefined) return { operator: found.operator, close: simulated.close }
  await simulated.close()
  return undefined
}

// Calls the networks to see whether they can be used: the connector's own questions, and the
// certificate of the server. Moves no money, and shows no secret.

export type CheckedConnection = { environment: Environment; name: string; lines: CheckLine[] }

const CONNECTED_WITHIN_MS = 10_000
/** Long enough to have it renewed, and to notify a network in advance. */
const CERTIFICATE_ENDS_SOON_MS = 21 * 86_400_000

/** All connections of the file and of merchants, or the one of this name. */
export async function checkConnections(
  deps: NetworkDeps,
  wanted?: string,
): Promise<CheckedConnection[]> {
  const isWanted = ({ environment, name }: KnownNetwork): boolean =>
    wanted === undefined || wanted === name || wanted === `${environment}/${name}`
  const checked: CheckedConnection[] = []
  // One after the other: some networks count calls.
  for (const { environment, name, network } of (await knownNetworks(deps)).filter(isWanted)) {
    if (network === undefined) {
      checked.push({ environment, name, lines: [wrong('the credentials', NOT_OPENED)] })
      continue
    }
    const { check, destroy } = openNetwork(deps, network)
    try {
      const lines = await check()
      checked.push({ environment, name, lines: [await checkServer(network), ...lines] })
    } finally {
      await destroy()
    }
  }
  return checked
}

const NOT_OPENED =
  'this version or this master key cannot use them: the merchant must enter them again'

/** Whether the server is there; over https, also until when its certificate is good. */
function checkServer({ address, certificates }: FileConnection): Promise<CheckLine> {
  const { protocol, hostname, port } = new URL(address)
  const isHttps = protocol === 'https:'
  const about = isHttps ? `the certificate of ${hostname}` : `the server ${hostname}:${port || 80}`
  return new Promise((resolve) => {
    const socket = isHttps
      ? connectTls({
          host: hostname,
          port: Number(port || 443),
          servername: hostname,
          ca: certificates,
        })
      : connect({ host: hostname, port: Number(port || 80) })
    const end = (line: CheckLine): void => {
      cancel()
      socket.destroy()
      resolve(line)
    }
    const cancel = keepAliveClock.after(CONNECTED_WITHIN_MS, () =>
      end({
        is: 'wrong',
        about,
        remedy: 'it did not answer: is the address right, and is this machine allowed?',
      }),
    )
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({
        is: 'wrong',
        about,
        remedy: `the connection failed (${error.code ?? error.message.slice(0, 80)})`,
      }),
    )
    if (socket instanceof TLSSocket)
      socket.once('secureConnect', () => end(judgeCertificate(socket, about)))
    else socket.once('connect', () => end({ is: 'right', about: `${about}, without https` }))
  })
}

function judgeCertificate(socket: TLSSocket, about: string): CheckLine {
  const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
  const day = new Date(endsAt).toISOString().slice(0, 10)
  if (endsAt - keepAliveClock.now() >= CERTIFICATE_ENDS_SOON_MS)
    return { is: 'right', about: `${about}, until ${day}` }
  return { is: 'wrong', about, remedy: `it ends on ${day}: the network must renew it` }
}

// Wires the refusals for our configuration to the log and to the store, which shares them with the
// other processes.

type Deps = {
  db: Database
  clock: Clock
  log: Logger
  failed(error: unknown): void
}

export function shareRefusals({ db, clock, log, failed }: Deps) {
  const writes = { begun: 0, underWay: 0 }
  function write(work: Promise<unknown>): void {
    writes.begun++
    writes.underWay++
    void work.catch(failed).finally(() => {
      writes.underWay--
    })
  }
  const refusals = configurationRefusals({
    clock,
    noticed: ({ environment, connection, operator }, why) =>
      log.warn(
        { environment, connection, operator, why },
        'the network refused a payment for a reason that looks like our configuration',
      ),
    closed: (refusal, isNew) => {
      write(writeConnectionRefusal(db, refusal))
      if (!isNew) return
      const { environment, connection, operator, why } = refusal
      log.error(
        { environment, connection, operator, why },
        'this connection is refused for its credentials or settings and takes no new payments: change what `why` says; it reopens by itself with the first payment that the network accepts',
      )
    },
    reopened: (refusal, calledAt) => {
      write(removeConnectionRefusal(db, refusal, calledAt))
      const { environment, connection, operator, since } = refusal
      const seconds = Math.round((clock.now() - since) / 1_000)
      log.info(
        { environment, connection, operator, seconds },
        'this connection is no longer refused: it takes payments',
      )
    },
  })
  return {
    refusals,
    /** Reads the routes that other processes closed and reopened. */
    read: async () => {
      const { begun, underWay } = writes
      const listed = await listConnectionRefusals(db)
      // The rows read may be older than those that this process has written since.
      if (underWay === 0 && writes.begun === begun) refusals.load(listed)
    },
  }
}
