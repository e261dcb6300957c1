// Settlements as the network's statement has them, the lines since the one before, and what the
// merchant's bank has.

import type { SettledLine, SettledSums, Settlement } from '../../domain/books/settlement.ts'
import type { Environment } from '../../domain/environment.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { EVERY_ACCOUNT, type Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import { findMerchantConnection } from '../operators/merchant-connections.ts'
import { columnsOf, firstRow, inScope, insertNew, scopeValues } from '../rows.ts'

const SETTLEMENT = columnsOf<Settlement>({
  environment: 'l.environment',
  connection: 'l.connection',
  lineNumber: 'l.line_number',
  accountId: 'l.account_id',
  networkReference: 'l.network_reference',
  leftAt: 'l.booked_at',
  leftDay: 'l.day',
  amountXof: '-l.amount_xof',
  receivedXof: 'r.received_xof',
  receivedDay: 'r.received_day',
  bankReference: "coalesce(r.bank_reference, '')",
})

const SETTLEMENTS = `select ${SETTLEMENT} from statement_lines l left join settlement_receipts r
  on r.environment = l.environment and r.connection = l.connection
    and r.line_number = l.line_number`

export type SettlementCursor = Pick<Settlement, 'leftAt' | 'lineNumber'>

/** Days on which the money left, both inclusive. */
export interface SettlementDays {
  fromDay: number
  toDay: number
}

/** The newest first, before a cursor. Lines of two connections may have one time and one number. */
export const listSettlements = (
  db: Queries,
  accountId: string,
  { fromDay, toDay }: SettlementDays,
  before: SettlementCursor & Pick<Settlement, 'connection'>,
  most: number,
) =>
  db.read<Settlement>(
    `${SETTLEMENTS} where l.account_id = :accountId and l.type = 'settlement'
      and l.day >= :fromDay and l.day <= :toDay
       and (l.booked_at, l.line_number, l.connection) < (:leftAt, :lineNumber, :connection)
     order by l.booked_at desc, l.line_number desc, l.connection desc limit :most`,
    {
      accountId,
      leftAt: before.leftAt,
      lineNumber: before.lineNumber,
      connection: before.connection,
      most,
      fromDay,
      toDay,
    },
  )

export type SettlementKey = Pick<Settlement, 'connection' | 'lineNumber'>

export const findSettlement = (
  db: Queries,
  scope: Scope,
  { connection, lineNumber }: SettlementKey,
  environment: string,
) =>
  firstRow<Settlement>(
    db,
    `${SETTLEMENTS} where l.environment = :environment and l.connection = :connection
     and l.line_number = :lineNumber and l.type = 'settlement'
       and l.account_id is not null${inScope(scope, 'l.account_id')}`,
    { environment, connection, lineNumber, ...scopeValues(scope) },
  )

/**
 * The settlement before at the same connection; the beginning of the statement when there is none.
 */
export async function findSettlementBefore(
  db: Queries,
  settlement: Settlement,
): Promise<SettlementCursor> {
  const { environment, connection, accountId, leftAt, lineNumber } = settlement
  const found = await firstRow<SettlementCursor>(
    db,
    `select l.booked_at as "leftAt", l.line_number as "lineNumber" from statement_lines l
     where l.account_id = :accountId and l.type = 'settlement' and l.environment = :environment
       and l.connection = :connection and l.amount_xof < 0
       and (l.booked_at, l.line_number) < (:leftAt, :lineNumber)
     order by l.booked_at desc, l.line_number desc limit 1`,
    { accountId, environment, connection, leftAt, lineNumber },
  )
  return found ?? { leftAt: 0, lineNumber: 0 }
}

/** The lines of the account after one moment of the statement, and before the settlement. */
const BETWEEN = `l.environment = :environment and l.connection = :connection
  and l.account_id = :accountId and l.type not in ('settlement', 'not_made')
  and (l.booked_at, l.line_number) > (:afterTime, :afterLine)
  and (l.booked_at, l.line_number) < (:leftAt, :lineNumber)`

const between = (
  after: SettlementCursor,
  { environment, connection, accountId, leftAt, lineNumber }: Settlement,
) => ({
  environment,
  connection,
  accountId,
  afterTime: after.leftAt,
  afterLine: after.lineNumber,
  leftAt,
  lineNumber,
})

const LINE = columnsOf<SettledLine>({
  lineNumber: 'l.line_number',
  bookedAt: 'l.booked_at',
  day: 'l.day',
  type: 'l.type',
  amountXof: 'l.amount_xof',
  feeXof: 'l.fee_xof',
  taxXof: 'l.tax_xof',
  networkReference: 'l.network_reference',
  refundReference: 'l.refund_reference',
  reference: 'p.reference',
  publicReference: 'p.public_reference',
  externalReference: 'p.external_reference',
})

/** In the order of the statement. */
export const listSettledLines = (
  db: Queries,
  settlement: Settlement,
  after: SettlementCursor,
  most: number,
) =>
  db.read<SettledLine>(
    `select ${LINE} from statement_lines l left join payments p on p.account_id = l.account_id
      and p.number = l.number
     where ${BETWEEN} order by l.booked_at, l.line_number limit :most`,
    { ...between(after, settlement), most },
  )

const sum = (amount: string): string => `cast(coalesce(sum(${amount}), 0) as bigint)`
const sumOfType = (isOfType: string): string =>
  sum(`case when ${isOfType} then l.amount_xof else 0 end`)

const SUMS = columnsOf<SettledSums>({
  lines: 'count(*)',
  collectedXof: sumOfType("l.type = 'collection'"),
  refundedXof: sumOfType("l.type = 'refund'"),
  feesXof: sum("case when l.type = 'fee' then l.amount_xof else 0 end - l.fee_xof"),
  taxesXof: sum("case when l.type = 'tax' then l.amount_xof else 0 end - l.tax_xof"),
  otherXof: sumOfType("l.type not in ('collection', 'refund', 'fee', 'tax')"),
})

export const sumSettledLines = async (
  db: Queries,
  settlement: Settlement,
  after: SettlementCursor,
): Promise<SettledSums> =>
  (await firstRow<SettledSums>(
    db,
    `select ${SUMS} from statement_lines l where ${BETWEEN}`,
    between(after, settlement),
  )) as SettledSums

export interface SettlementReceipt extends ConnectionKey {
  lineNumber: number
  accountId: string
  receivedXof: number
  receivedDay: number
  bankReference: string
  confirmedAt: number
  confirmedBy: string
}

/** False when it was confirmed before. */
export const insertReceipt = (tx: Queries, receipt: SettlementReceipt): Promise<boolean> =>
  insertNew(tx, 'settlement_receipts', { ...receipt })

// Whose books have a line that names no payment.

/**
 * The account whose money every franc in a wallet is: the owner of a merchant's own connection, or
 * the only account of the installation that may take payments. Undefined for a shared connection.
 * Never decided by the payments so far: the books would depend on when a file is imported.
 */
export async function findSoleOwner(db: Queries, { environment, connection }: ConnectionKey) {
  const own = await findMerchantConnection(db, EVERY_ACCOUNT, connection)
  if (own !== undefined) return own.environment === environment ? own.accountId : undefined
  return findSoleAccount(db, environment)
}

/** The only account of the installation that may take payments; undefined for none or several. */
export async function findSoleAccount(
  db: Queries,
  environment: Environment,
): Promise<string | undefined> {
  const found = await db.read<{ accountId: string }>(
    `select account_id as "accountId" from accounts where environment = :environment
      and status <> 'unvalidated' limit 2`,
    { environment },
  )
  return found.length === 1 ? found[0]?.accountId : undefined
}
