// Retention: histories are removed by age, and a payer's data on request.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { listPromptGuards, lockPrompts } from '../../src/store/links/prompts.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { listTexts, TEXT_COLUMNS } from '../../src/store/privacy/personal-data.ts'
import {
  OLD_ANSWERS,
  OLD_ATTEMPTS,
  OLD_STORIES,
  type OldRows,
} from '../../src/store/retention/old-rows.ts'
import { historyPruner, promptGuardPruner } from '../../src/worker/prune.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, order, post, rowsByTable } from '../kit/service.ts'
import { openTestRuntime, shared, sharedWithAccount } from '../kit/shared.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { newEndpoint, upTo } from '../kit/webhooks.ts'
import { byPhone, DECLINES, newLink, pay } from '../links/payer.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 15)
const OLD = NOW - 31 * DAY_MS
const YOUNG = NOW - 29 * DAY_MS
const clock = { now: () => NOW, after: () => () => {} }

for (const store of STORES) {
  describe(`retention on ${store.name}`, () => {
    const runtime = shared(() => openTestRuntime(store))
    let accounts = 0
    const newAccount = (): string => `acc_${String(++accounts).padStart(4, '0')}`

    async function addPayment(
      accountId: string,
      number: number,
      status: string,
      times: number[],
    ): Promise<void> {
      const name = `${accountId}-${number}`
      await runtime.db.change(
        `insert into payments (account_id, environment, number, reference, public_reference,
         external_reference, status, amount_xof, country, created_at)
         values (:accountId, 'sandbox', :number, :name, :name, :name, :status, 100, 'NE',
           :createdAt)`,
        { accountId, number, name, status, createdAt: times[0] as number },
      )
      for (const [entry, at] of times.entries()) {
        await runtime.db.change(
          `insert into payment_story (account_id, number, entry, at, kind, detail)
           values (:accountId, :number, :entry, :at, 'status', '{}')`,
          { accountId, number, entry, at },
        )
      }
    }

    async function addDelivery(
      accountId: string,
      sequence: number,
      status: string,
      at: number,
      round = 0,
    ) {
      const key = { accountId, sequence, round }
      await runtime.db.change(
        `insert into webhook_deliveries (account_id, endpoint_id, sequence, round, is_replay,
         number, status, created_at)
         values (:accountId, 'whe_1', :sequence, :round, 0, 1, :status, 1)`,
        { ...key, status },
      )
      await runtime.db.change(
        `insert into webhook_attempts (account_id, endpoint_id, sequence, round, attempt, at,
         duration_ms, answer)
         values (:accountId, 'whe_1', :sequence, :round, 1, :at, 1, 'OK')`,
        { ...key, at },
      )
    }

    /** A whole pass: the number of rounds and of removed rows. */
    async function prune(rows: OldRows, days = 30): Promise<{ rounds: number; removed: number }> {
      let removed = 0
      const pruned = (_: OldRows, count: number): void => {
        removed += count
      }
      const round = historyPruner({ db: runtime.db, clock, keep: [{ rows, days }], pruned })
      let rounds = 1
      while (await round()) rounds++
      return { rounds, removed }
    }

    const left = async (sql: string, accountId: string): Promise<string[]> =>
      (await runtime.db.read<{ name: string }>(sql, { accountId })).map(({ name }) => name)

    it('removes old history entries, except those of pending payments and pending refunds', async () => {
      const accountId = newAccount()
      await addPayment(accountId, 1, 'pending', [OLD, OLD])
      await addPayment(accountId, 2, 'succeeded', [OLD, OLD + 1, YOUNG])
      await addPayment(accountId, 3, 'succeeded', [OLD])
      await runtime.db.change(
        `insert into refunds (account_id, number, refund_reference, status, requested_by,
         created_at,
           amount_xof)
         values (:accountId, 3, :accountId, 'pending', 'test', 1, 1000)`,
        { accountId },
      )
      await addPayment(accountId, 4, 'failed', [OLD])
      await addPayment(accountId, 5, 'refunded', [YOUNG])
      const stories = `select number || '-' || entry as name from payment_story
        where account_id = :accountId order by number, entry`
      assert.deepEqual(await prune(OLD_STORIES, 0), { rounds: 1, removed: 0 })
      assert.equal((await prune(OLD_STORIES)).removed, 3)
      assert.deepEqual(await left(stories, accountId), ['1-0', '1-1', '2-2', '3-0', '5-0'])
      const payments = 'select reference as name from payments where account_id = :accountId'
      assert.equal((await left(payments, accountId)).length, 5)
    })

    it('removes expired prompt locks in slices', async () => {
      const recent = NOW - DAY_MS / 2
      for (const nth of upTo(600))
        await lockPrompts(runtime.db, `number ${nth}`, nth % 3 === 0 ? recent : OLD)
      const round = promptGuardPruner({ db: runtime.db, clock })
      assert.deepEqual([await round(), await round()], [true, false])
      const guards = await listPromptGuards(runtime.db, '', 1_000)
      assert.deepEqual([guards.length, guards.every(({ at }) => at === recent)], [200, true])
    })

    it('removes old answers, then old attempts, and none of a waiting delivery', async () => {
      const accountId = newAccount()
      await addDelivery(accountId, 1, 'waiting', OLD)
      await addDelivery(accountId, 2, 'delivered', OLD)
      await addDelivery(accountId, 2, 'delivered', YOUNG, 1)
      await addDelivery(accountId, 3, 'failed', OLD)
      await addDelivery(accountId, 4, 'delivered', YOUNG)
      const attempts = `select sequence || '-' || round || answer as name from webhook_attempts
        where account_id = :accountId order by sequence, round`
      assert.equal((await prune(OLD_ANSWERS)).removed, 2)
      assert.deepEqual(await left(attempts, accountId), ['1-0OK', '2-0', '2-1OK', '3-0', '4-0OK'])
      assert.equal((await prune(OLD_ANSWERS)).removed, 0)
      assert.equal((await prune(OLD_ATTEMPTS)).removed, 2)
      assert.deepEqual(await left(attempts, accountId), ['1-0OK', '2-1OK', '4-0OK'])
    })

    it('removes many rows in slices, and reads none of them twice', async () => {
      const before = await prune(OLD_STORIES)
      const accountId = newAccount()
      for (const number of upTo(450)) await addPayment(accountId, number, 'succeeded', [OLD])
      await addPayment(accountId, 1_000, 'succeeded', [YOUNG])
      const full = await prune(OLD_STORIES)
      // One round finds the group, nine remove slices of fifty, and the slice with the young row
      // ends it.
      assert.deepEqual(full, { removed: 450, rounds: before.rounds + 10 })
      assert.deepEqual(await prune(OLD_STORIES), { removed: 0, rounds: before.rounds + 1 })
    })
  })
}

it('retention: a worker prunes by its settings, and by default removes nothing', async (t) => {
  for (const [settings, kept] of [
    [{ KARBA_KEEP_STORY_DAYS: '30' }, false],
    [{}, true],
  ] as const) {
    const service = await openVirtualService(SQLITE, settings)
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    await post(service, secretKey, order({ msisdn: DECLINES }))
    const entries = async () => (await service.db.read('select entry from payment_story')).length
    for (const _minute of upTo(3)) await service.clock.sleep(60_000)
    assert.ok((await entries()) > 1)
    await service.clock.sleep(29 * DAY_MS)
    await service.clock.advance(1_000)
    assert.ok((await entries()) > 1)
    await service.clock.sleep(2 * DAY_MS)
    await service.clock.advance(1_000)
    assert.equal((await entries()) > 0, kept)
  }
})

// The store keeps only what bookkeeping needs of a payer.
for (const store of STORES)
  describe(`karba privacy erase on ${store.name}`, () => {
    const NUMBER = '+227 96 12 34 56'
    const NAME = 'Aïssa Maïga'
    const FORMS = /96.?12.?34.?56|A(?:ï|\\u00ef)ssa|Ma(?:ï|\\u00ef)ga/i

    // The answer repeats the request, as a debugging page does.
    const send = async ({ body }: { body: string }) => ({
      status: 200,
      durationMs: 1,
      answer: body,
      error: null,
      retryAfterMs: null,
    })
    const sender = { send, close: async () => {} }
    const service = sharedWithAccount(() =>
      openVirtualService(store, { KARBA_SANDBOX_DELAY_MS: '2000' }, { sender }),
    )
    before(() => newEndpoint(service, service.accountId, 'https://shop.example.com/'))

    const create = async (msisdn: string, customer_name: string): Promise<string> =>
      (await post(service, service.secretKey, order({ msisdn, customer_name, amount: 96_123_456 })))
        .body.reference as string

    const erase = (number: string) => erasePayer(service, TESTER, { number })

    const books = (): Promise<unknown[]> =>
      service.db.read(
        `select number, reference, public_reference, external_reference, status, amount_xof,
          validated_at from payments order by number`,
      )

    it('changes nothing while one of the payer’s payments is pending', async () => {
      await create(NUMBER, NAME)
      assert.deepEqual(await erase(NUMBER), { refused: 'number_under_way' })
      assert.match(JSON.stringify(await rowsByTable(service)), FORMS)
      await service.clock.sleep(60_000)
    })

    it('erases the payer from every table, and keeps amounts and states', async () => {
      const reference = await create('96123456', NAME)
      await create('96123457', 'Somebody Else')
      const link = await newLink(service, service.secretKey, {
        title: `For ${NAME}`,
        description: NUMBER,
        customer_name: NAME,
      })
      await pay(service, link, byPhone('96 12 34 56'))
      await service.clock.sleep(60_000)
      const payment = await paymentOf(service, reference)
      await insertAnomaly(service.db, payment, {
        kind: 'amount_mismatch',
        detail: { reported: NUMBER },
        at: 1,
      })
      await service.db.change(`update payment_anomalies set note = 'called ${NUMBER}'`)
      const before = await books()

      const erased = granted(await erase('0022796123456'))
      assert.deepEqual([erased.payments, erased.attempts], [3, 1])
      const rows = JSON.stringify(await rowsByTable(service))
      const left = FORMS.exec(
        rows.replaceAll(/((?:amount\w*|debit_xof|credit_xof)\W+|"term":"=)96123456/g, '$1'),
      )
      assert.equal(left, null, rows.slice((left?.index ?? 0) - 200, (left?.index ?? 0) + 50))
      assert.match(rows, /Somebody Else/)
      assert.match(rows, /\*{6}56/)
      assert.deepEqual(await books(), before)
      assert.equal(granted(await verifyStore(service, TESTER)).found, 0)
      const [audited] = await service.db.read<{ detail: string }>(
        `select detail from audit_log where action = 'privacy.erase'`,
      )
      assert.deepEqual(JSON.parse(audited?.detail as string), erased)
      assert.deepEqual(await erase(NUMBER), { payments: 0, attempts: 0, texts: 0, files: 0 })
    })

    it('keeps a payer with the same digits in another country', async () => {
      const change = { msisdn: '97123456', country: 'BJ', customer_name: 'Koffi' }
      const { body } = await post(service, service.secretKey, order(change))
      const link = await newLink(service, service.secretKey)
      await pay(service, link, { ...byPhone('97123456'), country: 'BJ' })
      await service.clock.sleep(60_000)
      const erased = granted(await erase('+227 97 12 34 56'))
      assert.deepEqual([erased.payments, erased.attempts], [0, 0])
      const { body: read } = await get(service, service.secretKey, body.reference as string)
      assert.deepEqual([read.status, read.msisdn], ['succeeded', '97123456'])
      const latest = 'select payload from events order by created_at desc, sequence desc limit 1'
      const [event] = await service.db.read<{ payload: string }>(latest)
      assert.equal(JSON.parse(event?.payload as string).data.msisdn, '97123456')
      const own = granted(await erase('+229 01 97 12 34 56'))
      assert.deepEqual([own.payments, own.attempts], [2, 1])
    })

    it('refuses a text that is not a phone number', async () => {
      for (const number of ['96123456', 'Awa', '+33 6 12 34 56 78']) {
        assert.deepEqual(await erase(number), { refused: 'number_not_valid' })
      }
    })

    it('searches only existing columns, by their primary key', async () => {
      for (const column of TEXT_COLUMNS) {
        const [first, second] = await listTexts(service.db, column, undefined, 2)
        if (first !== undefined && second !== undefined) {
          assert.deepEqual(
            (await listTexts(service.db, column, first.key, 1))[0],
            second,
            column.table,
          )
        }
      }
    })
  })
