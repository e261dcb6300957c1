// Events that a merchant reads or requests again: GET /events (D-47), ordered without gaps, and
// replays (D-28, D-48).

import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import {
  MOST_REPLAYS,
  type ReplayInput,
  replayEvents,
} from '../../src/actions/webhooks/deliveries.ts'
import { testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { deliveryName } from '../../src/domain/webhooks/webhook-event.ts'
import { listDeliveryAttempts } from '../../src/store/webhooks/delivery-log.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import {
  beginAccount,
  HOST,
  LOOK_EVERY_MS,
  openWebhookService,
  type SentWebhook,
  sendEvents,
} from '../kit/receiver.ts'
import { head } from '../kit/service.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import {
  type AddedEndpoint,
  change,
  deliveries,
  newEndpoint,
  upTo,
  writeEvents,
} from '../kit/webhooks.ts'

describe('event feed', () => {
  type FeedEvent = Record<'sequence' | 'replay', number> &
    Record<'id' | 'event' | 'environment', string>
  type Page = Record<'events' | 'replays', FeedEvent[]> & {
    has_more: boolean
    next: Record<'after' | 'replays_after', number>
  }

  const EVENTS = 12
  const MANY = 1_000
  /** Pages are empty at times while the writers write. */
  const MOST_PAGES = 100_000

  for (const store of STORES)
    describe(`event feed on ${store.name}`, async () => {
      async function ask(query: string, secretKey = merchant.accounts.sandbox.secretKey) {
        const answer = await service.app.inject({
          url: `/api/v1/events${query}`,
          headers: head(secretKey),
        })
        return { code: answer.statusCode, text: answer.body, page: answer.json() as Page }
      }
      const sequences = ({ page }: { page: Page }): number[] =>
        page.events.map(({ sequence }) => sequence)
      const service = await openWebhookService(store)
      const merchant = await service.merchant()
      const { accountId } = merchant.accounts.sandbox
      const endpoint = await newEndpoint(service, accountId, HOST)
      await writeEvents(service, accountId, upTo(EVENTS / 2))
      await sendEvents(service, accountId, upTo(EVENTS / 2), 'refunded')
      const ids = (await ask('')).page.events.map(({ id }) => id)
      after(() => service.remove())

      /** `{7}` is replaced with the id of the seventh event. */
      const PAGES: [from: number, to: number, hasMore: boolean, queries: string[]][] = [
        [1, 12, false, ['', '?limit=12', '?limit=1000', '?after=', '?after=0']],
        [1, 5, true, ['?limit=5']],
        [1, 11, true, ['?limit=11']],
        [8, 12, false, ['?after=7', '?after={7}&limit=5']],
        [8, 9, true, ['?after=7&limit=2']],
        [13, 12, false, ['?after={12}', '?after=12', '?after=999999', '?after=latest']],
      ]
      for (const [from, to, hasMore, queries] of PAGES)
        for (const query of queries)
          it(`answers ${query || 'no query'} with ${from > to ? 'nothing' : `${from} to ${to}`}`, async () => {
            const answer = await ask(query.replace(/\{(\d+)\}/, (_, nth) => ids[nth - 1] as string))
            assert.deepEqual([answer.code, sequences(answer)], [200, upTo(to - from + 1, from)])
            assert.deepEqual([answer.page.replays, answer.page.has_more], [[], hasMore])
            assert.deepEqual(answer.page.next, { after: to, replays_after: 0 })
          })

      it('has the order in which the events happened, with environment and type', async () => {
        const { page } = await ask('')
        assert.deepEqual(
          page.events.map(({ event, environment }) => [event, environment]),
          upTo(EVENTS).map((nth) => [
            nth <= EVENTS / 2 ? 'payment.succeeded' : 'payment.refunded',
            'sandbox',
          ]),
        )
        assert.equal(new Set(ids).size, EVENTS)
      })

      it('has each event byte for byte as in the webhook, with its position', async () => {
        const { text } = await ask('')
        assert.equal(service.sent.length, EVENTS)
        const bodies = new Map(service.sent.map(({ event, body }) => [event.id, body]))
        const placed = ids.map((id, at) => `{"sequence":${at + 1},${bodies.get(id)?.slice(1)}`)
        const rest = `"replays":[],"has_more":false,"next":{"after":${EVENTS},"replays_after":0}}`
        assert.equal(text, `{"events":[${placed.join(',')}],${rest}`)
      })

      it('of another account or environment is empty, and does not find this account’s events', async () => {
        const others = [merchant.accounts.live, (await service.merchant()).accounts.sandbox]
        for (const { secretKey } of others) {
          const { page } = await ask('', secretKey)
          assert.deepEqual(page, {
            events: [],
            replays: [],
            has_more: false,
            next: { after: 0, replays_after: 0 },
          })
          for (const id of ids) {
            const { code, text } = await ask(`?after=${id}`, secretKey)
            assert.deepEqual([code, text], [404, '{"message":"Event Not Found"}'])
          }
        }
      })

      const AFTER = '{"message":"Bad Request: After Not Valid"}'
      const LIMIT = '{"message":"Bad Request: Limit Not Valid"}'
      const NOT_FOUND = '{"message":"Event Not Found"}'
      const REFUSED: [code: number, text: string, queries: string[]][] = [
        [
          400,
          LIMIT,
          ['', '0', '1001', '-1', '1.5', '1e2', '0010', '5&limit=5'].map(
            (limit) => `?limit=${limit}`,
          ),
        ],
        [400, LIMIT, ['?after=first&limit=0']],
        [400, AFTER, ['?after=1&after=2', `?after=${'1'.repeat(41)}`]],
        [
          400,
          AFTER,
          ['', '-1', 'first', '1&replays_after=2'].map((after) => `?replays_after=${after}`),
        ],
        [
          404,
          NOT_FOUND,
          ['first', '-1', '1.5', 'LATEST', '%00', '%E2%80%99'].map((after) => `?after=${after}`),
        ],
        [404, NOT_FOUND, [`?after=${'1'.repeat(40)}`, `?after=evt_${'0'.repeat(24)}`]],
      ]
      for (const [code, text, queries] of REFUSED)
        for (const query of queries)
          it(`answers ${query.slice(0, 40)} with ${code} ${text}`, async () => {
            const answer = await ask(query)
            assert.deepEqual([answer.code, answer.text], [code, text])
          })

      it('ignores an unknown parameter', async () =>
        assert.deepEqual(sequences(await ask('?before=3')), upTo(EVENTS)))

      it('accepts every payment type: the walk in contract/openapi.test.ts has the refusals of D-01', async () => {
        for (const type of ['mobile', 'card', 'external_payment']) {
          const headers = head(merchant.accounts.sandbox.secretKey, { 'svc-payment-type': type })
          assert.equal(
            (await service.app.inject({ url: '/api/v1/events', headers })).statusCode,
            200,
          )
        }
      })

      it('has a separate list of replays, with the same pagination', async () => {
        const [first, second, third] = (await deliveries(service, endpoint.accountId)).map(
          deliveryName,
        )
        assert.ok(first && second && third)
        for (const delivery of [third, first, first, second])
          await replayEvents(service, TESTER, { delivery })
        const replays = async (query: string) => {
          const { page } = await ask(`?after=latest&${query}`)
          return [
            page.replays.map(({ replay, sequence }) => [replay, sequence]),
            page.has_more,
            page.next.replays_after,
          ]
        }
        const all = [3, 1, 1, 2].map((sequence, at) => [at + 1, sequence])
        assert.deepEqual(await replays('replays_after=0'), [all, false, 4])
        assert.deepEqual(await replays('replays_after=0&limit=3'), [all.slice(0, 3), true, 3])
        assert.deepEqual(await replays('replays_after=0&limit=4'), [all, false, 4])
        assert.deepEqual(await replays('replays_after=3'), [all.slice(3), false, 4])
        assert.deepEqual(await replays('replays_after=4'), [[], false, 4])
        assert.deepEqual(await replays('replays_after=999'), [[], false, 4])
        assert.deepEqual(await replays('replays_after=latest'), [[], false, 4])
        assert.deepEqual(await replays(''), [[], false, 4], 'no replay was requested')
        const { page } = await ask('?replays_after=0')
        const { replay: _replay, ...again } = page.replays[0] as FeedEvent
        assert.deepEqual(again, page.events[2])
      })

      it('has the test event of an endpoint', async () => {
        const { sequence } = granted(await testEndpoint(service, TESTER, endpoint))
        const { page } = await ask(`?after=${EVENTS}`)
        assert.deepEqual(
          [page.events[0]?.sequence, page.events[0]?.event],
          [sequence, 'webhook.test'],
        )
      })

      it(`is followed through ${MANY} events while they are written, and no page has a gap`, async () => {
        const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
        const writing = Promise.all(upTo(10).map((nth) => writeInSteps(accountId, nth)))
        const seen: number[] = []
        for (let after = 0, pages = 0; seen.length < MANY; pages++) {
          assert.ok(pages < MOST_PAGES, `${pages} pages had ${seen.length} events`)
          const answer = await ask(`?after=${after}&limit=${1 + (pages % 90)}`, secretKey)
          seen.push(...sequences(answer))
          // Reading without a pause would starve the writers.
          await turn()
          after = answer.page.next.after
        }
        await writing
        assert.deepEqual(seen, upTo(MANY))
        assert.equal((await ask(`?after=${MANY}`, secretKey)).page.has_more, false)
      })

      it('ends a page of large events early, and the cursor continues', async () => {
        const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
        await writeEvents(service, accountId, upTo(300))
        await service.db.change(
          `update events set payload = replace(payload, '"id"', :note)
           where account_id = :accountId`,
          { accountId, note: `"note":"${'x'.repeat(2_000)}","id"` },
        )
        const first = await ask('?limit=1000', secretKey)
        assert.deepEqual([sequences(first), first.page.has_more], [upTo(200), true])
        const second = await ask('?limit=1000&after=200', secretKey)
        assert.deepEqual([sequences(second), second.page.has_more], [upTo(300).slice(200), false])
      })

      /** One of ten writers writes a tenth of the events, ten in each commit. */
      async function writeInSteps(accountId: string, nth: number): Promise<void> {
        for (let step = 0; step < MANY / 100; step++)
          await writeEvents(service, accountId, upTo(10, nth * 1_000 + step * 10))
      }
    })
})

// One delivery, all failed ones since a time, or all of a payment. Their own queue delays no live
// event.
describe('webhook replays', () => {
  const HEADER = 'svc-webhook-replay'
  const REPLAYS_ALONE = 8
  const LONGEST_BATCH = 200
  const QUEUED = tries(250, 500)
  const isReplay = ({ headers }: SentWebhook): boolean => HEADER in headers

  describe('replays', async () => {
    let accountId: string
    let endpoint: AddedEndpoint
    const service = await openWebhookService(SQLITE)
    after(() => service.remove())

    beforeEach(async () => {
      ;({ accountId, endpoint } = await beginAccount(service, () => 200, endpoint))
    })

    /** The state after three days: events are written, and their deliveries given up. */
    async function writeFailedEvents(numbers: readonly number[]): Promise<void> {
      await change(service, endpoint, { to: 'off' })
      await writeEvents(service, accountId, numbers)
      await service.db.change(
        `update webhook_deliveries set status = 'failed', due_at = null, ended_at = :endedAt
         where account_id = :accountId and status = 'waiting'`,
        { accountId, endedAt: service.clock.now() },
      )
      await change(service, endpoint, { to: 'on' })
      await service.clock.advance(LOOK_EVERY_MS)
    }

    const again = (input: ReplayInput) => replayEvents(service, TESTER, input)
    const nameOf = (sequence: number): string => deliveryName({ ...endpoint, sequence, round: 0 })
    const look = () => service.clock.advance(LOOK_EVERY_MS)
    const rounds = async (): Promise<string[]> =>
      (await deliveries(service, accountId)).map(
        ({ sequence, round, status }) => `${sequence}-${round} ${status}`,
      )

    it('a replay of one delivery has the same body and webhook-id, a count, and its own attempts', async () => {
      await writeEvents(service, accountId, [1])
      await look()
      const delivery = { ...endpoint, sequence: 1, round: 0 }
      for (const _time of upTo(2)) {
        assert.deepEqual(await again({ delivery: nameOf(1) }), { deliveries: 1, events: 1 })
        await look()
      }
      const replays = service.sent.map(({ headers }) => headers[HEADER])
      assert.deepEqual(replays, [undefined, '1', '2'])
      assert.equal(new Set(service.sent.map(({ body }) => body)).size, 1)
      assert.equal(new Set(service.sent.map(({ headers }) => headers['webhook-id'])).size, 1)
      assert.deepEqual(await rounds(), ['1-0 delivered', '1-1 delivered', '1-2 delivered'])
      for (const [round, { at }] of service.sent.entries()) {
        const log = await listDeliveryAttempts(service.db, { ...delivery, round })
        const attempts = log.map((row) => [row.attempt, row.at, row.statusCode])
        assert.deepEqual(attempts, [[1, at, 200]])
      }
      assert.deepEqual(await again({ delivery: nameOf(2) }), { refused: 'delivery_not_found' })
    })

    it('a refused replay is retried like any event', async () => {
      await writeEvents(service, accountId, [1])
      await look()
      service.receivers.answer = () => 404
      await again({ delivery: nameOf(1) })
      await service.sleepUntilNothingIsDue()
      assert.equal(service.sent.filter(isReplay).length, 10)
      assert.deepEqual(await rounds(), ['1-0 delivered', '1-1 failed'])
    })

    it('a replay of all failed deliveries sends each once, and again only after a new failure', async () => {
      await writeFailedEvents(upTo(3))
      await writeEvents(service, accountId, [4])
      await look()
      const failed = { accountId, failedSince: 0 }
      service.sent.length = 0
      await change(service, endpoint, { to: 'off' })
      assert.deepEqual(await again(failed), { deliveries: 3, events: 3 })
      assert.deepEqual(await again(failed), { deliveries: 0, events: 0 }, 'they wait already')
      await look()
      assert.deepEqual(service.sent, [])
      await change(service, endpoint, { to: 'on' })
      await look()
      assert.equal(service.sent.filter(isReplay).length, 3)
      assert.deepEqual(await again(failed), { deliveries: 0, events: 0 }, 'they arrived')

      await writeFailedEvents([5])
      assert.deepEqual(await again(failed), { deliveries: 1, events: 1 })
      service.receivers.answer = () => 404
      await service.sleepUntilNothingIsDue()
      assert.deepEqual(await again(failed), { deliveries: 1, events: 1 })
      assert.equal((await rounds()).at(-1), '5-2 waiting')
    })

    it('a replay since a time leaves out older deliveries, and other endpoints when one is named', async () => {
      const other = await newEndpoint(service, accountId, `${HOST}/other`)
      await change(service, other, { to: 'off' })
      await writeFailedEvents([1])
      await service.clock.advance(1_000)
      const failedSince = service.clock.now()
      await writeFailedEvents([2])
      const { endpointId } = other
      assert.deepEqual(await again({ accountId, failedSince, endpointId }), {
        deliveries: 1,
        events: 1,
      })
      assert.deepEqual(await again({ accountId, failedSince }), { deliveries: 1, events: 1 })
      assert.deepEqual(await again({ accountId, failedSince: 0 }), { deliveries: 2, events: 1 })
    })

    it('concurrent replay requests run one after the other, and none sends twice', async () => {
      await writeFailedEvents(upTo(5))
      const failed = await Promise.all(upTo(4).map(() => again({ accountId, failedSince: 0 })))
      const queued = failed.map((answer) => granted(answer).deliveries)
      assert.deepEqual(queued.sort(), [0, 0, 0, 5])
      await Promise.all(upTo(4).map(() => again({ delivery: nameOf(1) })))
      const first = (await deliveries(service, accountId)).filter(({ sequence }) => sequence === 1)
      const rounds = first.map(({ round }) => round)
      assert.deepEqual(rounds, upTo(6, 0))
    })

    it('a replay of a payment goes to every subscribed endpoint, also to later ones', async () => {
      await insertPending(service, accountId, 1, { dueAt: service.clock.now() + 86_400_000 })
      const [payment] = await service.db.read<{ number: number; reference: string }>(
        'select number, reference from payments where account_id = :accountId',
        { accountId },
      )
      assert.ok(payment)
      const ofPayment = { payment: payment.reference }
      assert.deepEqual(await again(ofPayment), { refused: 'no_events_yet' })
      await writeEvents(service, accountId, [payment.number])
      await writeEvents(service, accountId, [payment.number], 'refunded')
      await look()
      await newEndpoint(service, accountId, `${HOST}/later`, { events: ['payment.refunded'] })
      service.sent.length = 0
      assert.deepEqual(await again(ofPayment), { deliveries: 3, events: 2 })
      await look()
      assert.deepEqual(
        service.sent.map(({ path, event, headers }) => [path, event.event, headers[HEADER]]).sort(),
        [
          [`/${accountId}`, 'payment.refunded', '1'],
          [`/${accountId}`, 'payment.succeeded', '1'],
          ['/later', 'payment.refunded', '1'],
        ].sort(),
      )
      assert.deepEqual(await again({ payment: '0'.repeat(24) }), { refused: 'payment_not_found' })
    })

    it(`a live event goes first: with ${QUEUED} queued replays it is in the next batch`, async () => {
      await writeFailedEvents(upTo(QUEUED))
      service.receivers.answer = () => ({ status: 200, afterMs: 100 })
      await again({ accountId, failedSince: 0 })
      await service.clock.advance(1_050)
      const before = service.sent.length
      assert.ok(before > 0 && before < QUEUED && service.sent.every(isReplay))
      await writeEvents(service, accountId, [QUEUED + 1])
      await service.clock.advance(250)
      const next = service.sent.slice(before)
      const live = next.findIndex((sent) => !isReplay(sent))
      assert.ok(live >= 0 && live <= REPLAYS_ALONE, `after ${live} more replays`)
      await service.clock.advance(20_000)
      assert.equal(service.sent.length, QUEUED + 1, 'the replays continue')
    })

    it('during many live events replays get a small share', async () => {
      await writeFailedEvents(upTo(100))
      await change(service, endpoint, { to: 'off' })
      await again({ accountId, failedSince: 0 })
      await writeEvents(service, accountId, upTo(LONGEST_BATCH * 3, 101))
      await change(service, endpoint, { to: 'on' })
      await look()
      const lastLive = service.sent.findLastIndex((sent) => !isReplay(sent))
      const replayed = service.sent.slice(0, lastLive).filter(isReplay).length
      assert.ok(replayed >= 2 && replayed <= 24, `${replayed} replays among live events`)
      assert.equal(service.sent.length, LONGEST_BATCH * 3 + 100)
    })

    it(`one command replays ${MOST_REPLAYS} at most, the oldest first, and the next command the rest`, async () => {
      await writeFailedEvents(upTo(MOST_REPLAYS + 7))
      const failed = { accountId, failedSince: 0 }
      assert.deepEqual(await again(failed), { deliveries: MOST_REPLAYS, events: MOST_REPLAYS })
      const replayed = (await rounds()).filter((round) => round.includes('-1 '))
      assert.match(replayed.at(-1) as string, new RegExp(`^${MOST_REPLAYS}-1 `))
      assert.deepEqual(await again(failed), { deliveries: 7, events: 7 })
    })
  })
})
