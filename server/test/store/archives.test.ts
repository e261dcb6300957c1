// `karba archive`: months are written in order to sealed files, and read back whole; retention may
// wait for them.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import {
  ArchiveDamaged,
  listWrittenArchives,
  readArchive,
} from '../../src/actions/archives/read-archive.ts'
import { findMonthToArchive, writeArchive } from '../../src/actions/archives/write-archive.ts'
import { rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { monthSpan } from '../../src/domain/countries/business-day.ts'
import { boxOf, masterKeyOf, useOf } from '../../src/service/master-key.ts'
import { archivedUntil } from '../../src/store/archives/archives.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { commandsOn } from '../kit/karba.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { newMerchant, order, post } from '../kit/service.ts'
import { openTestRuntime, sharedWithAccount } from '../kit/shared.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { newEndpoint, upTo } from '../kit/webhooks.ts'
import { DECLINES } from '../links/payer.ts'

const DAY_MS = 86_400_000

for (const store of STORES)
  describe(`archives on ${store.name}`, () => {
    const send = async () => ({
      status: 200,
      durationMs: 1,
      answer: 'thanks',
      error: null,
      retryAfterMs: null,
    })
    const settings = {
      KARBA_SANDBOX_DELAY_MS: '0',
      KARBA_KEEP_STORY_DAYS: '1',
      KARBA_KEEP_UNTIL_ARCHIVED: 'yes',
    }
    const service = sharedWithAccount(() =>
      openVirtualService(store, settings, { sender: { send, close: async () => {} } }),
    )
    const monthIn = (olderThanMonths: number) =>
      findMonthToArchive(service, TESTER, { olderThanMonths })
    const stories = async () => (await service.db.read('select entry from payment_story')).length

    async function written(month: string) {
      const { content, finish, archive } = granted(await writeArchive(service, TESTER, { month }))
      const parts: Buffer[] = []
      for await (const part of content) parts.push(part)
      return { bytes: Buffer.concat(parts), finish, archive }
    }

    type Line = Record<string, unknown> &
      Record<'story' | 'events' | 'refunds' | 'entries' | 'deliveries', object[]>

    async function lines(
      bytes: Buffer,
      deps: Parameters<typeof readArchive>[0] = service,
    ): Promise<Line[]> {
      // In small chunks, as a file may come.
      const file = (async function* () {
        for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
      })()
      const found: Line[] = []
      for await (const line of granted(await readArchive(deps, TESTER, { file })).lines)
        found.push(JSON.parse(line))
      return found
    }

    const references: string[] = []
    async function pay(count: number): Promise<void> {
      // The second one is declined: a failure is the kind of history that has rows of its own.
      for (const nth of upTo(count)) {
        const body = nth === 2 ? order({ msisdn: DECLINES }) : order()
        references.push((await post(service, service.secretKey, body)).body.reference as string)
      }
      await service.clock.sleep(60_000)
      await service.clock.advance(5_000)
    }

    it('writes months in order, the oldest first, and none that ended too recently', async () => {
      assert.deepEqual(await monthIn(1), { month: undefined }, 'no payment')
      await newEndpoint(service, service.accountId, 'https://shop.example.com/')
      // The clock begins in November 2026.
      await pay(3)
      assert.deepEqual(await monthIn(1), { month: undefined })
      await service.clock.sleep(30 * DAY_MS)
      assert.ok((await stories()) > 0)
      await pay(1)
      // An old payment is refunded in December.
      granted(await refundPayment(service, TESTER, { name: references[0] as string }))
      await service.clock.sleep(60_000)
      await service.clock.advance(5_000)
      await service.clock.sleep(35 * DAY_MS)
      await service.clock.advance(5_000)
      assert.deepEqual(
        [await monthIn(1), await monthIn(2)],
        [{ month: '2026-11' }, { month: undefined }],
      )
    })

    it('holds a payment with its story, events, refunds, entries and deliveries, and again when it has later events', async () => {
      const before = await stories()
      const { bytes, finish, archive } = await written('2026-11')
      assert.doesNotMatch(bytes.subarray(200).toString('latin1'), /payment\.succeeded|reference/)
      assert.deepEqual(
        [await monthIn(1), await archivedUntil(service.db)],
        [{ month: '2026-11' }, 0],
        'not finished',
      )
      const finished = granted(await finish())
      assert.deepEqual(
        [finished.payments, finished.bytes, finished.archiveId],
        [3, bytes.length, archive.archiveId],
      )
      assert.equal(await archivedUntil(service.db), monthSpan('2026-11').to)
      const november = await lines(bytes)
      assert.deepEqual(
        november.map(({ reference }) => reference).sort(),
        references.slice(0, 3).sort(),
      )
      const refunded = november.find(({ reference }) => reference === references[0]) as Line
      assert.deepEqual(
        [refunded.status, refunded.refunds.length, refunded.deliveries.length > 1],
        ['refunded', 1, true],
      )
      assert.ok(
        refunded.story.length > 1 && refunded.entries.length > 1 && refunded.events.length > 1,
      )
      assert.ok(refunded.msisdn)
      assert.doesNotMatch(JSON.stringify(november), /thanks/)
      // Retention takes the histories of November, and not those of December, which no archive has.
      await service.clock.sleep(DAY_MS)
      await service.clock.advance(5_000)
      const after = await stories()
      assert.ok(after < before && after > 0, `${before} then ${after}`)
      assert.deepEqual(await monthIn(0), { month: '2026-12' })
      const december = await written('2026-12')
      granted(await december.finish())
      assert.deepEqual(
        (await lines(december.bytes)).map(({ reference }) => reference).sort(),
        [references[0], references[3]].sort(),
      )
    })

    it('refuses a file that was changed, cut, or reordered, another store’s file, and no archive at all', async () => {
      const { archives } = granted(await listWrittenArchives(service, TESTER))
      assert.deepEqual(
        archives.map(({ month }) => month),
        ['2026-11', '2026-12'],
      )
      const again = await written('2027-01')
      const head = again.bytes.indexOf('\n') + 1
      const notThere = { refused: 'archive_not_found' }
      const fileOf = async function* (bytes: Buffer) {
        yield bytes
      }
      assert.deepEqual(
        await readArchive(service, TESTER, { file: fileOf(again.bytes) }),
        notThere,
        'unfinished',
      )
      granted(await again.finish())
      const changed = Buffer.from(again.bytes)
      changed[head + 40] = (changed[head + 40] as number) ^ 1
      for (const bytes of [
        changed,
        again.bytes.subarray(0, -1),
        again.bytes.subarray(0, head),
        again.bytes.subarray(0, head + 2),
      ])
        await assert.rejects(lines(bytes), ArchiveDamaged)
      for (const text of [
        '',
        'x'.repeat(5_000),
        '{"karba_archive":2,"archive":"arc_1"}\n',
        '[1]\n',
        'null\n',
      ])
        assert.deepEqual(await readArchive(service, TESTER, { file: fileOf(Buffer.from(text)) }), {
          refused: 'archive_not_valid',
        })
      const unknown = Buffer.from('{"karba_archive":1,"archive":"arc_unknown"}\n')
      assert.deepEqual(await readArchive(service, TESTER, { file: fileOf(unknown) }), notThere)
    })

    it('of two runs of one month, one finishes', async () => {
      const [one, other] = [await written('2027-02'), await written('2027-02')]
      assert.deepEqual(await one.finish(), { refused: 'archive_exists' })
      granted(await other.finish())
      const third = await written('2027-02')
      assert.deepEqual(await third.finish(), { refused: 'archive_exists' })
    })

    it('can be read after the master key was rotated', async () => {
      const { bytes, finish } = await written('2027-03')
      granted(await finish())
      const to = masterKeyOf('ab'.repeat(32))
      const { random } = service
      granted(
        await rotateMasterKey(service, TESTER, {
          from: useOf(service.master, random),
          to: useOf(to, random),
        }),
      )
      const deps = { db: service.db, random, archives: boxOf(to, 'archives', random) }
      assert.deepEqual(await lines(bytes, deps), [])
    })
  })

it('karba archive: writes the months to a folder, lists them, and prints a payment of a file', async (t) => {
  const runtime = await openTestRuntime(SQLITE)
  t.after(() => runtime.remove())
  const { accountId } = (await newMerchant(runtime)).accounts.sandbox
  await insertPending(runtime, accountId, 3, { dueAt: 2 ** 45 })
  await runtime.db.change('update payments set created_at = :createdAt', {
    createdAt: runtime.clock.now() - 100 * DAY_MS,
  })
  const [payment] = await runtime.db.read<{ reference: string }>('select reference from payments')
  const reference = payment?.reference as string
  const { karba, json, fails } = commandsOn(runtime.place.env)
  const folder = runtime.config.dataDir
  await fails(/There is no folder/, 'archive', 'write', join(folder, 'nowhere'))
  assert.deepEqual(await json('archive', 'write', folder), { archives: [] })
  const { archives } = await json('archive', 'write', folder, '--older-than', '1')
  const [{ file, payments, month }] = archives
  assert.deepEqual(
    [payments, basename(file).startsWith(`karba-${month}-arc_`), statSync(file).mode & 0o777],
    [3, true, 0o600],
  )
  assert.deepEqual(await json('archive', 'write', folder, '--older-than', '1'), { archives: [] })
  const listed = await json('archive', 'list')
  assert.deepEqual(
    listed.archives,
    archives.map(({ file: _, ...rest }: { file: string }) => rest),
  )
  const all = await karba('archive', 'read', file)
  assert.equal(all.stdout.trim().split('\n').length, 3)
  const one = await karba('archive', 'read', file, '--reference', reference)
  assert.deepEqual([one.code, JSON.parse(one.stdout).reference], [0, reference])
  await fails(/has no payment other/, 'archive', 'read', file, '--reference', 'other')
  writeFileSync(file, readFileSync(file).subarray(0, -1))
  assert.match(
    (await karba('archive', 'read', file)).stderr,
    /is damaged: the file ends before its last line/,
  )
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.archive')).length,
    archives.length,
  )
})
