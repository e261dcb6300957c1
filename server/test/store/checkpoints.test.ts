// SQLite's WAL under writes that never pause: it is copied into the database file and begins anew, and what was copied can be read.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { openStore } from '../kit/watched-store.ts'

/** Each row takes a page of its own. */
const BODY = 'x'.repeat(3_000)
const ROWS_AT_ONCE = 100
/** Without the thread it would be 64,000. */
const MOST_PAGES = 40_000

it('the WAL begins anew while writing goes on, and nothing is lost', async (t) => {
  const place = await SQLITE.makePlace()
  const db = openStore(place.config)
  const beside = new DatabaseSync(place.config.databaseUrl.slice('sqlite:'.length))
  t.after(async () => {
    beside.close()
    await db.close()
    await place.remove()
  })
  await db.change('create table rows (number bigint not null primary key, body text not null)')
  let written = 0
  const writeSome = async (): Promise<void> => {
    const some = Array.from({ length: ROWS_AT_ONCE }, () =>
      db.change('insert into rows values ($1, $2)', [++written, BODY]),
    )
    await Promise.all(some)
  }
  const pages = (): number => (beside.prepare('pragma wal_checkpoint(noop)').get() as { log: number }).log
  let most = 0
  await until('WAL that begins anew', async () => {
    await writeSome()
    most = Math.max(most, pages())
    return pages() < most
  })
  assert.ok(most < MOST_PAGES, `it had ${most} pages`)
  assert.equal((await db.rows('select number from rows where body = $1', [BODY])).length, written)
})
