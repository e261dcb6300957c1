// karba refund: requests a refund; lists and closes those that a person must make for lack of an
// API.
import { endRefundByHand, listRefundTasks } from '../actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { refundsInPartOf } from '../service/connect-operators.ts'
import { isoTime } from '../wire/json.ts'
import { closedRefundFields, refundTaskFields, requestedRefundFields } from '../wire/payment.ts'
import { PAYMENT_NAMES } from './arguments.ts'
import { type Cli, granted, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function refundCommand(cli: Cli): KarbaCommand {
  const refunds = new KarbaCommand('refund')
    .description(
      'Requests a refund of a succeeded payment, whole or in part. The payment is refunded once its refunds reach its amount.',
    )
    .argument('<name>', PAYMENT_NAMES)
    .option('--amount <francs>', 'a part; by default what is left of the payment')
    .option(
      '--refund-id <id>',
      'your own name of this refund: a repeated command with it refunds once',
    )
    .json()
    .examples(
      'refund 60dvs8n73hy897smacktapcy',
      'refund XF5X-ZEBB-9 --amount 500 --refund-id return-7',
      'refund tasks',
      'refund confirm 5q2m8xk3c1d9r7t4v6w0y2z8 --proof "FedaPay dashboard, refund 8812"',
    )
    .action(cli.action(request))
  refunds
    .command('tasks')
    .description(
      'Lists the refunds that a person must make, because the network has no API for them.',
    )
    .json('a JSON array')
    .action(cli.action(tasks))
  const ending = (name: string, about: string, isMade: boolean): KarbaCommand =>
    refunds
      .command(name)
      .description(about)
      .argument('<refund>', 'its reference, as `refund tasks` shows it')
      .requiredOption(
        '--proof <text>',
        isMade ? 'the proof that the payer got the money back' : 'why it is not refunded',
      )
      .json()
      .action((refund: string, options: { proof: string; json?: boolean }) =>
        end(cli, refund, isMade, options),
      )
  ending(
    'confirm',
    'Records that the payer got the money back: the refund succeeds, and the merchant gets the event.',
    true,
  )
  ending('reject', 'Records that the money is not refunded: the payment stays as it is.', false)
  return refunds
}

type RequestOptions = { amount?: string; refundId?: string; json?: boolean }

async function request(cli: Cli, name: string, { json, ...order }: RequestOptions): Promise<void> {
  const refund = granted(
    await cli.withRuntime(async (runtime, caller) => {
      const refundsInPart = await refundsInPartOf(runtime.config, runtime.db)
      return refundPayment({ ...runtime, refundsInPart }, caller, { name, ...order })
    }),
    name,
  )
  const { refundReference, reference, amountXof, status } = refund
  const state = status === 'pending' ? 'on its way to the operator' : status
  cli.print(json, requestedRefundFields(refund), [
    `The refund ${refundReference} of ${amountXof} F CFA of the payment ${reference} is ${state}.`,
  ])
}

async function tasks(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { rows } = await cli.run(listRefundTasks, undefined)
  cli.printRows({
    json,
    value: rows.map(refundTaskFields),
    rows,
    columns: COLUMNS,
    none: 'No refund to make by hand.',
  })
}

async function end(
  cli: Cli,
  refund: string,
  isMade: boolean,
  { proof, json }: { proof: string; json?: boolean },
) {
  const ended = await cli.run(endRefundByHand, { refundReference: refund, isMade, proof }, refund)
  cli.print(json, closedRefundFields(refund, isMade), [
    isMade
      ? `The refund ${refund} of the payment ${ended.reference} is made.`
      : `The refund ${refund} is closed without success: the payment ${ended.reference} stays as it is.`,
  ])
}

type Task = Awaited<ReturnType<typeof listRefundTasks>>['rows'][number]

const COLUMNS: readonly Column<Task>[] = [
  { heading: 'SINCE', cell: ({ since }) => isoTime(since), is: 'time' },
  { heading: 'REFUND', cell: ({ refundReference }) => refundReference },
  { heading: 'PAYMENT', cell: ({ reference }) => reference },
  {
    heading: 'OPERATOR',
    cell: ({ operator, operatorReference }) => `${operator} ${operatorReference}`,
  },
  { heading: 'AMOUNT', cell: ({ amountXof }) => `${amountXof}`, is: 'number' },
  { heading: 'WHY', cell: ({ why }) => why, is: 'free text' },
]
