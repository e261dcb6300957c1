// Promise 13: what happened to one payment reaches an endpoint in the order in which it happened. A later event waits until the one
// before it is delivered or given up, for hours if need be; what happened to other payments does not wait with it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { replayEvents } from '../../src/actions/webhooks/replay-events.ts'
import { TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { STORES } from '../kit/stores.ts'
import { seededRandom } from '../simulation/seeded-random.ts'
import { type AddedEndpoint, add, change, deliveries, tell, upTo } from './manage.ts'
import { HOST, LOOK_EVERY_MS, openTold, type Receipt, type Sent, type ToldService } from './told-service.ts'

const HOUR_MS = 3_600_000
const SEED = 20_261_116
/** The same on both, and more of it where it costs less. */
const PAYMENTS = { SQLite: 30, PostgreSQL: 8 }

const isFirst = ({ told }: Sent): boolean => told.event === 'payment.succeeded'

/** No attempt for a later event of a payment lies before one for an earlier event of it. */
function assertInOrder(sent: readonly Sent[]): void {
  const seen = new Map<string, string>()
  for (const { told } of sent) {
    const { reference } = told.data
    assert.ok(!(told.event === 'payment.succeeded' && seen.get(reference) === 'payment.refunded'), reference)
    seen.set(reference, told.event)
  }
}

for (const store of STORES) {
  describe(`promise 13: the events of one payment, on ${store.name}`, () => {
    const payments = PAYMENTS[store.name]
    let service: ToldService
    let accountId: string
    let endpoint: AddedEndpoint

    before(async () => {
      service = await openTold(store)
    })
    after(() => service.remove())

    async function begin(answer: (sent: Sent) => Receipt): Promise<void> {
      if (endpoint !== undefined) await change(service, endpoint, { to: 'removed' })
      accountId = (await service.merchant()).accounts.sandbox.accountId
      endpoint = await add(service, accountId, `${HOST}/${accountId}`)
      service.merchants.answer = answer
      service.sent.length = 0
    }

    const of = (number: number): Sent[] =>
      service.sent.filter(({ told }) => told.data.reference === `payment-${number}`)

    const statuses = async (): Promise<string[]> =>
      (await deliveries(service, accountId)).map(({ event, status }) => `${event} ${status}`)

    it('promise 13: refunded waits for hours while succeeded is not taken, and the other payments do not', async () => {
      const worksFrom = service.clock.now() + 6 * HOUR_MS
      await begin((sent) =>
        sent.told.data.reference === 'payment-1' && isFirst(sent) && service.clock.now() < worksFrom ? 404 : 200,
      )
      await tell(service, accountId, [1])
      await service.clock.advance(LOOK_EVERY_MS)
      await tell(service, accountId, [1], 'refunded')
      await tell(service, accountId, upTo(5, 2))
      await service.clock.advance(LOOK_EVERY_MS)
      assert.equal(service.sent.length, 1 + 5, 'the others are there at the next look')
      while (await service.sleepToNext());
      assertInOrder(service.sent)
      const [last, refunded, ...more] = of(1).slice(-2) as [Sent, Sent]
      assert.deepEqual([last.told.event, refunded.told.event, more], ['payment.succeeded', 'payment.refunded', []])
      assert.ok(last.at >= worksFrom)
      assert.equal(refunded.at, last.at, 'and then it does not wait any longer')
      assert.ok((await statuses()).every((status) => status.endsWith(' delivered')))
    })

    it('a later event goes out once the earlier one is given up', async () => {
      await begin((sent) => (isFirst(sent) ? 500 : 200))
      await tell(service, accountId, [1])
      await tell(service, accountId, [1], 'refunded')
      while (await service.sleepToNext());
      assertInOrder(service.sent)
      assert.equal(of(1).length, 10 + 1)
      assert.deepEqual(await statuses(), ['payment.succeeded failed', 'payment.refunded delivered'])
    })

    it('what waits for another does not keep its lane busy', async () => {
      await begin(() => 404)
      await tell(service, accountId, [1])
      await service.clock.advance(LOOK_EVERY_MS)
      await tell(service, accountId, [1], 'refunded')
      await service.clock.advance(LOOK_EVERY_MS)
      const [lane] = await service.db.rows<{ due_at: number }>(
        'select due_at from webhook_endpoints where account_id = $1',
        [accountId],
      )
      const [first] = await deliveries(service, accountId)
      assert.equal(lane?.due_at, first?.dueAt)
    })

    it('two that are due in one batch go out one after the other', async () => {
      await begin(() => ({ status: 200, afterMs: 100 }))
      await tell(service, accountId, [1, 2])
      await tell(service, accountId, [1, 2], 'refunded')
      await service.clock.advance(1_000)
      for (const number of [1, 2]) {
        const [first, second] = of(number) as [Sent, Sent]
        assert.deepEqual([first.told.event, second.told.event], ['payment.succeeded', 'payment.refunded'])
        assert.equal(second.at - first.at, 100)
      }
    })

    it('a replay keeps to the order too, each time it is asked for', async () => {
      await begin(() => 200)
      await insertPending(service, accountId, 1, { dueAt: service.clock.now() + 24 * HOUR_MS })
      const [payment] = await service.db.rows<{ number: number; reference: string }>(
        'select number, reference from payments where account_id = $1',
        [accountId],
      )
      assert.ok(payment)
      await tell(service, accountId, [payment.number])
      await tell(service, accountId, [payment.number], 'refunded')
      await service.clock.advance(LOOK_EVERY_MS)
      service.sent.length = 0
      const worksFrom = service.clock.now() + HOUR_MS
      service.merchants.answer = () => (service.clock.now() < worksFrom ? 404 : 200)
      for (const _time of upTo(2)) await replayEvents(service, TESTER, { payment: payment.reference })
      while (await service.sleepToNext());
      const rounds = service.sent.map(({ told, headers }) => `${told.event} ${headers['svc-webhook-replay']}`)
      assert.deepEqual(
        [...new Set(rounds)],
        ['payment.succeeded 1', 'payment.succeeded 2', 'payment.refunded 1', 'payment.refunded 2'],
      )
      assert.deepEqual(
        rounds,
        rounds.toSorted((a, b) => b[8]!.localeCompare(a[8]!)),
      )
    })

    it(`whatever ${payments} payments meet on their way, none is told out of order, and all is told or given up`, async () => {
      const random = seededRandom(SEED)
      await begin(() => random.pick<Receipt>([200, 404, 400, { status: 200, afterMs: 50 }, 302]))
      await tell(service, accountId, upTo(payments))
      await service.clock.advance(LOOK_EVERY_MS)
      await tell(service, accountId, upTo(payments), 'refunded')
      while (await service.sleepToNext());
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
