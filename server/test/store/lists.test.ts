// Lists as people page through them, on both stores: every row once and in order however the pages are cut, rows that come in meanwhile
// move nothing, a page is found by an index, and a filter that hardly any row meets looks so far and no farther.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listNewestLinks } from '../../src/actions/links/read-payment-link.ts'
import { listNewestPayments } from '../../src/actions/payments/list-payments.ts'
import { listLatestDeliveries } from '../../src/actions/webhooks/deliveries.ts'
import type { Page, PageInput } from '../../src/domain/page.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { granted, merchantKey, TESTER } from '../kit/callers.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'

const COUNT = 25_000
const FIRST_AT = Date.UTC(2026, 0, 1)
const EVERY_MS = 1_000
const COUNTED = `with recursive n (i) as (select cast(0 as bigint) union all select i + 1 from n where i < ${COUNT - 1})`

/** A payment a second: the first three are refunded, one in a hundred failed, one in ten made through a link. */
const FILL = [
  `insert into payments (account_id, environment, number, reference, public_reference, external_reference, status, amount_xof,
     country, msisdn_written, msisdn, operator, customer_name, created_at)
   ${COUNTED} select $1, 'sandbox', i, 'payment ' || i, 'public ' || i, 'order ' || i,
     case when i < 3 then 'refunded' when i % 100 = 0 then 'failed' else 'succeeded' end, 1500, 'NE', '96123456',
     '22796123456', case when i = 7 then 'moov_ne' else 'airtel_ne' end, 'Awa', ${FIRST_AT} + i * ${EVERY_MS} from n`,
  `insert into payment_links (account_id, number, reference, title, created_at)
   ${COUNTED} select $1, i, 'link ' || i, 'Commande', ${FIRST_AT} + i * ${EVERY_MS} from n where i % 10 = 0`,
  `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
   ${COUNTED} select $1, i + 1, 'evt_' || i, 'payment.succeeded', i, '{}', ${FIRST_AT} + i * ${EVERY_MS} from n`,
  `insert into webhook_deliveries (account_id, endpoint_id, sequence, round, is_replay, number, status, attempts, created_at)
   ${COUNTED} select $1, case when i = 5 then 'whe_rare' else 'whe_usual' end, i + 1, 0, 0, i,
     case when i % 1000 = 0 then 'failed' else 'delivered' end, 1, ${FIRST_AT} + i * ${EVERY_MS} from n`,
  `insert into webhook_endpoints (account_id, endpoint_id, url, status, secret_hash, signing_secret, created_at)
   values ($1, 'whe_rare', 'https://shop.example/', 'on', '', '', 0), ($1, 'whe_usual', 'https://shop.example/', 'on', '', '', 0)`,
]

type List<Row> = (page: PageInput) => Promise<Page<Row> | { refused: Refusal }>

/** Every row, page by page; and how many pages it took. */
async function walk<Row>(list: List<Row>, limit: number): Promise<{ rows: Row[]; pages: number }> {
  const rows: Row[] = []
  let after: string | undefined
  for (let pages = 1; pages < 1_000; pages++) {
    const page = granted(await list({ after, limit }))
    rows.push(...page.rows)
    if (page.next === undefined) return { rows, pages }
    after = page.next
  }
  throw new Error('the list has no end')
}

const numbersOf = (rows: readonly { number: number }[]): number[] => rows.map(({ number }) => number)
const downFrom = (most: number, chosen: (number: number) => boolean = () => true): number[] =>
  Array.from({ length: most }, (_, at) => most - 1 - at).filter(chosen)

for (const kind of STORES) {
  describe(`lists on ${kind.name}`, () => {
    let service: TestService
    let accountId: string
    before(async () => {
      service = await openTestService(kind)
      accountId = (await service.merchant()).accounts.sandbox.accountId
      for (const sql of FILL) await service.db.change(sql, sql.includes('$1') ? [accountId] : [])
      await service.db.alone(async (_tx, script) => script('analyze'))
    })
    after(() => service.remove())

    const payments = (input: Parameters<typeof listNewestPayments>[2]) => listNewestPayments(service, TESTER, input)

    it('give every payment once, the newest first, however the pages are cut', async () => {
      for (const limit of [1_000, 333]) {
        const { rows } = await walk((page) => payments({ accountId, ...page }), limit)
        assert.deepEqual(numbersOf(rows), downFrom(COUNT))
      }
    })

    it('give the same to its own merchant and to whoever looks after all accounts', async () => {
      const { rows: own } = await walk((page) => listNewestPayments(service, merchantKey(accountId), page), 1_000)
      const { rows: all } = await walk((page) => payments(page), 1_000)
      assert.equal(own.length, COUNT)
      assert.deepEqual(numbersOf(all), numbersOf(own))
      assert.deepEqual((await listNewestPayments(service, merchantKey('acc_another'), {})) as object, {
        rows: [],
        next: undefined,
      })
    })

    it('are not moved by a payment that is recorded between two pages', async () => {
      const first = granted(await payments({ accountId, limit: 10 }))
      await service.db.change(
        `insert into payments (account_id, environment, number, reference, public_reference, external_reference, status,
           amount_xof, country, created_at)
         values ($1, 'sandbox', ${COUNT}, 'new', 'new', 'new', 'pending', 100, 'NE', ${FIRST_AT + COUNT * EVERY_MS})`,
        [accountId],
      )
      const second = granted(await payments({ accountId, limit: 10, after: first.next }))
      await service.db.change('delete from payments where account_id = $1 and number = $2', [accountId, COUNT])
      assert.deepEqual(numbersOf([...first.rows, ...second.rows]), downFrom(COUNT).slice(0, 20))
    })

    it('find payments by state', async () => {
      const failed = await walk((page) => payments({ accountId, status: 'failed', ...page }), 100)
      assert.deepEqual(
        numbersOf(failed.rows),
        downFrom(COUNT, (number) => number % 100 === 0 && number >= 3),
      )
      const refunded = granted(await payments({ accountId, status: 'refunded' }))
      assert.deepEqual([numbersOf(refunded.rows), refunded.next], [[2, 1, 0], undefined])
    })

    it('find payments between two times, to the millisecond', async () => {
      const [from, to] = [FIRST_AT + 12_000 * EVERY_MS, FIRST_AT + 12_345 * EVERY_MS + 1]
      for (const scope of [{ accountId }, {}]) {
        const { rows } = await walk((page) => payments({ ...scope, from, to, ...page }), 100)
        assert.deepEqual(
          numbersOf(rows),
          downFrom(12_346, (number) => number >= 12_000),
        )
      }
      const { rows } = granted(await payments({ accountId, from: FIRST_AT + COUNT * EVERY_MS }))
      assert.deepEqual(rows, [])
    })

    it('look so far and no farther for what hardly any payment is, and lead on from there', async () => {
      const first = granted(await payments({ accountId, operator: 'moov_ne' }))
      assert.deepEqual(first.rows, [])
      assert.equal(first.next, String(COUNT - 1 - 10_000))
      const { rows, pages } = await walk((page) => payments({ accountId, operator: 'moov_ne', ...page }), 50)
      assert.deepEqual([numbersOf(rows), pages], [[7], 3])
    })

    it('give every link once, and only those of a state', async () => {
      const { rows } = await walk((page) => listNewestLinks(service, TESTER, { accountId, ...page }), 700)
      assert.deepEqual(
        numbersOf(rows),
        downFrom(COUNT, (number) => number % 10 === 0),
      )
      const failed = await walk((page) => listNewestLinks(service, TESTER, { status: 'failed', ...page }), 50)
      assert.deepEqual(
        numbersOf(failed.rows),
        downFrom(COUNT, (number) => number % 100 === 0 && number >= 3),
      )
    })

    it('give every delivery once, those that failed, and those of one endpoint', async () => {
      const deliveries = (input: Parameters<typeof listLatestDeliveries>[2]) =>
        listLatestDeliveries(service, TESTER, input)
      const { rows } = await walk((page) => deliveries({ accountId, ...page }), 1_000)
      assert.deepEqual(numbersOf(rows), downFrom(COUNT))
      const failed = await walk((page) => deliveries({ failedOnly: true, ...page }), 10)
      assert.deepEqual(
        numbersOf(failed.rows),
        downFrom(COUNT, (number) => number % 1_000 === 0),
      )
      const rare = await walk((page) => deliveries({ endpointId: 'whe_rare', ...page }), 10)
      assert.deepEqual([numbersOf(rare.rows), rare.pages], [[5], 3])
    })

    it('refuse a cursor that is none of theirs, and a limit that is too large', async () => {
      for (const after of ['', 'x', '1.2', '-1', '9'.repeat(16), "1' or 1=1"]) {
        assert.deepEqual(await payments({ accountId, after }), { refused: 'cursor_not_valid' })
      }
      for (const limit of [0, 1_001, 1.5, Number.NaN]) {
        assert.deepEqual(await payments({ accountId, limit }), { refused: 'limit_not_valid' })
      }
    })
  })
}
