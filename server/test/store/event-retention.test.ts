// Retention of events: old ones are removed from the beginning of a feed, and no reader misses one
// without an answer that says so (D-165).

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readEvents } from '../../src/actions/events/read-events.ts'
import { searchPayments } from '../../src/actions/payments/list-payments.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { MOST_REPLAYS, replayEvents, showDelivery } from '../../src/actions/webhooks/deliveries.ts'
import { makeTimedReference } from '../../src/domain/payments/reference.ts'
import {
  deliveryName,
  type FeedPage,
  type FeedQuery,
} from '../../src/domain/webhooks/webhook-event.ts'
import { type Database, StoreUnavailable, textOf } from '../../src/store/engine/database.ts'
import { findFeedStart } from '../../src/store/retention/feed-starts.ts'
import { OLD_ATTEMPTS, OLD_DELIVERIES, type OldRows } from '../../src/store/retention/old-rows.ts'
import { eventPruner, historyPruner } from '../../src/worker/prune.ts'
import { paymentSummariser } from '../../src/worker/summarise-payments.ts'
import { granted, merchantKey, TESTER } from '../kit/callers.ts'
import { openWebhookService, sendEvents } from '../kit/receiver.ts'
import { head, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { change, deliveries, endpointOf, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const DAY_MS = 86_400_000
const DAYS = 30
const HOST = 'https://shop.example.com/'

for (const store of STORES)
  describe(`event retention on ${store.name}`, async () => {
    const service = await openWebhookService(store)
    const { db, clock } = service
    after(() => service.remove())

    const later = (days: number) => ({ now: () => clock.now() + days * DAY_MS })

    /** The figures count every event. */
    async function summarise(): Promise<void> {
      const round = paymentSummariser(db, clock, () => false)
      while (await round());
    }

    /**
     * A whole pass, by default so late that every event of now is old. Returns the number of
     * removed events.
     */
    async function prune(
      days = DAYS + 1,
      on: Database = db,
      archivedUntil?: number,
    ): Promise<number> {
      let removed = 0
      const pruned = (count: number): void => {
        removed += count
      }
      const until = archivedUntil === undefined ? {} : { archivedUntil: async () => archivedUntil }
      const round = eventPruner({ db: on, clock: later(days), days: DAYS, ...until, pruned })
      while (await round());
      return removed
    }

    const newAccount = async () => (await service.merchant()).accounts.sandbox
    const read = (accountId: string, query: Partial<FeedQuery> = {}) =>
      readEvents(service, merchantKey(accountId), {
        after: '',
        limit: 100,
        replaysAfter: undefined,
        ...query,
      })
    const sequencesOf = (page: object): number[] =>
      (page as FeedPage).events.map(({ sequence }) => sequence)

    async function filled(count: number) {
      const account = await newAccount()
      await writeEvents(service, account.accountId, upTo(count))
      await summarise()
      return account
    }

    it('keeps events for their time, for ever with 0 days, and until the daily figures count them', async () => {
      const { accountId } = await newAccount()
      await writeEvents(service, accountId, upTo(3))
      assert.equal(await prune(), 0, 'not counted')
      await summarise()
      assert.equal(await prune(DAYS - 1), 0, 'young')
      assert.equal(
        await eventPruner({ db, clock: later(99), days: 0, pruned: () => assert.fail() })(),
        false,
      )
      assert.equal(await prune(DAYS + 1, db, clock.now() - 1), 0, 'not archived')
      assert.deepEqual(sequencesOf(await read(accountId)), [1, 2, 3])
      assert.equal(await prune(), 3)
      assert.equal(await prune(), 0)
    })

    it('refuses a cursor before removed events, begins with the oldest kept one, and goes on after it', async () => {
      const { accountId, secretKey } = await filled(5)
      const [{ removedTo: none }, first] = [
        await findFeedStart(db, accountId),
        (await read(accountId)) as FeedPage,
      ]
      assert.equal(none, 0)
      await prune()
      await writeEvents(service, accountId, upTo(3, 6))
      const ids = (page: FeedPage): string[] =>
        page.events.map(({ payload }) => JSON.parse(payload).id)
      const page = (await read(accountId)) as FeedPage
      assert.deepEqual([sequencesOf(page), page.hasMore, page.nextAfter], [[6, 7, 8], false, 8])
      const { removedUntil } = await findFeedStart(db, accountId)
      const tooOld = { refused: 'cursor_too_old', parameter: 'after', keptAfter: 5, removedUntil }
      for (const cursor of ['0', '1', '4', ids(first)[0] as string])
        assert.deepEqual(await read(accountId, { after: cursor }), tooOld)
      for (const [cursor, found] of [
        ['5', [6, 7, 8]],
        ['7', [8]],
        ['8', []],
        ['latest', []],
        [ids(page)[0] as string, [7, 8]],
      ] as const)
        assert.deepEqual(sequencesOf(await read(accountId, { after: cursor })), found, cursor)
      const unknown = `evt_${makeTimedReference(clock.now() + DAY_MS, new Uint8Array(10))}`
      assert.deepEqual(await read(accountId, { after: unknown }), { refused: 'event_not_found' })
      const answer = await service.app.inject({
        url: '/api/v1/events?after=2',
        headers: head(secretKey),
      })
      assert.deepEqual(
        [answer.statusCode, answer.json()],
        [410, { message: 'Gone: Events Removed' }],
      )
      const {
        'svc-kept-after': keptAfter,
        'svc-error-code': code,
        'svc-error-param': param,
      } = answer.headers
      assert.deepEqual([keptAfter, code, param], ['5', 'cursor_too_old', 'after'])
      assert.equal(answer.headers['svc-removed-until'], new Date(removedUntil).toISOString())
    })

    it('an empty feed begins at its end, and another account’s feed and cursors are untouched', async () => {
      const [one, other] = [await filled(2), await newAccount()]
      await prune()
      await writeEvents(service, other.accountId, upTo(2))
      const page = (await read(one.accountId)) as FeedPage
      assert.deepEqual([page.events, page.hasMore, page.nextAfter], [[], false, 2])
      assert.deepEqual(sequencesOf(await read(other.accountId, { after: '0' })), [1, 2])
    })

    it('a reader whose next events go between two pages, or two slices of one, gets no gap', async () => {
      const { accountId } = await filled(450)
      let reads = 0
      const racing: Database = {
        ...db,
        read: async (sql, values) => {
          const found = await db.read(sql, values)
          // After the first slice of a page, everything old goes.
          if (/from events/.test(textOf(sql, 'sqlite')) && ++reads === 1) await prune()
          return found as never
        },
      }
      const query = { after: '50', limit: 300, replaysAfter: undefined }
      const page = (await readEvents({ db: racing }, merchantKey(accountId), query)) as FeedPage
      assert.deepEqual(
        [sequencesOf(page), page.hasMore, page.nextAfter],
        [upTo(100, 51), true, 150],
      )
      assert.equal(
        ((await read(accountId, { after: '150' })) as { refused?: string }).refused,
        'cursor_too_old',
      )
    })

    it('stays in order with a crash between its slices, and with two workers at once', async () => {
      const { accountId } = await filled(1_000)
      for (const stopAfter of upTo(8)) {
        let changes = 0
        const crash = (): void => {
          if (++changes > stopAfter) throw new StoreUnavailable('killed')
        }
        const crashing: Database = {
          ...db,
          change: async (sql, values) => {
            crash()
            return db.change(sql, values)
          },
          transaction: async (work) => {
            crash()
            return db.transaction(work)
          },
        }
        await prune(DAYS + 1, crashing).catch((error) => assert.match(String(error), /killed/))
        const [{ removedTo }, page] = [
          await findFeedStart(db, accountId),
          (await read(accountId)) as FeedPage,
        ]
        assert.ok(
          (page.events[0]?.sequence ?? removedTo + 1) <= removedTo + 1,
          'no event beyond the start is missing',
        )
      }
      await Promise.all([prune(), prune(), prune()])
      assert.deepEqual((await findFeedStart(db, accountId)).removedTo, 1_000)
      assert.equal(
        (await db.read('select sequence from events where account_id = :accountId', { accountId }))
          .length,
        0,
      )
    })

    it('an event stays while one of its deliveries waits, and so does what follows it', async () => {
      const { accountId } = await newAccount()
      await writeEvents(service, accountId, upTo(2))
      const endpoint = await newEndpoint(service, accountId, HOST)
      await change(service, endpoint, { to: 'off' })
      await writeEvents(service, accountId, upTo(2, 3))
      await summarise()
      await prune()
      assert.deepEqual(sequencesOf(await read(accountId)), [3, 4])
      await pruneRows(OLD_DELIVERIES)
      assert.equal((await deliveries(service, accountId)).length, 2)
      await change(service, endpoint, { to: 'removed' })
      assert.equal(await prune(), 2)
    })

    async function pruneRows(rows: OldRows, days = DAYS): Promise<void> {
      const round = historyPruner({
        db,
        clock: { ...later(DAYS + 1), after: () => () => {} },
        keep: [{ rows, days }],
        pruned: () => {},
      })
      while (await round());
    }

    it('finished deliveries and their attempts are removed by age', async () => {
      const { accountId } = await newAccount()
      await newEndpoint(service, accountId, HOST)
      await sendEvents(service, accountId, upTo(3))
      const rows = async (table: string) =>
        (
          await db.read(`select sequence from ${table} where account_id = :accountId`, {
            accountId,
          })
        ).length
      await pruneRows(OLD_DELIVERIES, DAYS + 2)
      assert.deepEqual([await rows('webhook_deliveries'), await rows('webhook_attempts')], [3, 3])
      await pruneRows(OLD_DELIVERIES)
      await pruneRows(OLD_ATTEMPTS)
      assert.deepEqual([await rows('webhook_deliveries'), await rows('webhook_attempts')], [0, 0])
      assert.deepEqual(sequencesOf(await read(accountId)), [1, 2, 3])
    })

    it('a removed event cannot be replayed; one with a young replay stays, for readers of replays too', async () => {
      const { accountId } = await newAccount()
      const endpoint = await newEndpoint(service, accountId, HOST)
      await sendEvents(service, accountId, upTo(4))
      await summarise()
      const names = (await deliveries(service, accountId)).map(deliveryName)
      await db.change('update event_replays set at = at where account_id = :accountId', {
        accountId,
      })
      granted(await replayEvents(service, TESTER, { delivery: names[0] as string }))
      await service.clock.advance(60_000)
      // The replay of event 1 grows old, and event 3 is replayed on the day of the removal.
      granted(await replayEvents(service, TESTER, { delivery: names[2] as string }))
      await service.clock.advance(60_000)
      await db.change(
        'update event_replays set at = :at where account_id = :accountId and replay = 2',
        { accountId, at: clock.now() + DAYS * DAY_MS },
      )
      await prune()
      assert.deepEqual(sequencesOf(await read(accountId)), [3, 4])
      const replays = async (replaysAfter: number | 'latest') => {
        const page = await read(accountId, { after: 'latest', replaysAfter })
        return 'refused' in page
          ? [page.refused, (page as { parameter?: string }).parameter]
          : page.replays.map((r) => r.replay)
      }
      assert.deepEqual(await replays(0), ['cursor_too_old', 'replays_after'])
      assert.deepEqual([await replays(1), await replays(2), await replays('latest')], [[2], [], []])
      assert.deepEqual(await replayEvents(service, TESTER, { delivery: names[0] as string }), {
        refused: 'delivery_not_found',
      })
      assert.deepEqual(await showDelivery(service, TESTER, { name: names[1] as string }), {
        refused: 'delivery_not_found',
      })
      await db.change(
        `update webhook_deliveries set status = 'failed' where account_id = :accountId`,
        { accountId },
      )
      const { endpointId } = await endpointOf(service, endpoint)
      const failed = granted(
        await replayEvents(service, TESTER, { endpointId, failedSince: 0 }),
      ) as { events: number }
      assert.ok(MOST_REPLAYS > 4)
      assert.equal(failed.events, 2, 'only those that are kept')
    })

    it('of an event that goes while it is replayed, one wins', async () => {
      const { accountId } = await newAccount()
      await newEndpoint(service, accountId, HOST)
      await sendEvents(service, accountId, [1])
      await summarise()
      const [name] = (await deliveries(service, accountId)).map(deliveryName)
      // The start has moved, and the event is still there.
      await db.change(
        `insert into feed_starts (account_id, removed_to, removed_until)
         values (:accountId, 1, :removedUntil)`,
        { accountId, removedUntil: clock.now() },
      )
      assert.deepEqual(await replayEvents(service, TESTER, { delivery: name as string }), {
        refused: 'events_removed',
      })
    })
  })

for (const store of STORES)
  it(`event retention on ${store.name}: the store verifies, payments and figures stay, and a payment cannot be replayed`, async (t) => {
    const settings = { KARBA_KEEP_EVENTS_DAYS: '10', KARBA_SANDBOX_DELAY_MS: '0' }
    const service = await openVirtualService(store, settings)
    t.after(() => service.remove())
    const { secretKey, accountId } = (await service.merchant()).accounts.sandbox
    const references: string[] = []
    for (const nth of upTo(4)) {
      const { body } = await post(service, secretKey, order({ amount: 1_000 * nth }))
      references.push(body.reference as string)
    }
    await service.clock.sleep(60_000)
    await service.clock.advance(5_000)
    const events = async () => (await service.db.read('select sequence from events')).length
    const figures = () =>
      service.db.read('select outcome, payments, amount_xof from daily_figures order by outcome')
    const before = await figures()
    assert.equal(await events(), 4)
    await service.clock.sleep(11 * DAY_MS)
    await service.clock.advance(10_000)
    await post(service, secretKey, order())
    await service.clock.sleep(60_000)
    await service.clock.advance(5_000)
    assert.equal(await events(), 1)
    const verification = granted(await verifyStore(service, TESTER))
    assert.deepEqual([verification.found, verification.findings], [0, []])
    assert.equal((await figures()).length, before.length + 1)
    assert.deepEqual(await replayEvents(service, TESTER, { payment: references[0] as string }), {
      refused: 'events_removed',
    })
    const found = granted(await searchPayments(service, merchantKey(accountId), {}))
    assert.deepEqual(
      found.rows.map(({ status }) => status),
      upTo(5).map(() => 'succeeded'),
    )
    // A lost event is found next to removed ones, and so is a wrong figure.
    await service.db.change('update daily_figures set payments = payments + 1')
    const wrong = granted(await verifyStore(service, TESTER)).findings.map(({ kind }) => kind)
    assert.deepEqual([...new Set(wrong)], ['figures_do_not_add_up'])
  })
