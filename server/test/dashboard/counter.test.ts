// The counter screen's stream: today's payments of one account as they succeed; after a lost
// connection nothing is missing and nothing comes twice. On both stores.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { CounterBody } from '../../src/dashboard-api/shapes.ts'
import { ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { order, post, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { until } from '../kit/waiting.ts'
import { DECLINES, SUCCEEDS } from '../links/payer.ts'

interface Followed {
  bodies: CounterBody[]
  lastId: string
  cut(): Promise<void>
}

/** As the browser's EventSource reads it. */
async function follow(url: string, { cookie }: SignedIn, lastId = ''): Promise<Followed> {
  const leaving = new AbortController()
  const headers = {
    cookie,
    origin: ORIGIN.origin,
    ...(lastId !== '' && { 'last-event-id': lastId }),
  }
  const answer = await fetch(url, { headers, signal: leaving.signal })
  assert.equal(answer.status, 200)
  const followed: Followed = { bodies: [], lastId, cut: async () => {} }
  let text = ''
  const reading = (async () => {
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      const events = text.split('\n\n')
      text = events.pop() as string
      for (const [, id = '', data = ''] of events.flatMap((event) => [
        ...event.matchAll(/^id: (\d+)\ndata: (.*)$/g),
      ])) {
        followed.lastId = id
        followed.bodies.push(JSON.parse(data))
      }
    }
  })().catch(() => {})
  followed.cut = async () => {
    leaving.abort()
    await reading
  }
  return followed
}

for (const store of STORES_IN_HALVES) {
  describe(`counter screen on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let address: string
    before(async () => {
      address = await service.listen()
    })

    async function shop() {
      const { merchantId, accounts } = await service.merchant()
      const { accountId, secretKey } = accounts.sandbox
      const cashier = await signedIn(service, { at: merchantId, as: 'cashier' })
      return { secretKey, cashier, url: `${address}/dashboard/api/accounts/${accountId}/counter` }
    }
    async function pay(secretKey: string, count: number, msisdn = SUCCEEDS): Promise<string[]> {
      const made = []
      for (let at = 0; at < count; at++)
        made.push((await post(service, secretKey, order({ msisdn }))).body)
      await service.clock.advance(10_000)
      return made.map(({ public_reference }) => String(public_reference))
    }
    const shownBy = (followed: Followed[]): string[] =>
      followed.flatMap(({ bodies }) =>
        bodies.flatMap(({ payments }) => payments.map((each) => each.publicReference)),
      )
    /** The clock is the test's: each step may begin a look. */
    const arrives = (what: string, has: () => boolean) =>
      until(what, async () => {
        await service.clock.advance(500)
        return has()
      })

    it('counter screen: shows amount, operator and last digits of succeeded payments, and no name or whole number', async () => {
      const { secretKey, cashier, url } = await shop()
      const [before] = await pay(secretKey, 1)
      const screen = await follow(url, cashier)
      await until('list of today', () => screen.bodies.length > 0)
      assert.deepEqual([screen.bodies[0]?.isWhole, shownBy([screen])], [true, [before]])
      const [declined] = await pay(secretKey, 1, DECLINES)
      const [next] = await pay(secretKey, 1)
      await arrives('next payment', () => shownBy([screen]).includes(next as string))
      assert.ok(!shownBy([screen]).includes(declined as string))
      const payment = screen.bodies.at(-1)?.payments[0]
      assert.deepEqual(Object.keys(payment ?? {}).sort(), [
        'amount',
        'at',
        'lastDigits',
        'operator',
        'publicReference',
        'refunded',
      ])
      assert.deepEqual([payment?.amount, payment?.lastDigits], [1_500, SUCCEEDS.slice(-4)])
      const [spaced] = await pay(secretKey, 1, '+227 90 12 34 56')
      await arrives('payment of a number with spaces', () =>
        shownBy([screen]).includes(spaced as string),
      )
      assert.equal(screen.bodies.at(-1)?.payments[0]?.lastDigits, '3456')
      assert.ok(
        !JSON.stringify(screen.bodies).includes(SUCCEEDS) &&
          !JSON.stringify(screen.bodies).includes('Awa'),
      )
      await screen.cut()
    })

    it('counter screen: cut and connected again three times, it has every payment once', async () => {
      const { secretKey, cashier, url } = await shop()
      const screens = [await follow(url, cashier)]
      const paid = await pay(secretKey, 3)
      await arrives('first payments', () => shownBy(screens).length === 3)
      for (let times = 0; times < 3; times++) {
        const { lastId, cut } = screens.at(-1) as Followed
        await cut()
        paid.push(...(await pay(secretKey, 4)))
        screens.push(await follow(url, cashier, lastId))
        paid.push(...(await pay(secretKey, 2)))
        await arrives('payments meanwhile', () => shownBy(screens).length >= paid.length)
      }
      await service.clock.advance(5_000)
      assert.deepEqual(shownBy(screens).sort(), paid.sort())
      await screens.at(-1)?.cut()
    })

    it('counter screen: a refund changes the payment; yesterday’s payments are gone', async () => {
      const { secretKey, cashier, url } = await shop()
      const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS }))
      await service.clock.advance(10_000)
      const screen = await follow(url, cashier)
      await until('list of today', () => screen.bodies.length > 0)
      await postAt(service, secretKey, `/payments/${body.reference}/refund`, { amount: 500 })
      await arrives('refund', () => screen.bodies.at(-1)?.payments[0]?.refunded === 500)
      await screen.cut()
      await service.db.change(
        'update payments set validated_at = validated_at - 86400000 where reference = :reference',
        { reference: body.reference as string },
      )
      const later = await follow(url, cashier)
      await until('list of today', () => later.bodies.length > 0)
      assert.deepEqual(later.bodies[0]?.payments, [])
      await later.cut()
    })

    it('counter screen: an id of the future or of long ago gets the list of today, and no other account’s payments', async () => {
      const { secretKey, cashier, url } = await shop()
      const paid = (await pay(secretKey, 2)).sort()
      for (const lastId of ['999999', '9007199254740993', '-1', 'x', '1e3']) {
        const screen = await follow(url, cashier, lastId)
        await until('list of today', () => screen.bodies.length > 0)
        // Payments that are due together settle in any order.
        assert.deepEqual(shownBy([screen]).sort(), paid, lastId)
        await screen.cut()
      }
      const other = await shop()
      const answer = await fetch(url, {
        headers: { cookie: other.cashier.cookie, origin: ORIGIN.origin },
      })
      assert.equal(answer.status, 404)
    })
  })
}

it('counter screen: the page is one request of less than 12 KB and holds nothing of a merchant', async () => {
  const service = await openVirtualService()
  try {
    const { statusCode, body, headers } = await service.app.inject({
      url: '/dashboard/counter/acc_x?lang=en',
    })
    assert.equal(statusCode, 200)
    assert.ok(Buffer.byteLength(body) < 12_000, `${Buffer.byteLength(body)} bytes`)
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
    assert.match(body, /Payments received today/)
    assert.doesNotMatch(body, /acc_x|src=/)
  } finally {
    await service.remove()
  }
})
