// An import that kill -9 ends in the middle: `karba verify` and `karba doctor` name it, and a
// server goes on with it from the kept file. One whose file is gone is taken back.
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { spawnKarba, startKarba, startProcess } from '../kit/process.ts'
import { openStore, STORES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const CONNECTION = 'sandbox/airtel_ne'
const LINES = 4_000
/** A server writes at a fifth of its time while requests or payments wait. */
const GOES_ON_WITHIN_MS = 180_000

for (const store of STORES) {
  for (const isKept of [true, false]) {
    const then = isKept ? 'goes on with it' : 'takes it back without its file'
    it(`kill -9 of an import: it is named, and a server ${then}, on ${store.name}`, async (t) => {
      const place = await store.makePlace({}, { isMigrated: true })
      const db = openStore(place.config)
      t.after(async () => {
        await db.close()
        await place.remove()
      })
      const path = join(mkdtempSync(join(tmpdir(), 'karba-killed-import-')), 'november.csv')
      const rows = Array.from(
        { length: LINES },
        (_, nth) => `2026-11-13 10:00:00,${1_000 + nth},N${nth}00\n`,
      )
      writeFileSync(path, `Date,Montant,Reference\n${rows.join('')}`)
      const columns = await spawnKarba(['statement', 'columns', CONNECTION, path], place.env)
      assert.equal(columns.code, 0, columns.stderr)

      const stateOf = async () => {
        const [file] = await db.read<{ state: string; added: number; ended: number | null }>(
          'select state, added, take_back_ended_at as ended from statement_files',
        )
        return file
      }
      const importing = startKarba(['statement', 'import', CONNECTION, path], place.env)
      await until('a part is booked', async () => ((await stateOf())?.added ?? 0) > 0)
      importing.child.kill('SIGKILL')
      await importing.closed
      const cut = await stateOf()
      assert.ok(cut?.state === 'importing' && cut.added < LINES, JSON.stringify(cut))
      // A minute later.
      await db.change('update statement_sources set importing_until = 1')
      await db.change('update statement_files set imported_at = imported_at - 3600000')
      if (!isKept) await db.change('delete from kept_files')

      const verified = await spawnKarba(['verify'], place.env)
      assert.equal(verified.code, 1)
      assert.match(
        verified.stdout + verified.stderr,
        /The import of the statement’s file stm_\w+ was cut off/,
      )
      const examined = await spawnKarba(['doctor'], place.env)
      assert.match(examined.stdout, /Imports of statements were cut off \(stm_/)

      const server = await startProcess(place.env)
      t.after(() => server.end('SIGKILL'))
      if (isKept)
        await until(
          'it is imported',
          async () => (await stateOf())?.state === 'imported',
          GOES_ON_WITHIN_MS,
        )
      else
        await until(
          'it is taken back',
          async () => (await stateOf())?.ended != null,
          GOES_ON_WITHIN_MS,
        )
      assert.equal((await stateOf())?.added, isKept ? LINES : 0)
      const after = await spawnKarba(['verify'], place.env)
      assert.equal(after.code, 0, after.stdout + after.stderr)
    })
  }
}
