// Fills a place with payments settled over the last thirteen months, by SQL, with the rows, numbers
// and public references that the service writes. Only the table of payments: creates and reads use
// no other.
import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PublicReferences } from '../../server/src/domain/payments/reference.ts'
import { takeNumbers } from '../../server/src/store/service/service-facts.ts'
import { newMerchant } from '../../server/test/kit/service.ts'
import { progress } from './part.ts'
import { prepare, type Settings } from './stores.ts'

const CHUNK = 100_000
const MONTHS_13_MS = 395 * 86_400_000
/** With every index and temporary space. */
const BYTES_EACH = 1_500

/** What differs between payments, as SQL expressions of their number `i`. */
export interface Shop {
  msisdn: string
  customerName: string
  externalReference: string
}

/** As requests.ts names them. */
const OF_REQUESTS: Shop = {
  msisdn: "'22796' || (100000 + i % 900000)",
  customerName: "'Awa Diallo'",
  externalReference: "'order-' || i",
}

export interface Filled {
  accountId: string
  secretKey: string
}

interface Fill {
  shop: Shop
  accountId: string
  publicReferences: PublicReferences
  count: number
  stepMs: number
  firstAt: number
}

/** For a new merchant, or for an account that is there. */
export async function fillPlace(
  place: Settings,
  count: number,
  shop = OF_REQUESTS,
  account?: Filled,
): Promise<Filled> {
  checkRoom(count)
  const { secretKey, fill } = await prepare(place, async (runtime) => {
    const { accountId, secretKey } = account ?? (await newMerchant(runtime)).accounts.sandbox
    // The service continues after the last number.
    await takeNumbers(runtime.db, 'payment_number', count)
    const { publicReferences } = runtime
    const firstAt = runtime.clock.now() - MONTHS_13_MS
    return {
      secretKey,
      fill: { shop, accountId, publicReferences, count, stepMs: MONTHS_13_MS / count, firstAt },
    }
  })
  await (place.DATABASE_URL === undefined
    ? fillSqlite(place, fill)
    : fillPostgres(place.DATABASE_URL, fill))
  return { accountId: fill.accountId, secretKey }
}

function checkRoom(count: number): void {
  const { bavail, bsize } = statfsSync(tmpdir())
  const needed = count * BYTES_EACH
  if (bavail * bsize < needed)
    throw new Error(`${count} payments need ${Math.ceil(needed / 1e9)} GB in ${tmpdir()}`)
}

/**
 * Rows from a source of `i` and `public_reference`, with the references of requests.ts; one in
 * twenty failed. $1 is the account, $2 the first time, $3 the step.
 */
const insertFrom = (
  source: string,
  { msisdn, customerName, externalReference }: Shop,
): string => `insert into payments (account_id, environment, number, reference,
    public_reference, external_reference, status, amount_xof, country, msisdn_written, msisdn,
      operator, customer_name,
    failure_reason, created_at, handed_over_at, validated_at, operator_reference, polls, claims)
  select cast($1 as text), 'sandbox', i,
    substr(cast(100000000 + i as text), 2) || substr(md5('order-' || i), 1, 16), public_reference,
    ${externalReference},
    case when i % 20 = 0 then 'failed' else 'succeeded' end, 500 + i % 97 * 100, 'NE',
      substr(${msisdn}, 4),
    ${msisdn}, 'airtel_ne', ${customerName}, case when i % 20 = 0 then 'declined' end,
    created_at, created_at + 5, case when i % 20 = 0 then null else created_at + 20000 end,
    case when i % 20 = 0 then null else 'SIM-' || upper(substr(md5('order-' || i), 1, 10)) end, 1, 1
  from (select i, public_reference,
    cast($2 as bigint) + cast(i * cast($3 as double precision) as bigint) as created_at
        from ${source}) as numbered`

function* chunks(count: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < count; from += CHUNK) {
    if (from % (10 * CHUNK) === 0 && from > 0)
      progress(`  ${from.toLocaleString('en')} of ${count.toLocaleString('en')}`)
    yield [from, Math.min(from + CHUNK, count)]
  }
}

/**
 * In one transaction without a write-ahead log and with a large cache: each page is written about
 * once.
 */
async function fillSqlite(
  place: Settings,
  { shop, accountId, publicReferences, count, stepMs, firstAt }: Fill,
) {
  const file = `${place.KARBA_DATA_DIR}/karba.db`
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -1000000')
  db.function('md5', { deterministic: true }, (text) => hash('md5', String(text)))
  db.function('public_reference_of', { deterministic: true }, (i) => publicReferences.of(Number(i)))
  // Numbers arrive as floating point: without the cast 0.0 would give `order-0.0`.
  const source = `(with recursive n (i) as (select cast(?4 as bigint) union all select i + 1 from n
    where i < ?5 - 1)
    select i, public_reference_of(i) as public_reference from n)`
  const insert = db.prepare(insertFrom(source, shop).replace(/\$(\d)/g, '?$1'))
  db.exec('begin')
  for (const [from, to] of chunks(count)) {
    insert.run(accountId, firstAt, stepMs, from, to)
    // Signals are handled only between chunks.
    await pause(0)
  }
  db.exec('commit')
  db.close()
  // Dirty pages would slow down the measured commits.
  const written = openSync(file, 'r+')
  fsyncSync(written)
  closeSync(written)
}

/** Drops the indexes and rebuilds them at the end: far faster than row by row. */
async function fillPostgres(
  url: string,
  { shop, accountId, publicReferences, count, stepMs, firstAt }: Fill,
): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const texts = async (sql: string): Promise<string[]> =>
    (await client.query(sql)).rows.map(({ text }) => text)
  const constraints = `from pg_constraint
    where conrelid = 'payments'::regclass and contype in ('p', 'u')`
  const indexes = `from pg_indexes
    where tablename = 'payments' and indexname not in (select conname from pg_constraint)`
  const rebuild = [
    ...(await texts(
      `select format('alter table payments add constraint %I %s', conname,
       pg_get_constraintdef(oid)) as text ${constraints}`,
    )),
    ...(await texts(`select indexdef as text ${indexes}`)),
  ]
  const drop = [
    ...(await texts(`select format('drop index %I', indexname) as text ${indexes}`)),
    ...(await texts(
      `select format('alter table payments drop constraint %I', conname) as text ${constraints}`,
    )),
  ]
  for (const sql of drop) await client.query(sql)
  const insert = insertFrom('unnest($4::bigint[], $5::text[]) as n (i, public_reference)', shop)
  let writing: Promise<unknown> = Promise.resolve()
  for (const [from, to] of chunks(count)) {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at)
    const codes = numbers.map((number) => publicReferences.of(number))
    // The next chunk is computed while this one is written.
    await writing
    writing = client.query(insert, [accountId, firstAt, stepMs, numbers, codes])
  }
  await writing
  await client.query(`set maintenance_work_mem = '512MB'`)
  for (const sql of rebuild) await client.query(sql)
  await client.query('vacuum (analyze) payments')
  await client.query('checkpoint')
  await client.end()
}
