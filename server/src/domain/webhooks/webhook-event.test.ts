// Names of events and deliveries, positions in the feed, and when an endpoint is failing.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  deliveryName,
  EVENTS,
  eventsOf,
  FAILING_AFTER,
  FEED_LIMIT,
  failingSince,
  isEventName,
  isFeedPosition,
  LONGEST_AFTER,
  PAYMENT_EVENTS,
  REFUND_EVENTS,
  readDeliveryName,
  USUAL_EVENTS,
} from './webhook-event.ts'

it('events: the closed list, and those that an endpoint gets by default', () => {
  assert.deepEqual(PAYMENT_EVENTS, ['payment.succeeded', 'payment.failed', 'payment.refunded'])
  assert.deepEqual(REFUND_EVENTS, ['refund.succeeded', 'refund.failed'])
  assert.deepEqual(EVENTS, [...PAYMENT_EVENTS, ...REFUND_EVENTS, 'statement.ready'])
  assert.deepEqual(USUAL_EVENTS, ['payment.succeeded', 'payment.failed'])
  for (const event of EVENTS) assert.equal(isEventName(event), true)
  for (const name of ['webhook.test', 'payment', '']) assert.equal(isEventName(name), false)
  assert.deepEqual(eventsOf({ events: 'a,b' }), ['a', 'b'])
})

const ENDPOINT = `whe_${'a'.repeat(40)}`
for (const [name, key] of [
  ['whe_1a-17', { endpointId: 'whe_1a', sequence: 17, round: 0 }],
  ['whe_1a-17-2', { endpointId: 'whe_1a', sequence: 17, round: 2 }],
  [
    `${ENDPOINT}-${'9'.repeat(15)}-${'9'.repeat(9)}`,
    { endpointId: ENDPOINT, sequence: 999_999_999_999_999, round: 999_999_999 },
  ],
] as const)
  it(`deliveries: ${name} is endpoint, event and replay`, () => {
    assert.deepEqual(readDeliveryName(name), key)
    assert.equal(deliveryName({ accountId: 'a', ...key }), name)
  })

for (const name of [
  '',
  'whe_1a',
  'whe_-1',
  'whe_1A-1',
  'xwhe_1a-1',
  'whe_1a-1-',
  'whe_1a-1-2-3',
  'whe_1a-x',
  `${ENDPOINT}a-1`,
  `whe_1a-${'9'.repeat(16)}`,
  `whe_1a-1-${'9'.repeat(10)}`,
])
  it(`deliveries: “${name.slice(0, 30)}” of ${name.length} characters is no name`, () =>
    assert.equal(readDeliveryName(name), undefined))

it('feed: a position is up to 15 digits; a page has 100 events', () => {
  for (const text of ['0', '17', '9'.repeat(15)]) assert.equal(isFeedPosition(text), true)
  for (const text of ['', '-1', '1x', 'x1', '1.5', '9'.repeat(16)])
    assert.equal(isFeedPosition(text), false)
  assert.deepEqual(FEED_LIMIT, { usual: 100, most: 1_000 })
  assert.equal(LONGEST_AFTER, 40)
})

for (const [failedSince, failures, since] of [
  [null, 9, null],
  [500_000, 2, null],
  [500_000, 3, 500_000],
  [400_000, 1, 400_000],
  [400_001, 1, null],
] as const)
  it(`endpoints: after ${failures} failures since ${failedSince}, it is failing since ${since}`, () => {
    assert.deepEqual(FAILING_AFTER, { failures: 3, ms: 600_000 })
    assert.equal(failingSince({ failedSince, failures }, 1_000_000), since)
  })
