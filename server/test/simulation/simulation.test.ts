// The whole service in simulated worlds: random orders, a network that fails, crashes between any two steps, clocks that are
// set, machines that sleep, disks that fill up. `npm run simulate` runs as many more as one likes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Evidence,
  eventsAreComplete,
  everythingDelivered,
  everythingSettled,
  handedOverOnce,
  moneyIsConserved,
  movesAreLegal,
  nothingLost,
  nothingTwice,
  type PaymentRow,
} from './invariants.ts'
import type { Merchants, Order } from './merchants.ts'
import type { Receivers } from './receivers.ts'
import { run } from './run.ts'
import type { World } from './world.ts'

const WORLDS = 200
const STEPS = 16

it(`${WORLDS} worlds keep every promise`, async () => {
  const sums = { orders: 0, crashes: 0 }
  for (let seed = 1; seed <= WORLDS; seed++) {
    const { broken, orders, crashes } = await run(seed, STEPS)
    assert.deepEqual(broken, [], `npm run simulate -- --seed ${seed} --steps ${STEPS}`)
    sums.orders += orders
    sums.crashes += crashes
  }
  assert.ok(sums.orders > 5 * WORLDS && sums.crashes > WORLDS / 4, `there was little to keep: ${JSON.stringify(sums)}`)
})

it('the same seed lives the same life again', async () => {
  const [first, again, other] = [await run(7, 60), await run(7, 60), await run(8, 60)]
  assert.deepEqual(again, first)
  assert.notEqual(other.digest, first.digest)
})

describe('what is wrong is found', () => {
  const account = { accountId: 'acc', environment: 'live', secretKey: '' } as const
  const order: Order = { account, externalReference: 'o-1', amountXof: 100, answered: { code: 200, reference: 'r1' } }
  const row: PaymentRow = {
    account_id: 'acc',
    number: 1,
    reference: 'r1',
    external_reference: 'o-1',
    status: 'succeeded',
    failure_reason: null,
    amount_xof: 100,
    msisdn: '22796123456',
  }
  const moved = (from: string, to: string) => ({ ...row, kind: 'moved', detail: JSON.stringify({ from, to }) })
  const event = {
    account_id: 'acc',
    sequence: 1,
    event_id: 'evt_1',
    event: 'payment.succeeded',
    number: 1,
    payload: '{}',
  }
  const well: Evidence = {
    payments: [row],
    story: [moved('pending', 'succeeded')],
    events: [event],
    refunds: [],
    attempts: [],
    links: [],
    books: { payments: [{ reference: 'r1' }], refunds: [] },
  }
  const merchants = { orders: [order], readings: [] } as unknown as Merchants
  const counts = { crashes: 0, sleeps: 0, clockChanges: 0, fullDisks: 0 }
  const world = {
    lines: { requests: new Map([['r1', 1]]) },
    network: { status: async () => ({ answer: { status: 'succeeded', amount: 100 } }) },
    counts,
  } as unknown as World
  const arrival = { url: 'https://shop.example/acc', eventId: 'evt_1', body: '{}' }
  const receivers = { received: [arrival] } as unknown as Receivers
  const delivered = (received: object[]) => everythingDelivered({ receivers: { received } as Receivers }, well)
  const refunded = { account_id: 'acc', number: 1, refund_reference: 'f1', status: 'succeeded' }
  const twice = { counts, lines: { ...world.lines, requests: new Map([['r1', 2]]) } }
  const readings = ['succeeded', 'pending'].map((status) => ({ order, status }))

  const FAULTS: [title: string, check: () => string[] | Promise<string[]>][] = [
    ['an acknowledged payment that is gone', () => nothingLost({ merchants }, { ...well, payments: [] })],
    ['another amount', () => nothingLost({ merchants }, { ...well, payments: [{ ...row, amount_xof: 99 }] })],
    ['a payment twice', () => nothingTwice({ ...well, payments: [row, row] })],
    ['a payment left pending', () => everythingSettled({ ...well, payments: [{ ...row, status: 'pending' }] })],
    ['a refund left pending', () => everythingSettled({ ...well, refunds: [{ ...refunded, status: 'pending' }] })],
    ['an illegal move', () => movesAreLegal({ merchants }, { ...well, story: [moved('failed', 'succeeded')] })],
    ['a status without its move', () => movesAreLegal({ merchants }, { ...well, story: [] })],
    ['a read that goes back', () => movesAreLegal({ merchants: { ...merchants, readings } }, well)],
    ['a move without its event', () => eventsAreComplete({ ...well, events: [] })],
    ['a gap in the feed', () => eventsAreComplete({ ...well, events: [{ ...event, sequence: 2 }] })],
    ['an event that never arrived', () => delivered([])],
    ['an event that arrived changed', () => delivered([{ ...arrival, body: '{"a":1}' }])],
    ['an event that arrived at another’s', () => delivered([{ ...arrival, url: 'https://shop.example/other' }])],
    ['an event that nobody wrote', () => delivered([arrival, { ...arrival, eventId: 'evt_2' }])],
    ['a debit that was not recorded', () => moneyIsConserved(world, { ...well, payments: [] })],
    [
      'a debit recorded as failed',
      () => moneyIsConserved(world, { ...well, payments: [{ ...row, status: 'failed' }] }),
    ],
    ['a refund nobody gave', () => moneyIsConserved(world, { ...well, refunds: [refunded] })],
    ['a payment handed over twice', () => handedOverOnce(twice, well)],
  ]
  for (const [title, check] of FAULTS) {
    it(title, async () => assert.notDeepEqual(await check(), []))
  }
  it('and nothing where all is well', async () => {
    const all = [
      nothingLost({ merchants }, well),
      nothingTwice(well),
      everythingSettled(well),
      movesAreLegal({ merchants }, well),
      eventsAreComplete(well),
      everythingDelivered({ receivers }, well),
      await moneyIsConserved(world, well),
      handedOverOnce(world, well),
    ]
    assert.deepEqual(all.flat(), [])
  })
})
