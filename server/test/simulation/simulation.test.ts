// The whole service in simulated worlds: random orders, faulty networks, late money, crashes and
// freezes between any two steps, changed clocks, failing stores. `npm run simulate` runs more of
// them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BookedPayment } from '../../../simulators/src/network.ts'
import { tried, tries } from '../kit/tries.ts'
import type { Evidence, PaymentRow } from './evidence.ts'
import type { FaultyLines } from './faulty-network.ts'
import {
  eventsAreComplete,
  everythingDelivered,
  everythingSettled,
  moneyIsAccountedFor,
  movesAreLegal,
  nothingFailedInHaste,
  nothingLost,
  nothingTwice,
  reversalsAreReported,
  sentOnce,
  walletsAreKept,
  wireIsKept,
} from './invariants.ts'
import type { Merchants, Order, Receivers } from './merchants.ts'
import { FEDAPAY, MTN_MOMO, type NetworkKind } from './network-kinds.ts'
import { run } from './run.ts'
import { nothingSeen, type Seen } from './wire-networks.ts'
import type { World } from './world.ts'

const WORLDS = tries(24, 1_500)
const STEPS = tries(20, 30)
/** It has three real networks, and stores fail in the worlds after it. */
const FIRST_SEED = 16

it(`simulation: ${WORLDS} worlds keep every invariant, and the same seed gives the same digest`, async () => {
  const sums = {
    orders: 0,
    crashes: 0,
    freezes: 0,
    storeFaults: 0,
    lateMoney: 0,
    wireDebits: 0,
    wireFaults: 0,
  }
  const networks = new Set<string>()
  const digests = new Set<string>()
  for (let seed = FIRST_SEED; seed < FIRST_SEED + WORLDS; seed++) {
    const result = await run(seed, STEPS)
    const { broken, counts, networkKinds, digest } = result
    for (const name of networkKinds) networks.add(name)
    assert.deepEqual(broken, [], `npm run simulate -- --seed ${seed} --steps ${STEPS}`)
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name]
    sums.lateMoney += counts.wireLateMoney
    digests.add(digest)
    if (seed <= FIRST_SEED + 1) assert.deepEqual(await run(seed, STEPS), result)
  }
  assert.equal(digests.size, WORLDS)
  tried(sums.lateMoney)
  const hasFaults = Object.entries(sums).every(
    ([name, count]) => count > WORLDS / (name === 'lateMoney' ? 16 : 8),
  )
  assert.ok(
    sums.orders > 5 * WORLDS && hasFaults,
    `there was little to keep: ${JSON.stringify(sums)}`,
  )
  assert.deepEqual([...networks].sort(), ['airtel-money', 'fedapay', 'mtn-momo', 'pawapay'])
})

const OF = { account_id: 'acc', number: 1 }
const row: PaymentRow = {
  ...OF,
  reference: 'r1',
  external_reference: 'o-1',
  status: 'succeeded',
  failure_reason: null,
  amount_xof: 100,
  msisdn: '2290197112233',
  attempt_reference: null,
  connection: null,
}
const NOTHING: Evidence = {
  payments: [],
  story: [],
  events: [],
  refunds: [],
  attempts: [],
  links: [],
  anomalies: [],
  due: [],
  forgotten: [],
  books: { payments: [], refunds: [] },
}

describe('simulation invariants report', () => {
  const account = { accountId: 'acc', environment: 'live', secretKey: '' } as const
  const order: Order = {
    account,
    externalReference: 'o-1',
    amountXof: 100,
    answered: { code: 200, reference: 'r1' },
  }
  const moved = (from: string, to: string) => ({
    ...row,
    kind: 'moved',
    detail: JSON.stringify({ from, to }),
  })
  const event = { ...OF, sequence: 1, event_id: 'evt_1', event: 'payment.succeeded', payload: '{}' }
  const books = { payments: [{ reference: 'r1' }], refunds: [] }
  const well: Evidence = {
    ...NOTHING,
    payments: [row],
    story: [moved('pending', 'succeeded')],
    events: [event],
    books,
  }
  const merchants = { orders: [order], readings: [] } as unknown as Merchants
  const arrivals = (inTime: number) => ({ inTime, held: 0 })
  const worldIn = (status: string, change: Partial<FaultyLines> = {}, debitedAt = 0): World =>
    ({
      lines: { requests: new Map([['r1', arrivals(1)]]), refunds: new Map(), ...change },
      network: {
        status: async () => ({ answer: { status, amount: 100 } }),
        denied: new Set(),
        late: new Map(debitedAt === 0 ? [] : [['r1', { is: 'declined', at: debitedAt }]]),
      },
      wire: { all: [], seen: nothingSeen(), booked: () => undefined },
      members: [1, 2],
      counts: { clockChanges: 1 },
    }) as unknown as World
  const world = worldIn('succeeded')
  const failed = { ...row, status: 'failed' as const }
  const listed = (at: number) => ({
    ...row,
    request_reference: 'r1',
    kind: 'success_after_failure',
    at,
  })
  const given = { refund_reference: 'f1', reference: 'r1' }
  const arrival = { url: 'https://shop.example/acc', eventId: 'evt_1', body: '{}' }
  const receivers = { received: [arrival] } as unknown as Receivers
  const delivered = (received: object[]) =>
    everythingDelivered({ receivers: { received } as Receivers }, well)
  const refunded = { ...OF, refund_reference: 'f1', status: 'succeeded' }
  const refundedRow = { ...row, status: 'refunded' as const }
  const readings = ['succeeded', 'pending'].map((status, asked) => ({ order, status, asked }))
  const FOUR_DAYS = 96 * 3_600_000

  const listedWell: Evidence = { ...well, payments: [failed], anomalies: [listed(1)] }
  const givenBack: Evidence = { ...well, books: { ...well.books, refunds: [given] } }
  const FAULTS: [title: string, check: () => string[] | Promise<string[]>][] = [
    [
      'an acknowledged payment that is gone',
      () => nothingLost({ merchants }, { ...well, payments: [] }),
    ],
    [
      'another amount',
      () => nothingLost({ merchants }, { ...well, payments: [{ ...row, amount_xof: 99 }] }),
    ],
    ['a payment twice', () => nothingTwice({ ...well, payments: [row, row] })],
    [
      'a payment left pending',
      () => everythingSettled({ ...well, payments: [{ ...row, status: 'pending' }] }),
    ],
    [
      'a refund left pending',
      () => everythingSettled({ ...well, refunds: [{ ...refunded, status: 'pending' }] }),
    ],
    [
      'an illegal move',
      () => movesAreLegal({ merchants }, { ...well, story: [moved('failed', 'succeeded')] }),
    ],
    ['a status without its move', () => movesAreLegal({ merchants }, { ...well, story: [] })],
    [
      'a read with an earlier state than the last one',
      () => movesAreLegal({ merchants: { ...merchants, readings } }, well),
    ],
    ['a move without its event', () => eventsAreComplete({ ...well, events: [] })],
    [
      'a gap in the feed',
      () => eventsAreComplete({ ...well, events: [{ ...event, sequence: 2 }] }),
    ],
    ['an event that never arrived', () => delivered([])],
    ['an event that arrived changed', () => delivered([{ ...arrival, body: '{"a":1}' }])],
    [
      'an event that arrived at another account’s endpoint',
      () => delivered([{ ...arrival, url: 'https://shop.example/other' }]),
    ],
    [
      'a delivered event that is not in the feed',
      () => delivered([arrival, { ...arrival, eventId: 'evt_2' }]),
    ],
    ['a payment that ended and is still due', () => everythingSettled({ ...well, due: ['r1'] })],
    [
      'two events for one outcome',
      () => eventsAreComplete({ ...well, events: [event, { ...event, sequence: 2 }] }),
    ],
    ['a debit that was not recorded', () => moneyIsAccountedFor(world, { ...well, payments: [] })],
    [
      'a debit that was reported as failed, and is neither corrected nor listed',
      () => moneyIsAccountedFor(world, { ...well, payments: [failed] }),
    ],
    [
      'a debit that is listed after more than three days',
      () =>
        moneyIsAccountedFor(worldIn('succeeded', {}, 1), {
          ...listedWell,
          anomalies: [listed(FOUR_DAYS)],
        }),
    ],
    [
      'a debit reported as failed, although the network had reported the debit',
      () => nothingFailedInHaste(world, listedWell),
    ],
    ['a success without a debit', () => moneyIsAccountedFor(worldIn('declined'), well)],
    [
      'a listed debit that did not happen',
      () => moneyIsAccountedFor(worldIn('declined'), listedWell),
    ],
    [
      'a recorded refund that the network did not give',
      () => moneyIsAccountedFor(world, { ...well, refunds: [refunded] }),
    ],
    [
      'a refund in the books twice',
      () => {
        const books = { ...well.books, refunds: [given, { ...given, refund_reference: 'f2' }] }
        const refunds = [refunded, { ...refunded, refund_reference: 'f2' }]
        return moneyIsAccountedFor(world, { ...well, payments: [refundedRow], refunds, books })
      },
    ],
    ['a reversal that is still a success', () => moneyIsAccountedFor(worldIn('refunded'), well)],
    [
      'a reversal without its event',
      () => reversalsAreReported(worldIn('refunded'), { ...well, payments: [refundedRow] }),
    ],
    [
      'a payment sent twice',
      () => sentOnce(worldIn('succeeded', { requests: new Map([['r1', arrivals(2)]]) }), well),
    ],
    [
      'a refund sent twice',
      () => sentOnce(worldIn('succeeded', { refunds: new Map([['f1', arrivals(2)]]) }), givenBack),
    ],
  ]
  for (const [title, check] of FAULTS) {
    it(title, async () => assert.notDeepEqual(await check(), []))
  }
  it('nothing in a correct world', async () => {
    const all = [
      nothingLost({ merchants }, well),
      nothingTwice(well),
      everythingSettled(well),
      movesAreLegal({ merchants }, well),
      eventsAreComplete(well),
      everythingDelivered({ receivers }, well),
      await moneyIsAccountedFor(world, well),
      await reversalsAreReported(world, well),
      await nothingFailedInHaste(world, well),
      sentOnce(world, well),
    ]
    assert.deepEqual(all.flat(), [])
  })
})

describe('simulation invariants of real networks report', () => {
  const paid: BookedPayment = {
    id: 'network-1',
    clientReference: 'r1',
    msisdn: '2290197112233',
    amountXof: 100,
    status: 'SUCCESSFUL',
    debits: 1,
    refunds: 0,
    requests: 1,
  }
  const well: Evidence = { ...NOTHING, payments: [row] }
  const failed: Evidence = { ...well, payments: [{ ...row, status: 'failed' }] }
  const refund = { ...OF, refund_reference: 'f1', status: 'succeeded' }
  const refunded: Evidence = {
    ...well,
    payments: [{ ...row, status: 'refunded' }],
    refunds: [refund],
  }

  function worldOf(
    change: Partial<BookedPayment> = {},
    seen: Partial<Seen> = {},
    networkKind: NetworkKind = MTN_MOMO,
  ): World {
    const booked = { ...paid, ...change }
    return {
      wire: {
        all: [{ networkKind, network: { books: () => [booked] } }],
        seen: { ...nothingSeen(), ...seen },
        booked: (reference: string) =>
          reference === booked.clientReference ? { ...booked, networkKind } : undefined,
      },
      network: {
        status: async () => ({ answer: { status: 'not_known' } }),
        late: new Map(),
        denied: new Set(),
      },
      lines: { requests: new Map() },
      members: [1, 2],
      counts: { clockChanges: 1 },
    } as unknown as World
  }

  const wrongWith = async (world: World, evidence: Evidence): Promise<string[]> => [
    ...(await moneyIsAccountedFor(world, evidence)),
    ...(await nothingFailedInHaste(world, evidence)),
    ...wireIsKept(world, evidence),
  ]

  const OWNED = { merchant: 0, accountId: 'acc', credentials: ['w0'] }
  const walletOf = (owned: object | undefined): Pick<World, 'wire'> => {
    const { wire } = worldOf()
    return {
      wire: { ...wire, all: wire.all.map((each) => ({ ...each, name: 'con_1', owned })) },
    } as unknown as World
  }
  const WALLETS: [title: string, owned: object | undefined, change: object, isWell: boolean][] = [
    ['nothing for a payment in its merchant’s wallet', OWNED, { connection: 'con_1' }, true],
    [
      'nothing for a payment in the installation’s wallet',
      undefined,
      { connection: 'con_1' },
      true,
    ],
    [
      'a payment in another merchant’s wallet',
      OWNED,
      { connection: 'con_1', account_id: 'other' },
      false,
    ],
    ['a payment in another wallet of its merchant', OWNED, { connection: 'con_2' }, false],
    ['a payment in a wallet that is recorded on the simulated network', OWNED, {}, false],
  ]
  for (const [title, owned, change, isWell] of WALLETS)
    it(title, () => {
      const found = walletsAreKept(walletOf(owned), { ...well, payments: [{ ...row, ...change }] })
      assert.equal(found.length === 0, isWell)
    })
  it('a payment of a merchant’s connection in the simulated network’s books', () => {
    const books = { ...well.books, payments: [{ reference: 'r1' }] }
    const payments = [{ ...row, connection: 'con_1' }]
    assert.notDeepEqual(walletsAreKept(walletOf(OWNED), { ...well, payments, books }), [])
  })

  const tookBack = (status: string): Partial<Seen> => ({
    failures: new Map([['r1', new Set([status])]]),
  })

  const FAULTS: [title: string, world: World, evidence: Evidence][] = [
    ['a payer who was debited twice', worldOf({ debits: 2 }), well],
    [
      'a second debit by a process that was frozen, also without an idempotency key',
      worldOf({ debits: 2 }, { held: new Set(['r1']) }, FEDAPAY),
      well,
    ],
    ['a debit that is in no payment of ours', worldOf({ clientReference: 'r2' }), well],
    ['a success without a debit', worldOf({ debits: 0, status: 'FAILED' }), well],
    ['a debit reported as failed', worldOf(), failed],
    [
      'a debit reported as failed after its callback was acknowledged',
      worldOf({}, { ...tookBack('FAILED'), calledBack: new Set(['r1']) }),
      failed,
    ],
    [
      'a debit after a failure that may change',
      worldOf({ msisdn: '22966000001' }, tookBack('declined'), FEDAPAY),
      failed,
    ],
    ['a request that was made again', worldOf({}, { repeated: new Map([['r1', 1]]) }), well],
    [
      'a refund that was requested twice',
      worldOf({ refunds: 1 }, { refunds: new Map([['f1', 2]]) }),
      refunded,
    ],
    ['money that went back twice', worldOf({ refunds: 2 }), refunded],
    ['a recorded refund that the network did not give', worldOf(), refunded],
    ['a refund that is not recorded', worldOf({ refunds: 1 }), well],
    [
      'a payment said not to be ours',
      worldOf(),
      {
        ...well,
        anomalies: [{ ...row, request_reference: 'r1', kind: 'unknown_reference', at: 1 }],
      },
    ],
  ]
  for (const [title, world, evidence] of FAULTS) {
    it(title, async () => assert.notDeepEqual(await wrongWith(world, evidence), []))
  }

  const WELL: [title: string, world: World, evidence: Evidence][] = [
    ['nothing in a correct world', worldOf(), well],
    ['nothing for a refunded payment', worldOf({ refunds: 1 }), refunded],
    [
      'nothing for a failure that the network changed without a callback',
      worldOf({}, tookBack('FAILED')),
      failed,
    ],
  ]
  for (const [title, world, evidence] of WELL) {
    it(title, async () => assert.deepEqual(await wrongWith(world, evidence), []))
  }
})
