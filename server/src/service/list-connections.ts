// The connections of an installation, as people see them: what they serve, whether they are paused, and how they did when they were last called.
import type { Config } from '../config.ts'
import type { Environment } from '../domain/environment.ts'
import type { ConfigurationRefusal, ConnectionKey } from '../domain/operator-report.ts'
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
import { operatorsFileOf, simulatedEnvironments, simulatedLimits, simulatedMethods } from './connect-operators.ts'

export interface ListedConnection {
  environment: Environment
  name: string
  /** `simulated` for the simulated network; null for one that has payments under way and that nothing connects any more. */
  connector: string | null
  serves: readonly string[]
  takes: boolean
  limits: CallLimits | undefined
  health: SeenHealth | undefined
  pause: ConnectionPause | undefined
  /** Operators whose payments its network refuses for our configuration, the oldest first. */
  refusals: readonly ConfigurationRefusal[]
}

/** Those of the file and the simulated network's, in the order in which they are preferred; then those that have payments and are gone. */
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
