// karba refund: requests a refund of a payment; lists and ends those that a person must make, where the network has no call for it.

import { Command } from 'commander'
import { endRefundByHand, listRefundTasks } from '../actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { isoTime } from '../wire/json.ts'
import { requestedRefundFields } from '../wire/payment.ts'
import { endedRefundFields, refundTaskFields } from '../wire/refund.ts'
import { PAYMENT_NAMES } from './arguments.ts'
import { type Cli, granted } from './cli.ts'
import type { Column } from './table.ts'

export function refundCommand(cli: Cli): Command {
  const refunds = new Command('refund')
    // What follows a subcommand is the subcommand's.
    .enablePositionalOptions()
    .description(
      'Asks the operator to give a succeeded payment back in full. It is refunded once the operator says so.',
    )
    .argument('<name>', PAYMENT_NAMES)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  npm run -s karba -- refund 60dvs8n73hy897smacktapcy
  npm run -s karba -- refund XF5X-ZEBB-9
  npm run -s karba -- refund tasks
  npm run -s karba -- refund confirm 5q2m8xk3c1d9r7t4v6w0y2z8 --proof "FedaPay dashboard, refund 8812"`,
    )
    .action(cli.action(request))
  refunds
    .command('tasks')
    .description('Refunds that a person must make, because the network has no call for it.')
    .option('--json', 'print a JSON array')
    .action(cli.action(tasks))
  const ending = (name: string, about: string, isMade: boolean): Command =>
    refunds
      .command(name)
      .description(about)
      .argument('<refund>', 'its name, as `refund tasks` shows it')
      .requiredOption('--proof <text>', isMade ? 'what shows that the money went back' : 'why it does not')
      .option('--json', 'print one JSON object')
      .action((refund: string, options: { proof: string; json?: boolean }) => end(cli, refund, isMade, options))
  ending('confirm', 'The money went back: the payment is refunded, and its merchant is told.', true)
  ending('reject', 'The money does not go back: the payment stays as it is.', false)
  return refunds
}

async function request(cli: Cli, name: string, { json }: { json?: boolean }): Promise<void> {
  const refund = granted(await cli.withRuntime((runtime, caller) => refundPayment(runtime, caller, { name })), { name })
  const { refundReference, reference } = refund
  cli.print(json, requestedRefundFields(refund), [
    `The refund ${refundReference} of the payment ${reference} is on its way to the operator.`,
  ])
}

async function tasks(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { rows } = await cli.withRuntime((runtime, caller) => listRefundTasks(runtime, caller))
  const none = 'No refund waits for a person.'
  cli.print(json, rows.map(refundTaskFields), rows.length === 0 ? [none] : cli.table(COLUMNS, rows))
}

async function end(
  cli: Cli,
  refund: string,
  isMade: boolean,
  { proof, json }: { proof: string; json?: boolean },
): Promise<void> {
  const input = { refundReference: refund, isMade, proof }
  const ended = granted(await cli.withRuntime((runtime, caller) => endRefundByHand(runtime, caller, input)), {
    name: refund,
  })
  cli.print(json, endedRefundFields(refund, isMade), [
    isMade
      ? `The refund ${refund} is made: the payment ${ended.reference} is refunded.`
      : `The refund ${refund} is given up: the payment ${ended.reference} stays as it is.`,
  ])
}

type Task = Awaited<ReturnType<typeof listRefundTasks>>['rows'][number]

const COLUMNS: readonly Column<Task>[] = [
  { heading: 'SINCE', cell: ({ since }) => isoTime(since), is: 'time' },
  { heading: 'REFUND', cell: ({ refundReference }) => refundReference },
  { heading: 'PAYMENT', cell: ({ reference }) => reference },
  { heading: 'OPERATOR', cell: ({ operator, operatorReference }) => `${operator} ${operatorReference}` },
  { heading: 'AMOUNT', cell: ({ amountXof }) => `${amountXof}`, is: 'number' },
  { heading: 'WHY', cell: ({ why }) => why, is: 'free text' },
]
