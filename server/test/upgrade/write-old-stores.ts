// Writes stores/: a store of this version on each engine, made through its API, with the answers
// that the API gives. Run it once on the version to upgrade from, before its first new migration:
// node server/test/upgrade/write-old-stores.ts Its master key, keys and secrets are of this file
// alone, and protect nothing.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import { isSqlite } from '../../src/service/runtime.ts'
import { migrations } from '../../src/store/engine/migrate.ts'
import { globalSetup, globalTeardown } from '../kit/before-all.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type DashboardAnswer, fillFile, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, head, order, post, postAt, postTo } from '../kit/service.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES, type StoreKind } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { byPhone, newLink, onPage, pay, toProvider } from '../links/payer.ts'
import { type OldAnswer, type OldStore, writeOldStore } from './old-store.ts'

const SETTINGS = {
  KARBA_MASTER_KEY: hash('sha256', 'the master key of a test'),
  KARBA_REFUND_APPROVAL_ABOVE: '10000',
}
/** Every outcome that the simulated network has, and payments that are still pending. */
const PAYERS = [
  '40410000000',
  '40410000002',
  '40410000004',
  '40410000006',
  '40410000101',
  '40410000117',
  '40410000118',
  '40410000120',
  '40410000121',
  '40410000122',
  '40410000123',
  '40410000105',
  '40410000108',
  '40410000126',
]
const PENDING = ['40410000008', '40410000127', '40410000109', '40410000119']

interface Shop {
  service: VirtualService
  books: ShopBooks
  owner: SignedIn
  staff: SignedIn
  answers: { path: string; as?: 'owner' | 'staff' }[]
}

function done<Given extends DashboardAnswer | { code: number; body: unknown }>(
  answer: Given,
): Given {
  assert.equal(answer.code, 200, JSON.stringify(answer.body))
  return answer
}

async function makePayments({ service, books, answers }: Shop): Promise<void> {
  const { secretKey } = books
  for (const [at, msisdn] of PAYERS.entries()) {
    const more =
      at % 3 === 0 ? { order_reference: `basket-${at}`, metadata: { shop: 'Niamey' } } : {}
    const { body } = done(
      await post(service, secretKey, order({ msisdn, transaction_id: `order-${at}`, ...more })),
    )
    await service.clock.advance(7_000)
    answers.push({ path: `/payments/${body.reference}` })
  }
  await service.clock.advance(600_000)
  const refunds = [
    { amount: 400, refund_id: 'part-1' },
    { amount: 300, refund_id: 'part-2' },
    undefined,
  ]
  for (const refund of refunds) {
    done(await postAt(service, secretKey, '/payments/order-0/refund', refund))
    await service.clock.advance(6_000)
  }
  await postAt(service, secretKey, '/payments/order-13/refund')
  await service.clock.advance(6_000)
  answers.push({ path: '/payments/order-0/refund' }, { path: '/payments/order-13/refund' })
}

async function makeLinks({ service, books, answers }: Shop): Promise<void> {
  const { secretKey } = books
  const open = await newLink(service, secretKey, {
    transaction_id: 'link-open',
    order_reference: 'basket-open',
  })
  const paid = await newLink(service, secretKey, {
    transaction_id: 'link-paid',
    return_url: 'https://shop.example/ok',
  })
  await pay(service, paid, byPhone('40410000006'))
  await service.clock.advance(5_000)
  await pay(service, paid, byPhone('40410000000', 1))
  const poster = await newLink(service, secretKey, {
    amount: undefined,
    minimum_amount: 500,
    reusable: true,
  })
  await pay(service, poster, { ...byPhone('40410000000'), amount: '2500' })
  const atProvider = await newLink(service, secretKey)
  await toProvider(service, atProvider, onPage('bank_card'))
  const closed = await newLink(service, secretKey)
  const headers = head(secretKey, { 'svc-payment-type': 'external_payment' })
  done(await postTo(service, `/api/v1/external_payments/${closed}/cancel`, headers, ''))
  const expired = await newLink(service, secretKey, { expires_in_minutes: 5 })
  await service.clock.advance(301_000)
  for (const link of [open, paid, poster, atProvider, closed, expired])
    answers.push({ path: `/external_payments/${link}` })
  answers.push({ path: `/payments/${paid}` }, { path: `/payments/${open}` })
}

async function makeBooks({ service, books, answers }: Shop): Promise<void> {
  const isConnected = () => true
  const tariff = {
    rate: 15_000,
    fixedXof: 0,
    minimumXof: 10,
    maximumXof: 5_000,
    rounding: 'up',
    fromDay: 0,
  } as const
  granted(await setTariff({ ...service, isConnected }, TESTER, { ...CONNECTION, ...tariff }))
  const references = [
    await books.settled(),
    await books.settled(),
    await books.settled('40410000000', 5_000),
  ]
  const [one, two, three] = references as [string, string, string]
  await books.run([
    books.lineOf(one, { feeXof: 23 }),
    books.lineOf(two, { amountXof: 1_499 }),
    books.lineOf(three, { amountXof: 5_000, feeXof: 75 }),
    books.lineOf('0123456789abcdefghjkmnpq'),
    books.lineOf(one, { type: 'settlement', amountXof: -4_000 }),
  ])
  await service.clock.advance(1_000)
  await books.run([
    books.lineOf(three, { type: 'settlement', amountXof: -1_000, networkReference: 'second' }),
  ])
  const { body } = await getFrom(service, books.secretKey, '/settlements')
  const names = (body.data as { settlement: string }[]).map(({ settlement }) => settlement)
  done(
    await postAt(service, books.secretKey, `/settlements/${names[1]}/confirm`, { amount: 4_000 }),
  )
  answers.push({ path: '/balance' }, { path: '/entries?limit=100' }, { path: '/settlements' })
  for (const name of names) answers.push({ path: `/settlements/${name}` })
  answers.push({ path: '/statements?connection=airtel_ne&from=2026-11-14&to=2026-11-20' })
}

async function makePeople({ service, books, owner, staff, answers }: Shop): Promise<void> {
  const { accountId, merchantId } = books
  await fillFile(service, owner, accountId)
  await signedIn(service, { at: merchantId, as: 'cashier' }, 'Ibrahim Sani')
  const sent = { email: 'invited@example.com', role: 'accountant' }
  await ask(service, `POST /accounts/${accountId}/invitations`, owner, sent)
  const key = { name: 'second', permissions: null, addresses: null }
  done(await ask(service, `POST /accounts/${accountId}/keys`, owner, key))
  const other = await service.merchant({ name: 'Librairie Zinder', validateLive: false })
  const wanted = { status: 'validated', reason: 'papers are complete' }
  done(await ask(service, `POST /console/merchants/${other.merchantId}/live/status`, staff, wanted))
  const { body } = done(
    await post(
      service,
      books.secretKey,
      order({ amount: 25_000, transaction_id: 'large', msisdn: '40410000000' }),
    ),
  )
  await service.clock.advance(10_000)
  done(await ask(service, `POST /accounts/${accountId}/payments/${body.reference}/refund`, owner))
  answers.push({ path: '/payments/large/refund' }, { path: '/account' })
  for (const path of [
    '/session',
    `/accounts/${accountId}/team`,
    `/accounts/${accountId}/keys`,
    `/accounts/${accountId}/links`,
  ])
    answers.push({ path, as: 'owner' })
  answers.push({ path: '/console/tasks', as: 'staff' })
}

const send = async ({ url }: { url: string }) => {
  const status = url.includes('failing') ? 500 : 200
  return {
    status,
    durationMs: 12,
    answer: status === 200 ? '' : 'Internal Server Error',
    error: null,
    retryAfterMs: null,
  }
}

async function makeStore(store: StoreKind): Promise<void> {
  const service = await openVirtualService(store, SETTINGS, {
    sender: { send, close: async () => {} },
  })
  const books = await openShopBooks(service)
  const owner = await signedIn(service, { at: books.merchantId, as: 'owner' })
  const staff = await signedIn(service, { forServiceAs: 'administrator' }, 'Ali Moussa')
  const shop: Shop = { service, books, owner, staff, answers: [] }
  await newEndpoint(service, books.accountId, 'https://shop.example.com/hook')
  await newEndpoint(service, books.accountId, 'https://shop.example.com/failing')
  await makePayments(shop)
  await makeLinks(shop)
  await makeBooks(shop)
  await makePeople(shop)
  const live = (await service.merchant({ name: 'Boutique Parakou' })).accounts.live
  for (const [at, msisdn] of PENDING.entries()) {
    const { body } = done(
      await post(service, books.secretKey, order({ msisdn, transaction_id: `pending-${at}` })),
    )
    shop.answers.push({ path: `/payments/${body.reference}` })
  }
  await service.clock.advance(4_000)
  shop.answers.push({ path: '/payments?limit=100' }, { path: '/events?limit=100' })
  const answers: OldAnswer[] = []
  for (const { path, as } of shop.answers) {
    const who = as === 'owner' ? owner : staff
    const { code, body } = as
      ? await ask(service, `GET ${path}`, who)
      : await getFrom(service, books.secretKey, path)
    assert.equal(code, 200, `${path}: ${JSON.stringify(body)}`)
    answers.push({ path, ...(as && { as }), code, body })
  }
  const about: OldStore = {
    at: service.clock.now(),
    commit: execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim(),
    migration: migrations().at(-1)?.name as string,
    settings: SETTINGS,
    secretKey: books.secretKey,
    liveSecretKey: live.secretKey,
    owner: owner.cookie,
    staff: staff.cookie,
    accountId: books.accountId,
    answers,
  }
  const tables = await tablesOf(service)
  await writeOldStore(store, about, tables)
  await service.remove()
  const rows = tables.reduce((sum, each) => sum + each.rows.length, 0)
  const filled = tables.filter((each) => each.rows.length > 0).map(({ table }) => table)
  const empty = tables.filter((each) => each.rows.length === 0).map(({ table }) => table)
  process.stdout.write(
    `${store.name}: ${rows} rows in ${filled.length} tables; empty: ${empty.join(', ')}\n`,
  )
}

async function tablesOf(service: VirtualService) {
  const { db, config } = service
  const names = await db.read<{ name: string }>(
    isSqlite(config)
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
        order by rowid`
      : `select c.relname as name from pg_class c
        where c.relnamespace = current_schema()::regnamespace
         and c.relkind in ('r', 'p') and not c.relispartition order by c.oid`,
  )
  const tables = []
  for (const { name: table } of names) {
    if (table === 'migrations') continue
    const rows = await db.read<Record<string, string | number | null>>(`select * from ${table}`)
    const columns = Object.keys(rows[0] ?? {})
    tables.push({
      table,
      columns,
      rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
    })
  }
  return tables
}

await globalSetup()
for (const store of STORES) await makeStore(store)
await globalTeardown()
