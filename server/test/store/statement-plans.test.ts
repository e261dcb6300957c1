// Promise 40: no statement reads a whole account, connection or table that grows with payments, on
// either engine. On SQLite a plan depends on the fixed statistics and not on the rows; on
// PostgreSQL on the rows, and on what the server knows of them: each plan is made before and after
// `analyze`.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import { STATUSES } from '../../src/domain/payments/payment-status.ts'
import { EVERY_ACCOUNT } from '../../src/domain/people/caller.ts'
import { listEntriesAt } from '../../src/store/books/entries.ts'
import { listStatementReaders } from '../../src/store/books/ready-statements.ts'
import { findBalancedFile, listDifferences } from '../../src/store/books/statements.ts'
import { isEmpty, readSlice } from '../../src/store/copy/copied-tables.ts'
import { textOf } from '../../src/store/engine/database.ts'
import { migrations } from '../../src/store/engine/migrate.ts'
import { numberNames } from '../../src/store/engine/named-values.ts'
import { BY_INDEX } from '../../src/store/engine/postgres-connections.ts'
import {
  FEW_VALUES,
  SMALL_TABLES,
  WRITE_STATISTICS,
} from '../../src/store/engine/sqlite-statistics.ts'
import { expireKeys, findKeys, type KeySelector } from '../../src/store/keys/api-keys.ts'
import { listLinks } from '../../src/store/links/payment-links.ts'
import {
  listSealed,
  SEALED_COLUMNS,
  writeSealed,
} from '../../src/store/master-key/sealed-values.ts'
import { findScanFloor, listPayments } from '../../src/store/payments/payment-list.ts'
import { listTexts, TEXT_COLUMNS, writeText } from '../../src/store/privacy/personal-data.ts'
import {
  findNextGroup,
  listPositions,
  OLD_ANSWERS,
  OLD_ATTEMPTS,
  OLD_DELIVERIES,
  OLD_REQUESTS,
  OLD_STORIES,
  removeOld,
} from '../../src/store/retention/old-rows.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { giveBackEndpointQueue, leaveEndpointQueue } from '../../src/store/webhooks/endpoints.ts'
import { freshDatabase } from '../kit/postgres.ts'
import { tried, tries } from '../kit/tries.ts'
import {
  type CallByHand,
  everyStatement,
  type StoreFunction,
  type StoreStatement,
} from './every-statement.ts'
import { fillTables } from './filled-tables.ts'

/** In every table that grows. The plans of PostgreSQL depend on it. */
const ROWS = tries(5_000, 1_000_000)

const OLD_ROWS = [OLD_STORIES, OLD_DELIVERIES, OLD_ATTEMPTS, OLD_ANSWERS, OLD_REQUESTS]
const COPIED = {
  name: 'payments',
  columns: ['account_id', 'number'],
  key: ['account_id', 'number'],
}
const SCOPES = [EVERY_ACCOUNT, { accountId: 'acc_large' }]
const KEYS: KeySelector[] = [{ accountId: 'acc_large' }, { keyId: 'key_1' }, { hash: 'hash' }]
const QUEUE = { accountId: 'acc_large', endpointId: 'whe_1', claimedUntil: 1 }
const CONNECTION = { environment: 'sandbox', connection: 'airtel_ne' } as const
const SEALED = { ownerId: '', id: '', sealed: '' }
const RANGE = { from: 0, below: 1_000 }

/**
 * For functions whose statements need real names of tables and columns, and for choices from a
 * closed list.
 */
const BY_HAND: Record<StoreFunction, readonly CallByHand[]> = {
  'books/entries.ts listEntriesAt': (['all', 'own', 'of_service'] as const).map(
    (wallets): CallByHand =>
      (db) =>
        listEntriesAt(
          db,
          {
            accountId: 'acc_large',
            place: 'wallet',
            connection: null,
            wallets,
            top: 1_000,
            bottom: 0,
          },
          10,
        ),
  ),
  'books/ready-statements.ts listStatementReaders': (['day', 'month'] as const).map(
    (period) => (db) => listStatementReaders(db, 'acc_large', period),
  ),
  'books/statements.ts findBalancedFile': (['before', 'at', 'after'] as const).map(
    (begins) => (db) => findBalancedFile(db, CONNECTION, begins, 1),
  ),
  'books/statements.ts listDifferences': SCOPES.flatMap((scope) =>
    (['oldest', 'newest', 'largest'] as const).map(
      (order): CallByHand =>
        (db) =>
          listDifferences(db, scope, { order, isOpen: true, kind: undefined }, [1, ''], 10),
    ),
  ),
  'copy/copied-tables.ts isEmpty': [(db) => isEmpty(db, COPIED)],
  'copy/copied-tables.ts readSlice': [(db) => readSlice(db, COPIED, ['', 1], 10)],
  'keys/api-keys.ts expireKeys': SCOPES.flatMap((scope) =>
    KEYS.map(
      (which): CallByHand =>
        (db) =>
          expireKeys(db, scope, which, 1),
    ),
  ),
  'keys/api-keys.ts findKeys': SCOPES.flatMap((scope) =>
    KEYS.map(
      (which): CallByHand =>
        (db) =>
          findKeys(db, scope, which),
    ),
  ),
  'master-key/sealed-values.ts listSealed': SEALED_COLUMNS.map(
    (column) => (db) => listSealed(db, column, SEALED, 10),
  ),
  'master-key/sealed-values.ts writeSealed': SEALED_COLUMNS.map(
    (column) => (db) => writeSealed(db, column, SEALED),
  ),
  'links/payment-links.ts listLinks': SCOPES.flatMap((scope) =>
    STATUSES.map(
      (status): CallByHand =>
        (db) =>
          listLinks(db, scope, { ...RANGE, status }, 10),
    ),
  ),
  'payments/payment-list.ts findScanFloor': SCOPES.flatMap((scope) =>
    (['payments', 'payment_links'] as const).map(
      (table): CallByHand =>
        (db) =>
          findScanFloor(db, table, scope, 100),
    ),
  ),
  'payments/payment-list.ts listPayments': SCOPES.flatMap((scope) =>
    STATUSES.map(
      (status): CallByHand =>
        (db) =>
          listPayments(db, scope, RANGE, { status }, 10),
    ),
  ),
  'privacy/personal-data.ts listTexts': TEXT_COLUMNS.map(
    (column) => (db) => listTexts(db, column, undefined, 10),
  ),
  'privacy/personal-data.ts writeText': TEXT_COLUMNS.map(
    (column) => (db) =>
      writeText(db, column, { key: Object.keys(column.keys).map(() => 1), text: '' }),
  ),
  'retention/old-rows.ts findNextGroup': OLD_ROWS.map(
    (old) => (db) => findNextGroup(db, old, ['', '']),
  ),
  'retention/old-rows.ts listPositions': OLD_ROWS.map(
    (old) => (db) => listPositions(db, old, ['', ''], 1, 10),
  ),
  'retention/old-rows.ts removeOld': OLD_ROWS.map(
    (old) => (db) => removeOld(db, old, ['', ''], [1, 2], 3),
  ),
  'webhooks/delivery-log.ts listDeliveries': SCOPES.flatMap((scope) =>
    [true, false].flatMap((failedOnly) =>
      [undefined, 'whe_1'].map(
        (endpointId): CallByHand =>
          (db) =>
            listDeliveries(
              db,
              scope,
              { endpointId, failedOnly, since: 0 },
              [1, 'acc_large', 'whe_1', 1, 0],
              10,
            ),
      ),
    ),
  ),
  'webhooks/endpoints.ts giveBackEndpointQueue': [(db) => giveBackEndpointQueue(db, QUEUE)],
  'webhooks/endpoints.ts leaveEndpointQueue': [(db) => leaveEndpointQueue(db, QUEUE, 1)],
}

/**
 * Files or functions whose statements may read more, and why. One that no longer does fails the
 * test.
 */
const MAY_SCAN: Record<string, string> = {
  'books/account-statements.ts listConnections':
    'a row for each day and connection, not for each payment',
  'books/entries.ts listBalances': 'a row for each day and connection, not for each payment',
  'copy/copied-tables.ts isEmpty': 'one row of the table',
  'payments/counter-rows.ts listNewestCounterEvents':
    'sorts the newest few, which it has read in order',
  'people/mails.ts removeOldMails': 'a slice of a table that this keeps short',
  'people/people.ts findDemo': 'a command for a store that was filled for a demo',
  'people/people.ts findDemoStore': 'a command for a store that was filled for a demo',
  'verify/evidence.ts findAuditEnd': 'the last entry, by the primary key',
  'verify/evidence.ts listBalanceEvidence':
    'a row for each day and connection, not for each payment',
  'verify/evidence.ts listFigureEvidence': 'a row for each day and operator, not for each payment',
  'verify/evidence.ts listPosterEvidence': 'a slice of the posters, of which an account has a few',
}

/** Exported functions that send nothing: they make parts of statements. */
const SENDS_NOTHING = [
  'books/entries.ts notConfirmed',
  'books/statements.ts exceptionIdOf',
  'books/take-backs.ts fileState',
  'console/tasks.ts reviewTaskOf',
  'copy/copied-tables.ts keyOf',
  // Sends those of readSlice.
  'copy/copied-tables.ts sumTable',
  'payments/payment-list.ts filterSql',
  'payments/payment-list.ts ofNumbers',
  'payments/payment-search.ts paymentsOf',
  'payments/payments.ts addedValues',
  'payments/payments.ts operatorPaymentColumns',
  'payments/pending-payments.ts byAccountAndNumber',
  'service/service-facts.ts paymentNumbers',
  'service/service-facts.ts storyNumbers',
  'webhooks/events.ts seenPositions',
]

const isLarge = (table: string): boolean => TABLES.has(table) && !SMALL.has(table)
const SMALL = new Set<string>(SMALL_TABLES)
const FEW = new Set<string>(FEW_VALUES)
const TABLES = new Set<string>()

/**
 * How a plan reads one table: which columns of its index have one value, and whether others bound
 * the rows.
 */
interface Access {
  table: string
  says: string
  equal: readonly string[]
  isRange: boolean
  /** An index of the rows with something left to do. */
  isPartial: boolean
  /** In the order of the index, up to a limit: it stops early. */
  isLimited: boolean
}

const isScan = ({ table, equal, isRange, isPartial, isLimited }: Access): boolean => {
  if (!isLarge(table) || isPartial) return false
  if (equal.length === 0) return !isRange
  return !isRange && !isLimited && equal.every((column) => FEW.has(column))
}

// SQLite

function openSchema(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  for (const { sql } of migrations()) db.exec(textOf(sql, 'sqlite'))
  db.exec(
    'create table migrations (name text not null primary key, applied_at bigint, checksum text, needs text)',
  )
  db.exec(WRITE_STATISTICS)
  return db
}

type SqliteIndexes = Map<string, { table: string; isPartial: boolean }>

function indexesOf(db: DatabaseSync): SqliteIndexes {
  const rows = db
    .prepare(`select i.name, t.name as "table", i.partial from sqlite_schema t
      join pragma_index_list(t.name) i
      where t.type = 'table'`)
    .all() as { name: string; table: string; partial: number }[]
  return new Map(
    rows.map(({ name, table, partial }) => [name, { table, isPartial: partial === 1 }]),
  )
}

/** Every table that an alias names somewhere in the statement. */
function tablesNamed(sql: string, alias: string): string[] {
  const named = [...sql.matchAll(/\b(?:from|join|update|into)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/gi)]
  const tables = named
    .filter(([, table, as]) => table === alias || as === alias)
    .map(([, table = '']) => table)
  return tables.filter((table) => TABLES.has(table))
}

const SQLITE_STEP =
  /^(SCAN|SEARCH) (\w+)(?: EXISTS)?(?: USING (?:(AUTOMATIC) )?(?:PARTIAL )?(?:COVERING )?(?:INDEX|PRIMARY KEY)(?: (\w+))?)?(?: \((.*)\))?/

function sqliteAccesses(db: DatabaseSync, indexes: SqliteIndexes, sql: string): Access[] {
  const steps = db.prepare(`explain query plan ${sql}`).all() as {
    detail: string
  }[]
  const sorts = steps.some(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY')
  const isLimited =
    (/\blimit\b/i.test(sql) && !sorts) || /select (?:coalesce\()?(?:min|max)\(/i.test(sql)
  return steps.flatMap(({ detail }) => {
    const [, , alias = '', automatic, index = '', terms = ''] = SQLITE_STEP.exec(detail) ?? []
    const known = indexes.get(index)
    const tables = known === undefined ? tablesNamed(sql, alias) : [known.table]
    const conditions = automatic === undefined && terms !== '' ? terms.split(' AND ') : []
    const equal = conditions.filter((term) => term.endsWith('=?')).map((term) => term.slice(0, -2))
    const isRange = conditions.length > equal.length
    const isPartial = known?.isPartial === true
    return tables.map((table) => ({ table, says: detail, equal, isRange, isPartial, isLimited }))
  })
}

// PostgreSQL

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

type PostgresIndexes = Map<string, { table: string; isPartial: boolean }>

async function postgresIndexes(client: pg.Client): Promise<PostgresIndexes> {
  const { rows } = await client.query<{ name: string; table: string; isPartial: boolean }>(
    `select c.relname as name, t.relname as "table", i.indpred is not null as "isPartial"
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid`,
  )
  return new Map(rows.map(({ name, table, isPartial }) => [name, { table, isPartial }]))
}

/** They read all of their input before they return a row. */
const READS_ALL = /^(Sort|Aggregate|Hash|Materialize|HashAggregate|ModifyTable|SetOp|WindowAgg)$/

function nodeAccesses(node: PlanNode, indexes: PostgresIndexes, isLimitedAbove: boolean): Access[] {
  const type = node['Node Type']
  const isLimited = type === 'Limit' || (isLimitedAbove && !READS_ALL.test(type))
  const inner = (node.Plans ?? []).flatMap((each) => nodeAccesses(each, indexes, isLimited))
  const index = node['Index Name']
  const condition = node['Index Cond'] ?? ''
  const known = index === undefined ? undefined : indexes.get(index)
  const table = known?.table ?? (type === 'Seq Scan' ? node['Relation Name'] : undefined)
  if (table === undefined) return inner
  const terms = [
    ...condition.matchAll(
      /\((?:\(?(\w+)\)?(?:::\w+)?|ROW\(.*?\)|[^()]*\(.*?\)[^()]*) (=|<=|>=|<|>) /g,
    ),
  ]
  const equal = terms
    .filter(([, , operator]) => operator === '=')
    .map(([, column]) => column ?? 'expression')
  const says = `${type} of ${table} by ${index ?? 'no index'} ${condition}`
  const isPartial = known?.isPartial === true
  return [
    { table, says, equal, isRange: terms.length > equal.length, isPartial, isLimited },
    ...inner,
  ]
}

/**
 * By the type of a parameter: the large account, and a number that is a limit, a time or a payment
 * alike.
 */
const VALUES: Readonly<Record<string, string>> = {
  text: "'acc_large'",
  bigint: '100',
  integer: '100',
  'text[]': "'{acc_large}'",
  'bigint[]': "'{100}'",
}

/**
 * Planned with values, as PostgreSQL plans a statement unless a plan for any values costs no more.
 */
async function postgresAccesses(
  client: pg.Client,
  indexes: PostgresIndexes,
  sql: string,
): Promise<Access[]> {
  await client.query(`prepare planned as ${numberNames(sql, '$').sql}`)
  try {
    const prepared = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'planned'`,
    )
    const values = prepared.rows.flatMap(({ types }) => types.map((type) => VALUES[type] ?? 'null'))
    const execute =
      values.length === 0 ? 'execute planned' : `execute planned (${values.join(', ')})`
    const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (format json) ${execute}`,
    )
    return explained.rows.flatMap((row) => nodeAccesses(row['QUERY PLAN'][0].Plan, indexes, false))
  } finally {
    await client.query('deallocate planned')
  }
}

/** A row of values reads nothing. */
const IS_PLAIN_INSERT = /^insert into \w+ (\(|default values)(?!.*\bselect\b)/s

const mayScan = (of: StoreFunction): string | undefined =>
  Object.keys(MAY_SCAN).find((name) => of === name || of.startsWith(`${name} `))

describe('statement plans (promise 40)', () => {
  let functions: StoreFunction[] = []
  let statements: StoreStatement[] = []
  const schema = openSchema()
  for (const row of schema.prepare(`select name from sqlite_schema where type = 'table'`).all())
    TABLES.add(row.name as string)
  const indexes = indexesOf(schema)
  /** Those that SQLite can prepare: anything may stand where a text has no value. */
  const whole = new Set<StoreStatement>()

  before(async () => {
    ;({ functions, statements } = await everyStatement(BY_HAND))
    for (const statement of statements) if (isWhole(statement)) whole.add(statement)
  })

  function isWhole({ texts: { sqlite } }: StoreStatement): boolean {
    try {
      schema.prepare(sqlite)
      return true
    } catch {
      return IS_PLAIN_INSERT.test(sqlite)
    }
  }

  const explained = (): StoreStatement[] =>
    [...whole].filter(({ texts }) => !IS_PLAIN_INSERT.test(texts.sqlite))

  it('every function of src/store is reached, but for those that send nothing', () => {
    const reached = new Set([...whole].map(({ of }) => of))
    assert.deepEqual(
      functions.filter((of) => !reached.has(of)),
      SENDS_NOTHING,
    )
  })

  it('every statement has the values that it names', () =>
    assert.deepEqual(
      [...whole].filter(({ isMisnamed }) => isMisnamed),
      [],
    ))

  it('every statement that writes is sent as a write, and no other', () =>
    assert.deepEqual(
      [...whole].filter(({ isMissent }) => isMissent),
      [],
    ))

  it('every exception is needed', () => {
    const scanning = explained().filter(({ texts }) =>
      sqliteAccesses(schema, indexes, texts.sqlite).some(isScan),
    )
    const needed = new Set(scanning.map(({ of }) => mayScan(of)))
    assert.deepEqual(
      Object.keys(MAY_SCAN).filter((name) => !needed.has(name)),
      [],
    )
  })

  it('SQLite: no statement scans an account or a table', () => {
    const scans = explained()
      .filter(({ of }) => mayScan(of) === undefined)
      .flatMap(({ of, texts }) =>
        sqliteAccesses(schema, indexes, texts.sqlite)
          .filter(isScan)
          .map(({ says }) => `${of}: ${says}`),
      )
    assert.deepEqual([...new Set(scans)], [])
    tried(explained().length)
  })

  it(`PostgreSQL: no statement scans an account or a table, with ${ROWS} rows in each`, async () => {
    const client = new pg.Client(await freshDatabase({ isMigrated: true }))
    await client.connect()
    try {
      await client.query('begin')
      await fillTables(client, ROWS)
      await client.query('commit; analyze')
      await client.query(BY_INDEX)
      const known = await postgresIndexes(client)
      const scans: string[] = []
      const planned = new Set<StoreFunction>()
      const faults = new Map<StoreFunction, string>()
      for (const { of, texts } of explained()) {
        if (mayScan(of) !== undefined || IS_OF_SQLITE.test(texts.postgres)) continue
        try {
          const found = (await postgresAccesses(client, known, texts.postgres)).filter(isScan)
          scans.push(...found.map(({ says }) => `${of}: ${says}`))
          planned.add(of)
        } catch (error) {
          faults.set(of, (error as Error).message)
        }
      }
      // Unlike SQLite, PostgreSQL refuses a text where anything stands for a value of another type.
      assert.deepEqual(
        [...faults].filter(([of]) => !planned.has(of)),
        [],
      )
      assert.deepEqual([...new Set(scans)], [])
      tried(explained().length)
    } finally {
      await client.end()
    }
  })
})

/** Of the copy of a store, which reads the tables of both engines. */
const IS_OF_SQLITE = /sqlite_master|pragma_table_info/
