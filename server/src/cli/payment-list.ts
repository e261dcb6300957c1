// karba payment list: payments by pages, the newest first.
import { Command, Option } from 'commander'
import { type ListPaymentsInput, listNewestPayments } from '../actions/payments/list-payments.ts'
import { PLANS } from '../domain/country.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import type { Payment } from '../domain/payment.ts'
import { HOSTED_METHODS } from '../domain/payment-link.ts'
import { type PaymentStatus, STATUSES } from '../domain/payment-status.ts'
import { isoTime } from '../wire/json.ts'
import { paymentPageFields } from '../wire/payment.ts'
import { type Moment, moment } from './arguments.ts'
import { type PageOptions, readPages, withPages } from './page-options.ts'
import { printList } from './print-list.ts'
import type { Column } from './table.ts'
import { withRuntime } from './with-runtime.ts'

/** Every operator that can have collected a payment. For a link paid on a provider's page, the method is the operator. */
const OPERATORS = [...Object.values(PLANS).flatMap(({ prefixes }) => Object.keys(prefixes)), ...HOSTED_METHODS]

export function paymentListCommand(): Command {
  const list = new Command('list')
    .description('Lists payments, the newest first: of an account, or of all.')
    .argument('[account]', 'only the payments of this account')
    .addOption(new Option('--status <status>', 'only those in this state').choices(STATUSES))
    .addOption(new Option('--operator <operator>', 'only those of this operator').choices(OPERATORS))
    .addOption(new Option('--environment <environment>', 'only those of this environment').choices(ENVIRONMENTS))
    .option('--from <time>', 'recorded at or after: 24h, 7d, 2026-11-15T09:30:00Z', moment)
    .option('--to <time>', 'recorded before, said in the same way', moment)
  return withPages(list)
    .option('--json', 'print one JSON object: the payments, and the cursor of the next page')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- payment list --from 24h\n  npm run -s karba -- payment list acc_0123456789ab --status failed --operator airtel_ne --limit 20',
    )
    .action(printPayments)
}

interface ListOptions extends PageOptions {
  status?: PaymentStatus
  operator?: string
  environment?: Environment
  from?: Moment
  to?: Moment
}

async function printPayments(accountId: string | undefined, options: ListOptions): Promise<void> {
  const page = await withRuntime((runtime, caller) => {
    const filter = filterOf(options, runtime.clock.now())
    return readPages((wanted) => listNewestPayments(runtime, caller, { accountId, ...filter, ...wanted }), options, {
      name: accountId,
    })
  })
  const columns = COLUMNS.filter(({ heading }) => heading !== 'ACCOUNT' || accountId === undefined)
  const none = 'There is no payment of the kind.'
  printList({ json: options.json, value: paymentPageFields(page), page, columns, none })
}

const filterOf = ({ status, operator, environment, from, to }: ListOptions, now: number): ListPaymentsInput => ({
  status,
  operator,
  environment,
  from: from?.(now),
  to: to?.(now),
})

interface ListedPayment extends Payment {
  createdAt: number
}

const COLUMNS: readonly Column<ListedPayment>[] = [
  { heading: 'RECORDED', cell: ({ createdAt }) => isoTime(createdAt), is: 'time' },
  { heading: 'REFERENCE', cell: ({ reference }) => reference },
  { heading: 'PUBLIC', cell: ({ publicReference }) => publicReference },
  { heading: 'XOF', cell: ({ amountXof }) => String(amountXof), is: 'number' },
  { heading: 'STATUS', cell: statusText, is: 'state' },
  { heading: 'OPERATOR', cell: ({ operator }) => operator ?? '' },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'TRANSACTION ID', cell: ({ externalReference }) => externalReference, is: 'free text' },
]

function statusText({ status, failureReason }: ListedPayment): string {
  return failureReason === null ? status : `${status}: ${failureReason}`
}
