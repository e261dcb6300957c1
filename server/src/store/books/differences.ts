// Differences between networks' statements and the ledger as a person reads them: with the statement's line, the
// payment, and who closed it.

import type { Scope } from '../../domain/caller.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, firstValue, inScope, scopeValues } from '../rows.ts'
import type { BookException } from './statements.ts'

export interface Difference extends BookException {
  merchantName: string | null
  // The line of the network's statement; all null where there is none.
  row: number | null
  file: string | null
  lineAt: number | null
  type: string | null
  lineXof: number | null
  feeXof: number | null
  networkReference: string | null
  text: string | null
  // The payment; all null where there is none.
  reference: string | null
  publicReference: string | null
  paymentXof: number | null
  status: string | null
  paidAt: number | null
}

const DIFFERENCE = columnsOf<Difference>('x')(
  `environment connection exceptionId kind accountId number lineNumber amountXof detail at resolvedAt resolvedBy note
  l.type l.feeXof l.networkReference l.text p.reference p.publicReference p.status`,
  {
    merchantName: 'm.name',
    row: 'l.row_number',
    file: 'f.name',
    lineAt: 'l.booked_at',
    lineXof: 'l.amount_xof',
    paymentXof: 'p.amount_xof',
    paidAt: 'coalesce(p.validated_at, p.created_at)',
  },
)

export interface DifferenceFilter {
  isOpen: boolean
  order: 'age' | 'amount'
}

/** In the order of the filter, after the last row's `at` or amount and its id. Closed ones: the newest first. */
export function listDifferences(
  db: Queries,
  scope: Scope,
  { isOpen, order }: DifferenceFilter,
  [after, exceptionId]: readonly [number, string],
  most: number,
): Promise<Difference[]> {
  const by = order === 'age' ? 'x.at' : 'x.amount_xof'
  const isUp = order === 'age' && isOpen
  const [sign, way] = isUp ? ['>', 'asc'] : ['<', 'desc']
  return db.rows<Difference>(
    `select ${DIFFERENCE} from book_exceptions x
     left join accounts a on a.account_id = x.account_id
     left join merchants m on m.merchant_id = a.merchant_id
     left join statement_lines l on l.environment = x.environment and l.connection = x.connection
       and l.line_number = x.line_number
     left join statement_files f on f.file_id = l.file_id
     left join payments p on p.account_id = x.account_id and p.number = x.number
     where x.resolved_at is ${isOpen ? '' : 'not '}null and (${by}, x.exception_id) ${sign} ($1, $2)${inScope(scope, 4, 'x.account_id')}
     order by ${by} ${way}, x.exception_id ${way} limit $3`,
    [after, exceptionId, most, ...scopeValues(scope)],
  )
}

/** Counted up to `most`: more is as urgent. */
export const countOpenDifferences = async (db: Queries, scope: Scope, most: number): Promise<number> =>
  (await firstValue<number>(
    db,
    `select count(*) from (select 1 from book_exceptions
     where resolved_at is null${inScope(scope, 2)} limit $1) as open`,
    [most, ...scopeValues(scope)],
  )) ?? 0
