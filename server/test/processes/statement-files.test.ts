// `karba statement columns` and `karba statement import` as processes on both stores: a file that
// cannot be read for certain is refused with its words and the count, and can be read once the
// columns say what they mean.

import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Ran, spawnKarba } from '../kit/process.ts'
import { shared } from '../kit/shared.ts'
import { type Cell, workbookOfSheets } from '../kit/statement-files.ts'
import { openStore, STORES } from '../kit/stores.ts'

const HEADINGS = ['Id', 'Date', 'Status', 'Amount']
const MAPPING = {
  columns: { bookedAt: 'Date', amount: 'Amount', status: 'Status', networkReference: 'Id' },
  types: { '': 'collection' },
  statuses: ['Successful'],
}
const rowOf = (nth: number, status: string): string[] => [
  `90${nth}`,
  '2026-11-09 09:30:00',
  status,
  `${1_000 + nth}`,
]

for (const store of STORES) {
  describe(`statement files as a process on ${store.name}`, () => {
    const place = shared(() => store.makePlace({}, { isMigrated: true }))
    const folder = mkdtempSync(join(tmpdir(), 'karba-statement-files-'))
    let files = 0
    const write = (content: string | Buffer, ending = 'csv'): string => {
      const path = join(folder, `${++files}.${ending}`)
      writeFileSync(path, content)
      return path
    }
    const csv = (rows: readonly string[][]): string =>
      write(rows.map((cells) => `${cells.join(';')}\n`).join(''))
    const karba = (...args: string[]): Promise<Ran> => spawnKarba(['statement', ...args], place.env)
    const setColumns = async (connection: string, mapping: object): Promise<void> => {
      const empty = csv([Object.values((mapping as typeof MAPPING).columns)])
      const { code, stderr } = await karba(
        'columns',
        connection,
        empty,
        '--mapping',
        write(JSON.stringify(mapping)),
      )
      assert.equal(code, 0, stderr)
    }
    async function refused(wanted: RegExp, ...args: string[]): Promise<void> {
      const { code, stdout, stderr } = await karba(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, wanted)
    }

    it('statement import: states that no column explains are refused with their words and the count', async () => {
      await setColumns('sandbox/airtel_ne', MAPPING)
      const file = csv([
        HEADINGS,
        rowOf(1, 'Réussi'),
        rowOf(2, 'Succès'),
        rowOf(3, 'Réussi'),
        rowOf(4, 'Successful'),
      ])
      const words = /The state of 3 rows is not known: “Réussi” \(2\), “Succès” \(1\)\./
      await refused(words, 'import', 'sandbox/airtel_ne', file)
      await refused(words, 'import', 'sandbox/airtel_ne', file, '--dry-run')
      await refused(
        words,
        'columns',
        'sandbox/airtel_ne',
        file,
        '--mapping',
        write(JSON.stringify(MAPPING)),
      )
      await setColumns('sandbox/airtel_ne', {
        ...MAPPING,
        statuses: ['Successful', 'Réussi', 'Succès'],
      })
      assert.match((await karba('import', 'sandbox/airtel_ne', file)).stdout, /^4 lines: 4 added/)
      assert.match(
        (await karba('import', 'sandbox/airtel_ne', file)).stdout,
        /^This file was imported before/,
      )
    })

    it('statement import: types that no column explains are refused with their words and the count', async () => {
      const mapping = {
        ...MAPPING,
        columns: { ...MAPPING.columns, type: 'Type' },
        types: { Payment: 'collection' },
      }
      await setColumns('sandbox/moov_bj', mapping)
      const file = csv([
        [...HEADINGS, 'Type'],
        [...rowOf(21, 'Successful'), 'Payment'],
        [...rowOf(22, 'Successful'), 'Paiement'],
        [...rowOf(23, 'Successful'), 'Paiement'],
      ])
      const words = /The type of 2 rows is not known: “Paiement” \(2\)\./
      await refused(words, 'import', 'sandbox/moov_bj', file, '--dry-run')
      await refused(words, 'import', 'sandbox/moov_bj', file)
      const types = { ...mapping.types, Paiement: 'collection' }
      await setColumns('sandbox/moov_bj', { ...mapping, types })
      assert.match((await karba('import', 'sandbox/moov_bj', file)).stdout, /^3 lines: 3 added/)
    })

    it('statement import: an amount of a workbook that is not in whole francs is shown', async () => {
      await setColumns('sandbox/celtiis_bj', MAPPING)
      const cells = (rowOf(31, 'Successful') as Cell[]).with(3, { xml: '<c><v>1500.5</v></c>' })
      await refused(
        /Line 2, Amount: “1500\.5000” is not an amount in whole francs/,
        'import',
        'sandbox/celtiis_bj',
        write(workbookOfSheets([[HEADINGS, cells]]), 'xlsx'),
      )
    })

    it('statement import: a file is read again when its columns have changed, and adds what they now explain', async () => {
      await setColumns('sandbox/mtn_bj', { ...MAPPING, undecided: ['Succeeded'] })
      const file = csv([
        HEADINGS,
        rowOf(1, 'Successful'),
        rowOf(2, 'Succeeded'),
        rowOf(3, 'Succeeded'),
      ])
      assert.match((await karba('import', 'sandbox/mtn_bj', file)).stdout, /^1 line: 1 added/)
      await setColumns('sandbox/mtn_bj', { ...MAPPING, statuses: ['Successful', 'Succeeded'] })
      assert.match(
        (await karba('import', 'sandbox/mtn_bj', file, '--dry-run')).stdout,
        /^3 lines: 2 would be added/,
      )
      assert.match((await karba('import', 'sandbox/mtn_bj', file)).stdout, /^3 lines: 2 added/)
      await setColumns('sandbox/mtn_bj', {
        ...MAPPING,
        statuses: ['Successful', 'Succeeded'],
        utcOffsetMinutes: 0,
      })
      await refused(
        /3 rows of this file, the first in line 2, were imported by other columns/,
        'import',
        'sandbox/mtn_bj',
        file,
      )
    })

    it('statement take-back: the lines of a file read by other columns leave, and the file is imported again', async () => {
      const rows = [HEADINGS, rowOf(11, 'Successful'), rowOf(12, 'Successful')]
      await setColumns('sandbox/moov_ne', MAPPING)
      const file = csv(rows)
      assert.match((await karba('import', 'sandbox/moov_ne', file)).stdout, /^2 lines: 2 added/)
      await setColumns('sandbox/moov_ne', { ...MAPPING, utcOffsetMinutes: 0 })
      await refused(/Take that import back/, 'import', 'sandbox/moov_ne', file)
      const [imported] = JSON.parse((await karba('files', '--json')).stdout)
      const taken = await karba('take-back', imported.file, '--note', 'another zone', '--json')
      assert.deepEqual(JSON.parse(taken.stdout), {
        file: imported.file,
        taken_back: true,
        lines: 2,
        entries: 0,
        import_again: [],
      })
      const [listed] = JSON.parse((await karba('files', '--json')).stdout)
      assert.deepEqual([listed.state, listed.added], ['taken_back', 0])
      assert.match((await karba('import', 'sandbox/moov_ne', file)).stdout, /^2 lines: 2 added/)
    })

    it('statement import: a file with minutes for seconds, and numbers with decimals for references, adds nothing', async () => {
      await setColumns('sandbox/celtiis_bj', MAPPING)
      const file = csv([HEADINGS, ['9000000021', '2026-11-09 09:30:41', 'Successful', '1500']])
      const same = csv([HEADINGS, ['9000000021.0', '2026-11-09 09:30', 'Successful', '1500']])
      assert.match((await karba('import', 'sandbox/celtiis_bj', file)).stdout, /^1 line: 1 added/)
      assert.match((await karba('import', 'sandbox/celtiis_bj', same)).stdout, /^1 line: 0 added/)
    })

    it('statement import: dates with the month first are refused until a person says the order', async () => {
      await setColumns('live/celtiis_bj', MAPPING)
      const file = csv([HEADINGS, ['9000000031', '03/04/2026 09:30', 'Successful', '1500']])
      const readings =
        /Line 2 is of 2026-04-03 with the day first, and of 2026-03-04 with the month first/
      await refused(readings, 'import', 'live/celtiis_bj', file)
      const imported = await karba('import', 'live/celtiis_bj', file, '--date-order', 'month_first')
      assert.match(imported.stdout, /^1 line: 1 added/)
    })

    it('statement import: a currency other than francs is refused, in a column that no mapping names', async () => {
      const paid = ['2026-11-09 09:30:00', '125', 'A1']
      const file = csv([
        ['Date', 'Montant', 'Reference', 'Devise'],
        [...paid, 'XOF'],
        [...paid, 'USD'],
      ])
      await refused(/Line 3, Devise: “USD”/, 'columns', 'live/airtel_ne', file)
      const francs = csv([['Date', 'Montant', 'Reference'], paid])
      assert.equal((await karba('columns', 'live/airtel_ne', francs)).code, 0)
      await refused(/Line 3, Devise: “USD”/, 'import', 'live/airtel_ne', file, '--dry-run')
    })

    it('statement import: rows in a second sheet are named', async () => {
      const sheet = [
        ['Date', 'Montant', 'Reference'],
        ['2026-11-09 09:30:00', '125', 'A1'],
      ]
      const file = write(workbookOfSheets([sheet, sheet, []]), 'xlsx')
      await refused(/The sheet “Feuil2” has 2 rows too/, 'import', 'live/airtel_ne', file)
      const one = write(workbookOfSheets([sheet, []]), 'xlsx')
      assert.match((await karba('import', 'live/airtel_ne', one)).stdout, /^1 line: 1 added/)
    })

    it('statement columns: a date beside an hour is one time, and the sign gives the type', async () => {
      const file = csv([
        ['Date', 'Heure', 'Montant', 'Reference'],
        ['2026-11-09', '10:30', '700', 'B1'],
        ['2026-11-09', '10:31', '-200', 'B2'],
      ])
      const { stdout } = await karba('columns', 'live/mtn_bj', file)
      const { columns, types } = JSON.parse(stdout)
      assert.deepEqual([columns.time, types], ['Heure', { '': 'collection' }])
      assert.match((await karba('import', 'live/mtn_bj', file)).stdout, /^2 lines: 2 added/)
      const db = openStore(place.config)
      const lines = await db.read<{ booked_at: number; type: string }>(
        `select booked_at, type from statement_lines where network_reference in ('B1', 'B2')
          order by booked_at`,
      )
      await db.close()
      assert.deepEqual(
        lines.map((line) => ({ ...line })),
        [
          { booked_at: Date.UTC(2026, 10, 9, 9, 30), type: 'collection' },
          { booked_at: Date.UTC(2026, 10, 9, 9, 31), type: 'other' },
        ],
      )
    })
  })
}
