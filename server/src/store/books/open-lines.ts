// Lines of statements that are not explained yet: judged again when they are due, or explained by a
// person.

import type { BookException } from '../../domain/books/matching.ts'
import type { StatementLine, Witness } from '../../domain/books/statement.ts'
import { startOfDay } from '../../domain/countries/business-day.ts'
import { endTerm } from '../../domain/lists/search-terms.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import {
  listByTermOfAll,
  MOST_OF_ALL,
  type PaymentKey,
  paymentsOf,
} from '../payments/payment-search.ts'
import {
  columnsOf,
  firstRow,
  firstValue,
  inScope,
  isAnyRow,
  listOf,
  padded,
  scopeValues,
  updateOne,
  updateRows,
} from '../rows.ts'

export interface OpenLine
  extends Pick<BookException, 'environment' | 'connection' | 'exceptionId' | 'kind' | 'reason'>,
    StatementLine {
  lineNumber: number
  /** The account whose books have the line; null for none. */
  accountId: string | null
  /** Of its file. */
  witness: Witness
}

const OPEN_LINE = columnsOf<OpenLine>({
  environment: 'x.environment',
  connection: 'x.connection',
  exceptionId: 'x.exception_id',
  kind: 'x.kind',
  reason: 'x.reason',
  lineNumber: 'l.line_number',
  accountId: 'l.account_id',
  bookedAt: 'l.booked_at',
  day: 'l.day',
  type: 'l.type',
  amountXof: 'l.amount_xof',
  feeXof: 'l.fee_xof',
  taxXof: 'l.tax_xof',
  balanceXof: 'l.balance_xof',
  networkReference: 'l.network_reference',
  ourReference: 'l.our_reference',
  counterparty: 'l.counterparty',
  text: 'l.text',
  line: 'l.row_number',
  witness: `coalesce((select f.witness from statement_files f where f.file_id = l.file_id), 'merchant_file')`,
})
const FROM = `book_exceptions x join statement_lines l on l.environment = x.environment
  and l.connection = x.connection
  and l.line_number = x.line_number`

export const findDueConnection = (db: Queries, now: number) =>
  firstRow<ConnectionKey>(
    db,
    `select environment, connection from book_exceptions
     where due_at <= :now
     order by due_at limit 1`,
    { now },
  )

export const listDueLines = (
  tx: Queries,
  { environment, connection }: ConnectionKey,
  now: number,
  most: number,
) =>
  tx.read<OpenLine>(
    // Chosen first: PostgreSQL would read every line of the connection for them.
    `select ${OPEN_LINE} from (
       select * from book_exceptions
       where environment = :environment and connection = :connection and due_at <= :now
         and (resolved_at is null or reason is not null)
       order by due_at, exception_id limit :most) as x
     join statement_lines l on l.environment = x.environment and l.connection = x.connection
       and l.line_number = x.line_number
     order by x.due_at, x.exception_id`,
    { environment, connection, now, most },
  )

/** The line of an open exception that nothing explains. */
export const findOpenLine = (tx: Queries, scope: Scope, exceptionId: string) =>
  firstRow<OpenLine>(
    tx,
    `select ${OPEN_LINE} from ${FROM}
     where x.exception_id = :exceptionId and x.resolved_at is null
       and l.is_matched = 0${inScope(scope, 'x.account_id')}`,
    { exceptionId, ...scopeValues(scope) },
  )

export const isOpenException = (tx: Queries, scope: Scope, exceptionId: string): Promise<boolean> =>
  isAnyRow(
    tx,
    `select 1 from book_exceptions
     where exception_id = :exceptionId and resolved_at is null${inScope(scope)}`,
    { exceptionId, ...scopeValues(scope) },
  )

/**
 * A payment that has the number, the amount and the day of a line; or a refund that has its payment
 * and amount.
 */
export interface Suggestion {
  accountId: string
  number: number
  /** The payment's, or the refund's. */
  reference: string
  /** Null for a payment. */
  refundReference: string | null
  /** What the network knows it by. */
  requestReference: string
  externalReference: string
  amountXof: number
  /** When it was paid, or given back. */
  validatedAt: number
}

const SUGGESTION = columnsOf<Suggestion>({
  accountId: 'p.account_id',
  number: 'p.number',
  reference: 'p.reference',
  externalReference: 'p.external_reference',
  amountXof: 'p.amount_xof',
  validatedAt: 'p.validated_at',
  requestReference: 'coalesce(p.attempt_reference, p.reference)',
  refundReference: 'cast(null as text)',
})
const MOST_SUGGESTED = 20

/**
 * Of one number in one account. Twenty lists are some 1,500 payments that share its last four
 * digits.
 */
const MOST_OF_NUMBER = { lists: 20, payments: 500 }

/** Of payments that no line has confirmed, the oldest first. */
export async function listSuggestions(
  tx: Queries,
  scope: Scope,
  { environment, connection, amountXof, day }: OpenLine,
  numbers: readonly string[],
): Promise<Suggestion[]> {
  const keys: PaymentKey[] = []
  for (const number of numbers)
    keys.push(...(await listByTermOfAll(tx, scope, environment, endTerm(number), MOST_OF_NUMBER)))
  if (keys.length === 0) return []
  const { from, values } = paymentsOf(keys.slice(0, MOST_OF_ALL.found))
  const payers = listOf('msisdn', padded(numbers))
  return tx.read<Suggestion>(
    `select ${SUGGESTION} from ${from}
       and p.connection = :connection and p.amount_xof = :amountXof
       and p.msisdn in (${payers.places}) and p.validated_at >= :from
       and p.validated_at < :before and p.status in ('succeeded', 'refunded')
       and coalesce((select sum(case when e.credit = 'receivable' then e.amount_xof
         else -e.amount_xof end)
         from ledger_entries e where e.account_id = p.account_id and e.number = p.number
         and e.kind = 'collected' and 'receivable' in (e.debit, e.credit)), 0) = 0
     order by p.validated_at, p.reference limit ${MOST_SUGGESTED}`,
    {
      ...values,
      ...payers.values,
      connection,
      amountXof,
      from: startOfDay(day),
      before: startOfDay(day + 1),
    },
  )
}

/** Null: it is judged again only when a person changes something. */
export const postponeLine = (tx: Queries, exceptionId: string, dueAt: number | null) =>
  updateRows(tx, 'book_exceptions', { exceptionId }, { dueAt })

/** False when it is matched already. */
export const matchLine = (
  tx: Queries,
  {
    environment,
    connection,
    lineNumber,
  }: Pick<OpenLine, 'environment' | 'connection' | 'lineNumber'>,
  {
    accountId,
    number,
    refundReference,
  }: Pick<Suggestion, 'accountId' | 'number' | 'refundReference'>,
) => {
  const about = { accountId, number, refundReference, isMatched: 1 }
  return updateOne(
    tx,
    'statement_lines',
    { environment, connection, lineNumber, isMatched: 0 },
    about,
  )
}

/** Closed with the anomaly: a line of late money has francs, and a person says what they were. */
const WITHOUT_MONEY = "kind = 'not_paid_although_succeeded'"
const CONTRADICTIONS = "kind in ('paid_although_failed', 'not_paid_although_succeeded')"

/**
 * The anomaly of a payment is resolved: its contradictions are closed too, or their lines are
 * judged again.
 */
export async function settleContradictions(
  tx: Queries,
  { accountId, number }: { accountId: string | null; number: number | null },
  how: { dueAt: number } | { at: number; by: string; note: string },
): Promise<void> {
  if (accountId === null || number === null) return
  const [set, which, values] =
    'dueAt' in how
      ? ['due_at = :dueAt', CONTRADICTIONS, { dueAt: how.dueAt }]
      : [
          'resolved_at = :at, resolved_by = :by, note = :note, due_at = null',
          WITHOUT_MONEY,
          { at: how.at, by: how.by, note: how.note },
        ]
  await tx.change(
    `update book_exceptions set ${set}
     where account_id = :accountId and number = :number and resolved_at is null and ${which}`,
    { accountId, number, ...values },
  )
  if ('dueAt' in how) await judgeSaidAgain(tx, { accountId, number }, how)
}

/** What a person has said meanwhile is taken back if the line is the payment after all. */
const judgeSaidAgain = (
  tx: Queries,
  { accountId, number }: { accountId: string; number: number },
  { dueAt }: { dueAt: number },
) =>
  tx.change(
    `update book_exceptions set due_at = :dueAt
     where account_id = :accountId and number = :number and reason is not null
       and ${CONTRADICTIONS}`,
    { accountId, number, dueAt },
  )

/** What the network still holds back of a payment: its withheld lines less its released ones. */
export async function findWithheld(
  tx: Queries,
  { accountId, number }: { accountId: string; number: number },
): Promise<number> {
  const withheld = await firstValue<number>(
    tx,
    `select cast(coalesce(-sum(amount_xof), 0) as bigint) from statement_lines
     where account_id = :accountId and number = :number and type in ('withheld', 'released')`,
    { accountId, number },
  )
  return withheld ?? 0
}
