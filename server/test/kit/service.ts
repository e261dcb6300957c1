// A whole service in the test process, called by inject: the app under test is the app that runs.
// Its merchants, and their requests.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MerchantInput } from '../../src/actions/accounts/insert-merchant.ts'
import { createMerchant, type NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { openService, type Service, type ServiceOverrides } from '../../src/service/compose.ts'
import { passwordHasher } from '../../src/service/password-hasher.ts'
import { isSqlite, type Runtime, realRandom } from '../../src/service/runtime.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { granted, TESTER } from './callers.ts'
import { SQLITE, type StoreKind, type StorePlace } from './stores.ts'

export interface TestService extends Service {
  /** Opens the same store again, as a restart would. */
  place: StorePlace
  merchant(input?: Partial<MerchantInput>): Promise<NewMerchant>
  remove(): Promise<void>
}

/**
 * The clock, randomness, operators, sender and log of the real service, unless a test has its own.
 */
export interface TestOverrides extends Omit<ServiceOverrides, 'store'> {
  openStore?(config: Service['config']): Database
}

/**
 * A real hash costs 130 ms of a core: tests of the dashboard make hundreds. password-hasher.test.ts
 * tests the real cost.
 */
export const CHEAP = { memoryKib: 8, passes: 1, parallelism: 1 }

export async function openTestService(
  store: StoreKind = SQLITE,
  settings: Record<string, string> = {},
  { openStore, ...overrides }: TestOverrides = {},
): Promise<TestService> {
  const place = await store.makePlace(settings, { isMigrated: overrides.migrations === undefined })
  const service = await openService(place.config, {
    passwords: passwordHasher(overrides.random ?? realRandom, CHEAP),
    ...overrides,
    ...(openStore !== undefined && { store: openStore(place.config) }),
  })
  return {
    ...service,
    place,
    merchant: (input) => newMerchant(service, input),
    remove: async () => {
      await service.close()
      await place.remove()
    },
  }
}

/** A complete and valid head; leave one out with undefined. */
export function head(
  secretKey: string,
  change: Record<string, string | undefined> = {},
): Record<string, string> {
  const environment = secretKey.startsWith('sk_live') ? 'live' : 'sandbox'
  const whole: Record<string, string | undefined> = {
    'content-type': 'application/json',
    authorization: `Bearer ${secretKey}`,
    'svc-target-environment': environment,
    'svc-payment-type': 'mobile',
    ...change,
  }
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
}

let orders = 0

/** A complete and valid body, each with its own transaction_id. */
export function order(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 1500,
    country: 'NE',
    currency: 'XOF',
    msisdn: '96123456',
    transaction_id: `order-${process.pid}-${++orders}`,
    customer_name: 'Awa Diallo',
    ...change,
  }
}

export interface Answer {
  code: number
  body: Record<string, unknown>
  headers: Record<string, string | string[] | number | undefined>
}

export const post = (
  service: Service,
  secretKey: string,
  body: unknown,
  change: Record<string, string | undefined> = {},
): Promise<Answer> => postTo(service, '/api/v1/payments', head(secretKey, change), body)

/** A text or bytes body is sent unchanged. */
export async function postTo(
  service: Service,
  url: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Answer> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const answer = await service.app.inject({ method: 'POST', url, headers, payload })
  return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
}

export const get = (
  service: Service,
  secretKey: string,
  name: string,
  change: Record<string, string | undefined> = {},
): Promise<Answer> => getFrom(service, secretKey, `/payments/${encodeURIComponent(name)}`, change)

export const newMerchant = async (
  deps: Pick<Runtime, 'db' | 'clock' | 'random' | 'hashKey' | 'orderKeys'>,
  change: Partial<MerchantInput> = {},
): Promise<NewMerchant> =>
  granted(
    await createMerchant(deps, TESTER, { name: 'Boutique Awa', validateLive: true, ...change }),
  )

const TOMORROW_MS = 24 * 3_600_000

/** Expires tomorrow unless the order says when. */
export function signOrder(secretKey: string, order: Record<string, unknown>): string {
  const orderKey = createHmac('sha256', secretKey).update('karba order v1').digest()
  const whole = { expires_at: new Date(Date.now() + TOMORROW_MS).toISOString(), ...order }
  const payload = Buffer.from(JSON.stringify(whole)).toString('base64url')
  return `${payload}.${createHmac('sha256', orderKey).update(payload).digest('hex')}`
}

export async function rowsByTable({
  db,
  config,
}: Pick<Runtime, 'db' | 'config'>): Promise<Record<string, object[]>> {
  const tables = await db.read<{ name: string }>(
    isSqlite(config)
      ? `select name from sqlite_master where type = 'table' order by 1`
      : `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  assert.ok(tables.length > 15)
  const rows = tables.map(async ({ name }) => [
    name,
    await db.read<object>(`select * from ${name}`),
  ])
  return Object.fromEntries(await Promise.all(rows))
}

/** The rows of every table, and the bytes of the store's files. */
export async function dumped(service: Pick<Runtime, 'db' | 'config'>): Promise<string> {
  const { dataDir } = service.config
  const files = isSqlite(service.config)
    ? readdirSync(dataDir).filter((name) => name !== 'master.key')
    : []
  const bytes = files.map((name) => readFileSync(join(dataDir, name), 'latin1'))
  return [JSON.stringify(await rowsByTable(service)), ...bytes].join('\n')
}

export async function getFrom(
  { app }: Pick<Service, 'app'>,
  secretKey: string,
  path: string,
  change: Record<string, string | undefined> = {},
): Promise<Answer> {
  const answer = await app.inject({
    method: 'GET',
    url: `/api/v1${path}`,
    headers: head(secretKey, change),
  })
  return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
}

export const postAt = (
  service: TestService,
  secretKey: string,
  path: string,
  body: unknown = '',
): Promise<Answer> => postTo(service, `/api/v1${path}`, head(secretKey), body)
