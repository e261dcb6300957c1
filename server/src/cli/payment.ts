// karba payment: shows the story of a payment, found by any of its names. `show` is the default, since it is what the command is mostly
// used for.
import { Command } from 'commander'
import { type ShownPayment, showPayment } from '../actions/payments/show-payment.ts'
import { orderReferenceOf } from '../domain/payment.ts'
import { isoTime } from '../wire/json.ts'
import { metadataField, shownPaymentFields } from '../wire/payment.ts'
import { time } from './arguments.ts'
import { granted } from './command-failed.ts'
import { paymentListCommand } from './payment-list.ts'
import { PAYMENT_NAMES } from './payment-names.ts'
import { print } from './print.ts'
import { type Column, table } from './table.ts'
import { plain } from './terminal-text.ts'
import { withRuntime } from './with-runtime.ts'

export function paymentCommand(): Command {
  return (
    new Command('payment')
      .description('Tells the story of a payment, and lists payments.')
      .usage('[show] <name> | list [account]')
      // `help` may be the transaction_id of a payment.
      .helpCommand(false)
      .addCommand(showCommand(), { isDefault: true })
      .addCommand(paymentListCommand())
      .addHelpText(
        'after',
        `
\`karba payment <name>\` is short for \`karba payment show <name>\`. The name is
${PAYMENT_NAMES}.

Examples:
  npm run -s karba -- payment 60dvs8n73hy897smacktapcy
  npm run -s karba -- payment XF5X-ZEBB-9
  npm run -s karba -- payment list acc_0123456789ab --status failed --from 24h`,
      )
  )
}

function showCommand(): Command {
  return new Command('show')
    .description('Tells the story of a payment: every exchange with its operator and every move, in order.')
    .argument('<name>', PAYMENT_NAMES)
    .option('--at <time>', 'as it was known at that time: 2026-11-15T09:30:00Z', time)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- payment show 60dvs8n73hy897smacktapcy\n  npm run -s karba -- payment show order-2026-0001 --at 2026-11-15T09:30:00Z',
    )
    .action(show)
}

async function show(name: string, { at, json }: { at?: number; json?: boolean }): Promise<void> {
  const shown = granted(await withRuntime((runtime, caller) => showPayment(runtime, caller, { name, at })), {
    name,
    at,
  })
  const { payment, status } = shown
  const { reference, publicReference, amountXof, environment, accountId, operator, externalReference } = payment
  print(json, shownPaymentFields(shown, at), [
    `${reference}  ${publicReference}  ${amountXof} XOF  ${status}${at === undefined ? '' : ` at ${isoTime(at)}`}`,
    `${environment}  ${accountId}  ${operator || 'no operator yet'}  ${plain(externalReference)}`,
    ...operatorLine(shown),
    ...merchantLines(shown),
    '',
    ...table(STORY, linesOf(shown)),
  ])
}

/** What to look for at the operator, and through which connection. */
function operatorLine({ payment: { connection }, operatorReference }: ShownPayment): string[] {
  if (connection === '') return []
  return [`connection ${connection}${operatorReference ? `  operator’s reference ${plain(operatorReference)}` : ''}`]
}

/** What the merchant added to it. */
function merchantLines({ payment }: ShownPayment): string[] {
  const order = orderReferenceOf(payment)
  const lines = Object.entries(metadataField(payment) ?? {}).map(
    ([key, value]) => `${plain(key)}: ${plain(`${value}`)}`,
  )
  return [...(order === null ? [] : [`order ${plain(order)}`]), ...lines]
}

interface StoryLine {
  at: string
  since: string
  what: string
}

const STORY: readonly Column<StoryLine>[] = [
  { heading: 'TIME', cell: ({ at }) => at, is: 'time' },
  { heading: 'AFTER', cell: ({ since }) => since, is: 'number' },
  { heading: 'WHAT HAPPENED', cell: ({ what }) => what },
]

function linesOf({ payment: { createdAt }, began, story }: ShownPayment): StoryLine[] {
  const entries = story.map(({ at, kind, detail }) => {
    const { is, ms, ...rest } = detail as { is?: string; ms?: number }
    const more = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`)
    const text = [is, ...more].filter((each) => each !== undefined).join(', ')
    return {
      at: isoTime(at),
      since: `+${((at - createdAt) / 1_000).toFixed(1)} s`,
      what: `${kind.replaceAll('_', ' ')}: ${text}${ms === undefined ? '' : ` (${ms} ms)`}`,
    }
  })
  return [{ at: isoTime(createdAt), since: '', what: `recorded as ${began}` }, ...entries]
}
