// karba settlement: money that left an account's wallets for its bank.
import { confirmSettlement, listAccountSettlements } from '../actions/books/settlements.ts'
import { integer } from '../config.ts'
import { type Settlement, settlementName, settlementState } from '../domain/books/settlement.ts'
import { dayText } from '../domain/countries/business-day.ts'
import { settlementFields } from '../wire/settlement.ts'
import { argument, day, type PageOptions, readPages, withPages } from './arguments.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function settlementCommand(cli: Cli): KarbaCommand {
  const settlement = new KarbaCommand('settlement').description(
    'Lists the transfers from an account’s wallets to its bank, and confirms their arrival.',
  )
  withPages(settlement.command('list <account>'))
    .description('Lists settlements, the newest first.')
    .json('a JSON array')
    .examples('settlement list acc_0123456789ab')
    .action(cli.action(list))
  settlement
    .command('confirm <account> <settlement>')
    .description(
      'Records what the bank has received. An amount that differs is listed by `karba statement differences`.',
    )
    .requiredOption(
      '--amount <francs>',
      'what the bank has credited',
      argument(integer(1, Number.MAX_SAFE_INTEGER)),
    )
    .option('--reference <text>', 'the bank’s own reference of the credit')
    .option('--day <day>', 'when, such as 2026-11-16; today by default', day)
    .json()
    .examples(
      'settlement confirm acc_0123456789ab mtn-benin-412 --amount 250000 --day 2026-11-16 --reference VIR-88213',
    )
    .action(cli.action(confirm))
  return settlement
}

async function list(cli: Cli, accountId: string, { json, ...options }: PageOptions): Promise<void> {
  const page = await cli.withRuntime((runtime, caller) =>
    readPages(
      (each) => listAccountSettlements(runtime, caller, { ...each, accountId }),
      options,
      accountId,
    ),
  )
  const none = 'This account has no settlements.'
  cli.printPage({ json, value: page.rows.map(settlementFields), page, columns: COLUMNS, none })
}

const COLUMNS: readonly Column<Settlement>[] = [
  { heading: 'SETTLEMENT', cell: settlementName },
  { heading: 'AMOUNT', cell: ({ amountXof }) => amountXof.toLocaleString('en'), is: 'number' },
  { heading: 'STATE', cell: settlementState, is: 'state' },
  { heading: 'LEFT', cell: ({ leftDay }) => dayText(leftDay), is: 'time' },
  {
    heading: 'RECEIVED',
    cell: ({ receivedXof }) => receivedXof?.toLocaleString('en') ?? '-',
    is: 'number',
  },
]

interface ConfirmOptions {
  amount: number
  day?: number
  reference?: string
  json?: boolean
}

async function confirm(
  cli: Cli,
  accountId: string,
  name: string,
  { amount: receivedXof, day: receivedDay, reference: bankReference, json }: ConfirmOptions,
): Promise<void> {
  const confirmed = await cli.run(
    confirmSettlement,
    { accountId, name, receivedXof, receivedDay, bankReference },
    name,
  )
  cli.print(json, settlementFields(confirmed), [`${name} is confirmed.`])
}
