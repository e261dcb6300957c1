// Statements of more movements than a slice has, on both stores: in every format, and while entries
// are added.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { exportStatement, listMovements } from '../../src/actions/books/read-account-statement.ts'
import { STATEMENT_FORMATS } from '../../src/domain/books/account-statement.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import type { NewEntry } from '../../src/domain/ledger/ledger.ts'
import { insertEntries } from '../../src/store/books/entries.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { newMerchant } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

/** Some slices. */
const MOVEMENTS = 1_100
const DAYS = 30

for (const store of STORES_IN_HALVES) {
  describe(`long statements on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let accountId: string
    let firstDay: number
    before(async () => {
      accountId = (await newMerchant(service)).accounts.sandbox.accountId
      firstDay = dayOf(service.clock.now())
      await book(Array.from({ length: MOVEMENTS }, (_, nth) => entryOf(nth)))
    })

    const entryOf = (nth: number): NewEntry => ({
      accountId,
      connection: 'airtel_ne',
      bookedAt: service.clock.now(),
      day: firstDay + (nth % DAYS),
      kind: 'payment',
      debit: 'receivable',
      credit: 'sales',
      amountXof: 1_000,
      number: nth,
      refundReference: null,
      lineNumber: null,
      madeBy: 'tester',
    })
    const book = (entries: NewEntry[]) => service.db.transaction((tx) => insertEntries(tx, entries))
    const period = () => ({
      connection: 'airtel_ne',
      fromDay: firstDay,
      toDay: firstDay + DAYS - 1,
    })

    it('has every movement in each format, and none that is booked while it is written', async () => {
      for (const [nth, format] of STATEMENT_FORMATS.entries()) {
        const movements = MOVEMENTS + nth
        const query = { ...period(), accountId, format, language: 'en' } as const
        const { content } = granted(await exportStatement(service, TESTER, query))
        await book([entryOf(movements)])
        const chunks: Buffer[] = []
        for await (const chunk of content) chunks.push(Buffer.from(chunk))
        const text = Buffer.concat(chunks).toString()
        if (format === 'json') {
          const body = JSON.parse(text)
          assert.deepEqual([body.movements.length, body.closing], [movements, movements * 1_000])
        }
        if (format === 'csv')
          assert.equal(text.trimEnd().split('\n').length, HEADING_LINES + movements)
        if (format === 'camt053') assert.equal(text.split('<Ntry>').length - 1, movements)
        if (format === 'syscohada')
          assert.equal(text.trimEnd().split('\n').length, 1 + 2 * movements)
      }
    })

    async function listAll(): Promise<number[]> {
      const balances: number[] = []
      for (let after: string | undefined; ; ) {
        const page = granted(
          await listMovements(
            service,
            { accountId, environment: 'sandbox' },
            { ...period(), after, limit: 400 },
          ),
        )
        balances.push(...page.rows.map(({ balanceXof }) => balanceXof))
        if (page.next === undefined) return balances
        after = page.next
      }
    }

    it('has pages that continue the balance', async () => {
      const balances = await listAll()
      assert.ok(balances.length >= MOVEMENTS)
      assert.deepEqual(
        balances,
        balances.map((_, nth) => (nth + 1) * 1_000),
      )
    })
  })
}

const HEADING_LINES = 21
