// karba anomalies: contradictions between operators' reports and payments. A person closes each
// with a note.
import {
  acceptLateMoney,
  closeAnomaly,
  type LateMoneyDeps,
  listLatestAnomalies,
  refundLateMoney,
} from '../actions/payments/anomalies.ts'
import type { Anomaly } from '../domain/books/anomaly.ts'
import type { Witness } from '../domain/books/statement.ts'
import type { Shell } from '../domain/people/caller.ts'
import { askFromCommand } from '../service/connections.ts'
import type { Runtime } from '../service/runtime.ts'
import { anomalyFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { refundDetail } from '../wire/payment.ts'
import { type PageOptions, readPages, withOptionalPages } from './arguments.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function anomaliesCommand(cli: Cli): KarbaCommand {
  const anomalies = new KarbaCommand('anomalies').description(
    'Lists and closes contradictions that a person must decide: a success after a failure, a failure after a success, a reversal during our own refund, a wrong amount, an unknown payment.',
  )
  const resolve = new KarbaCommand('resolve')
    .description('Closes one anomaly. The payment itself does not change.')
    .argument('<anomaly>', 'its id, as `anomalies` shows it')
    .requiredOption('--note <text>', 'the finding and what you did')
    .json()
    .examples('anomalies resolve ano_0123456789abcdef --note "refunded by hand, MTN case 812"')
    .action(cli.action(close))
  const settling = (name: string, about: string, settle: typeof close): KarbaCommand =>
    new KarbaCommand(name)
      .description(about)
      .argument('<anomaly>', 'its id, as `anomalies` shows it: of the kind success_after_failure')
      .requiredOption('--note <text>', 'the finding and the reason for the decision')
      .json()
      .action(cli.action(settle))
  return withOptionalPages(anomalies)
    .option('--all', 'also the closed ones')
    .json('a JSON array')
    .examples('anomalies', 'anomalies --all')
    .action(cli.action(list))
    .addCommand(resolve)
    .addCommand(
      settling(
        'accept',
        'Accepts a late debit that the network confirms now: the payment succeeds, and the merchant gets the event.',
        accept,
      ),
    )
    .addCommand(
      settling(
        'refund',
        'Refunds a late debit that the network confirms now to its payer. The payment stays as it is.',
        giveBack,
      ),
    )
}

async function list(
  cli: Cli,
  { all = false, ...options }: PageOptions & { all?: boolean },
): Promise<void> {
  const page = await cli.withRuntime((runtime, caller) =>
    readPages(
      (wanted) => listLatestAnomalies(runtime, caller, { openOnly: !all, ...wanted }),
      options,
    ),
  )
  const none = 'No anomalies.'
  cli.printPage({
    json: options.json,
    value: page.rows.map(anomalyFields),
    page,
    columns: COLUMNS,
    none,
  })
}

async function close(cli: Cli, anomalyId: string, { note, json }: Decision): Promise<void> {
  await cli.run(closeAnomaly, { anomalyId, note }, anomalyId)
  cli.print(json, { anomaly: anomalyId, resolved: true }, [`${anomalyId} is closed.`])
}

type LateMoney = { anomalyId: string; note: string }

/** The command asks the network by itself: no server need run. */
const asking =
  <Outcome>(settle: (deps: LateMoneyDeps, caller: Shell, input: LateMoney) => Promise<Outcome>) =>
  (runtime: Runtime, caller: Shell, input: LateMoney): Promise<Outcome> =>
    settle({ ...runtime, askOperator: askFromCommand(runtime) }, caller, input)

type Decision = { note: string; json?: boolean }

async function accept(cli: Cli, anomalyId: string, { note, json }: Decision): Promise<void> {
  const { reference } = await cli.run(asking(acceptLateMoney), { anomalyId, note }, anomalyId)
  cli.print(json, { anomaly: anomalyId, reference, status: 'succeeded' }, [
    `The payment ${reference} has succeeded, and the merchant gets the event. ${anomalyId} is closed.`,
  ])
}

async function giveBack(cli: Cli, anomalyId: string, { note, json }: Decision): Promise<void> {
  const { reference, refundReference } = await cli.run(
    asking(refundLateMoney),
    { anomalyId, note },
    anomalyId,
  )
  cli.print(
    json,
    { anomaly: anomalyId, reference, ...refundDetail(refundReference, { status: 'pending' }) },
    [`The refund ${refundReference} is on its way to the operator. ${anomalyId} is closed.`],
  )
}

const WITNESSES: Readonly<Record<Witness, string>> = {
  network: 'the network',
  staff_file: 'a file of the staff',
  merchant_file: 'a file of the merchant',
}

const COLUMNS: readonly Column<Anomaly>[] = [
  { heading: 'TIME', cell: ({ at }) => isoTime(at), is: 'time' },
  { heading: 'ANOMALY', cell: ({ anomalyId }) => anomalyId },
  { heading: 'REFERENCE', cell: ({ reference }) => reference },
  { heading: 'KIND', cell: ({ kind }) => kind },
  { heading: 'WITNESS', cell: ({ witness }) => (witness === null ? '' : WITNESSES[witness]) },
  { heading: 'CONNECTION', cell: ({ environment, connection }) => `${environment}/${connection}` },
  { heading: 'DETAILS', cell: ({ detail }) => detail, is: 'free text' },
]
