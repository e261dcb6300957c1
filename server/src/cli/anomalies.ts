// karba anomalies: contradictions between operators' reports and payments, which a person must decide and then closes with a note.
import { Command } from 'commander'
import { acceptLateMoney, closeAnomaly, listLatestAnomalies, refundLateMoney } from '../actions/payments/anomalies.ts'
import { anomalyFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { requestedRefundFields } from '../wire/payment.ts'
import { type PageOptions, readPages, withOptionalPages } from './arguments.ts'
import { type Cli, granted } from './cli.ts'
import type { Column } from './table.ts'

export function anomaliesCommand(cli: Cli): Command {
  const anomalies = new Command('anomalies')
    .enablePositionalOptions()
    .description(
      'Lists what no rule can decide, and settles it: a success after a failure, a failure after a success, a reversal during our own refund, an amount that is not the one asked for, a payment we do not have.',
    )
  const resolve = new Command('resolve')
    .description('Closes one anomaly that a person has dealt with. The payment itself does not change.')
    .argument('<anomaly>', 'its name, as `anomalies` shows it')
    .requiredOption('--note <text>', 'what was found and done')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- anomalies resolve ano_0123456789abcdef --note "refunded by hand, MTN case 812"',
    )
    .action(cli.action(close))
  const settling = (name: string, about: string, settle: Settle): Command =>
    new Command(name)
      .description(about)
      .argument('<anomaly>', 'its name, as `anomalies` shows it: one of the kind success_after_failure')
      .requiredOption('--note <text>', 'what was found and why this was decided')
      .option('--json', 'print one JSON object')
      .action(cli.action(settle))
  return withOptionalPages(anomalies)
    .option('--all', 'also those that have been dealt with')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExamples:\n  npm run -s karba -- anomalies\n  npm run -s karba -- anomalies --all')
    .action(cli.action(list))
    .addCommand(resolve)
    .addCommand(
      settling('accept', 'Takes money that came late: the payment has succeeded, and its merchant is told.', accept),
    )
    .addCommand(
      settling('refund', 'Gives money that came late back to its payer. The payment stays as it is.', giveBack),
    )
}

async function list(cli: Cli, { all = false, ...options }: PageOptions & { all?: boolean }): Promise<void> {
  const page = await cli.withRuntime((runtime, caller) =>
    readPages((wanted) => listLatestAnomalies(runtime, caller, { openOnly: !all, ...wanted }), options),
  )
  const none = 'There is nothing to look at.'
  cli.printList({ json: options.json, value: page.rows.map(anomalyFields), page, columns: COLUMNS, none })
}

async function close(cli: Cli, anomalyId: string, { note, json }: { note: string; json?: boolean }): Promise<void> {
  granted(await cli.withRuntime((runtime, caller) => closeAnomaly(runtime, caller, { anomalyId, note })), {
    name: anomalyId,
  })
  cli.print(json, { anomaly: anomalyId, resolved: true }, [`${anomalyId} is closed.`])
}

type Settle = (cli: Cli, anomalyId: string, options: { note: string; json?: boolean }) => Promise<void>

async function accept(cli: Cli, anomalyId: string, { note, json }: { note: string; json?: boolean }): Promise<void> {
  const asked = { name: anomalyId }
  const settled = await cli.withRuntime((runtime, caller) => acceptLateMoney(runtime, caller, { anomalyId, note }))
  const { reference } = granted(settled, asked)
  cli.print(json, { anomaly: anomalyId, reference, status: 'succeeded' }, [
    `The payment ${reference} has succeeded, and its merchant is told. ${anomalyId} is closed.`,
  ])
}

async function giveBack(cli: Cli, anomalyId: string, { note, json }: { note: string; json?: boolean }): Promise<void> {
  const asked = { name: anomalyId }
  const settled = await cli.withRuntime((runtime, caller) => refundLateMoney(runtime, caller, { anomalyId, note }))
  const { reference, refundReference } = granted(settled, asked)
  cli.print(json, { anomaly: anomalyId, reference, ...requestedRefundFields({ refundReference }) }, [
    `The refund ${refundReference} is on its way to the operator. ${anomalyId} is closed.`,
  ])
}

interface Anomaly {
  anomalyId: string
  at: number
  reference: string
  kind: string
  detail: string
}

const COLUMNS: readonly Column<Anomaly>[] = [
  { heading: 'TIME', cell: ({ at }) => isoTime(at), is: 'time' },
  { heading: 'ANOMALY', cell: ({ anomalyId }) => anomalyId },
  { heading: 'REFERENCE', cell: ({ reference }) => reference },
  { heading: 'KIND', cell: ({ kind }) => kind },
  { heading: 'DETAILS', cell: ({ detail }) => detail, is: 'free text' },
]
