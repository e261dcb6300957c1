// Statements with a list of values in their text, on both engines: lists of any length need few texts, because each text is kept for ever, and
// the answer is that for the list as it was given.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DueLine } from '../../src/domain/operator-report.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { listMarks } from '../../src/store/figures/summaries.ts'
import { listNumberedPayments } from '../../src/store/payments/payment-list.ts'
import { findLinesWithPending } from '../../src/store/payments/pending-payments.ts'
import { findEndTimes, listMovedSince } from '../../src/store/webhooks/events.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'

const ACCOUNT = 'acc_lists'
const PAYMENTS = 21
/** Up to 21: 1, 2, 4, 8, 16 and 32. */
const TEXTS = 6

for (const store of STORES) {
  describe(`long lists on ${store.name}`, () => {
    let place: StorePlace
    let runtime: Runtime
    let numbers: number[]

    before(async () => {
      place = await store.makePlace({}, { isMigrated: true })
      runtime = await openRuntime(place.config)
      const { db } = runtime
      await db.change(`insert into merchants (merchant_id, name, created_at) values ('mer_lists', 'Lists', 1)`)
      await db.change(
        `insert into accounts (account_id, merchant_id, environment, status, created_at)
         values ($1, 'mer_lists', 'sandbox', 'validated', 1)`,
        [ACCOUNT],
      )
      await insertPending(runtime, ACCOUNT, PAYMENTS, { dueAt: 1 })
      numbers = (await db.rows<{ number: number }>('select number from payments order by number')).map(
        (row) => row.number,
      )
      for (const number of numbers) {
        await db.change(
          `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
           select account_id, 1 + (select count(*) from events), reference, 'payment.failed', number, '{}', 7 from payments
           where number = $1`,
          [number],
        )
      }
    })
    after(async () => {
      await runtime.close()
      await place.remove()
    })

    /** Strangers, and the account whose rows are there as the last, which is the one that may be repeated. */
    const accountsUpTo = (count: number): string[] => [
      ...Array.from({ length: count - 1 }, (_, at) => `acc_stranger_${at}`),
      ACCOUNT,
    ]
    const linesUpTo = (count: number): DueLine[] =>
      Array.from({ length: count }, (_, at) => ({
        environment: 'sandbox',
        connection: at === count - 1 ? 'airtel_ne' : `nobody_${at}`,
        kind: (count * at) % 3 === 0 && at < count - 1 ? 'status' : 'request',
      }))

    const LISTS: [
      what: string,
      found: (db: Queries, count: number) => Promise<unknown[]>,
      rows: (count: number) => number,
    ][] = [
      [
        'events after a position of each account',
        (db, count) =>
          listMovedSince(
            db,
            accountsUpTo(count).map((accountId) => ({ accountId, sequence: 1 })),
          ),
        () => PAYMENTS - 1,
      ],
      [
        'times of payments',
        async (db, count) => [...(await findEndTimes(db, ACCOUNT, numbers.slice(0, count)))],
        (count) => count,
      ],
      [
        'payments by number',
        (db, count) => listNumberedPayments(db, ACCOUNT, numbers.slice(0, count), {}),
        (count) => count,
      ],
      ['lines with pending payments', (db, count) => findLinesWithPending(db, linesUpTo(count)), () => 1],
      ['marks of accounts', (db, count) => listMarks(db, accountsUpTo(count)), () => 1],
    ]
    for (const [what, found, rows] of LISTS) {
      it(`${what}: ${PAYMENTS} lengths need ${TEXTS} texts`, async () => {
        const texts = new Set<string>()
        const { db } = runtime
        const noting: Queries = {
          rows: (sql, values) => {
            texts.add(sql)
            return db.rows(sql, values)
          },
          change: db.change,
        }
        for (let count = 1; count <= PAYMENTS; count++) assert.equal((await found(noting, count)).length, rows(count))
        assert.equal(texts.size, TEXTS)
      })
    }
  })
}
