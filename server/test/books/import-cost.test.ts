// What an import asks of the store: statements for each slice and not for each line, with a rest
// after each slice.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importStatementFile } from '../../src/actions/books/import-file.ts'
import type { ColumnMapping } from '../../src/domain/books/statement.ts'
import { keepMapping } from '../../src/store/books/statements.ts'
import type { Database, Transaction } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { shared } from '../kit/shared.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const CONNECTION = { environment: 'sandbox', connection: 'airtel_ne' } as const
const MAPPING: ColumnMapping = {
  columns: { bookedAt: 'Date', amount: 'Amount', ourReference: 'Ours', networkReference: 'Id' },
  types: { '': 'collection' },
  statuses: [],
  outgoing: [],
  dateOrder: 'year_first',
  utcOffsetMinutes: 0,
}
const SLICES = 5
const LINES_PER_SLICE = 200
const MOST_STATEMENTS_PER_SLICE = 10

for (const store of STORES) {
  describe(`cost of imports on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))

    it('an import has few statements for each slice of lines, and rests after each', async () => {
      const counts = { statements: 0, rests: 0 }
      const rows = Array.from(
        { length: SLICES * LINES_PER_SLICE },
        (_, nth) => `2026-11-01 10:00:00;N${nth};0${String(nth).padStart(23, '0')};500\n`,
      )
      const file = Buffer.from(`Date;Id;Ours;Amount\n${rows.join('')}`)
      await keepMapping(service.db, CONNECTION, MAPPING, { by: 'tester', at: 0 })
      const deps = {
        ...service,
        db: counting(service.db, counts),
        isConnected: () => true,
        connectorOf: () => undefined,
        pauseAfter: async (tookMs: number) => {
          assert.ok(tookMs >= 0)
          counts.rests++
        },
      }
      const open = async function* () {
        yield file
      }
      const statement = { ...CONNECTION, name: 'a.csv', open, isDryRun: false }
      const imported = granted(await importStatementFile(deps, TESTER, statement))
      assert.deepEqual(imported.exceptions, { missing_here: rows.length })
      assert.ok(counts.rests >= 2 * SLICES, `${counts.rests} rests while it was read and booked`)
      const most = (SLICES + 2) * MOST_STATEMENTS_PER_SLICE
      assert.ok(counts.statements <= most, `${counts.statements} statements for ${SLICES} slices`)
    })
  })
}

/** Counts the statements of transactions. */
const counting = (db: Database, counts: { statements: number }): Database => ({
  ...db,
  transaction: (work) =>
    db.transaction((tx) => {
      const counted =
        <Given extends unknown[], T>(call: (...given: Given) => T) =>
        (...given: Given): T => {
          counts.statements++
          return call(...given)
        }
      const all: Transaction = {
        read: counted(tx.read) as Transaction['read'],
        write: counted(tx.write) as Transaction['write'],
        change: counted(tx.change),
        many: counted(tx.many) as Transaction['many'],
        changeEach: counted(tx.changeEach),
      }
      return work(all)
    }),
})
