// The books in the merchant API: where the money is, and the ledger entries behind it (D-153).
import {
  type AccountStatement,
  type ConnectionSums,
  type ReadyPeriod,
  STATEMENT_FORMATS,
  type StatementFormat,
  type StatementRow,
  type SummedStatement,
} from '../domain/books/account-statement.ts'
import { dayText } from '../domain/countries/business-day.ts'
import { ENTRY_FIELDS } from '../domain/ledger/entry-fields.ts'
import type { EntryPage, ListedEntry, MoneyAmounts } from '../domain/ledger/ledger.ts'
import type { RefusedAs } from '../domain/refusals/refusal.ts'
import { LANGUAGES, type Language } from '../domain/texts/language.ts'
import type { Body } from './bodies.ts'
import { bodyOf } from './fields.ts'
import { dayIn, isoTime } from './json.ts'

const whereOf = (amounts: MoneyAmounts) => ({
  to_receive: amounts.receivable,
  in_wallet: amounts.wallet,
  opening: amounts.opening,
  at_service: amounts.at_service,
  in_transit: amounts.in_transit,
  in_bank: amounts.bank,
  withheld: amounts.withheld,
  unexplained: amounts.unexplained,
})

export const balanceBody = (byConnection: ReadonlyMap<string, MoneyAmounts>): string =>
  JSON.stringify({
    ...whereOf(byConnection.get('') as MoneyAmounts),
    connections: [...byConnection]
      .filter(([connection]) => connection !== '')
      .map(([connection, amounts]) => ({ connection, ...whereOf(amounts) })),
  } satisfies Body<'Balance'>)

/** The form of any connection's name: PostgreSQL cannot take NUL. */
const CONNECTION = /^[\w.-]{1,64}$/

interface StatementQuery {
  /** Undefined for all of them. */
  connection: string | undefined
  fromDay: number
  toDay: number
  format: StatementFormat
  language: Language
}

export function readStatementQuery(
  query: Record<string, unknown>,
): StatementQuery | RefusedAs<'statement_query_not_valid'> {
  const { connection, format: wanted = 'json', language: read = 'fr' } = query
  const [fromDay, toDay] = [dayIn(query.from), dayIn(query.to)]
  const format = STATEMENT_FORMATS.find((name) => name === wanted)
  const language = LANGUAGES.find((name) => name === read)
  const wrong = (parameter: keyof typeof query) =>
    ({ refused: 'statement_query_not_valid', parameter }) as const
  const isNamed = typeof connection === 'string' && CONNECTION.test(connection)
  const isOfAll = connection === undefined && format !== 'json'
  if (!isNamed && !isOfAll) return wrong('connection')
  if (fromDay === undefined) return wrong('from')
  if (toDay === undefined) return wrong('to')
  if (format === undefined) return wrong('format')
  return language === undefined
    ? wrong('language')
    : { connection, fromDay, toDay, format, language }
}

/** Of this century: `2026-10` */
export const MONTH = /^20\d{2}-(0[1-9]|1[0-2])$/

export function readPackageQuery({
  month,
  language: read = 'fr',
}: Record<string, unknown>):
  | { month: string; language: Language }
  | RefusedAs<'statement_query_not_valid'> {
  const language = LANGUAGES.find((name) => name === read)
  const wrong = (parameter: string) =>
    ({ refused: 'statement_query_not_valid', parameter }) as const
  if (typeof month !== 'string' || !MONTH.test(month)) return wrong('month')
  return language === undefined ? wrong('language') : { month, language }
}

/** A statement without its movements, which may be many. */
export const statementHead = (
  statement: Omit<
    AccountStatement,
    | 'merchantName'
    | 'accountId'
    | 'environment'
    | 'connectionLabel'
    | 'totals'
    | 'reconciliation'
    | 'rows'
  >,
) =>
  ({
    connection: statement.connection,
    from: dayText(statement.fromDay),
    to: dayText(statement.toDay),
    is_shared: statement.isShared,
    opening: statement.openingXof,
    collected: statement.collectedXof,
    refunded: statement.refundedXof,
    fees: statement.feesXof,
    taxes: statement.taxesXof,
    withheld: statement.withheldXof,
    settled: statement.settledXof,
    unexplained: statement.unexplainedXof,
    other: statement.otherXof,
    closing: statement.closingXof,
    confirmed: statement.confirmedXof,
  }) satisfies Omit<Body<'Statement'>, 'movements' | 'reconciliation'>

export const reconciliationOf = ({
  reconciliation: { notConfirmedXof, onOtherDaysXof, ofOtherDaysXof },
}: SummedStatement) =>
  ({
    not_confirmed: notConfirmedXof,
    on_other_days: onOtherDaysXof,
    of_other_days: ofOtherDaysXof,
  }) satisfies Body<'Statement'>['reconciliation']

export const statementMovement = (row: StatementRow) =>
  ({
    entry: row.entry,
    kind: row.kind,
    amount: row.amountXof,
    balance: row.balanceXof,
    booked_at: isoTime(row.bookedAt),
    value_date: dayText(row.day),
    is_confirmed: row.isConfirmed,
    explained_as: row.explainedAs || undefined,
    payment_reference: row.reference || undefined,
    public_reference: row.publicReference || undefined,
    external_reference: row.externalReference || undefined,
    refund_reference: row.refundReference || undefined,
    operator_reference: row.operatorReference || undefined,
  }) satisfies Body<'Statement'>['movements'][number]

export const entryFields = (entry: ListedEntry): Body<'EntryList'>['data'][number] =>
  bodyOf(ENTRY_FIELDS, entry)

export const entryListBody = ({ entries, next }: EntryPage): string =>
  JSON.stringify({ data: entries.map(entryFields), next } satisfies Body<'EntryList'>)

export const readyStatementData = (
  { period, firstDay, lastDay }: ReadyPeriod,
  connections: readonly ConnectionSums[],
): Body<'StatementReady'> => ({
  period,
  from: dayText(firstDay),
  to: dayText(lastDay),
  statements: connections.map((sums) =>
    statementHead({ ...sums, fromDay: firstDay, toDay: lastDay }),
  ),
})
