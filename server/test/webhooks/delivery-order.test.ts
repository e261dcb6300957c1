// Promise 13: what happened to one payment reaches an endpoint in the order in which it happened. A later event waits until the one
// before it is delivered or given up, for hours if need be; what happened to other payments does not wait with it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import {
  HOST,
  LOOK_EVERY_MS,
  openWebhookService,
  type ReceiverAnswer,
  type SentWebhook,
  type WebhookService,
} from '../kit/scripted-receivers.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { STORES } from '../kit/stores.ts'
import { type AddedEndpoint, change, deliveries, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const HOUR_MS = 3_600_000
const SEED = 20_261_116
/** The same on both, and more of it where it costs less. */
const PAYMENTS = { SQLite: 30, PostgreSQL: 8 }

const isFirst = ({ event }: SentWebhook): boolean => event.event === 'payment.succeeded'

/** No attempt for a later event of a payment lies before one for an earlier event of it. */
function assertInOrder(sent: readonly SentWebhook[]): void {
  const seen = new Map<string, string>()
  for (const { event } of sent) {
    const { reference } = event.data
    assert.ok(!(event.event === 'payment.succeeded' && seen.get(reference) === 'payment.refunded'), reference)
    seen.set(reference, event.event)
  }
}

for (const store of STORES) {
  describe(`promise 13: the events of one payment, on ${store.name}`, () => {
    const payments = PAYMENTS[store.name]
    let service: WebhookService
    let accountId: string
    let endpoint: AddedEndpoint

    before(async () => {
      service = await openWebhookService(store)
    })
    after(() => service.remove())

    async function begin(answer: (sent: SentWebhook) => ReceiverAnswer): Promise<void> {
      if (endpoint !== undefined) await change(service, endpoint, { to: 'removed' })
      accountId = (await service.merchant()).accounts.sandbox.accountId
      endpoint = await newEndpoint(service, accountId, `${HOST}/${accountId}`)
      service.receivers.answer = answer
      service.sent.length = 0
    }

    const of = (number: number): SentWebhook[] =>
      service.sent.filter(({ event }) => event.data.reference === `payment-${number}`)

    const statuses = async (): Promise<string[]> =>
      (await deliveries(service, accountId)).map(({ event, status }) => `${event} ${status}`)

    it('promise 13: refunded waits for hours while succeeded is not taken, and the other payments do not', async () => {
      const worksFrom = service.clock.now() + 6 * HOUR_MS
      await begin((sent) =>
        sent.event.data.reference === 'payment-1' && isFirst(sent) && service.clock.now() < worksFrom ? 404 : 200,
      )
      await writeEvents(service, accountId, [1])
      await service.clock.advance(LOOK_EVERY_MS)
      await writeEvents(service, accountId, [1], 'refunded')
      await writeEvents(service, accountId, upTo(5, 2))
      await service.clock.advance(LOOK_EVERY_MS)
      assert.equal(service.sent.length, 1 + 5, 'the others are there at the next look')
      await service.sleepUntilNothingIsDue()
      assertInOrder(service.sent)
      const [last, refunded, ...more] = of(1).slice(-2) as [SentWebhook, SentWebhook]
      assert.deepEqual([last.event.event, refunded.event.event, more], ['payment.succeeded', 'payment.refunded', []])
      assert.ok(last.at >= worksFrom)
      assert.equal(refunded.at, last.at, 'and then it does not wait any longer')
      assert.ok((await statuses()).every((status) => status.endsWith(' delivered')))
    })

    it('a later event goes out once the earlier one is given up', async () => {
      await begin((sent) => (isFirst(sent) ? 500 : 200))
      await writeEvents(service, accountId, [1])
      await writeEvents(service, accountId, [1], 'refunded')
      await service.sleepUntilNothingIsDue()
      assertInOrder(service.sent)
      assert.equal(of(1).length, 10 + 1)
      assert.deepEqual(await statuses(), ['payment.succeeded failed', 'payment.refunded delivered'])
    })

    it('what waits for another does not keep its queue busy', async () => {
      await begin(() => 404)
      await writeEvents(service, accountId, [1])
      await service.clock.advance(LOOK_EVERY_MS)
      await writeEvents(service, accountId, [1], 'refunded')
      await service.clock.advance(LOOK_EVERY_MS)
      const [queue] = await service.db.rows<{ due_at: number }>(
        'select due_at from webhook_endpoints where account_id = $1',
        [accountId],
      )
      const [first] = await deliveries(service, accountId)
      assert.equal(queue?.due_at, first?.dueAt)
    })

    it('two that are due in one batch go out one after the other', async () => {
      await begin(() => ({ status: 200, afterMs: 100 }))
      await writeEvents(service, accountId, [1, 2])
      await writeEvents(service, accountId, [1, 2], 'refunded')
      await service.clock.advance(1_000)
      for (const number of [1, 2]) {
        const [first, second] = of(number) as [SentWebhook, SentWebhook]
        assert.deepEqual([first.event.event, second.event.event], ['payment.succeeded', 'payment.refunded'])
        assert.equal(second.at - first.at, 100)
      }
    })

    it('a replay keeps to the order too, each time it is asked for', async () => {
      await begin(() => 200)
      await insertPending(service, accountId, 1, { dueAt: service.clock.now() })
      // Nobody asks about it: what happens to it is this test's alone.
      await service.db.change('update payments set due_at = null where account_id = $1', [accountId])
      const [payment] = await service.db.rows<{ number: number; reference: string }>(
        'select number, reference from payments where account_id = $1',
        [accountId],
      )
      assert.ok(payment)
      await writeEvents(service, accountId, [payment.number])
      await writeEvents(service, accountId, [payment.number], 'refunded')
      await service.clock.advance(LOOK_EVERY_MS)
      service.sent.length = 0
      const worksFrom = service.clock.now() + HOUR_MS
      service.receivers.answer = () => (service.clock.now() < worksFrom ? 404 : 200)
      for (const _time of upTo(2)) await replayEvents(service, TESTER, { payment: payment.reference })
      await service.sleepUntilNothingIsDue()
      const rounds = service.sent.map(({ event, headers }) => `${event.event} ${headers['svc-webhook-replay']}`)
      assert.deepEqual(
        [...new Set(rounds)],
        ['payment.succeeded 1', 'payment.succeeded 2', 'payment.refunded 1', 'payment.refunded 2'],
      )
      assert.deepEqual(
        rounds,
        rounds.toSorted((a, b) => b[8]!.localeCompare(a[8]!)),
      )
    })

    it(`whatever ${payments} payments meet on their way, no event is delivered out of order, and each is delivered or given up`, async () => {
      const random = seededRandom(SEED)
      await begin(() => random.pick<ReceiverAnswer>([200, 404, 400, { status: 200, afterMs: 50 }, 302]))
      await writeEvents(service, accountId, upTo(payments))
      await service.clock.advance(LOOK_EVERY_MS)
      await writeEvents(service, accountId, upTo(payments), 'refunded')
      await service.sleepUntilNothingIsDue()
      assertInOrder(service.sent)
      const rows = await deliveries(service, accountId)
      assert.equal(rows.length, payments * 2)
      assert.deepEqual(
        rows.filter(({ status, dueAt }) => status === 'waiting' || dueAt !== null),
        [],
      )
    })
  })
}
