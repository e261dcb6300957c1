// Webhook retries (promise 9, D-28) and order (promise 13): a later event of a payment waits until
// the earlier one is delivered or given up.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { type DeliveryAttempt, PAYMENT_EVENTS } from '../../src/domain/webhooks/webhook-event.ts'
import { listDeliveryAttempts } from '../../src/store/webhooks/delivery-log.ts'
import { TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import {
  beginAccount,
  LOOK_EVERY_MS,
  openWebhookService,
  type ReceiverAnswer,
  type SentWebhook,
  sendEvents,
} from '../kit/receiver.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { head, order, post } from '../kit/service.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import {
  type AddedEndpoint,
  change,
  deliveries,
  endpointOf,
  upTo,
  writeEvents,
} from '../kit/webhooks.ts'

describe('webhook retries', async () => {
  const SECOND_MS = 1_000
  const MINUTE_MS = 60 * SECOND_MS
  const HOUR_MS = 60 * MINUTE_MS

  /** D-28, written from that page alone: the delays between attempts. */
  const PAUSES_MS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
    (seconds) => seconds * SECOND_MS,
  )

  // After five timeouts in a row an endpoint backs off for up to a minute (ADR-0011). Attempts due
  // within that time come after it.
  const LONGEST_REST_MS = MINUTE_MS

  function assertOnTime(times: readonly number[], restMs = 0): void {
    for (const [at, time] of times.entries()) {
      if (at === 0) continue
      const [pause, promised] = [time - (times[at - 1] as number), PAUSES_MS[at - 1] as number]
      const latest = promised * 1.2 + LOOK_EVERY_MS + restMs
      assert.ok(
        pause >= promised * 0.8 && pause <= latest,
        `attempt ${at + 1} came after ${pause} ms`,
      )
    }
  }

  let account: Awaited<ReturnType<typeof beginAccount>>
  let endpoint: AddedEndpoint

  /** Each test has its own merchant, and nothing of an earlier test is due. */
  async function begin(answer: () => ReceiverAnswer): Promise<void> {
    account = await beginAccount(service, answer, account?.endpoint, { events: PAYMENT_EVENTS })
    endpoint = account.endpoint
  }

  async function pay(): Promise<string> {
    const { body } = await post(service, account.secretKey, order())
    await service.clock.advance(0)
    return body.reference as string
  }

  const attemptsOf = async (sequence: number): Promise<DeliveryAttempt[]> =>
    listDeliveryAttempts(service.db, { ...endpoint, sequence, round: 0 })

  const failuresOf = async (): Promise<[number | null, number]> => {
    const { failedSince, failures } = await endpointOf(service, endpoint)
    return [failedSince, failures]
  }

  const timesOf = (reference: string): number[] =>
    service.sent.filter(({ event }) => event.data.reference === reference).map(({ at }) => at)

  const service = await openWebhookService(SQLITE)
  after(() => service.remove())

  it('promise 9: a receiver is down for a day: attempts are on schedule and logged, and all events arrive', async () => {
    const startedAt = service.clock.now()
    const isBack = (): boolean => service.clock.now() >= startedAt + 24 * HOUR_MS
    await begin(() => (isBack() ? 200 : 'refused'))
    const references = [await pay()]
    await service.sleepUntilNothingIsDue(async () => {
      // A new payment after each of the first attempts.
      if (references.length < 4 && service.sent.length >= references.length * 2)
        references.push(await pay())
    })
    const rows = await deliveries(service, account.accountId)
    assert.deepEqual(
      rows.map(({ status, dueAt }) => [status, dueAt]),
      references.map(() => ['delivered', null]),
    )
    for (const [at, reference] of references.entries()) {
      const times = timesOf(reference)
      assertOnTime(times, LONGEST_REST_MS)
      const log = await attemptsOf(at + 1)
      assert.equal(rows[at]?.attempts, times.length)
      assert.deepEqual(
        log.map((row) => [row.attempt, row.at]),
        times.map((time, nth) => [nth + 1, time]),
      )
      assertOnTime([times[0] as number, ...log.flatMap(({ nextAt }) => nextAt ?? [])])
      const away = {
        durationMs: 0,
        statusCode: null,
        error: 'the connection was refused',
        answer: '',
      }
      const back = { durationMs: 0, statusCode: 200, error: null, answer: 'said 200' }
      for (const [nth, { attempt: _n, at: _at, nextAt: _next, ...row }] of log.entries())
        assert.deepEqual(row, nth === times.length - 1 ? back : away)
    }
    const first = timesOf(references[0] as string)
    assert.deepEqual([first.length, first[0]], [8, startedAt])
    assert.equal((await endpointOf(service, endpoint)).failedSince, null)
  })

  it('promise 9: after ten attempts a delivery is given up, the endpoint is failing, and the event stays in the feed', async () => {
    await begin(() => 'refused')
    const reference = await pay()
    await service.sleepUntilNothingIsDue()
    const times = timesOf(reference)
    assertOnTime(times)
    assert.equal(times.length, 10)
    const [row] = await deliveries(service, account.accountId)
    const gaveUpAt = times.at(-1)
    assert.deepEqual(
      [row?.status, row?.attempts, row?.endedAt, row?.dueAt],
      ['failed', 10, gaveUpAt, null],
    )
    assert.equal((await attemptsOf(1)).at(-1)?.nextAt, null)
    assert.deepEqual(await failuresOf(), [times[0], 10])
    const feed = await service.app.inject({
      url: '/api/v1/events',
      headers: head(account.secretKey),
    })
    const inFeed = feed
      .json()
      .events.flatMap(({ data }: { data: { reference?: string } }) => data.reference ?? [])
    assert.deepEqual(inFeed, [reference])

    service.receivers.answer = () => 200
    await pay()
    assert.deepEqual(await failuresOf(), [null, 0], 'the next success ends it')
  })

  it('an endpoint that keeps failing is failing since its first failure', async () => {
    await begin(() => 500)
    await writeEvents(service, account.accountId, [1])
    await service.clock.advance(SECOND_MS)
    await writeEvents(service, account.accountId, [2])
    await service.sleepUntilNothingIsDue()
    assert.deepEqual(await failuresOf(), [(await attemptsOf(1))[0]?.at, 20])
  })

  const ASKED: [status: number, retryAfterMs: number, least: number, most: number][] = [
    [429, 60_000, 60_000, 60_000],
    [503, 7_200_000, 7_200_000, 7_200_000],
    [503, 1_000, 4_000, 6_000],
    [429, 90_000_000, 86_400_000, 86_400_000],
  ]
  for (const [status, retryAfterMs, least, most] of ASKED)
    it(`${status} with a Retry-After of ${retryAfterMs} ms is retried after ${least} to ${most} ms`, async () => {
      await begin(() => ({ status, retryAfterMs }))
      const reference = await pay()
      await service.sleepUntilDue()
      const [first, second] = timesOf(reference) as [number, number]
      assert.ok(second - first >= least && second - first <= most, `${second - first} ms`)
    })

  it('the first attempt is made in the millisecond of the settlement, without waiting for a poll', async () => {
    await begin(() => 200)
    await service.clock.advance(1_234)
    const reference = await pay()
    const [row] = await service.db.read<{ created_at: number }>(
      'select created_at from events where account_id = :accountId',
      { accountId: account.accountId },
    )
    assert.deepEqual(
      [timesOf(reference), row?.created_at],
      [[row?.created_at], service.clock.now()],
    )
  })

  it('a 410 disables the endpoint and loses nothing: once enabled it gets waiting and new events', async () => {
    await begin(() => 410)
    await writeEvents(service, account.accountId, upTo(3))
    await service.clock.advance(SECOND_MS)
    assert.equal((await endpointOf(service, endpoint)).status, 'gone')
    const atOnce = service.sent.length
    await writeEvents(service, account.accountId, upTo(3, 4))
    await service.clock.sleep(10 * MINUTE_MS)
    await service.clock.advance(SECOND_MS)
    assert.equal(service.sent.length, atOnce, 'nothing is sent while it is off')

    service.receivers.answer = () => 200
    service.sent.length = 0
    await change(service, endpoint, { to: 'on' })
    await service.clock.advance(SECOND_MS)
    const rows = await deliveries(service, account.accountId)
    assert.deepEqual(
      rows.map(({ status }) => status),
      upTo(6).map(() => 'delivered'),
    )
    assert.equal(service.sent.length, 6)
    const [first] = rows
    assert.ok(first)
    const codes = (await listDeliveryAttempts(service.db, first)).map(
      ({ statusCode }) => statusCode,
    )
    assert.deepEqual(codes, [410, 200])
  })

  it('an endpoint that was disabled and enabled within its claim is served at once', async () => {
    await begin(() => ({ status: 410, afterMs: 100 }))
    await pay()
    await service.clock.advance(SECOND_MS)
    service.receivers.answer = () => 200
    await change(service, endpoint, { to: 'on' })
    service.sent.length = 0
    await pay()
    await service.clock.advance(10 * SECOND_MS)
    assert.equal(service.sent.length, 2)
  })
})

describe('webhook order', () => {
  const HOUR_MS = 3_600_000
  const SEED = 20_261_116
  /** The same on both stores, with more payments where they cost less. */
  const PAYMENTS = { SQLite: 30, PostgreSQL: 8 }
  const isFirst = ({ event }: SentWebhook): boolean => event.event === 'payment.succeeded'

  /** No attempt for a later event of a payment precedes one for an earlier event. */
  function assertInOrder(sent: readonly SentWebhook[]): void {
    const seen = new Map<string, string>()
    for (const { event } of sent) {
      const { reference } = event.data
      assert.ok(
        !(event.event === 'payment.succeeded' && seen.get(reference) === 'payment.refunded'),
        reference,
      )
      seen.set(reference, event.event)
    }
  }

  for (const store of STORES)
    describe(`promise 13: events of one payment, on ${store.name}`, async () => {
      const payments = PAYMENTS[store.name]
      let accountId: string
      let endpoint: AddedEndpoint
      const service = await openWebhookService(store)
      after(() => service.remove())

      async function begin(answer: (sent: SentWebhook) => ReceiverAnswer): Promise<void> {
        ;({ accountId, endpoint } = await beginAccount(service, answer, endpoint))
      }

      const of = (number: number): SentWebhook[] =>
        service.sent.filter(({ event }) => event.data.reference === `payment-${number}`)

      const statuses = async (): Promise<string[]> =>
        (await deliveries(service, accountId)).map(({ event, status }) => `${event} ${status}`)

      it('promise 13: refunded waits for hours while succeeded is refused, and other payments do not wait', async () => {
        const worksFrom = service.clock.now() + 6 * HOUR_MS
        await begin((sent) =>
          sent.event.data.reference === 'payment-1' &&
          isFirst(sent) &&
          service.clock.now() < worksFrom
            ? 404
            : 200,
        )
        await sendEvents(service, accountId, [1])
        await writeEvents(service, accountId, [1], 'refunded')
        await sendEvents(service, accountId, upTo(5, 2))
        assert.equal(service.sent.length, 1 + 5, 'the others are there at the next look')
        await service.sleepUntilNothingIsDue()
        assertInOrder(service.sent)
        const [last, refunded, ...more] = of(1).slice(-2) as [SentWebhook, SentWebhook]
        assert.deepEqual(
          [last.event.event, refunded.event.event, more],
          ['payment.succeeded', 'payment.refunded', []],
        )
        assert.ok(last.at >= worksFrom)
        assert.equal(refunded.at, last.at, 'and then it does not wait any longer')
        assert.ok((await statuses()).every((status) => status.endsWith(' delivered')))
      })

      it('a later event is sent once the earlier one is given up', async () => {
        await begin((sent) => (isFirst(sent) ? 500 : 200))
        await writeEvents(service, accountId, [1])
        await writeEvents(service, accountId, [1], 'refunded')
        await service.sleepUntilNothingIsDue()
        assertInOrder(service.sent)
        assert.equal(of(1).length, 10 + 1)
        assert.deepEqual(await statuses(), [
          'payment.succeeded failed',
          'payment.refunded delivered',
        ])
      })

      it('an event that waits for another does not keep its queue busy', async () => {
        await begin(() => 404)
        await sendEvents(service, accountId, [1])
        await sendEvents(service, accountId, [1], 'refunded')
        const [queue] = await service.db.read<{ due_at: number }>(
          'select due_at from webhook_endpoints where account_id = :accountId',
          { accountId },
        )
        const [first] = await deliveries(service, accountId)
        assert.equal(queue?.due_at, first?.dueAt)
      })

      it('two events that are due in one batch are sent one after the other', async () => {
        await begin(() => ({ status: 200, afterMs: 100 }))
        await writeEvents(service, accountId, [1, 2])
        await writeEvents(service, accountId, [1, 2], 'refunded')
        await service.clock.advance(1_000)
        for (const number of [1, 2]) {
          const [first, second] = of(number) as [SentWebhook, SentWebhook]
          assert.deepEqual(
            [first.event.event, second.event.event],
            ['payment.succeeded', 'payment.refunded'],
          )
          assert.equal(second.at - first.at, 100)
        }
      })

      it('each replay keeps the order too', async () => {
        await begin(() => 200)
        await insertPending(service, accountId, 1, { dueAt: service.clock.now() })
        // No worker polls this payment: only this test changes it.
        await service.db.change('update payments set due_at = null where account_id = :accountId', {
          accountId,
        })
        const [payment] = await service.db.read<{ number: number; reference: string }>(
          'select number, reference from payments where account_id = :accountId',
          { accountId },
        )
        assert.ok(payment)
        await writeEvents(service, accountId, [payment.number])
        await sendEvents(service, accountId, [payment.number], 'refunded')
        service.sent.length = 0
        const worksFrom = service.clock.now() + HOUR_MS
        service.receivers.answer = () => (service.clock.now() < worksFrom ? 404 : 200)
        for (const _time of upTo(2))
          await replayEvents(service, TESTER, { payment: payment.reference })
        await service.sleepUntilNothingIsDue()
        const rounds = service.sent.map(
          ({ event, headers }) => `${event.event} ${headers['svc-webhook-replay']}`,
        )
        assert.deepEqual(
          [...new Set(rounds)],
          [
            'payment.succeeded 1',
            'payment.succeeded 2',
            'payment.refunded 1',
            'payment.refunded 2',
          ],
        )
        assert.deepEqual(
          rounds,
          rounds.toSorted((a, b) => b[8]!.localeCompare(a[8]!)),
        )
      })

      it(`random receipts of ${payments} payments: no event is delivered out of order, and each is delivered or given up`, async () => {
        const random = seededRandom(SEED)
        await begin(() =>
          random.pick<ReceiverAnswer>([200, 404, 400, { status: 200, afterMs: 50 }, 302]),
        )
        await sendEvents(service, accountId, upTo(payments))
        await writeEvents(service, accountId, upTo(payments), 'refunded')
        await service.sleepUntilNothingIsDue()
        assertInOrder(service.sent)
        const rows = await deliveries(service, accountId)
        assert.equal(rows.length, payments * 2)
        const unfinished = rows.filter(
          ({ status, dueAt }) => status === 'waiting' || dueAt !== null,
        )
        assert.deepEqual(unfinished, [])
      })
    })
})
