// A file whose dates can be read with the day or the month first, on both stores: the payments that
// its lines name decide, or the person who imports it.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type DateOrder, importStatementFile } from '../../src/actions/books/import-file.ts'
import type { ColumnMapping } from '../../src/domain/books/statement.ts'
import { keepMapping } from '../../src/store/books/statements.ts'
import { TESTER } from '../kit/callers.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const MAPPING: ColumnMapping = {
  columns: { bookedAt: 'Date', amount: 'Amount', ourReference: 'Ours', networkReference: 'Id' },
  types: { '': 'collection' },
  statuses: [],
  outgoing: [],
  dateOrder: 'day_first',
  utcOffsetMinutes: 60,
}
/** The ninth of November, when every reading of a date that begins with 09 or 11 is in the past. */
const START = Date.UTC(2026, 10, 9, 10)
const DAYS = { dayFirst: '09/11/2026', monthFirst: '11/09/2026' } as const

for (const store of STORES_IN_HALVES) {
  describe(`order of days and months on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store, {}, { startAt: START }))
    let shop: ShopBooks
    before(async () => {
      shop = await openShopBooks(service)
      await keepMapping(service.db, CONNECTION, MAPPING, { by: 'tester', at: 0 })
    })
    let nth = 0

    /** Imports a line for each reference, with dates as they are written. */
    const importDated = (
      rows: readonly [date: string, reference: string][],
      dateOrder?: DateOrder,
    ) => {
      const lines = rows.map(
        ([date, reference]) => `${date} 11:00:00;MP${++nth}0000;${reference};1500`,
      )
      const file = Buffer.from(['Date;Id;Ours;Amount', ...lines, ''].join('\n'))
      const open = async function* () {
        yield file
      }
      const deps = { ...service, isConnected: () => true, connectorOf: () => undefined }
      return importStatementFile(deps, TESTER, {
        ...CONNECTION,
        name: 'a.csv',
        open,
        isDryRun: false,
        dateOrder,
      })
    }
    const countsOf = async (...given: Parameters<typeof importDated>) => {
      const imported = await importDated(...given)
      return 'added' in imported
        ? { added: imported.added, exceptions: imported.exceptions }
        : imported
    }
    const lastDays = async (most: number): Promise<string[]> => {
      const rows = await service.db.read<{ at: number }>(
        'select booked_at as at from statement_lines order by line_number desc limit :most',
        { most },
      )
      return rows.map(({ at }) => new Date(at).toISOString().slice(0, 10))
    }

    for (const [order, date] of Object.entries(DAYS)) {
      it(`payments of that day show the order: ${order}`, async () => {
        const rows: [string, string][] = [
          [date, await shop.settled()],
          [date, await shop.settled()],
        ]
        assert.deepEqual(await countsOf(rows), { added: 2, exceptions: {} })
        assert.deepEqual(await lastDays(2), ['2026-11-09', '2026-11-09'])
      })
    }

    it('a date of the future decides', async () => {
      assert.deepEqual(await countsOf([['12/11/2026', '']], undefined), {
        refused: 'statement_not_valid',
        fault: {
          fault: 'date_order_unclear',
          line: 2,
          dayFirst: '2026-11-12',
          monthFirst: '2026-12-11',
        },
      })
      assert.deepEqual(await countsOf([['10/12/2026', '']]), {
        added: 1,
        exceptions: { missing_here: 1 },
      })
      assert.deepEqual(await lastDays(1), ['2026-10-12'])
    })

    it('without a payment the file is refused with both readings, and read as a person says', async () => {
      const refused = {
        refused: 'statement_not_valid',
        fault: {
          fault: 'date_order_unclear',
          line: 2,
          dayFirst: '2026-11-08',
          monthFirst: '2026-08-11',
        },
      }
      const rows: [string, string][] = [['08/11/2026', '']]
      assert.deepEqual(await importDated(rows), refused)
      assert.deepEqual(await countsOf(rows, 'day_first'), {
        added: 1,
        exceptions: { missing_here: 1 },
      })
      assert.deepEqual(await lastDays(1), ['2026-11-08'])
      assert.deepEqual(await countsOf(rows, 'month_first'), {
        added: 1,
        exceptions: { missing_here: 1 },
      })
      assert.deepEqual(await lastDays(1), ['2026-08-11'])
    })

    it('a day above twelve, and a year that comes first, leave no doubt', async () => {
      const rows: [string, string][] = [
        ['08/11/2026', ''],
        ['31/10/2026', ''],
      ]
      assert.deepEqual(await countsOf(rows), { added: 2, exceptions: { missing_here: 2 } })
      assert.deepEqual(await countsOf([['2026-11-08', '']]), {
        added: 1,
        exceptions: { missing_here: 1 },
      })
    })

    it('a line two days from its payment is named, and one a day from it is not', async () => {
      const rows: [string, string][] = [
        ['2026-11-10', await shop.settled()],
        ['2026-11-11', await shop.settled()],
        ['2026-11-07', await shop.settled()],
      ]
      assert.deepEqual(await countsOf(rows), { added: 3, exceptions: { wrong_day: 2 } })
      assert.ok((await shop.openKinds()).includes('wrong_day'))
    })
  })
}
