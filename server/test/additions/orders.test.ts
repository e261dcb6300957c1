// What a merchant adds to payments and links: metadata, and the order that is paid, which at most one payment stands for (D-89, D-90).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { acceptLateMoney, listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { type Answer, get, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, DECLINES, LINK, newLink, pay, postLink, readLink, SUCCEEDS } from '../links/payer.ts'
import { getFrom, postAt } from './requests.ts'

const METADATA = { cart: 'c-12', note: 'deux\nlignes \u0000 é 🛒', __proto__: 'own', empty: '' }
const LINK_LIFE_MS = 30 * 60_000

describe('what a merchant adds', () => {
  let service: VirtualService
  let key: string
  let orders = 0

  before(async () => {
    service = await openVirtualService(SQLITE)
    key = (await service.merchant()).accounts.sandbox.secretKey
  })
  after(() => service.remove())

  const newOrder = (): string => `order ${++orders}`
  const create = (change: Record<string, unknown>): Promise<Answer> => post(service, key, order(change))
  const eventsOf = async (reference: unknown) =>
    ((await getFrom(service, key, '/events?limit=1000')).body.events as { data: Record<string, unknown> }[]).filter(
      ({ data }) => data.reference === reference,
    )

  it('metadata is given back when the payment is read and listed, and in its events', async () => {
    const { body } = await create({ msisdn: SUCCEEDS, metadata: METADATA, order_reference: newOrder() })
    await service.clock.advance(10_000)
    const [listed] = (await getFrom(service, key, '/payments?limit=1')).body.data as Record<string, unknown>[]
    const [event] = await eventsOf(body.reference)
    for (const seen of [(await get(service, key, body.reference as string)).body, listed, event?.data]) {
      assert.deepEqual([seen?.metadata, seen?.order_reference], [METADATA, `order ${orders}`])
    }
  })

  it('a payment without any has no such fields, and neither has one with empty metadata', async () => {
    for (const change of [{}, { metadata: {} }, { metadata: null, order_reference: null }]) {
      const { body } = await create(change)
      const read = (await get(service, key, body.reference as string)).body
      assert.deepEqual(['metadata' in read, 'order_reference' in read], [false, false])
    }
  })

  it('a link’s metadata is the merchant’s own: in its payment and events, never on the public read', async () => {
    const link = await newLink(service, key, { metadata: { cart: 'secret' }, order_reference: newOrder() })
    assert.ok(!JSON.stringify((await readLink(service, link)).body).includes('secret'))
    await pay(service, link, byPhone(SUCCEEDS))
    await service.clock.advance(10_000)
    const payment = (await get(service, key, link)).body
    assert.deepEqual(payment.metadata, { cart: 'secret' })
    const [event] = await eventsOf(payment.reference)
    assert.deepEqual([event?.data.metadata, event?.data.order_reference], [{ cart: 'secret' }, payment.order_reference])
  })

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, '']))
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
    ['an order of 256 characters', { order_reference: 'x'.repeat(256) }, 'order_reference_not_valid'],
    ['an empty order', { order_reference: '' }, 'order_reference_not_valid'],
    ['an order that is a number', { order_reference: 12 }, 'order_reference_not_valid'],
    ['an order with NUL', { order_reference: 'a\u0000' }, 'order_reference_not_valid'],
  ]
  it('metadata and orders have limits, the same for payments and links', async () => {
    const other = (await service.merchant()).accounts.sandbox.secretKey
    for (const [about, change, code] of FAULTS) {
      assert.equal((await create(change)).headers['svc-error-code'], code, about)
      const { headers } = await postLink(service, other, { ...LINK, ...change })
      assert.equal(headers['svc-error-code'], code, `${about} of a link`)
    }
  })

  it('of an order’s payments one is pending and one succeeds; a further one names it', async () => {
    const reference = newOrder()
    const first = await create({ msisdn: DECLINES, order_reference: reference })
    const second = await create({ order_reference: reference })
    assert.deepEqual([second.code, second.body], [422, { status: 'failed', message: 'Order Reference Taken' }])
    assert.equal(second.headers['svc-existing-reference'], first.body.reference)
    await service.clock.advance(10_000)
    const third = await create({ msisdn: SUCCEEDS, order_reference: reference })
    assert.equal(third.code, 200, 'the first has failed')
    await service.clock.advance(10_000)
    const fourth = await create({ order_reference: reference })
    assert.equal(fourth.headers['svc-existing-reference'], third.body.reference)
    await postAt(service, key, `/payments/${third.body.reference}/refund`)
    await service.clock.advance(20_000)
    assert.equal((await create({ order_reference: reference })).code, 422, 'a refunded payment did succeed')
  })

  it('another account has orders of its own', async () => {
    const reference = newOrder()
    await create({ order_reference: reference })
    const other = (await service.merchant()).accounts.sandbox.secretKey
    assert.equal((await post(service, other, order({ order_reference: reference }))).code, 200)
  })

  it('a link holds its order while it is open, through failed attempts, until it expires', async () => {
    const reference = newOrder()
    const link = await newLink(service, key, { order_reference: reference })
    const held = (await get(service, key, link)).body.reference
    const isHeld = async () => (await create({ order_reference: reference })).headers['svc-existing-reference'] === held
    assert.ok(await isHeld())
    await pay(service, link, byPhone(DECLINES))
    await service.clock.advance(10_000)
    assert.ok(await isHeld())
    assert.equal((await postLink(service, key, { ...LINK, order_reference: reference })).code, 422)
    await service.clock.sleep(LINK_LIFE_MS)
    await service.clock.advance(10_000)
    assert.equal((await postLink(service, key, { ...LINK, order_reference: reference })).code, 200)
  })

  it('money that came late is not accepted for an order that another payment stands for', async () => {
    const reference = newOrder()
    const failed = (await create({ msisdn: DECLINES, order_reference: reference })).body.reference
    await service.clock.advance(10_000)
    const detail = { recorded: 'failed', told: 'succeeded', operatorReference: 'OP-LATE' }
    const payment = await paymentOf(service, failed)
    await insertAnomaly(service.db, payment, { kind: 'success_after_failure', detail, at: service.clock.now() })
    const accept = async () => {
      const { rows } = granted(await listLatestAnomalies(service, TESTER, { openOnly: true }))
      const anomalyId = rows.find((each) => each.reference === failed)?.anomalyId as string
      return acceptLateMoney(service, TESTER, { anomalyId, note: 'looked at' })
    }
    const second = (await create({ msisdn: DECLINES, order_reference: reference })).body.reference
    assert.deepEqual(await accept(), { refused: 'late_money_not_needed', status: 'failed' })
    await service.clock.advance(10_000)
    assert.equal((await get(service, key, second as string)).body.status, 'failed')
    assert.deepEqual(await accept(), { reference: failed })
    assert.equal((await create({ order_reference: reference })).headers['svc-existing-reference'], failed)
  })
})
