// Rows by the hundred thousand in every table of PostgreSQL that grows with payments: half of them
// of one account. Made from the tables’ columns, so that a new table is filled too.
import type pg from 'pg'
import { SMALL_TABLES } from '../../src/store/engine/sqlite-statistics.ts'

interface Column {
  table: string
  name: string
  type: 'text' | 'bigint'
  isNullable: boolean
}

/** Of the row `i`. The account with half of all rows is the one that a real shop has. */
const BY_NAME: Readonly<Record<string, string>> = {
  account_id: `case when i % 2 = 0 then 'acc_large' else 'acc_' || i % 500 end`,
  environment: `'sandbox'`,
  connection: `(array['airtel_ne', 'moov_ne'])[1 + i % 2]`,
  operator: `(array['airtel_ne', 'moov_ne'])[1 + i % 2]`,
  endpoint_id: `case when i % 3 > 0 then 'acc_large' else 'whe_' || i % 7 end`,
  method: `'mobile'`,
  status: `'succeeded'`,
  is_replay: '0',
  is_matched: '1',
  // Something is left to do for one row of a hundred.
  due_at: 'case when i % 100 = 0 then i end',
  resolved_at: 'case when i % 100 > 0 then i end',
  by_hand_since: 'case when i % 100 = 0 then i end',
  approval_since: 'null',
  request_reference: `'r' || i`,
}

const BY_COLUMN: Readonly<Record<string, string>> = {
  'payments.status': `case when i % 20 = 0 then 'failed' when i % 100 = 1 then 'pending'
   else 'succeeded' end`,
  'webhook_deliveries.status': `case when i % 100 = 0 then 'waiting' when i % 50 = 1 then 'failed'
   else 'delivered' end`,
  'refunds.status': `case when i % 100 = 0 then 'pending' else 'succeeded' end`,
  'events.event': `'payment.succeeded'`,
  'daily_figures.outcome': `'succeeded'`,
  'ready_statements.period': `'day'`,
  'statement_lines.type': `case when i % 1000 = 0 then 'settlement' else 'collection' end`,
  'request_log.status': '200',
  'book_exceptions.kind': `'missing_at_network'`,
}

/** What a nullable column has where no line above names it: most are null in most rows. */
const FILLED_NULLABLE =
  /^(number|line_number|msisdn|external_reference|created_at|ended_at|handed_over_at)$/

const MAY_BE_NULL = /null|then i end/

function valueIn({ table, name, type, isNullable }: Column): string {
  const own = BY_COLUMN[`${table}.${name}`] ?? BY_NAME[name]
  if (own !== undefined && (isNullable || !MAY_BE_NULL.test(own))) return own
  if (isNullable && !FILLED_NULLABLE.test(name)) return 'null'
  return type === 'text' ? `'${name}-' || i` : 'i'
}

export async function fillTables(client: pg.Client, rows: number): Promise<void> {
  const { rows: columns } = await client.query<Column>(
    `select table_name as "table", column_name as name, data_type as type,
     is_nullable = 'YES' as "isNullable"
     from information_schema.columns where table_schema = 'public'`,
  )
  await client.query(`insert into merchants (merchant_id, name, created_at)
    select 'mer_' || i, 'Shop', i from generate_series(0, 500) i`)
  await client.query(`insert into accounts (account_id, merchant_id, environment, status,
    created_at)
    select case when i = 500 then 'acc_large' else 'acc_' || i end, 'mer_' || i, 'sandbox',
      'validated', i
    from generate_series(0, 500) i`)
  const isSmall = new Set<string>(SMALL_TABLES)
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    if (isSmall.has(table)) continue
    const names = own.map(({ name }) => name).join(', ')
    await client.query(
      `insert into ${table} (${names}) select ${own.map(valueIn).join(', ')}
       from generate_series(1, ${rows}) i`,
    )
  }
}
