// An upgrade from an earlier version: this version brings up a store that the earlier one made,
// everything reads as before, and work goes on. On PostgreSQL processes of both versions share the
// database while its migrations allow it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { listApplied, migrations } from '../../src/store/engine/migrate.ts'
import type { WebhookRequest } from '../../src/webhooks/send.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { ask } from '../kit/people.ts'
import { MAIN, type RunningServer, spawnKarba, startProcess } from '../kit/process.ts'
import { type Answer, get, getFrom, head, order, post, postAt } from '../kit/service.ts'
import { openStore, POSTGRES, STORES, type StoreKind, type StorePlace } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { until } from '../kit/waiting.ts'
import { byPhone, newLink, pay } from '../links/payer.ts'
import {
  fillOldStore,
  newMigrations,
  type OldStore,
  readOldStore,
  worksWithOldServers,
} from './old-store.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SUCCEEDS = '40410000000'

/** A store whose places hold what the earlier version left. */
const filled = (store: StoreKind): StoreKind => ({
  name: store.name,
  makePlace: async (settings) => {
    const { about } = readOldStore(store)
    const place = await store.makePlace({ ...about.settings, ...settings })
    const db = openStore(place.config)
    await fillOldStore(db, store)
    await db.close()
    return place
  },
})

/** What was there is there; a newer version may add fields. */
function assertHolds(now: unknown, before: unknown, path: string): void {
  if (Array.isArray(before)) {
    assert.ok(Array.isArray(now), path)
    assert.equal(now.length, before.length, path)
    for (const [at, each] of before.entries()) assertHolds(now[at], each, `${path}[${at}]`)
  } else if (typeof before === 'object' && before !== null) {
    for (const [field, value] of Object.entries(before))
      assertHolds((now as Record<string, unknown>)?.[field], value, `${path}.${field}`)
  } else assert.equal(now, before, path)
}

for (const store of STORES)
  describe(`upgrade on ${store.name}`, () => {
    const { about: old } = readOldStore(store)
    let service: VirtualService
    const sent: WebhookRequest[] = []

    before(async () => {
      const send = async (request: WebhookRequest) => {
        sent.push(request)
        return { status: 200, durationMs: 1, answer: '', error: null, retryAfterMs: null }
      }
      const sender = { send, close: async () => {} }
      service = await openVirtualService(filled(store), {}, { sender, startAt: old.at })
    })
    after(() => service.remove())

    const statusOf = async (name: string): Promise<unknown> =>
      (await get(service, old.secretKey, name)).body.status

    it('upgrade: every migration of this version is applied', async () => {
      assert.deepEqual(column(await listApplied(service.db), 'name'), column(migrations(), 'name'))
    })

    it('upgrade: payments, events, entries, settlements and people read as before', async () => {
      for (const { path, as, code, body } of old.answers) {
        const now = as
          ? await ask(service, `GET ${path}`, { cookie: old[as] })
          : await getFrom(service, old.secretKey, path)
        assert.equal(now.code, code, `${path}: ${JSON.stringify(now.body)}`)
        assertHolds(path === '/balance' ? withOneWallet(now.body) : now.body, body, path)
      }
    })

    it('upgrade: the text of each event is that of the earlier version, byte for byte', async () => {
      const feed = old.answers.find(({ path }) => path.startsWith('/events'))
      assert.ok(feed !== undefined)
      const { body: now } = await service.app.inject({
        url: `/api/v1${feed.path}`,
        headers: head(old.secretKey),
      })
      const { events } = feed.body as { events: object[] }
      assert.ok(events.length > 0)
      for (const event of events) {
        const text = JSON.stringify(event)
        assert.ok(now.includes(text), text)
      }
    })

    it('upgrade: payments, refunds and deliveries that were under way end', async () => {
      assert.equal(await statusOf('pending-0'), 'pending')
      await service.clock.advance(20 * 60_000)
      const names = [0, 1, 2, 3].map((nth) => `pending-${nth}`)
      const ends = await Promise.all(names.map(statusOf))
      assert.deepEqual(ends, ['succeeded', 'failed', 'succeeded', 'failed'])
      assert.ok(sent.some(({ url }) => url.endsWith('/failing')))
    })

    it('upgrade: new payments, refunds, links and events work', async () => {
      const made = async (answer: Promise<Answer>): Promise<Answer> => {
        const got = await answer
        assert.equal(got.code, 200, JSON.stringify(got.body))
        await service.clock.advance(10_000)
        return got
      }
      const { secretKey } = old
      const taken = await post(service, secretKey, order({ transaction_id: 'order-0' }))
      assert.equal(taken.code, 422)
      await made(post(service, secretKey, order({ msisdn: SUCCEEDS, transaction_id: 'new' })))
      assert.equal(await statusOf('new'), 'succeeded')
      await made(
        postAt(service, secretKey, '/payments/new/refund', { amount: 500, refund_id: 'new' }),
      )
      await made(postAt(service, secretKey, '/payments/new/refund'))
      assert.equal(await statusOf('new'), 'refunded')
      const link = await newLink(service, secretKey)
      await pay(service, link, byPhone(SUCCEEDS))
      await service.clock.advance(10_000)
      assert.equal(await statusOf(link), 'succeeded')
      const [, poster = ''] = /external_payments\/(\w+)/.exec(posterOf(old)) ?? []
      await pay(service, poster, { ...byPhone(SUCCEEDS), amount: '700' })
      await service.clock.advance(10_000)
      assert.equal(
        (await getFrom(service, secretKey, `/external_payments/${poster}`)).body.collected_amount,
        3_200,
      )
      const events = sent.filter(({ url, body }) => url.endsWith('/hook') && body.includes('"new"'))
      const names = events.map(({ body }) => JSON.parse(body).event).sort()
      assert.deepEqual(names, [
        'payment.refunded',
        'payment.succeeded',
        'refund.succeeded',
        'refund.succeeded',
      ])
    })

    it('upgrade: the store is whole', async () => {
      const engineFaults = async (): Promise<string[]> => []
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults }, TESTER)).findings,
        [],
      )
    })
  })

/** Of a wallet that merchants share, what is this merchant's has a place of its own now (D-173). */
// biome-ignore lint/suspicious/noExplicitAny: an answer of any version
function withOneWallet({ connections = [], ...where }: any): object {
  const inWallet = where.in_wallet + where.at_service
  return { ...where, in_wallet: inWallet, connections: connections.map(withOneWallet) }
}

const posterOf = ({ answers }: OldStore): string =>
  answers.find(
    ({ path, body }) => path.includes('external_') && (body as { reusable?: boolean }).reusable,
  )?.path ?? ''

for (const store of STORES)
  describe(`upgrade by processes on ${store.name}`, () => {
    const { about: old } = readOldStore(store)
    let place: StorePlace
    before(async () => {
      place = await filled(store).makePlace({ KARBA_SANDBOX_DELAY_MS: '100' })
    })
    after(() => place.remove())

    it('upgrade: karba migrate, karba verify and a start bring the store up', async () => {
      if (newMigrations(old).length > 0) {
        const early = await spawnKarba(['verify'], place.env)
        assert.equal(early.code, 1)
        assert.match(early.stderr, /This database is of an older Karba/)
      }
      const migrated = await spawnKarba(['migrate'], place.env)
      assert.deepEqual([migrated.code, migrated.stderr], [0, ''])
      const verified = await spawnKarba(['verify'], place.env)
      assert.equal(verified.code, 0, verified.stdout + verified.stderr)
      const server = await startProcess(place.env)
      try {
        await readyAndPaying(server, old)
      } finally {
        await server.end('SIGTERM')
      }
      const again = await spawnKarba(['verify'], place.env)
      assert.equal(again.code, 0, again.stdout + again.stderr)
    })
  })

/** The server is ready, and a payment ends. */
async function readyAndPaying({ url }: RunningServer, { secretKey }: OldStore): Promise<void> {
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  const headers = head(secretKey)
  const body = JSON.stringify(order({ msisdn: SUCCEEDS }))
  const made = await fetch(`${url}/api/v1/payments`, { method: 'POST', headers, body })
  const { reference } = (await made.json()) as { reference: string }
  assert.equal(made.status, 200)
  await until('end of the payment', async () => {
    const answer = await fetch(`${url}/api/v1/payments/${reference}`, { headers })
    return ((await answer.json()) as { status: string }).status === 'succeeded'
  })
}

const { about: OLD } = readOldStore(POSTGRES)
const hasHistory = process.env.CI !== undefined || isThere(OLD.commit)

function isThere(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The server's sources at a commit, with the packages of this one; its entry point. */
function checkOut(commit: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const sources = execFileSync('git', ['archive', commit, 'package.json', 'server', 'simulators'], {
    cwd: ROOT,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: sources })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return MAIN.replace(ROOT, `${folder}/`)
}

describe(
  'upgrade with processes of both versions on PostgreSQL',
  hasHistory ? {} : { skip: 'no history' },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'karba-old-'))
    let place: StorePlace
    let older: RunningServer
    let newer: RunningServer
    before(async () => {
      place = await filled(POSTGRES).makePlace({ KARBA_SANDBOX_DELAY_MS: '100' })
      older = await startProcess(place.env, checkOut(OLD.commit, folder))
      await readyAndPaying(older, OLD)
      newer = await startProcess(place.env)
    })
    after(async () => {
      await older.end('SIGKILL')
      await newer.end('SIGTERM')
      await place.remove()
      rmSync(folder, { recursive: true, force: true })
    })

    it('upgrade: the newer process works at once', () => readyAndPaying(newer, OLD))

    if (worksWithOldServers(OLD))
      it('upgrade: the older process goes on, and each reads what the other records', async () => {
        for (const [one, other] of [
          [older, newer],
          [newer, older],
        ] as const) {
          await readyAndPaying(one, OLD)
          const list = async ({ url }: RunningServer): Promise<unknown> => {
            const answer = await fetch(`${url}/api/v1/payments?limit=5`, {
              headers: head(OLD.secretKey),
            })
            const { data } = (await answer.json()) as {
              data: { reference: string; status: string }[]
            }
            return data.map(({ reference, status }) => `${reference} ${status}`)
          }
          await until(
            'the same list from both',
            async () => String(await list(one)) === String(await list(other)),
          )
        }
      })
    else
      it('upgrade: the older process is no longer ready, because of the schema', async () => {
        await until('older process that is not ready', async () => {
          const answer = await fetch(`${older.url}/readyz`)
          return (
            ((await answer.json()) as { failing?: string[] }).failing?.includes('schema') ?? false
          )
        })
      })

    it('upgrade: the store is whole after both', async () => {
      await older.end('SIGTERM')
      await newer.end('SIGTERM')
      const verified = await spawnKarba(['verify'], place.env)
      assert.equal(verified.code, 0, verified.stdout + verified.stderr)
    })
  },
)
