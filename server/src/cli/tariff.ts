// karba tariff: what each network takes of a collection, from a day on.

import { InvalidArgumentError, Option } from 'commander'
import { listTariffs, setTariff } from '../actions/books/tariffs.ts'
import { dayOf, dayText } from '../domain/countries/business-day.ts'
import {
  type KeptTariff,
  ROUNDINGS,
  type Rounding,
  rateText,
  readRate,
} from '../domain/ledger/tariff.ts'
import { isConnectedIn } from '../service/connections.ts'
import { tariffFields } from '../wire/command-output.ts'
import { day } from './arguments.ts'
import { type Cli, granted, KarbaCommand } from './cli.ts'
import { readConnectionName } from './operators.ts'
import type { Column } from './table.ts'

export function tariffCommand(cli: Cli): KarbaCommand {
  const tariff = new KarbaCommand('tariff').description(
    'Lists and sets the networks’ fees on payments.',
  )
  tariff
    .command('list')
    .description('Lists the tariffs of all connections.')
    .json('a JSON array')
    .action(cli.action(list))
  tariff
    .command('set')
    .description(
      'Sets the tariff of a connection from a day on. Payments then show their expected fee.',
    )
    .argument('<connection>', 'as environment/name, such as live/mtn-benin')
    .option('--rate <percent>', 'the share of the amount, such as 1.5', rate, 0)
    .option('--fixed <francs>', 'added to the share', francs, 0)
    .option('--minimum <francs>', 'the lowest fee', francs, 0)
    .option('--maximum <francs>', 'the highest fee', francs)
    .addOption(new Option('--rounding <way>', 'to whole francs').choices(ROUNDINGS).default('up'))
    .option('--from <day>', 'the first day, such as 2026-12-01; today by default', day)
    .json()
    .action(cli.action(set))
  return tariff.examples(
    'tariff set live/mtn-benin --rate 1.5 --maximum 5000 --from 2026-12-01',
    'tariff list',
  )
}

interface SetOptions {
  rate: number
  fixed: number
  minimum: number
  maximum?: number
  rounding: Rounding
  from?: number
  json?: boolean
}

async function set(cli: Cli, name: string, { json, from, ...options }: SetOptions): Promise<void> {
  const {
    rate,
    fixed: fixedXof,
    minimum: minimumXof,
    maximum: maximumXof = null,
    rounding,
  } = options
  const key = readConnectionName(name)
  const outcome = await cli.withRuntime(({ config, db, clock }, caller) => {
    const tariff = {
      rate,
      fixedXof,
      minimumXof,
      maximumXof,
      rounding,
      fromDay: from ?? dayOf(clock.now()),
    }
    return setTariff({ db, clock, isConnected: isConnectedIn(config, db) }, caller, {
      ...key,
      ...tariff,
    })
  })
  const kept = granted(outcome, name)
  cli.print(json, tariffFields(kept), [
    `${name}: ${tariffText(kept)} from ${dayText(kept.fromDay)} on.`,
  ])
}

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { tariffs } = await cli.run(listTariffs, undefined)
  cli.printRows({
    json,
    value: tariffs.map(tariffFields),
    rows: tariffs,
    columns: COLUMNS,
    none: 'No tariff is set.',
  })
}

const COLUMNS: readonly Column<KeptTariff>[] = [
  { heading: 'CONNECTION', cell: ({ environment, connection }) => `${environment}/${connection}` },
  { heading: 'FROM', cell: ({ fromDay }) => dayText(fromDay) },
  { heading: 'TARIFF', cell: tariffText },
]

function tariffText({ rate, fixedXof, minimumXof, maximumXof, rounding }: KeptTariff): string {
  const parts = [
    rateText(rate),
    `rounded ${rounding === 'nearest' ? 'to the nearest franc' : rounding}`,
  ]
  if (fixedXof > 0) parts.push(`plus ${fixedXof} F`)
  if (minimumXof > 0) parts.push(`at least ${minimumXof} F`)
  if (maximumXof !== null) parts.push(`at most ${maximumXof} F`)
  return parts.join(', ')
}

function rate(text: string): number {
  const read = readRate(text)
  if (read === undefined) throw new InvalidArgumentError('Write it in percent, such as 1.5.')
  return read
}

function francs(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write whole francs, such as 100.')
  return Number(text)
}
