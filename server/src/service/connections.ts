// The connections of an installation, as staff see them: what they serve, pauses, and health at the last call.
import { connect } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { Config } from '../config.ts'
import type { Random } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import type { ConfigurationRefusal, ConnectionKey } from '../domain/operator-report.ts'
import type { CheckLine } from '../operators/connector.ts'
import type { CallLimits } from '../operators/dispatcher.ts'
import type { Queries } from '../store/engine/database.ts'
import {
  type ConnectionPause,
  listConnectionRefusals,
  listHealth,
  listPauses,
  type SeenHealth,
} from '../store/operators/connections.ts'
import { findPendingConnections } from '../store/payments/pending-payments.ts'
import {
  connectNetwork,
  operatorsFileOf,
  simulatedEnvironments,
  simulatedLimits,
  simulatedMethods,
} from './connect-operators.ts'
import type { FileConnection } from './operators-file.ts'
import { keepAliveClock } from './runtime.ts'

export interface ListedConnection {
  environment: Environment
  name: string
  /** `simulated` for the simulated network; null for a removed connection that still has payments. */
  connector: string | null
  serves: readonly string[]
  takes: boolean
  limits: CallLimits | undefined
  health: SeenHealth | undefined
  pause: ConnectionPause | undefined
  /** Operators whose payments its network refuses for our configuration, the oldest first. */
  refusals: readonly ConfigurationRefusal[]
}

/** Those of the file and the simulated ones, in order of preference; then removed ones with payments. */
export async function listConnections(config: Config, db: Queries): Promise<ListedConnection[]> {
  const [health, pauses, pending] = [await listHealth(db), await listPauses(db), await findPendingConnections(db)]
  const refusals = await listConnectionRefusals(db)
  const seen = <Row extends ConnectionKey>(rows: readonly Row[], environment: Environment, name: string) =>
    rows.find((row) => row.environment === environment && row.connection === name)
  const listed = connectionsOf(config).map((each) => ({
    ...each,
    health: seen(health, each.environment, each.name),
    pause: seen(pauses, each.environment, each.name),
    refusals: refusals.filter(
      ({ environment, connection }) => environment === each.environment && connection === each.name,
    ),
  }))
  const gone = pending
    .filter(({ environment, connection }) => !isListed(listed, environment, connection))
    .map(({ environment, connection }) => ({
      ...{ environment, name: connection, connector: null, serves: [], takes: false, limits: undefined },
      ...{ health: undefined, pause: undefined, refusals: [] },
    }))
  return [...listed, ...gone]
}

type Known = Omit<ListedConnection, 'health' | 'pause' | 'refusals'>

const isListed = (listed: readonly Known[], environment: Environment, name: string): boolean =>
  listed.some((each) => each.environment === environment && each.name === name)

/** Whether there is such a connection. */
export const isConnectedIn =
  (config: Config) =>
  ({ environment, connection }: ConnectionKey): boolean =>
    isListed(connectionsOf(config), environment, connection)

/** The connector of a connection; undefined for the simulated network. */
export const connectorIn =
  (config: Config) =>
  ({ environment, connection }: ConnectionKey): string | undefined =>
    connectionsOf(config).find((each) => each.environment === environment && each.name === connection)?.connector ??
    undefined

function connectionsOf(config: Config): Known[] {
  const file = operatorsFileOf(config)
  const real = file.connections.map(({ environment, name, connector, prompts, pages, takes, limits }) => ({
    ...{ environment, name, connector: connector.name, serves: [...prompts, ...pages], takes, limits },
  }))
  const simulated = simulatedEnvironments(config, file).flatMap((environment) =>
    [...config.operators, ...simulatedMethods(config)].map((name) => {
      const limits = simulatedLimits({ environment, connection: name }, config.operatorLimits)
      return { environment, name, connector: 'simulated', serves: [name], takes: true, limits }
    }),
  )
  return [...real, ...simulated]
}

// Calls the networks of the operators file to see whether they can be used: the connector's own questions, and the
// certificate of the server. Moves no money, and shows no secret.

export type CheckedConnection = { environment: Environment; name: string; lines: CheckLine[] }

const CONNECTED_WITHIN_MS = 10_000
/** Long enough to have it renewed, and to notify a network in advance. */
const CERTIFICATE_ENDS_SOON_MS = 21 * 86_400_000

/** All connections of the file, or the one of this name. */
export async function checkConnections(config: Config, random: Random, wanted?: string): Promise<CheckedConnection[]> {
  const { connections } = operatorsFileOf(config)
  const isWanted = ({ environment, name }: FileConnection): boolean =>
    wanted === undefined || wanted === name || wanted === `${environment}/${name}`
  const checked: CheckedConnection[] = []
  // One after the other: some networks count calls.
  for (const connection of connections.filter(isWanted)) {
    const { environment, name } = connection
    const deps = { config, clock: keepAliveClock, random, ownAddress: () => undefined }
    const { check, agent } = connectNetwork(deps, connection)
    try {
      const lines = await check()
      checked.push({ environment, name, lines: [await checkServer(connection), ...lines] })
    } finally {
      await agent.destroy()
    }
  }
  return checked
}

/** Whether the server is there; over https, also until when its certificate is good. */
function checkServer({ address, certificates }: FileConnection): Promise<CheckLine> {
  const { protocol, hostname, port } = new URL(address)
  const isHttps = protocol === 'https:'
  const about = isHttps ? `the certificate of ${hostname}` : `the server ${hostname}:${port || 80}`
  return new Promise((resolve) => {
    const socket = isHttps
      ? connectTls({ host: hostname, port: Number(port || 443), servername: hostname, ca: certificates })
      : connect({ host: hostname, port: Number(port || 80) })
    const end = (line: CheckLine): void => {
      cancel()
      socket.destroy()
      resolve(line)
    }
    const cancel = keepAliveClock.after(CONNECTED_WITHIN_MS, () =>
      end({ is: 'wrong', about, mend: 'it did not answer: is the address right, and is this machine allowed?' }),
    )
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({ is: 'wrong', about, mend: `the connection failed (${error.code ?? error.message.slice(0, 80)})` }),
    )
    if (socket instanceof TLSSocket) socket.once('secureConnect', () => end(judgeCertificate(socket, about)))
    else socket.once('connect', () => end({ is: 'right', about: `${about}, without https` }))
  })
}

function judgeCertificate(socket: TLSSocket, about: string): CheckLine {
  const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
  const day = new Date(endsAt).toISOString().slice(0, 10)
  if (endsAt - keepAliveClock.now() >= CERTIFICATE_ENDS_SOON_MS) return { is: 'right', about: `${about}, until ${day}` }
  return { is: 'wrong', about, mend: `it ends on ${day}: the network must renew it` }
}
