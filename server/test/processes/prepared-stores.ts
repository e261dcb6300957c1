// The stores on which every command is called: an empty one, one with one thing of each kind in
// three accounts, one with 2,500 payments and lines of a statement, one with 2,500 merchants, and
// one after a first start. Made once on SQLite, without processes; `karba store copy` brings them
// to PostgreSQL.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeDifference } from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { createMerchantIn } from '../../src/actions/merchants/create-merchant.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import { makeOwned, type Owned } from '../flows/owned-things.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { commandsOn } from '../kit/karba.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { freshDatabase, type PostgresServer } from '../kit/postgres.ts'
import { spawnKarba, startProcess } from '../kit/process.ts'
import { newMerchant, order, post } from '../kit/service.ts'
import { openTestRuntime } from '../kit/shared.ts'
import { importLines } from '../kit/shop-books.ts'
import { SQLITE, type StoreKind } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

export type Place = 'empty' | 'things' | 'large' | 'merchants' | 'first start'

type Names = Record<string, string>

export interface Prepared {
  at(place: Place): { env: Record<string, string>; fill(text: string): string }
  remove(): Promise<void>
}

const MANY = 2_500
/** Payments of an old month: each is archived with seven queries. */
const ARCHIVED = 300
const DAY_MS = 86_400_000
const LONG = 'x'.repeat(MANY)

export async function prepareStores(
  store: StoreKind,
  postgres: PostgresServer | undefined,
): Promise<Prepared> {
  const root = mkdtempSync(join(tmpdir(), 'karba-commands-'))
  const folder = join(root, 'written')
  mkdirSync(folder)
  const names: Names = { long: LONG, folder, ...writeFiles(root) }
  const [things, large] = [await makeThings(root), await makeLarge(root, names)]
  Object.assign(names, things.names, large.names)
  names.sqlite = things.env.DATABASE_URL as string
  names.sqliteLarge = large.env.DATABASE_URL as string
  let databases = 0
  const database = (): Promise<string> =>
    postgres === undefined
      ? freshDatabase({ isMigrated: false })
      : postgres.createDatabase(`commands${++databases}`)
  names.database = await database()
  names.database2 = await database()
  const envs: Record<Place, Record<string, string>> = {
    empty: envOf(root, 'empty'),
    things: things.env,
    large: large.env,
    merchants: await makeMerchants(root),
    'first start': envOf(root, 'first-start'),
  }
  if (store.name === 'PostgreSQL')
    for (const [place, env] of Object.entries(envs)) {
      const onPostgres = { ...env, DATABASE_URL: await database() }
      if (place !== 'empty' && place !== 'first start') await copyTo(env, onPostgres.DATABASE_URL)
      envs[place as Place] = onPostgres
    }
  assert.equal((await spawnKarba(['migrate'], envs.empty)).code, 0)
  const server = await startProcess({ ...envs['first start'], PORT: '0' })
  await server.end('SIGTERM')
  // Its name has the id that the command chose.
  const archive = (): string =>
    join(folder, readdirSync(folder).find((file) => file.endsWith('.archive')) ?? '')
  const named = (name: string): string | undefined => (name === 'archive' ? archive() : names[name])
  return {
    at: (place) => ({
      env: envs[place],
      fill: (text) => text.replace(/<(\w+)>/g, (whole, name: string) => named(name) ?? whole),
    }),
    remove: async () => rmSync(root, { recursive: true, force: true }),
  }
}

function envOf(root: string, name: string): Record<string, string> {
  const folder = join(root, name)
  mkdirSync(folder, { recursive: true })
  return {
    KARBA_DATA_DIR: folder,
    DATABASE_URL: `sqlite:${join(folder, 'karba.db')}`,
    KARBA_LOG_LEVEL: 'silent',
    // How long a test of an endpoint waits for a server.
    KARBA_WEBHOOK_TIMEOUT_MS: '100',
  }
}

async function copyTo(
  { DATABASE_URL: from = '' }: Record<string, string>,
  to: string,
): Promise<void> {
  const { code, stderr } = await spawnKarba(
    ['store', 'copy', '--from', from, '--to', '-'],
    {},
    `${to}\n`,
  )
  assert.equal(code, 0, stderr)
}

function writeFiles(root: string): Names {
  const write = (name: string, lines: readonly string[]): string => {
    const file = join(root, name)
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }
  const headings = 'Date,Montant,Reference'
  const line = (nth: number): string => `2026-11-12 10:00:00,${1_000 + nth},N${nth}`
  return {
    headings: write('headings.csv', [headings]),
    one: write('one.csv', [headings, line(0)]),
    lines: write(
      'lines.csv',
      Array.from({ length: MANY + 1 }, (_, nth) => (nth === 0 ? headings : line(nth))),
    ),
    broken: write('broken.csv', [headings, line(0), 'yesterday,many,N2']),
  }
}

async function makeThings(root: string): Promise<{ env: Record<string, string>; names: Names }> {
  const env = envOf(root, 'things')
  const service = await openVirtualService(SQLITE, env)
  const owned = [await makeOwned(service), await makeOwned(service), await makeOwned(service)]
  const names = Object.assign({}, ...owned.map(namesOf), await makeGaps(service, owned[0] as Owned))
  await service.clock.advanceUntil('end of the service', service.close())
  keepPrivate(env)
  const { karba } = commandsOn(env)
  assert.equal(
    (await karba('statement', 'columns', 'sandbox/airtel_ne', join(root, 'one.csv'))).code,
    0,
  )
  return { env, names }
}

function namesOf(own: Owned, nth: number): Names {
  const names: Names = {
    merchant: own.merchant.merchantId,
    account: own.accountId,
    secret: own.secretKey,
    reference: own.reference,
    link: own.link,
    endpoint: own.endpointId,
    delivery: own.delivery,
    anomaly: own.anomalyId,
    late: own.lateMoneyId,
    refund: own.refundByHand,
    difference: own.exceptionId,
    settlement: own.settlement,
    staff: own.staffEmail,
  }
  return Object.fromEntries(
    Object.entries(names).map(([name, value]) => [numbered(name, nth), value]),
  )
}

/** `account`, `account2`, `account3`. */
const numbered = (name: string, nth: number): string => (nth === 0 ? name : `${name}${nth + 1}`)

/**
 * Lines without a payment's reference, which a person confirms as the payment of the same payer.
 * The fourth is closed.
 */
async function makeGaps(service: VirtualService, { secretKey }: Owned): Promise<Names> {
  const names: Names = {}
  const amounts = [7_001, 7_002, 7_003, 7_004]
  for (const [nth, amount] of amounts.entries()) {
    const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS, amount }))
    names[numbered('match', nth)] = body.reference as string
  }
  // Until the search has them.
  for (let minute = 0; minute < 5; minute++) {
    await service.clock.sleep(60_000)
    await service.clock.advance(5_000)
  }
  for (const [nth, amountXof] of amounts.entries()) {
    await importLines(service, [lineWithoutReference(service.clock.now(), amountXof)])
    const { rows } = granted(await listExceptions(service, TESTER))
    names[numbered('gap', nth)] = rows.find((row) => row.amountXof === amountXof)?.exceptionId ?? ''
  }
  const exceptionId = names.gap4 as string
  const said = { exceptionId, reason: 'not_ours', note: 'MTN confirmed it' } as const
  granted(await closeDifference(service, TESTER, said))
  return names
}

const lineWithoutReference = (bookedAt: number, amountXof: number): StatementLine => ({
  line: 1,
  bookedAt,
  day: dayOf(bookedAt),
  type: 'collection',
  amountXof,
  feeXof: 0,
  taxXof: 0,
  balanceXof: null,
  networkReference: '',
  ourReference: '',
  counterparty: `FRI:${SUCCEEDS}/MSISDN`,
  text: '',
})

async function makeLarge(
  root: string,
  files: Names,
): Promise<{ env: Record<string, string>; names: Names }> {
  const env = envOf(root, 'large')
  const runtime = await openTestRuntime(SQLITE, env)
  const { accountId } = (await newMerchant(runtime)).accounts.sandbox
  const [now, archivedAt] = [runtime.clock.now(), runtime.clock.now() - 65 * DAY_MS]
  await insertPending(runtime, accountId, ARCHIVED, { dueAt: archivedAt })
  await insertPending(runtime, accountId, MANY - ARCHIVED, { dueAt: now })
  const [archived] = await runtime.db.read<{ reference: string }>(
    'select reference from payments order by created_at limit 1',
  )
  await runtime.close()
  keepPrivate(env)
  const { json, karba } = commandsOn(env)
  // It prints JSON without being asked to, and does not take --json.
  for (const connection of ['live/airtel_ne', 'sandbox/airtel_ne', 'sandbox/mtn_bj'])
    assert.equal((await karba('statement', 'columns', connection, files.one as string)).code, 0)
  await json('statement', 'import', 'sandbox/airtel_ne', files.lines as string)
  const [{ file }] = await json('statement', 'files')
  await json('statement', 'import', 'sandbox/mtn_bj', files.one as string)
  const [{ file: file2 }] = await json('statement', 'files')
  return {
    env,
    names: { file, file2, archived: archived?.reference ?? '', largeAccount: accountId },
  }
}

/** Apart from the payments: `karba archive write` asks every account for its own. */
async function makeMerchants(root: string): Promise<Record<string, string>> {
  const env = envOf(root, 'merchants')
  const runtime = await openTestRuntime(SQLITE, env)
  await runtime.db.transaction(async (tx) => {
    for (let nth = 1; nth <= MANY; nth++)
      await createMerchantIn(runtime, tx, TESTER, { name: `Boutique ${nth}`, validateLive: false })
  })
  await runtime.close()
  keepPrivate(env)
  return env
}

/** The kit copies a migrated file with its mode. */
function keepPrivate({ KARBA_DATA_DIR: folder = '' }: Record<string, string>): void {
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o600)
}
