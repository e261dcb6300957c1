// A statement as a SYSCOHADA journal in CSV. Each row is one document, whose debits equal its
// credits.
import type {
  AccountStatement,
  JournalAccounts,
  StatementRow,
} from '../domain/books/account-statement.ts'
import { localDayText } from '../domain/countries/business-day.ts'
import type { EntryKind, LedgerAccount } from '../domain/ledger/ledger.ts'
import { csvLine } from '../domain/texts/csv.ts'
import { chunksOf } from './table.ts'
import { shortLabelOf, type Words } from './words.ts'

type Numbered = Exclude<keyof JournalAccounts, 'journal'>

/** The account on the other side of the wallet. */
const OTHER_ACCOUNT: Readonly<Record<EntryKind, Numbered>> = {
  payment: 'customers',
  refund: 'customers',
  reversal: 'customers',
  fee: 'fees',
  tax: 'taxes',
  settlement: 'transfers',
  withheld: 'withheld',
  collected: 'unexplained',
  refund_confirmed: 'unexplained',
  unexplained: 'unexplained',
  closing: 'corrections',
  opening: 'opening',
}

/** Of a row that a person has explained. */
const EXPLAINED_ACCOUNT: Partial<Record<LedgerAccount, Numbered>> = {
  unexplained: 'unexplained',
  fees: 'fees',
  owner: 'owner',
  other_income: 'otherIncome',
  corrections: 'corrections',
  not_ours: 'notOurs',
}

const otherAccount = ({ kind, explainedAs }: StatementRow): Numbered =>
  (explainedAs === '' ? undefined : EXPLAINED_ACCOUNT[explainedAs]) ?? OTHER_ACCOUNT[kind]

export async function* syscohadaJournal(
  statements: readonly AccountStatement[],
  words: Words,
  accountsOf: (connection: string) => JournalAccounts,
): AsyncGenerator<string> {
  yield csvLine(headingsOf(words))
  for (const { connection, isShared, rows } of statements) {
    const own = accountsOf(connection)
    const accounts = isShared ? { ...own, electronicMoney: own.atService } : own
    yield* chunksOf(rows, (row) => documentOf(row, words, accounts))
  }
}

/** After the columns that every import knows: what matches a line to an invoice. */
const headingsOf = ({ journal, columns }: Words): string[] => [
  ...journal,
  columns.externalReference,
  columns.operatorReference,
  columns.isConfirmed,
]

function documentOf(row: StatementRow, words: Words, accounts: JournalAccounts): string {
  const start = [localDayText(row.day), accounts.journal, `${accounts.journal}-${row.entry}`]
  const label = shortLabelOf(row, words)
  return debitsOf(row, accounts)
    .filter(({ debitXof }) => debitXof !== 0)
    .sort((one, other) => other.debitXof - one.debitXof)
    .map(({ account, debitXof }) =>
      csvLine([
        ...start,
        account,
        label,
        debitXof > 0 ? debitXof : null,
        debitXof < 0 ? -debitXof : null,
        row.externalReference,
        row.operatorReference,
        row.isConfirmed ? words.yes : words.no,
      ]),
    )
    .join('')
}

/**
 * What each account is debited; negative for a credit. Class 55 can only have a debit balance, so
 * the part of the balance below zero is a debt to the network.
 */
function debitsOf(row: StatementRow, accounts: JournalAccounts) {
  const { amountXof, balanceXof } = row
  const before = balanceXof - amountXof
  return [
    { account: accounts.electronicMoney, debitXof: Math.max(balanceXof, 0) - Math.max(before, 0) },
    { account: accounts.advances, debitXof: Math.min(balanceXof, 0) - Math.min(before, 0) },
    { account: accounts[otherAccount(row)], debitXof: -amountXof },
  ]
}
