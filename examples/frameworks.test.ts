// The shops with Django and FastAPI: the webhook is answered at once, the payment is read back, and
// what was paid is delivered once, whatever is lost on the way.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Fault } from '../sdk/test/faulty-proxy.ts'
import { assertVerifiesSender } from '../server/test/docs/try-receiver.ts'
import { freePort } from '../server/test/kit/process.ts'
import { head, order } from '../server/test/kit/service.ts'
import { until } from '../server/test/kit/waiting.ts'
import { deliveries, SECRET_HASH } from '../server/test/kit/webhooks.ts'
import { type Mall, openMall, passes, postEvent, repeatEvents } from './open-mall.ts'
import { FRAMEWORKS, orderPage, orderThatIs, placeOrder, startShop } from './run-shop.ts'

const SUCCEEDS = '40410000000'
const DECLINES = '40410000006'
const STAYS_PENDING = '40410000008'

/** Only the first request with this method gets the fault. */
function onceAt(wanted: string, fault: Fault): (method: string) => Fault {
  let isFirst = true
  return (method) => {
    if (method !== wanted || !isFirst) return 'passes'
    isFirst = false
    return fault
  }
}

for (const kind of FRAMEWORKS)
  describe(
    `examples/${kind.name}`,
    kind.program === undefined && process.env.CI === undefined
      ? { skip: `${kind.name} is not on this machine` }
      : {},
    () => {
      let mall: Mall
      before(async () => {
        mall = await openMall(kind)
      })
      after(() => mall.close())

      const eventsAreDelivered = (): Promise<boolean> =>
        until('delivery of the events', async () =>
          (await deliveries(mall.service, mall.accountId)).every(
            ({ status }) => status === 'delivered',
          ),
        )

      it(`example with ${kind.name}: an order whose answers are lost and whose event comes twice is delivered once`, async () => {
        const faults: Fault[] = ['is cut after the commit', 'is cut in the middle of the answer']
        const ids: string[] = []
        for (const fault of faults) {
          mall.faults.next = onceAt('POST', fault)
          ids.push(await placeOrder(mall.shop.url, SUCCEEDS))
        }
        mall.faults.next = onceAt('GET', 'is cut before the service')
        ids.push(await placeOrder(mall.shop.url, SUCCEEDS))
        for (const id of ids) await orderThatIs(mall.shop.url, id, 'delivered')
        mall.faults.next = passes
        await eventsAreDelivered()
        await repeatEvents(mall)
        assert.deepEqual(mall.delivered(), ids.sort())
      })

      it(`example with ${kind.name}: a declined and a refused order fail, with the reason`, async () => {
        const { url } = mall.shop
        const known = mall.delivered()
        const declined = await placeOrder(url, DECLINES)
        assert.match(await orderThatIs(url, declined, 'failed'), /declined/)
        const refused = await placeOrder(url, '12')
        assert.match(await orderThatIs(url, refused, 'failed'), /Incorrect MSISDN/)
        assert.deepEqual(mall.delivered(), known)
      })

      it(`example with ${kind.name}: accepts genuine events only`, () =>
        assertVerifiesSender(`${mall.shop.url}/hook`, {
          secretHash: SECRET_HASH,
          signingSecret: mall.signingSecret,
        }))

      it(`example with ${kind.name}: does not start without its secrets`, async () => {
        const { folder, secretKey } = mall
        const settings = { folder, port: await freePort(), karbaUrl: mall.address, secretKey }
        const started = startShop(kind, {
          ...settings,
          secretHash: '',
          signingSecret: 'whsec_AA==',
        })
        await assert.rejects(started, /ended with [1-9]/)
      })

      it(`example with ${kind.name}: what an event says is read back before anything is delivered`, async () => {
        const id = await placeOrder(mall.shop.url, STAYS_PENDING)
        const known = mall.delivered()
        assert.equal(await postEvent(mall, id), 204)
        // Events are handled in order: after this one that of the pending payment was handled.
        const next = await placeOrder(mall.shop.url, SUCCEEDS)
        await orderThatIs(mall.shop.url, next, 'delivered')
        assert.equal((await orderPage(mall.shop.url, id)).status, 'pending')
        assert.deepEqual(mall.delivered(), [...known, next].sort())
      })

      it(`example with ${kind.name}: a payment of another amount, or of no order, delivers nothing`, async () => {
        const known = mall.delivered()
        mall.faults.next = () => 'gets a 503 for a minute'
        const [less, right] = [
          await placeOrder(mall.shop.url, SUCCEEDS),
          await placeOrder(mall.shop.url, SUCCEEDS),
        ]
        mall.faults.next = passes
        for (const [transactionId, amount] of [
          [less, 2_499],
          ['of no order', 2_500],
          [right, 2_500],
        ] as const)
          await pay(transactionId, amount)
        await orderThatIs(mall.shop.url, right, 'delivered')
        await eventsAreDelivered()
        const last = await placeOrder(mall.shop.url, SUCCEEDS)
        await orderThatIs(mall.shop.url, last, 'delivered')
        assert.deepEqual(mall.delivered(), [...known, right, last].sort())
      })

      it(`example with ${kind.name}: killed after its answer, it delivers at its next start`, async () => {
        const known = mall.delivered()
        mall.faults.next = (method) => (method === 'GET' ? 'is cut before the service' : 'passes')
        const id = await placeOrder(mall.shop.url, SUCCEEDS)
        await until('payment', async () => (await statusOf(id)) === 'succeeded')
        await eventsAreDelivered()
        assert.equal((await orderPage(mall.shop.url, id)).status, 'pending')
        mall.faults.next = passes
        await mall.restart()
        await orderThatIs(mall.shop.url, id, 'delivered')
        assert.deepEqual(mall.delivered(), [...known, id].sort())
      })

      async function pay(transactionId: string, amount: number): Promise<void> {
        const body = order({ transaction_id: transactionId, amount, msisdn: SUCCEEDS })
        const { secretKey } = mall
        const answer = await fetch(`${mall.address}/api/v1/payments`, {
          method: 'POST',
          headers: head(secretKey),
          body: JSON.stringify(body),
        })
        assert.equal(answer.status, 200)
      }

      async function statusOf(id: string): Promise<string | undefined> {
        const [row] = await mall.service.db.read<{ status: string }>(
          'select status from payments where account_id = :accountId and external_reference = :id',
          { accountId: mall.accountId, id },
        )
        return row?.status
      }
    },
  )
