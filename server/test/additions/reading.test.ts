// Additions to the contract: the account, payment lists, refunds, cancelled links, metadata (D-89),
// and orders with one active payment (D-90).

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptLateMoney, listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { writeHealth } from '../../src/store/operators/connections.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { payAtNetwork } from '../kit/late-money.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { type Answer, getFrom, order, post, postAt } from '../kit/service.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { byPhone, DECLINES, LINK, linksOf, openShop, SUCCEEDS } from '../links/payer.ts'

const { service, clock, merchant, account, postLink, newLink, read, readLink, pay } =
  await openShop()
const key = account.secretKey

describe('additions: reads, lists and refunds', () => {
  async function settled(msisdn: string, change: Record<string, unknown> = {}): Promise<string> {
    const { body } = await post(service, key, order({ msisdn, ...change }))
    await clock.advance(10_000)
    return body.reference as string
  }

  it('an account has its merchant, its endpoints and every connected operator', async () => {
    const { accountId } = merchant.accounts.sandbox
    await newEndpoint(service, accountId, 'https://shop.example.com/hook')
    const { code, body } = await getFrom(service, key, '/account')
    const { operators, ...rest } = body as { operators: { operator: string; state: string }[] }
    assert.equal(code, 200)
    assert.deepEqual(rest, {
      account_id: accountId,
      merchant: 'Boutique Awa',
      environment: 'sandbox',
      status: 'validated',
      endpoints: [{ url: 'https://shop.example.com/hook', status: 'on', failing_since: null }],
    })
    assert.deepEqual(operators[0], {
      country: 'NE',
      operator: 'airtel_ne',
      name: 'Airtel Money',
      state: 'up',
    })
    assert.ok(operators.some(({ operator }) => operator === 'mtn_bj'))
  })

  it('an operator that does not answer is down for its account', async () => {
    const seen = {
      connection: 'mtn_bj',
      state: 'down',
      since: 1,
      why: 'silence',
      misconfigured: 0,
      seenAt: 1,
    }
    await writeHealth(service.db, { environment: 'sandbox', ...seen })
    const { operators } = (await getFrom(service, key, '/account')).body as {
      operators: Record<string, string>[]
    }
    assert.equal(operators.find(({ operator }) => operator === 'mtn_bj')?.state, 'down')
    await writeHealth(service.db, { environment: 'sandbox', ...seen, state: 'working' })
  })

  it('payments are listed newest first, in pages, and only those of the account', async () => {
    const own = (await service.merchant()).accounts.sandbox.secretKey
    const made: unknown[] = []
    for (let nth = 0; nth < 5; nth++)
      made.unshift((await post(service, own, order())).body.reference)
    const seen: unknown[] = []
    let path = '/payments?limit=2'
    for (let pages = 1; ; pages++) {
      const { code, body } = await getFrom(service, own, path)
      assert.equal(code, 200)
      const { data, next } = body as { data: { reference: string }[]; next: string | null }
      seen.push(...data.map(({ reference }) => reference))
      if (next === null) {
        assert.equal(pages, 3)
        break
      }
      path = `/payments?limit=2&after=${next}`
    }
    assert.deepEqual(seen, made)
  })

  it('a listed payment has the fields of a read, its creation time and its link', async () => {
    const link = await newLink()
    const { data } = (await getFrom(service, key, '/payments?limit=1')).body as {
      data: Record<string, unknown>[]
    }
    const { created_at, external_payment_reference, ...payment } = data[0] ?? {}
    assert.deepEqual(payment, await read(link))
    assert.deepEqual(
      [external_payment_reference, created_at],
      [link, new Date(clock.now()).toISOString()],
    )
  })

  it('a list filters by state, operator and time', async () => {
    const own = (await service.merchant()).accounts.sandbox.secretKey
    const count = async (query: string): Promise<number> =>
      ((await getFrom(service, own, `/payments?${query}`)).body.data as unknown[]).length
    await post(service, own, order({ msisdn: SUCCEEDS }))
    await post(service, own, order({ msisdn: DECLINES, country: 'BJ' }))
    await clock.advance(10_000)
    await clock.sleep(86_400_000)
    const today = new Date(clock.now()).toISOString()
    await post(service, own, order())
    const inNiger = `from=${encodeURIComponent(today.replace('Z', '+01:00'))}&status=succeeded&operator=airtel_ne`
    const counts = {
      'status=succeeded': 1,
      'status=failed': 1,
      'status=refunded': 0,
      'operator=mtn_bj': 1,
    }
    const since = {
      [`from=${today}`]: 1,
      [`to=${today}`]: 2,
      [`from=${today.slice(0, 10)}`]: 1,
      [inNiger]: 0,
    }
    for (const [query, found] of Object.entries({ ...counts, ...since }))
      assert.equal(await count(query), found, query)
    for (const strange of ['2026-02-30', '2026-02-30T09:30:00Z', '2026-02-28T25:00:00Z'])
      assert.equal((await getFrom(service, own, `/payments?to=${strange}`)).code, 400, strange)
  })

  it('repeated requests create one refund, which is readable until it has succeeded', async () => {
    const transactionId = 'refund-1'
    const reference = await settled(SUCCEEDS, { transaction_id: transactionId })
    assert.equal((await getFrom(service, key, `/payments/${reference}/refund`)).code, 404)
    const [first, second] = [
      await postAt(service, key, `/payments/${reference}/refund`),
      await postAt(service, key, `/payments/${transactionId}/refund`, {}),
    ]
    assert.deepEqual([first?.code, second?.body], [200, first?.body])
    assert.partialDeepStrictEqual(first?.body, {
      payment_reference: reference,
      amount: 1500,
      status: 'pending',
    })
    await clock.advance(20_000)
    const { body } = await getFrom(service, key, `/payments/${reference}/refund`)
    assert.partialDeepStrictEqual(body, { reference: first?.body.reference, status: 'succeeded' })
    assert.ok((body.updated_at as string) > (body.created_at as string))
    assert.equal((await read(reference)).status, 'refunded')
    assert.deepEqual((await postAt(service, key, `/payments/${reference}/refund`)).body, body)
    assert.equal(service.calls.refund.length, 1)
  })

  it('a payment that the operator reversed has a refund too, and cannot be refunded again', async () => {
    const reference = await settled('40410000117')
    assert.equal((await read(reference)).status, 'refunded')
    const { code, body } = await postAt(service, key, `/payments/${reference}/refund`)
    assert.equal(code, 200)
    assert.partialDeepStrictEqual(body, {
      reference,
      payment_reference: reference,
      status: 'succeeded',
    })
  })

  it('a transaction_id that ends like a refund path is readable, with its slash encoded or not', async () => {
    await post(service, key, order({ transaction_id: 'a/refund' }))
    for (const name of ['a/refund', 'a%2Frefund']) {
      const { body } = await getFrom(service, key, `/payments/${name}`)
      assert.equal(body.external_reference, 'a/refund')
    }
    const got = (await getFrom(service, key, '/payments/a%2Frefund/refund')).headers[
      'svc-error-code'
    ]
    assert.equal(got, 'refund_not_found')
  })
})

describe('metadata and orders', () => {
  const METADATA = { cart: 'c-12', note: 'deux\nlignes \u0000 é 🛒', __proto__: 'own', empty: '' }
  const LINK_LIFE_MS = 30 * 60_000
  let orders = 0
  const newOrder = (): string => `order ${++orders}`
  const create = (change: Record<string, unknown>): Promise<Answer> =>
    post(service, key, order(change))
  const eventsOf = async (reference: unknown) =>
    (
      (await getFrom(service, key, '/events?limit=1000')).body.events as {
        data: Record<string, unknown>
      }[]
    ).filter(({ data }) => data.reference === reference)

  it('metadata is returned in reads, lists and events', async () => {
    const { body } = await create({
      msisdn: SUCCEEDS,
      metadata: METADATA,
      order_reference: newOrder(),
    })
    await clock.advance(10_000)
    const [listed] = (await getFrom(service, key, '/payments?limit=1')).body.data as Record<
      string,
      unknown
    >[]
    const [event] = await eventsOf(body.reference)
    for (const seen of [await read(body.reference as string), listed, event?.data])
      assert.deepEqual([seen?.metadata, seen?.order_reference], [METADATA, `order ${orders}`])
  })

  it('a payment without metadata, or with empty metadata, omits both fields', async () => {
    for (const change of [{}, { metadata: {} }, { metadata: null, order_reference: null }]) {
      const { body } = await create(change)
      const payment = await read(body.reference as string)
      assert.deepEqual(['metadata' in payment, 'order_reference' in payment], [false, false])
    }
  })

  it('a link’s metadata is in its payment and events, never in the public read', async () => {
    const link = await newLink({ metadata: { cart: 'secret' }, order_reference: newOrder() })
    assert.ok(!JSON.stringify((await readLink(link)).body).includes('secret'))
    await pay(link, byPhone(SUCCEEDS))
    await clock.advance(10_000)
    const payment = await read(link)
    assert.deepEqual(payment.metadata, { cart: 'secret' })
    const [event] = await eventsOf(payment.reference)
    assert.deepEqual(
      [event?.data.metadata, event?.data.order_reference],
      [{ cart: 'secret' }, payment.order_reference],
    )
  })

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, '']))
  const FAULTS: [about: string, change: Record<string, unknown>, code: string | undefined][] = [
    ['20 keys', { metadata: many(20) }, undefined],
    ['21 keys', { metadata: many(21) }, 'metadata_not_valid'],
    ['a key of 40 characters', { metadata: { ['k'.repeat(40)]: '' } }, undefined],
    ['a key of 41 characters', { metadata: { ['k'.repeat(41)]: '' } }, 'metadata_not_valid'],
    ['an empty key', { metadata: { '': 'x' } }, 'metadata_not_valid'],
    ['a value of 500 characters', { metadata: { k: '🛒'.repeat(500) } }, undefined],
    ['a value of 501 characters', { metadata: { k: 'x'.repeat(501) } }, 'metadata_not_valid'],
    ['a number as a value', { metadata: { k: 1 } }, 'metadata_not_valid'],
    ['a lone surrogate', { metadata: { k: '\ud800' } }, 'metadata_not_valid'],
    ['a list', { metadata: ['x'] }, 'metadata_not_valid'],
    ['a text', { metadata: 'x' }, 'metadata_not_valid'],
    ['an order of 255 characters', { order_reference: 'x'.repeat(255) }, undefined],
    [
      'an order of 256 characters',
      { order_reference: 'x'.repeat(256) },
      'order_reference_not_valid',
    ],
    ['an empty order', { order_reference: '' }, 'order_reference_not_valid'],
    ['an order that is a number', { order_reference: 12 }, 'order_reference_not_valid'],
    ['an order with NUL', { order_reference: 'a\u0000' }, 'order_reference_not_valid'],
  ]
  it('metadata and order_reference have the same limits for payments and links', async () => {
    const other = linksOf(service, (await service.merchant()).accounts.sandbox)
    for (const [about, change, code] of FAULTS) {
      assert.equal((await create(change)).headers['svc-error-code'], code, about)
      const { headers } = await other.postLink({ ...LINK, ...change })
      assert.equal(headers['svc-error-code'], code, `${about} of a link`)
    }
  })

  it('an order has one pending or succeeded payment, whose reference a further create gets', async () => {
    const reference = newOrder()
    const first = await create({ msisdn: DECLINES, order_reference: reference })
    const second = await create({ order_reference: reference })
    assert.deepEqual(
      [second.code, second.body],
      [422, { status: 'failed', message: 'Order Reference Taken' }],
    )
    assert.equal(second.headers['svc-existing-reference'], first.body.reference)
    await clock.advance(10_000)
    const third = await create({ msisdn: SUCCEEDS, order_reference: reference })
    assert.equal(third.code, 200, 'the first has failed')
    await clock.advance(10_000)
    const fourth = await create({ order_reference: reference })
    assert.equal(fourth.headers['svc-existing-reference'], third.body.reference)
    await postAt(service, key, `/payments/${third.body.reference}/refund`)
    await clock.advance(20_000)
    assert.equal(
      (await create({ order_reference: reference })).code,
      422,
      'a refunded payment counts as succeeded',
    )
  })

  it('another account has its own orders', async () => {
    const reference = newOrder()
    await create({ order_reference: reference })
    const other = (await service.merchant()).accounts.sandbox.secretKey
    assert.equal((await post(service, other, order({ order_reference: reference }))).code, 200)
  })

  it('a link holds its order while it is open, through failed attempts, until it expires', async () => {
    const reference = newOrder()
    const link = await newLink({ order_reference: reference })
    const held = (await read(link)).reference
    const isHeld = async () =>
      (await create({ order_reference: reference })).headers['svc-existing-reference'] === held
    assert.ok(await isHeld())
    await pay(link, byPhone(DECLINES))
    await clock.advance(10_000)
    assert.ok(await isHeld())
    assert.equal((await postLink({ ...LINK, order_reference: reference })).code, 422)
    await clock.sleep(LINK_LIFE_MS)
    await clock.advance(10_000)
    assert.equal((await postLink({ ...LINK, order_reference: reference })).code, 200)
  })

  it('late money is not accepted for an order that has another active payment', async () => {
    const reference = newOrder()
    const failed = (await create({ msisdn: DECLINES, order_reference: reference })).body.reference
    await clock.advance(10_000)
    const detail = { recorded: 'failed', reported: 'succeeded', operatorReference: 'OP-LATE' }
    const payment = await paymentOf(service, failed)
    await insertAnomaly(service.db, payment, {
      kind: 'success_after_failure',
      detail,
      at: clock.now(),
    })
    await payAtNetwork(service.db, payment.reference)
    const accept = async () => {
      const { rows } = granted(await listLatestAnomalies(service, TESTER, { openOnly: true }))
      const anomalyId = rows.find((each) => each.reference === failed)?.anomalyId as string
      return acceptLateMoney(service, TESTER, { anomalyId, note: 'looked at' })
    }
    const second = (await create({ msisdn: DECLINES, order_reference: reference })).body.reference
    assert.deepEqual(await accept(), { refused: 'late_money_not_needed', status: 'failed' })
    await clock.advance(10_000)
    assert.equal((await read(second as string)).status, 'failed')
    assert.deepEqual(await accept(), { reference: failed })
    assert.equal(
      (await create({ order_reference: reference })).headers['svc-existing-reference'],
      failed,
    )
  })
})
