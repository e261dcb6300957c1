// karba operators: the connections to networks, with their health; a check against each network;
// and pausing one.

import { pauseConnection, resumeConnection } from '../actions/operators/pause-connection.ts'
import type { ListedConnection } from '../domain/operators/connection.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import { checkConnections, isConnectedIn, listConnections } from '../service/connections.ts'
import { connectionFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function operatorsCommand(cli: Cli): KarbaCommand {
  const operators = new KarbaCommand('operators').description(
    'Shows, checks and pauses the connections to networks.',
  )
  operators
    .command('list')
    .description(
      'Lists connections with their operators, state, limits and the reason of a problem.',
    )
    .json('a JSON array')
    .action(cli.action(list))
  operators
    .command('check')
    .description(
      'Calls each network and checks token, balance or configuration, clock, certificate and callback address. Moves no money.',
    )
    .argument(
      '[connection]',
      'one connection, as environment/name or by its name; by default all of the operators file and of merchants',
    )
    .json('a JSON array')
    .action(cli.action(check))
  const pausing = (name: string, about: string, action: typeof pause): KarbaCommand =>
    operators
      .command(name)
      .description(about)
      .argument('<connection>', 'as environment/name, such as live/mtn-benin')
      .requiredOption('--reason <text>', 'the reason, for the audit log')
      .json()
      .action(cli.action(action))
  pausing(
    'pause',
    'Stops new payments on a connection, within a second. Payments that it has are still followed.',
    pause,
  )
  pausing(
    'resume',
    'Takes payments on a connection again: ends a pause, or a refusal because of our configuration.',
    resume,
  )
  return operators.examples(
    'operators list',
    'operators check live/mtn-benin',
    'operators pause live/mtn-benin --reason "MTN announced an outage until 14:00"',
  )
}

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const connections = await cli.withRuntime(({ config, db }) => listConnections(config, db))
  const value = connections.map(connectionFields)
  cli.printRows({
    json,
    value,
    rows: connections,
    columns: COLUMNS,
    none: 'No network is connected.',
  })
}

async function check(
  cli: Cli,
  wanted: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  const checked = await cli.withRuntime((runtime) => checkConnections(runtime, wanted))
  if (checked.length === 0) {
    throw new CommandFailed(
      wanted === undefined
        ? 'Neither KARBA_OPERATORS_FILE nor a merchant connects a network: there is nothing to check.'
        : `There is no connection ${wanted} to a network. \`karba operators list\` shows them all.`,
    )
  }
  cli.print(
    json,
    checked.map(({ environment, name, lines }) => ({ environment, connection: name, lines })),
    checked.flatMap(({ environment, name, lines }) => [
      `${environment}/${name}`,
      ...lines.map(
        ({ is, about, remedy }) =>
          `  ${cli.mark(is)} ${about}${remedy === undefined ? '' : `: ${remedy}`}`,
      ),
    ]),
  )
  if (checked.some(({ lines }) => lines.some(({ is }) => is === 'wrong'))) cli.exitCode = 1
}

async function pause(
  cli: Cli,
  name: string,
  { reason, json }: { reason: string; json?: boolean },
): Promise<void> {
  const key = readConnectionName(name)
  const paused = await cli.withRuntime(({ config, db, clock }, caller) =>
    pauseConnection({ db, clock, isConnected: isConnectedIn(config, db) }, caller, {
      ...key,
      reason,
    }),
  )
  granted(paused, name)
  cli.print(json, { connection: name, paused: true }, [
    `${name} takes no new payments. \`karba operators resume ${name}\` ends that.`,
  ])
}

async function resume(
  cli: Cli,
  name: string,
  { reason, json }: { reason: string; json?: boolean },
): Promise<void> {
  const key = readConnectionName(name)
  await cli.run(resumeConnection, { ...key, reason }, name)
  cli.print(json, { connection: name, paused: false }, [`${name} takes payments again.`])
}

export function readConnectionName(name: string): ConnectionKey {
  const [environment, connection, ...more] = name.split('/')
  if ((environment === 'live' || environment === 'sandbox') && connection && more.length === 0)
    return { environment, connection }
  throw new CommandFailed('Name a connection with its environment: live/mtn-benin.')
}

const COLUMNS: readonly Column<ListedConnection>[] = [
  { heading: 'CONNECTION', cell: ({ environment, name }) => `${environment}/${name}` },
  { heading: 'NETWORK', cell: ({ connector }) => connector ?? 'not connected any more' },
  { heading: 'MERCHANT', cell: ({ owner }) => owner ?? '', is: 'free text' },
  { heading: 'SERVES', cell: ({ serves }) => serves.join(', ') },
  { heading: 'STATE', cell: stateOf, is: 'state' },
  {
    heading: 'SINCE',
    cell: ({ health, pause, refusals }) => isoTimeOr((pause ?? refusals[0] ?? health)?.since),
    is: 'time',
  },
  { heading: 'LIMITS', cell: limitsOf },
  {
    heading: 'WHY',
    cell: ({ health, pause, refusals }) => pause?.reason ?? refusals[0]?.why ?? health?.why ?? '',
    is: 'free text',
  },
]

const isoTimeOr = (at: number | undefined): string => (at === undefined ? '' : isoTime(at))

function stateOf({ connector, takes, health, pause, refusals, serves }: ListedConnection): string {
  if (connector === null) return 'gone'
  if (pause !== undefined) return 'paused'
  if (refusals.length > 0 && refusals.length < serves.length)
    return `refused for ${refusals.map(({ operator }) => operator).join(', ')}`
  if (refusals.length > 0 || health?.misconfigured === 1) return 'refused'
  return `${health?.state ?? 'not called yet'}${takes ? '' : ', takes nothing'}`
}

function limitsOf({ limits }: ListedConnection): string {
  if (limits === undefined) return ''
  const one = ({
    atOnce,
    perSecond,
  }: {
    atOnce: number
    perSecond?: number | undefined
  }): string => (perSecond === undefined ? `${atOnce}` : `${atOnce} (${perSecond}/s)`)
  return `requests ${one(limits.request)}, questions ${one(limits.status)}`
}
