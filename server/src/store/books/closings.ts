// What people said that differences were, with the entries that followed. Each saying is kept; one
// that was wrong is marked as reversed.

import type { ClosableDifference } from '../../domain/books/closing.ts'
import type { ClosingReason } from '../../domain/books/closing-reason.ts'
import type { BookException, Candidate, ExceptionKind } from '../../domain/books/matching.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  firstRow,
  firstValue,
  inScope,
  insertRow,
  listOf,
  scopeValues,
  updateRows,
} from '../rows.ts'

export interface FoundDifference extends BookException, ClosableDifference {
  accountId: string | null
}

const DIFFERENCE = columnsOf<FoundDifference>({
  environment: 'x.environment',
  connection: 'x.connection',
  exceptionId: 'x.exception_id',
  kind: 'x.kind',
  accountId: 'x.account_id',
  number: 'x.number',
  lineNumber: 'x.line_number',
  amountXof: 'x.amount_xof',
  detail: 'x.detail',
  at: 'x.at',
  resolvedAt: 'x.resolved_at',
  resolvedBy: 'x.resolved_by',
  note: 'x.note',
  reason: 'x.reason',
  refundReference: 'x.refund_reference',
  lineXof: 'l.amount_xof',
})

export const findDifference = (db: Queries, scope: Scope, exceptionId: string) =>
  firstRow<FoundDifference>(
    db,
    `select ${DIFFERENCE} from book_exceptions x
     left join statement_lines l on l.environment = x.environment and l.connection = x.connection
       and l.line_number = x.line_number
     where x.exception_id = :exceptionId${inScope(scope, 'x.account_id')}`,
    { exceptionId, ...scopeValues(scope) },
  )

/** Of a closed difference: the reason, or null once it is reversed. */
export const setReason = (
  tx: Queries,
  exceptionId: string,
  {
    reason,
    resolvedBy,
    resolvedAt,
    note,
  }: {
    reason: ClosingReason | null
    resolvedBy: string
    resolvedAt: number
    note: string
  },
) => updateRows(tx, 'book_exceptions', { exceptionId }, { reason, resolvedBy, resolvedAt, note })

export interface Closing {
  exceptionId: string
  closing: number
  reason: ClosingReason
  accountId: string | null
  firstEntry: number | null
  lastEntry: number | null
}

const CLOSING = columnsOf<Closing>({
  exceptionId: 'exception_id',
  closing: 'closing',
  reason: 'reason',
  accountId: 'account_id',
  firstEntry: 'first_entry',
  lastEntry: 'last_entry',
})

/** The one that counts; undefined when there is none, or it was reversed. */
export const findClosing = (db: Queries, exceptionId: string) =>
  firstRow<Closing>(
    db,
    `select ${CLOSING} from closings where exception_id = :exceptionId and reversed_at is null
     order by closing desc limit 1`,
    { exceptionId },
  )

export const findLastClosing = async (db: Queries, exceptionId: string): Promise<number> =>
  (await firstValue<number>(
    db,
    'select max(closing) from closings where exception_id = :exceptionId',
    { exceptionId },
  )) ?? 0

export const insertClosing = (
  tx: Queries,
  closing: Closing & { closedAt: number; closedBy: string; note: string },
): Promise<void> => insertRow(tx, 'closings', { ...closing })

export const markReversed = (
  tx: Queries,
  { exceptionId, closing }: Pick<Closing, 'exceptionId' | 'closing'>,
  { at, by }: { at: number; by: string },
) => updateRows(tx, 'closings', { exceptionId, closing }, { reversedAt: at, reversedBy: by })

/** Differences of a payment or refund that a person has closed with a reason, of these kinds. */
export async function listExplained(
  tx: Queries,
  {
    accountId,
    number,
    refundReference,
  }: Pick<Candidate, 'accountId' | 'number' | 'refundReference'>,
  kinds: readonly ExceptionKind[],
): Promise<string[]> {
  if (kinds.length === 0) return []
  const listed = listOf('kind', kinds)
  const rows = await tx.read<{ exceptionId: string }>(
    `select exception_id as "exceptionId" from book_exceptions
     where account_id = :accountId and number = :number and reason is not null
       and (coalesce(refund_reference, '') = :refund or (:refund = '' and kind = 'refund_missing'))
       and kind in (${listed.places})
     order by exception_id`,
    { accountId, number, refund: refundReference ?? '', ...listed.values },
  )
  return rows.map(({ exceptionId }) => exceptionId)
}
