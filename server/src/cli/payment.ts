// karba payment: shows the history of a payment, found by any reference, and lists payments. `show`
// is the default.
import { Option } from 'commander'
import { listNewestPayments } from '../actions/payments/list-payments.ts'
import { type ShownPayment, showPayment } from '../actions/payments/read-payment.ts'
import { OPERATORS as KNOWN_OPERATORS } from '../domain/countries/country.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { HOSTED_METHODS } from '../domain/methods/methods.ts'
import type { ListedPayment } from '../domain/payments/payment.ts'
import { ADDITIONS, PAYMENT_FIELDS } from '../domain/payments/payment-fields.ts'
import type { PaymentStatus } from '../domain/payments/payment-status.ts'
import { isoTime } from '../wire/json.ts'
import { paymentPageFields, shownPaymentFields } from '../wire/payment.ts'
import { PAYMENT_QUERY } from '../wire/queries.ts'
import {
  filterOption,
  type Moment,
  PAYMENT_NAMES,
  type PageOptions,
  readPages,
  time,
  withPages,
} from './arguments.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import { type Column, plain } from './table.ts'

export function paymentCommand(cli: Cli): KarbaCommand {
  const payment = new KarbaCommand('payment')
    .description('Shows the history of a payment, and lists payments.')
    .usage('[show] <name> | list [account]')
    // `help` may be the transaction_id of a payment.
    .helpCommand(false)
    .addHelpText(
      'after',
      `
\`karba payment <name>\` is short for \`karba payment show <name>\`. The name is
${PAYMENT_NAMES}.`,
    )
    .examples(
      'payment 60dvs8n73hy897smacktapcy',
      'payment XF5X-ZEBB-9',
      'payment list acc_0123456789ab --status failed --from 24h',
    )
  payment
    .command('show', { isDefault: true })
    .description(
      'Shows the history of a payment: every exchange with its operator and every change of state, in order.',
    )
    .argument('<name>', PAYMENT_NAMES)
    .option('--at <time>', 'as it was at that time: 2026-11-15T09:30:00Z', time)
    .json()
    .examples(
      'payment show 60dvs8n73hy897smacktapcy',
      'payment show order-2026-0001 --at 2026-11-15T09:30:00Z',
    )
    .action(cli.action(showStory))
  const list = payment
    .command('list')
    .description('Lists payments, the newest first: of an account, or of all.')
    .argument('[account]', 'only the payments of this account')
    .addOption(filterOption(PAYMENT_QUERY, 'status'))
    .addOption(filterOption(PAYMENT_QUERY, 'operator').choices(OPERATORS))
    .addOption(
      new Option('--environment <environment>', 'only those of this environment').choices(
        ENVIRONMENTS,
      ),
    )
    .addOption(filterOption(PAYMENT_QUERY, 'from'))
    .addOption(filterOption(PAYMENT_QUERY, 'to'))
  withPages(list)
    .json('one JSON object: the payments, and the cursor of the next page')
    .examples(
      'payment list --from 24h',
      'payment list acc_0123456789ab --status failed --operator airtel_ne --limit 20',
    )
    .action(cli.action(printPayments))
  return payment
}

async function showStory(
  cli: Cli,
  name: string,
  { at, json }: { at?: number; json?: boolean },
): Promise<void> {
  const shown = await cli.run(showPayment, { name, at }, name)
  const { payment, status } = shown
  const {
    reference,
    publicReference,
    amountXof,
    environment,
    accountId,
    operator,
    externalReference,
  } = payment
  cli.print(json, shownPaymentFields(shown, at), [
    `${reference}  ${publicReference}  ${amountXof} XOF  ${status}${at === undefined ? '' : ` at ${isoTime(at)}`}`,
    `${environment}  ${accountId}  ${operator || 'no operator yet'}  ${plain(externalReference)}`,
    ...operatorLine(shown),
    ...merchantLines(shown),
    '',
    ...cli.table(STORY_COLUMNS, storyLines(shown)),
  ])
}

function operatorLine({ payment: { connection }, operatorReference }: ShownPayment): string[] {
  if (connection === '') return []
  return [
    `connection ${connection}${operatorReference ? `  operator’s reference ${plain(operatorReference)}` : ''}`,
  ]
}

function merchantLines({ payment }: ShownPayment): string[] {
  return ADDITIONS.flatMap((name) => {
    const { is, words, value } = PAYMENT_FIELDS[name]
    const added = value(payment)
    if (added === null) return []
    if (is === 'text') return [`${words.en.toLowerCase()} ${plain(added)}`]
    return Object.entries(JSON.parse(added) as Record<string, string>).map(
      ([key, each]) => `${plain(key)}: ${plain(each)}`,
    )
  })
}

type StoryLine = Record<'at' | 'since' | 'what', string>

const STORY_COLUMNS: readonly Column<StoryLine>[] = [
  { heading: 'TIME', cell: ({ at }) => at, is: 'time' },
  { heading: 'AFTER', cell: ({ since }) => since, is: 'number' },
  { heading: 'WHAT HAPPENED', cell: ({ what }) => what },
]

function storyLines({ payment: { createdAt }, began, story }: ShownPayment): StoryLine[] {
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

/**
 * Every operator that can have collected a payment; a provider's page has its method as operator.
 */
const OPERATORS = [...KNOWN_OPERATORS.map(({ operator }) => operator), ...HOSTED_METHODS]

interface ListOptions extends PageOptions {
  status?: PaymentStatus
  operator?: string
  environment?: Environment
  from?: Moment
  to?: Moment
}

async function printPayments(
  cli: Cli,
  accountId: string | undefined,
  options: ListOptions,
): Promise<void> {
  const page = await cli.withRuntime((runtime, caller) => {
    const now = runtime.clock.now()
    const { status, operator, environment, from, to } = options
    const filter = { status, operator, environment, from: from?.(now), to: to?.(now) }
    return readPages(
      (wanted) => listNewestPayments(runtime, caller, { accountId, ...filter, ...wanted }),
      options,
      accountId,
    )
  })
  const columns = LIST_COLUMNS.filter(
    ({ heading }) => heading !== 'ACCOUNT' || accountId === undefined,
  )
  const none = 'No payment matches.'
  cli.printPage({ json: options.json, value: paymentPageFields(page), page, columns, none })
}

const LIST_COLUMNS: readonly Column<ListedPayment>[] = [
  { heading: 'RECORDED', cell: ({ createdAt }) => isoTime(createdAt), is: 'time' },
  { heading: 'REFERENCE', cell: ({ reference }) => reference },
  { heading: 'PUBLIC', cell: ({ publicReference }) => publicReference },
  { heading: 'XOF', cell: ({ amountXof }) => String(amountXof), is: 'number' },
  { heading: 'STATUS', cell: statusText, is: 'state' },
  { heading: 'OPERATOR', cell: ({ operator }) => operator ?? '' },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  {
    heading: 'TRANSACTION ID',
    cell: ({ externalReference }) => externalReference,
    is: 'free text',
  },
]

function statusText({ status, failureReason }: ListedPayment): string {
  return failureReason === null ? status : `${status}: ${failureReason}`
}
