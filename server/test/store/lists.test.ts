// Lists on both stores: pagination without gaps or repeats, search, daily figures, and statements
// with lists of values.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { readHome } from '../../src/actions/figures/read-home.ts'
import { summariseAccount } from '../../src/actions/figures/summarise-account.ts'
import { listNewestLinks } from '../../src/actions/links/read-payment-link.ts'
import {
  listNewestPayments,
  searchAndSum,
  searchPayments,
} from '../../src/actions/payments/list-payments.ts'
import { showPaymentPage } from '../../src/actions/payments/read-payment.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { listLatestDeliveries } from '../../src/actions/webhooks/deliveries.ts'
import { LONGEST_LIST } from '../../src/domain/lists/number-list.ts'
import type { Page, PageInput } from '../../src/domain/lists/page.ts'
import type { Term } from '../../src/domain/lists/search-terms.ts'
import type { DueLine } from '../../src/domain/operators/operator-call.ts'
import type { ServiceItself } from '../../src/domain/people/caller.ts'
import type { Refusal } from '../../src/domain/refusals/refusal.ts'
import { listBalances } from '../../src/store/books/entries.ts'
import {
  type Database,
  type Queries,
  textOf,
  type Values,
} from '../../src/store/engine/database.ts'
import { findSummaryPlace, listFigures, listMarks } from '../../src/store/figures/summaries.ts'
import { listNumberedPayments } from '../../src/store/payments/payment-list.ts'
import {
  indexPayments,
  listByOrderStart,
  listByTerm,
  removePayerFromSearch,
  type SearchedPayment,
} from '../../src/store/payments/payment-search.ts'
import { findLinesWithPending } from '../../src/store/payments/pending-payments.ts'
import { findEndTimes, listMovedSince } from '../../src/store/webhooks/events.ts'
import { paymentSummariser } from '../../src/worker/summarise-payments.ts'
import { column, granted, merchantKey, TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { openTestService, order, post } from '../kit/service.ts'
import { openTestRuntime, shared, sharedWithAccount } from '../kit/shared.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS, SUCCEEDS_AFTER_3_MINUTES } from '../links/payer.ts'

describe('lists', () => {
  const COUNT = 25_000
  const FIRST_AT = Date.UTC(2026, 0, 1)
  const EVERY_MS = 1_000
  const COUNTED = `with recursive n (i) as (select cast(0 as bigint) union all select i + 1 from n
    where i < ${COUNT - 1})`

  /**
   * One payment a second: the first three are refunded, one in a hundred failed, one in ten was
   * made through a link.
   */
  const FILL = [
    `insert into payments (account_id, environment, number, reference, public_reference,
     external_reference, status, amount_xof,
     country, msisdn_written, msisdn, operator, customer_name, created_at)
   ${COUNTED} select :accountId, 'sandbox', i, 'payment ' || i, 'public ' || i, 'order ' || i,
     case when i < 3 then 'refunded' when i % 100 = 0 then 'failed'
       else 'succeeded' end, 1500, 'NE', '96123456',
     '22796123456', case when i = 7 then 'moov_ne'
       else 'airtel_ne' end, 'Awa', ${FIRST_AT} + i * ${EVERY_MS} from n`,
    `insert into payment_links (account_id, number, reference, title, created_at)
   ${COUNTED} select :accountId, i, 'link ' || i, 'Commande', ${FIRST_AT} + i * ${EVERY_MS} from n
   where i % 10 = 0`,
    `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
   ${COUNTED} select :accountId, i + 1, 'evt_' || i, 'payment.succeeded', i, '{}',
     ${FIRST_AT} + i * ${EVERY_MS} from n`,
    `insert into webhook_deliveries (account_id, endpoint_id, sequence, round, is_replay, number,
     status, attempts, created_at)
   ${COUNTED} select :accountId, case when i = 5 then 'whe_rare'
     else 'whe_usual' end, i + 1, 0, 0, i,
     case when i % 1000 = 0 then 'failed' else 'delivered' end, 1, ${FIRST_AT} + i * ${EVERY_MS}
     from n`,
    `insert into ledger_entries (account_id, entry, connection, booked_at, day, kind, debit, credit,
     amount_xof, made_by)
   ${COUNTED} select :accountId, i + 1, 'airtel_ne', 0, 0, 'payment', 'receivable', 'merchant',
     1500, 'test' from n`,
    `insert into webhook_endpoints (account_id, endpoint_id, url, status, secret_hash,
     signing_secret, created_at)
   values (:accountId, 'whe_rare', 'https://shop.example/', 'on', '', '', 0),
     (:accountId, 'whe_usual', 'https://shop.example/', 'on', '', '', 0)`,
  ]

  type List<Row> = (page: PageInput) => Promise<Page<Row> | { refused: Refusal }>

  /** Every row, page by page, and the number of pages. */
  async function walk<Row>(
    list: List<Row>,
    limit: number,
  ): Promise<{ rows: Row[]; pages: number }> {
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

  const numbersOf = (rows: readonly { number: number }[]): number[] =>
    rows.map(({ number }) => number)
  const downFrom = (most: number): number[] =>
    Array.from({ length: most }, (_, at) => most - 1 - at)
  const every = (nth: number): number[] => downFrom(COUNT).filter((number) => number % nth === 0)
  /** The first three of these are refunded. */
  const FAILED = every(100).filter((number) => number >= 3)

  for (const kind of STORES) {
    describe(`lists on ${kind.name}`, () => {
      const service = sharedWithAccount(() => openTestService(kind))
      let accountId: string
      before(async () => {
        accountId = service.accountId
        for (const sql of FILL) await service.db.change(sql, { accountId })
        await service.db.alone(async (_tx, script) => script('analyze'))
      })

      const payments = (input: Parameters<typeof listNewestPayments>[2]) =>
        listNewestPayments(service, TESTER, input)

      it('pages have every payment once, newest first, for any page size', async () => {
        for (const limit of [1_000, 333]) {
          const { rows } = await walk((page) => payments({ accountId, ...page }), limit)
          assert.deepEqual(numbersOf(rows), downFrom(COUNT))
        }
      })

      it('a merchant and an operator of all accounts get the same payments', async () => {
        const { rows: own } = await walk(
          (page) => listNewestPayments(service, merchantKey(accountId), page),
          1_000,
        )
        const { rows: all } = await walk((page) => payments(page), 1_000)
        assert.equal(own.length, COUNT)
        assert.deepEqual(numbersOf(all), numbersOf(own))
        const others: unknown = await listNewestPayments(service, merchantKey('acc_another'), {})
        assert.deepEqual(others, { rows: [], next: undefined })
      })

      it('a payment recorded between two pages does not shift them', async () => {
        const first = granted(await payments({ accountId, limit: 10 }))
        await service.db.change(
          `insert into payments (account_id, environment, number, reference, public_reference,
           external_reference, status,
           amount_xof, country, created_at)
         values (:accountId, 'sandbox', ${COUNT}, 'new', 'new', 'new', 'pending', 100, 'NE',
           ${FIRST_AT + COUNT * EVERY_MS})`,
          { accountId },
        )
        const second = granted(await payments({ accountId, limit: 10, after: first.next }))
        await service.db.change(
          'delete from payments where account_id = :accountId and number = :COUNT',
          { accountId, COUNT },
        )
        assert.deepEqual(numbersOf([...first.rows, ...second.rows]), downFrom(COUNT).slice(0, 20))
      })

      it('payments are filtered by state', async () => {
        const failed = await walk((page) => payments({ accountId, status: 'failed', ...page }), 100)
        assert.deepEqual(numbersOf(failed.rows), FAILED)
        const refunded = granted(await payments({ accountId, status: 'refunded' }))
        assert.deepEqual([numbersOf(refunded.rows), refunded.next], [[2, 1, 0], undefined])
      })

      it('payments are filtered by time, to the millisecond', async () => {
        const [from, to] = [FIRST_AT + 12_000 * EVERY_MS, FIRST_AT + 12_345 * EVERY_MS + 1]
        for (const scope of [{ accountId }, {}]) {
          const { rows } = await walk((page) => payments({ ...scope, from, to, ...page }), 100)
          assert.deepEqual(numbersOf(rows), downFrom(12_346).slice(0, 346))
        }
        const { rows } = granted(await payments({ accountId, from: FIRST_AT + COUNT * EVERY_MS }))
        assert.deepEqual(rows, [])
      })

      it('a filter that few payments match scans a bounded range, and its cursor continues from there', async () => {
        const first = granted(await payments({ accountId, operator: 'moov_ne' }))
        assert.deepEqual(first.rows, [])
        assert.equal(first.next, String(COUNT - 1 - 10_000))
        const { rows, pages } = await walk(
          (page) => payments({ accountId, operator: 'moov_ne', ...page }),
          50,
        )
        assert.deepEqual([numbersOf(rows), pages], [[7], 3])
      })

      it('a sum is exact, or of the newest payments and says that there are more', async () => {
        const sum = async (filter: Parameters<typeof searchAndSum>[2]) =>
          granted(await searchAndSum(service, merchantKey(accountId), filter)).sum
        const [from, to] = [FIRST_AT + 12_000 * EVERY_MS, FIRST_AT + 12_345 * EVERY_MS + 1]
        const counted = async (filter: Parameters<typeof sum>[0]): Promise<unknown[]> => {
          const { count, isMore } = await sum(filter)
          return [count, isMore]
        }
        assert.deepEqual(await counted({}), [10_000, true])
        assert.deepEqual(await counted({ operator: 'moov_ne' }), [0, true])
        assert.deepEqual(await counted({ status: 'failed' }), [FAILED.length, false])
        assert.deepEqual(await counted({ from, to }), [346, false])
      })

      /** What a query answers, and the plan of its first statement. */
      async function explain<T>(query: (db: Queries) => Promise<T>): Promise<[T, plan: string]> {
        const { db } = service
        const asked: [sql: string, values: Values][] = []
        const rows: Queries['read'] = (sql, values = {}) => {
          asked.push([textOf(sql, kind.name === 'SQLite' ? 'sqlite' : 'postgres'), values])
          return db.read(sql, values)
        }
        const answer = await query({ ...db, read: rows })
        const [[sql, values]] = asked as [[string, Values]]
        const verb = kind.name === 'SQLite' ? 'explain query plan' : 'explain'
        return [answer, JSON.stringify(await db.read(`${verb} ${sql}`, values))]
      }

      it('a balance finds entries that no day has counted by the primary key', async () => {
        const [[sum], plan] = await explain((db) => listBalances(db, accountId))
        assert.ok(sum !== undefined && sum.debitXof + sum.creditXof === 1_500 * COUNT)
        assert.doesNotMatch(plan, /Seq Scan on ledger_entries|SCAN ledger_entries/)
        assert.match(plan, /ledger_entries_pkey|sqlite_autoindex_ledger_entries_1/)
      })

      it('payments whose order id begins so are found by the index of order ids', async () => {
        const beginning = async (start: string) =>
          (await listByOrderStart(service.db, start, 20)).map(({ number }) => number).sort()
        const tens = [
          24_990, 24_991, 24_992, 24_993, 24_994, 24_995, 24_996, 24_997, 24_998, 24_999,
        ]
        assert.deepEqual(await beginning('order 2499'), [...tens, 2_499].sort())
        assert.deepEqual(await beginning('Order 2499'), [])
        const [found, plan] = await explain((db) => listByOrderStart(db, 'order', 20))
        assert.deepEqual([found.length, found.some(({ number }) => number === 9_999)], [20, true])
        assert.doesNotMatch(plan, /Seq Scan on payments|SCAN (p|q)\b/)
        assert.match(plan, /payments_account_id_external_reference_key|sqlite_autoindex_payments/)
      })

      it('pages have every link once, and filter by state', async () => {
        const { rows } = await walk(
          (page) => listNewestLinks(service, TESTER, { accountId, ...page }),
          700,
        )
        assert.deepEqual(numbersOf(rows), every(10))
        const failed = await walk(
          (page) => listNewestLinks(service, TESTER, { status: 'failed', ...page }),
          50,
        )
        assert.deepEqual(numbersOf(failed.rows), FAILED)
      })

      it('pages have every delivery once, and filter by failure and by endpoint', async () => {
        const deliveries = (input: Parameters<typeof listLatestDeliveries>[2]) =>
          listLatestDeliveries(service, TESTER, input)
        const { rows } = await walk((page) => deliveries({ accountId, ...page }), 1_000)
        assert.deepEqual(numbersOf(rows), downFrom(COUNT))
        const failed = await walk((page) => deliveries({ failedOnly: true, ...page }), 10)
        assert.deepEqual(numbersOf(failed.rows), every(1_000))
        const rare = await walk((page) => deliveries({ endpointId: 'whe_rare', ...page }), 10)
        assert.deepEqual([numbersOf(rare.rows), rare.pages], [[5], 3])
      })

      it('an invalid cursor and a limit that is too large are refused', async () => {
        for (const after of ['', 'x', '1.2', '-1', '9'.repeat(16), "1' or 1=1"]) {
          assert.deepEqual(await payments({ accountId, after }), { refused: 'cursor_not_valid' })
        }
        for (const limit of [0, 1_001, 1.5, Number.NaN]) {
          assert.deepEqual(await payments({ accountId, limit }), { refused: 'limit_not_valid' })
        }
      })
    })
  }
})

// Each statement text is cached for ever, so lists of any length must need few texts.
describe('lists of values', () => {
  const ACCOUNT = 'acc_lists'
  const PAYMENTS = 21
  /** Up to 21: 1, 2, 4, 8, 16 and 32. */
  const TEXTS = 6

  for (const store of STORES) {
    describe(`lists of values on ${store.name}`, () => {
      const runtime = shared(() => openTestRuntime(store, {}, { isMigrated: true }))
      let numbers: number[]
      before(async () => {
        const { db } = runtime
        await db.change(
          `insert into merchants (merchant_id, name, created_at) values ('mer_lists', 'Lists', 1)`,
        )
        await db.change(
          `insert into accounts (account_id, merchant_id, environment, status, created_at)
         values (:ACCOUNT, 'mer_lists', 'sandbox', 'validated', 1)`,
          { ACCOUNT },
        )
        await insertPending(runtime, ACCOUNT, PAYMENTS, { dueAt: 1 })
        numbers = column(
          await db.read<{ number: number }>('select number from payments order by number'),
          'number',
        )
        await db.change(`update payments set connection = 'connection-' || number`)
        for (const number of numbers) {
          await db.change(
            `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
           select account_id, 1 + (select count(*)
             from events), reference, 'payment.failed', number, '{}', 7 from payments
           where number = :number`,
            { number },
          )
        }
      })

      /** Unknown accounts, and last the account that owns the rows, which may be repeated. */
      const accountsUpTo = (count: number): string[] => [
        ...Array.from({ length: count - 1 }, (_, at) => `acc_stranger_${at}`),
        ACCOUNT,
      ]
      /** Each has a payment to send, and none to ask about. */
      const linesUpTo = (count: number): DueLine[] =>
        numbersUpTo(count).flatMap((number) =>
          (['request', 'status'] as const).map(
            (kind): DueLine => ({
              environment: 'sandbox',
              connection: `connection-${number}`,
              kind,
            }),
          ),
        )

      const positionsUpTo = (count: number) =>
        accountsUpTo(count).map((accountId) => ({ accountId, sequence: 1 }))
      const numbersUpTo = (count: number): number[] => numbers.slice(0, count)
      /** `rows`: how many are found; as many as are looked for where it is undefined. */
      const LISTS: [
        what: string,
        found: (db: Queries, count: number) => Promise<Iterable<unknown>>,
        rows?: number,
      ][] = [
        [
          'events after a position',
          (db, count) => listMovedSince(db, positionsUpTo(count)),
          PAYMENTS - 1,
        ],
        ['times of payments', (db, count) => findEndTimes(db, ACCOUNT, numbersUpTo(count))],
        [
          'payments by number',
          (db, count) => listNumberedPayments(db, ACCOUNT, numbersUpTo(count), {}),
        ],
        ['lines with pending payments', (db, count) => findLinesWithPending(db, linesUpTo(count))],
        ['marks of accounts', (db, count) => listMarks(db, accountsUpTo(count)), 1],
      ]
      for (const [what, found, rows] of LISTS) {
        it(`${what}: ${PAYMENTS} lengths need ${TEXTS} texts`, async () => {
          const texts = new Set<string>()
          const { db } = runtime
          const noting: Queries = {
            read: (sql, values) => {
              // One without values has no list.
              if (values !== undefined) texts.add(textOf(sql, 'sqlite'))
              return db.read(sql, values)
            },
            write: db.write,
            change: db.change,
          }
          for (let count = 1; count <= PAYMENTS; count++)
            assert.equal([...(await found(noting, count))].length, rows ?? count)
          assert.equal(texts.size, TEXTS)
        })
      }
    })
  }
})

// The search box finds a payment by any of its properties, before and after it is indexed.
describe('search', () => {
  const ORDERS = [
    {
      transaction_id: 'table-1',
      msisdn: '96 12 34 56',
      customer_name: 'Aïssa Maïga',
      amount: 1_000,
    },
    {
      transaction_id: 'table-2',
      msisdn: '96 12 34 56',
      customer_name: 'Aïssa Maïga',
      amount: 2_000,
    },
    { transaction_id: 'table-3', msisdn: SUCCEEDS, customer_name: 'Moussa Touré', amount: 3_000 },
    {
      transaction_id: 'table-4',
      msisdn: DECLINES,
      customer_name: 'Aminatou Touré',
      amount: 4_000,
      order_reference: 'CMD-021999',
    },
  ]

  const FOUND: [written: string, ids: string[]][] = [
    ['table-3', ['table-3']],
    ['+227 96 12 34 56', ['table-2', 'table-1']],
    ['0022796123456', ['table-2', 'table-1']],
    ['maig', ['table-2', 'table-1']],
    ['toure', ['table-4', 'table-3']],
    ['TOURÉ ami', ['table-4']],
    [SUCCEEDS, ['table-3']],
    ['3456', ['table-2', 'table-1']],
    ['12 34 56', ['table-2', 'table-1']],
    ['2000', ['table-2']],
    ['3 000', ['table-3']],
    ['21999', ['table-4']],
    ['cmd 0219', ['table-4']],
    ['maiga 3456 1000', ['table-1']],
    ['maiga 3000', []],
    ['unknown', []],
    ['table-9', []],
    ['?', []],
    ['  ', ['table-4', 'table-3', 'table-2', 'table-1']],
  ]

  for (const store of STORES) {
    describe(`search on ${store.name}`, () => {
      const service = sharedWithAccount(() => openVirtualService(store))
      const references: { reference: string; public_reference: string }[] = []
      let other: { accountId: string; secretKey: string }
      before(async () => {
        other = (await service.merchant()).accounts.sandbox
        await post(service, other.secretKey, order({ transaction_id: '3456', msisdn: SUCCEEDS }))
        for (const each of ORDERS) {
          await post(service, other.secretKey, order(each))
          references.push(
            (await post(service, service.secretKey, order(each)))
              .body as (typeof references)[number],
          )
          await service.clock.advance(1_000)
        }
      })

      const own = () => merchantKey(service.accountId)
      const search = async (input: Parameters<typeof searchPayments>[2]): Promise<string[]> =>
        column(granted(await searchPayments(service, own(), input)).rows, 'externalReference')

      for (const when of ['at once', 'once they are indexed']) {
        it(`finds payments ${when}`, async () => {
          if (when !== 'at once') await service.clock.advance(200_000)
          const indexed = await service.db.read('select * from payment_search')
          assert.equal(indexed.length > 0, when !== 'at once')
          for (const [written, ids] of FOUND)
            assert.deepEqual(await search({ search: written }), ids, written)
          for (const [at, { reference, public_reference }] of references.entries()) {
            const id = ORDERS[at]?.transaction_id
            assert.deepEqual(await search({ search: reference }), [id])
            assert.deepEqual(await search({ search: public_reference.toLowerCase() }), [id])
            // The network of the sandbox makes its reference of ours; the last payment failed.
            const operators = `sim ${reference.slice(0, 10)}`
            assert.deepEqual(await search({ search: operators }), id === 'table-4' ? [] : [id])
          }
        })
      }

      it('digits that name an order are also the end of a number: the order is first', async () => {
        const found = await searchPayments(service, merchantKey(other.accountId), {
          search: '3456',
        })
        assert.deepEqual(column(granted(found).rows, 'externalReference'), [
          '3456',
          'table-2',
          'table-1',
        ])
      })

      it('results are paginated and filtered', async () => {
        const first = granted(await searchPayments(service, own(), { search: 'toure', limit: 1 }))
        assert.deepEqual(
          [first.rows[0]?.externalReference, typeof first.next],
          ['table-4', 'string'],
        )
        assert.deepEqual(await search({ search: 'toure', limit: 1, after: first.next }), [
          'table-3',
        ])
        const { sum, ...page } = granted(
          await searchAndSum(service, own(), { search: 'toure', limit: 1 }),
        )
        assert.deepEqual([page, sum.count], [first, 2])
        assert.deepEqual(await search({ search: 'toure', status: 'failed' }), ['table-4'])
        assert.deepEqual(await search({ minimumXof: 2_000, maximumXof: 3_000 }), [
          'table-3',
          'table-2',
        ])
        assert.deepEqual(await search({ search: 'maiga', minimumXof: 1_500 }), ['table-2'])
      })

      const SUMS: [filter: Parameters<typeof searchAndSum>[2], sum: [number, number, number]][] = [
        [{}, [4, 10_000, 6_000]],
        [{ status: 'failed' }, [1, 4_000, 0]],
        [{ search: '3456' }, [2, 3_000, 3_000]],
        [{ search: '3456', minimumXof: 1_500 }, [1, 2_000, 2_000]],
        [{ search: 'table-4' }, [1, 4_000, 0]],
        [{ search: 'unknown' }, [0, 0, 0]],
        [{ from: 0, to: 1 }, [0, 0, 0]],
      ]
      for (const [filter, [count, amountXof, collectedXof]] of SUMS)
        it(`payments are counted and summed: ${JSON.stringify(filter)}`, async () => {
          const { sum } = granted(await searchAndSum(service, own(), filter))
          assert.deepEqual(sum, { count, amountXof, collectedXof, isMore: false })
        })

      it('a payment that is indexed before it succeeds is found by the operator’s reference', async () => {
        const late = { transaction_id: 'late', msisdn: SUCCEEDS_AFTER_3_MINUTES }
        const { reference } = (await post(service, other.secretKey, order(late))).body as {
          reference: string
        }
        const find = async (): Promise<string[]> => {
          const input = { search: `SIM-${reference.slice(0, 10)}` }
          return column(
            granted(await searchPayments(service, merchantKey(other.accountId), input)).rows,
            'externalReference',
          )
        }
        await service.clock.advance(150_000)
        assert.deepEqual(await find(), [])
        await service.clock.advance(60_000)
        assert.deepEqual(await find(), ['late'])
      })

      it('an erased payer is no longer indexed', async () => {
        granted(await erasePayer(service, TESTER, { number: '+227 96 12 34 56' }))
        const terms = `select term from payment_search where term in ('~3456', 'ais', 'mai')`
        assert.deepEqual(await service.db.read(terms), [])
        assert.deepEqual(await search({ search: '3456' }), [])
        assert.deepEqual(await search({ search: '2000' }), ['table-2'])
        assert.deepEqual(await search({ search: 'toure' }), ['table-4', 'table-3'])
      })

      it('a payment is shown with its history', async () => {
        const { reference } = references[3] as (typeof references)[number]
        const page = granted(await showPaymentPage(service, own(), { name: reference }))
        assert.equal(page.row.failureReason, 'declined')
        assert.deepEqual(page.story.at(-1)?.detail, {
          from: 'pending',
          to: 'failed',
          failureReason: 'declined',
        })
      })

      it('the first page has totals', async () => {
        const home = granted(await readHome(service, own(), { days: 3 }))
        assert.deepEqual(home.today, { collected: 6_000, succeeded: 3, failed: 1, pending: 0 })
        assert.equal(home.days.length, 3)
        assert.deepEqual(home.days.at(-1), {
          ...home.days.at(-1),
          collected: 6_000,
          succeeded: 3,
          failed: 1,
        })
        assert.deepEqual(home.failures, [{ reason: 'declined', count: 1 }])
        assert.deepEqual(home.attention, [{ kind: 'no_endpoint' }])
      })

      // The last one: its payments would make every advance of the clock slow.
      it('a search of digits reads few of the payments that are not indexed yet', async () => {
        const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
        const bodies = Array.from({ length: 300 }, (_, at) =>
          order({
            transaction_id: `sale-${1_000 + at}`,
            msisdn: String(96_500_000 + at),
            amount: 10_000 + at,
          }),
        )
        await Promise.all(bodies.map((body) => post(service, secretKey, body)))
        let rowsRead = 0
        const counting = {
          async read<Row>(...call: Parameters<Database['read']>): Promise<Row[]> {
            const found = await service.db.read<Row>(...call)
            rowsRead += found.length
            return found
          },
        }
        const db: Database = Object.assign(Object.create(service.db), counting)
        for (const written of [
          '0123',
          '96 50 01 23',
          'sale-1123',
          '1123',
          '10123',
          'sale 1123 10123',
        ]) {
          rowsRead = 0
          const page = await searchPayments({ ...service, db }, merchantKey(accountId), {
            search: written,
          })
          assert.deepEqual(column(granted(page).rows, 'externalReference'), ['sale-1123'], written)
          assert.ok(rowsRead > 0 && rowsRead < 30, `${written}: ${rowsRead} rows`)
        }
      })
    })
  }
})

// The index of the search by itself: lists of any length, filled in any order.
describe('search index', () => {
  const ACCOUNT = 'acc_index'
  const paymentWith = (number: number): SearchedPayment => ({
    number,
    msisdn: `227961${String(number % 10)}3456`,
    customerName: 'Aïssa',
    amountXof: 500,
    externalReference: `CMD-${100_000 + number}`,
    clientReference: null,
    operatorReference: null,
  })

  for (const store of STORES) {
    describe(`search index on ${store.name}`, () => {
      const runtime = shared(() => openTestRuntime(store, {}, { isMigrated: true }))
      const listed = async (term: Term): Promise<number[]> => {
        const found: number[] = []
        for (let below: number | undefined = Number.MAX_SAFE_INTEGER; below !== undefined; ) {
          const { numbers, listedTo } = await listByTerm(runtime.db, ACCOUNT, term, below, 1)
          found.push(...numbers)
          below = listedTo
        }
        return found
      }
      const remove = (numbers: readonly number[]): Promise<void> =>
        runtime.db.transaction(async (tx) => {
          for (const number of numbers)
            await removePayerFromSearch(tx, ACCOUNT, paymentWith(number))
        })
      const down = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => b - a)
      const NUMBERS = Array.from({ length: 900 }, (_, at) => at * 37)
      const isLate = (number: number): boolean => number % 5 === 0

      it('lists each number once, newest first, whatever the order in which they came', async () => {
        const [late, early] = [NUMBERS.filter(isLate), NUMBERS.filter((number) => !isLate(number))]
        for (let at = 0; at < early.length; at += 100) {
          const inOrder = early.slice(at, at + 100).map(paymentWith)
          const others = late.slice(at / 4, at / 4 + 25).map(paymentWith)
          await runtime.db.transaction((tx) => indexPayments(tx, ACCOUNT, inOrder, others))
        }
        assert.deepEqual(await listed({ term: 'ais', before: '' }), down(NUMBERS))
        assert.deepEqual(await listed({ term: '~3456', before: '' }), down(NUMBERS))
        const ofThree = NUMBERS.filter((number) => number % 10 === 3)
        assert.deepEqual(await listed({ term: '~3456', before: '3' }), down(ofThree))
        assert.deepEqual(await listed({ term: '~3456', before: '13' }), down(ofThree))
        assert.deepEqual(await listed({ term: '.0037', before: '0' }), [37])
        const rows = await runtime.db.read<{ length: number }>(
          'select length(numbers) as length from payment_search',
        )
        assert.ok(rows.length < 4_000 && rows.every(({ length }) => length < LONGEST_LIST + 20))
      })

      it('removes a payer’s numbers and no others', async () => {
        const erased = NUMBERS.filter((_, at) => at % 3 === 0)
        await remove(erased)
        const left = down(NUMBERS.filter((_, at) => at % 3 !== 0))
        assert.deepEqual(await listed({ term: 'ais', before: '' }), left)
        assert.deepEqual(await listed({ term: '~3456', before: '' }), left)
        assert.deepEqual(await listed({ term: '=500', before: '' }), down(NUMBERS))
        await remove(left)
        assert.deepEqual(
          await runtime.db.read(
            `select 1 as one from payment_search where term in ('ais', '~3456')`,
          ),
          [],
        )
      })
    })
  }
})

// The worker counts outcomes and indexes payments asynchronously, each once.
describe('figures', () => {
  const WORKER: ServiceItself = { is: 'service', part: 'test' }
  const NOTHING_COUNTED = { lastSequence: 0, indexedNumber: -1, summedEntry: 0 }

  for (const store of STORES) {
    describe(`figures on ${store.name}`, () => {
      const service = sharedWithAccount(() => openVirtualService(store))
      const pay = async (msisdn: string): Promise<string> =>
        (await post(service, service.secretKey, order({ msisdn }))).body.reference as string
      const counted = async (): Promise<unknown[]> =>
        (await listFigures(service.db, service.accountId, 0))
          .map(({ outcome, reason, payments, amountXof }) => [outcome, reason, payments, amountXof])
          .sort()
      async function forgetFigures(): Promise<void> {
        for (const table of ['daily_figures', 'payment_summaries'])
          await service.db.change(`delete from ${table}`)
      }
      const AS_PAID = [
        ['failed', 'declined', 1, 1_500],
        ['refunded', '', 1, 1_500],
        ['succeeded', '', 2, 3_000],
      ]

      it('each outcome is counted on its day, by operator and reason', async () => {
        const refunded = await pay(SUCCEEDS)
        await pay(SUCCEEDS)
        await pay(DECLINES)
        await service.clock.advance(10_000)
        granted(await refundPayment(service, TESTER, { name: refunded }))
        await service.clock.advance(30_000)
        assert.deepEqual(await counted(), AS_PAID)
      })

      it('several processes that follow one account count nothing twice', async () => {
        await forgetFigures()
        const from = { accountId: service.accountId, ...NOTHING_COUNTED, behind: 4 }
        await Promise.all([1, 2, 3].map(() => summariseAccount(service, WORKER, from)))
        await summariseAccount(service, WORKER, from)
        assert.deepEqual(await counted(), AS_PAID)
      })

      it('one account is followed a round while other work has priority, and all accounts in the end', async () => {
        const other = (await service.merchant()).accounts.sandbox
        await post(service, other.secretKey, order({ msisdn: SUCCEEDS }))
        await service.clock.advance(10_000)
        await forgetFigures()
        const round = paymentSummariser(service.db, service.clock, () => true)
        const followed: number[] = []
        let isMore = true
        while (isMore) {
          isMore = await round()
          const rows = await service.db.read(
            'select 1 from payment_summaries where last_sequence > 0',
          )
          followed.push(rows.length)
        }
        // One slice for each account, the end of the turn, and a turn that finds nothing.
        assert.deepEqual(followed, [1, 2, 2, 2])
        assert.deepEqual(await counted(), AS_PAID)
        assert.equal((await listFigures(service.db, other.accountId, 0)).length, 1)
      })

      it('payments are indexed once no payment with a lower number can appear', async () => {
        const indexedNumber = async () =>
          (await findSummaryPlace(service.db, service.accountId)).indexedNumber
        assert.equal(await indexedNumber(), -1)
        await service.clock.advance(180_000)
        const numbers = 'select max(number) as number from payments where account_id = :accountId'
        const [newest] = await service.db.read<{ number: number }>(numbers, {
          accountId: service.accountId,
        })
        assert.equal(await indexedNumber(), newest?.number)
      })
    })
  }
})
