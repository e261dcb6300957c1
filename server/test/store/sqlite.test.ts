// SQLite only: checkpoints under constant writes, another process's lock, damaged pages.

import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { makeLog } from '../../src/observability/log.ts'
import { checkUp } from '../../src/service/check-up.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { isStartRefusal, openRuntime } from '../../src/service/runtime.ts'
import {
  findAccountsInTurn,
  findPendingConnections,
} from '../../src/store/payments/pending-payments.ts'
import { listMovedSince } from '../../src/store/webhooks/events.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, newMerchant, openTestService, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { openStore, SQLITE, type StorePlace } from '../kit/stores.ts'
import { until, within } from '../kit/waiting.ts'
import { SUCCEEDS_AT_ONCE } from '../links/payer.ts'

// The checkpoint copies the WAL into the database file and restarts it while writes never pause.
describe('SQLite: checkpoints', () => {
  /** Each row takes its own page. */
  const BODY = 'x'.repeat(3_000)
  const ROWS_AT_ONCE = 100
  /** Without the checkpoint thread it would be 64,000. */
  const MOST_PAGES = 40_000

  it('the WAL restarts during constant writes, and nothing is lost', async (t) => {
    const place = await SQLITE.makePlace()
    const db = openStore(place.config)
    const otherConnection = new DatabaseSync(place.config.databaseUrl.slice('sqlite:'.length))
    t.after(async () => {
      otherConnection.close()
      await db.close()
      await place.remove()
    })
    await db.change('create table rows (number bigint not null primary key, body text not null)')
    let written = 0
    const writeSome = async (): Promise<void> => {
      const some = Array.from({ length: ROWS_AT_ONCE }, () =>
        db.change('insert into rows values (:number, :body)', {
          number: ++written,
          body: BODY,
        }),
      )
      await Promise.all(some)
    }
    const pages = (): number =>
      (otherConnection.prepare('pragma wal_checkpoint(noop)').get() as { log: number }).log
    let most = 0
    await until('restart of the WAL', async () => {
      await writeSome()
      most = Math.max(most, pages())
      return pages() < most
    })
    assert.ok(most < MOST_PAGES, `it had ${most} pages`)
    assert.equal(
      (await db.read('select number from rows where body = :BODY', { BODY })).length,
      written,
    )
  })
})

// Another process writes to the same file, as a command does: writes wait for its lock, reads do
// not.
describe('SQLite: another writer', () => {
  const HELD_MS = 1_000
  /** Many clients time out after ten seconds. */
  const LONGEST_WAIT_MS = 9_000

  /** This process may be writing too, so this writer must get a turn. */
  async function takeLock(): Promise<void> {
    for (;;) {
      try {
        other.exec('begin immediate')
        return
      } catch {
        await pause(1)
      }
    }
  }

  let other: DatabaseSync
  after(() => other.close())
  const service = sharedWithAccount(() => openTestService())
  let reference: string
  before(async () => {
    other = new DatabaseSync(service.config.databaseUrl.slice('sqlite:'.length))
    reference = (await post(service, service.secretKey, order())).body.reference as string
  })
  beforeEach(() => takeLock())

  it('a write waits for another process’s lock, and reads are answered meanwhile', async () => {
    const { secretKey } = service
    let isRecorded = false
    const recording = post(service, secretKey, order()).then((answer) => {
      isRecorded = true
      return answer
    })
    let reads = 0
    for (const until = performance.now() + HELD_MS; performance.now() < until; reads++) {
      assert.equal((await get(service, secretKey, reference)).code, 200)
      await pause(10)
    }
    assert.equal(isRecorded, false, 'nothing is acknowledged while it cannot be written')
    assert.ok(reads > 10, `${reads} reads were answered`)
    other.exec('rollback')
    assert.equal((await recording).code, 200)
  })

  it('a lock that is never released gives 503, and nothing is recorded', async () => {
    const { secretKey } = service
    const refused = order()
    assert.equal((await post(service, secretKey, refused)).code, 503)
    other.exec('rollback')
    assert.equal((await get(service, secretKey, refused.transaction_id as string)).code, 404)
    assert.equal((await post(service, secretKey, refused)).code, 200)
  })

  it('a lock that is never released: later creates share the wait of earlier ones', async () => {
    const { secretKey } = service
    const asked: Promise<{ code: number; ms: number }>[] = []
    for (
      const until = performance.now() + LONGEST_WAIT_MS;
      performance.now() < until;
      await pause(250)
    ) {
      const begun = performance.now()
      asked.push(
        post(service, secretKey, order()).then(({ code }) => ({
          code,
          ms: performance.now() - begun,
        })),
      )
    }
    const answers = await Promise.all(asked)
    assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([503]))
    const longest = Math.max(...answers.map(({ ms }) => ms))
    assert.ok(longest < LONGEST_WAIT_MS, `${longest} ms`)
    other.exec('rollback')
    assert.equal((await post(service, secretKey, order())).code, 200)
  })

  it('a read waits for no lock, also when it begins with a common table expression', async () => {
    const { db, accountId } = service
    const line = { environment: 'sandbox', connection: 'airtel_ne', kind: 'request' } as const
    const reads = [
      findAccountsInTurn(db, line, '', 10),
      findPendingConnections(db),
      listMovedSince(db, [{ accountId, sequence: 0 }]),
    ]
    await within('reads during the lock', Promise.all(reads), 2_000)
    other.exec('rollback')
  })
})

// Pages are overwritten before a start or under a server: answers are right or 503, and only 503
// after the first damage. SQLite has no page checksums, so changed content in a valid page is not
// found.
describe('SQLite: damaged file', () => {
  const PAGE = 4_096
  /** The first byte of a page: table entries, index entries. */
  const LEAVES = { table: 13, index: 10 } as const
  const PAYMENTS = 60

  let place: StorePlace
  let secretKey: string
  let file: string
  /** The file before any damage, and each payment as read then. */
  let whole: Buffer
  const truth = new Map<string, unknown>()

  before(async () => {
    place = await SQLITE.makePlace()
    file = `${place.config.dataDir}/karba.db`
    const service = await openService(place.config)
    secretKey = (await newMerchant(service)).accounts.sandbox.secretKey
    for (let nth = 0; nth < PAYMENTS; nth++) {
      const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
      truth.set(body.reference as string, undefined)
    }
    await service.close()
    // Later reads must come from the file, not from the page cache of the connection that wrote it.
    const again = await openService(place.config)
    for (const reference of truth.keys())
      truth.set(reference, (await get(again, secretKey, reference)).body)
    await again.close()
    whole = readFileSync(file)
  })
  after(() => place.remove())

  function overwrite(page: number, fill: number): void {
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, Buffer.alloc(PAGE, fill), 0, PAGE, page * PAGE)
    closeSync(descriptor)
  }

  /** The pages of this kind that hold a payment's reference. */
  const pagesWith = (first: number): number[] =>
    Array.from({ length: whole.length / PAGE }, (_, page) => page).filter((page) => {
      const bytes = whole.subarray(page * PAGE, (page + 1) * PAGE)
      return bytes[0] === first && [...truth.keys()].some((reference) => bytes.includes(reference))
    })

  for (const [what, damage] of [
    ['its first page', () => overwrite(0, 0xff)],
    ['the table of its migrations', () => overwrite(1, 0xff)],
    ['every page', () => writeFileSync(file, Buffer.alloc(whole.length, 0xff))],
  ] as const) {
    it(`a start is refused with an instruction: damage of ${what}`, async () => {
      writeFileSync(file, whole)
      damage()
      await assert.rejects(openService(place.config), (error: Error) => {
        assert.ok(isStartRefusal(error), error.stack)
        assert.match(error.message, /damaged.*karba verify.*karba restore/)
        return true
      })
    })
  }

  async function readEach(service: Service): Promise<Set<number>> {
    const codes = new Set<number>()
    for (const [reference, body] of truth) {
      const answer = await get(service, secretKey, reference)
      codes.add(answer.code)
      if (answer.code === 200) assert.deepEqual(answer.body, body)
    }
    return codes
  }

  for (const [kind, first] of Object.entries(LEAVES)) {
    for (const fill of [0xff, 0]) {
      for (const when of ['before a start', 'under the server'] as const) {
        it(`answers are right or 503, and only 503 after the first 503: pages with ${kind} entries are ${fill === 0 ? 'zeroed' : 'overwritten'} ${when}`, async () => {
          writeFileSync(file, whole)
          const damage = (): void => {
            for (const page of pagesWith(first)) overwrite(page, fill)
          }
          if (when === 'before a start') damage()
          const lines: string[] = []
          const log = makeLog('fatal', { write: (line) => void lines.push(line) })
          const service = await openService(place.config, { log })
          try {
            if (when === 'under the server') damage()
            const codes = await readEach(service)
            codes.delete(200)
            assert.deepEqual(codes, new Set([503]))
            assert.deepEqual(await readEach(service), new Set([503]))
            assert.equal((await post(service, secretKey, order())).code, 503)
            assert.equal((await service.app.inject('/readyz')).statusCode, 503)
            assert.equal(lines.length, 1)
            assert.match(lines[0] as string, /the store is damaged/)
          } finally {
            await service.close()
          }
        })
      }
    }
  }

  it('karba verify and karba doctor name the damage', async () => {
    writeFileSync(file, whole)
    for (const page of pagesWith(LEAVES.index)) overwrite(page, 0xff)
    const runtime = await openRuntime(place.config)
    try {
      const { findings } = granted(await verifyStore(runtime, TESTER))
      assert.ok(findings.some(({ kind }) => kind === 'file_damaged'))
      const results = await checkUp(runtime.config, runtime.db, runtime.clock.now)
      assert.equal(results.find(({ name }) => name === 'store')?.is, 'dangerous')
    } finally {
      await runtime.close()
    }
  })
})
