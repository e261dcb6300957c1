// A statement as a table for people: a heading with the sums, then one line for each row. CSV and XLSX write the same one.
import type { AccountStatement, StatementRow, StatementSums } from '../domain/account-statement.ts'
import { localDayText } from '../domain/business-day.ts'
import { operatorName } from '../domain/country.ts'
import { kindText, type Words } from './words.ts'

export interface Column {
  name: keyof Words['columns']
  /** In characters. */
  width: number
  /** `time` is in milliseconds, `day` in days since 1970. */
  form: 'text' | 'number' | 'time' | 'day'
  cell: (row: StatementRow, words: Words) => string | number
}

/** The heading has its labels in the second column, its movements in the third and its balances in the fourth. */
export const COLUMNS: readonly Column[] = [
  { name: 'bookedAt', width: 24, form: 'time', cell: ({ bookedAt }) => bookedAt },
  { name: 'kind', width: 40, form: 'text', cell: kindText },
  { name: 'amount', width: 16, form: 'number', cell: ({ amountXof }) => amountXof },
  { name: 'balance', width: 16, form: 'number', cell: ({ balanceXof }) => balanceXof },
  {
    name: 'isConfirmed',
    width: 24,
    form: 'text',
    cell: ({ isConfirmed }, words) => (isConfirmed ? words.yes : words.no),
  },
  { name: 'publicReference', width: 16, form: 'text', cell: ({ publicReference }) => publicReference },
  { name: 'externalReference', width: 28, form: 'text', cell: ({ externalReference }) => externalReference },
  { name: 'operatorReference', width: 28, form: 'text', cell: ({ operatorReference }) => operatorReference },
  { name: 'refundReference', width: 28, form: 'text', cell: ({ refundReference }) => refundReference },
  { name: 'reference', width: 28, form: 'text', cell: ({ reference }) => reference },
  { name: 'day', width: 14, form: 'day', cell: ({ day }) => day },
  { name: 'entry', width: 12, form: 'number', cell: ({ entry }) => entry },
]

const MOVEMENTS = [
  'collectedXof',
  'refundedXof',
  'feesXof',
  'taxesXof',
  'withheldXof',
  'settledXof',
  'unexplainedXof',
] as const satisfies readonly (keyof StatementSums)[]

type HeadingCell = string | number | null

/** All lines above the rows; the last one names the columns. */
export function headingLines(statement: AccountStatement, words: Words): HeadingCell[][] {
  const { merchantName, environment, connection, fromDay, toDay } = statement
  const movement = (name: keyof StatementSums): HeadingCell[] => [null, words.sums[name], statement[name]]
  const balance = (name: keyof StatementSums): HeadingCell[] => [null, words.sums[name], null, statement[name]]
  return [
    [words.title, merchantName],
    [words.account, words.environments[environment]],
    [words.connection, operatorName(connection)],
    [words.period, `${localDayText(fromDay)} – ${localDayText(toDay)}`],
    [],
    balance('openingXof'),
    ...MOVEMENTS.map(movement),
    balance('closingXof'),
    movement('confirmedXof'),
    [],
    COLUMNS.map(({ name }) => words.columns[name]),
  ]
}
