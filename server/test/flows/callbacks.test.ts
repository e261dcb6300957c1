// Genuine and forged callbacks on a virtual clock. A callback only makes the service poll the
// network, so a payment changes state at most once (D-15). The route has a rate limit per address
// (D-29). A callback that the store could not record gets 503.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Operator } from '../../src/operators/operator.ts'
import type { WireAnswer } from '../../src/simulator/network.ts'
import { StoreUnavailable } from '../../src/store/engine/database.ts'
import { column } from '../kit/callers.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { connectOnly, sendCallback } from '../kit/direct-operators.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, newMerchant, openTestService, order, post } from '../kit/service.ts'
import { shared, sharedWithAccount } from '../kit/shared.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { anomaliesOf, rowsOf, storyEntriesOf, storyOf } from '../networks/harness.ts'

const SUCCEEDS = '40410000000'
const FAILS = '40410000006'
const SUCCESS: WireAnswer = {
  status: 'succeeded',
  amount: 1500,
  operator_reference: 'SIM-CALLBACK',
}
const DECLINE: WireAnswer = { status: 'declined', reason: 'declined' }
const LATE_MS = 60_000

/** Sends a callback about a payment, by default a genuine success. */
const senderTo =
  (service: VirtualService) =>
  async (
    reference: string,
    { claims = SUCCESS, genuine = true, route = 'sandbox/airtel_ne' }: Partial<Callback> = {},
  ) => {
    const answer = await sendCallback(service, { reference, answer: claims, genuine }, route)
    return {
      code: answer.statusCode,
      body: answer.json(),
      retryAfter: answer.headers['retry-after'],
    }
  }

interface Callback {
  claims: WireAnswer
  genuine: boolean
  route: string
}

interface Row {
  about: string
  /** Whether the payment succeeds. */
  ends: 'succeeded' | 'failed'
  /** The callbacks come a minute after the create, or after this delay. */
  comeAfterMs?: number
  callbacks: Partial<Callback>[]
  /** The network’s status answer from then on, where it contradicts itself. */
  says?: WireAnswer
  anomaly?: string
}

const ROWS: Row[] = [
  { about: 'early', ends: 'succeeded', comeAfterMs: 0, callbacks: [{}] },
  { about: 'early, with a false success', ends: 'failed', comeAfterMs: 0, callbacks: [{}] },
  { about: 'a minute late', ends: 'succeeded', callbacks: [{}] },
  { about: 'twice', ends: 'succeeded', comeAfterMs: 2_000, callbacks: [{}, {}] },
  {
    about: 'that contradict each other',
    ends: 'succeeded',
    comeAfterMs: 2_000,
    callbacks: [{ claims: DECLINE }, { claims: SUCCESS }, { claims: DECLINE }],
  },
  {
    about: 'that contradict the status',
    ends: 'failed',
    comeAfterMs: 2_000,
    callbacks: [{ claims: SUCCESS }],
  },
  { about: 'forged', ends: 'failed', comeAfterMs: 0, callbacks: [{ genuine: false }] },
  {
    about: 'forged, a minute late',
    ends: 'failed',
    callbacks: [{ genuine: false }],
    says: SUCCESS,
  },
  {
    about: 'for another operator’s payment',
    ends: 'failed',
    says: SUCCESS,
    callbacks: [{ route: 'sandbox/mtn_bj' }, { route: 'live/airtel_ne' }],
  },
  {
    about: 'twice, when the operator says that a failed payment succeeded',
    ends: 'failed',
    callbacks: [{}, {}],
    says: SUCCESS,
    anomaly: 'success_after_failure',
  },
  {
    about: 'twice, when the operator says that a succeeded payment failed',
    ends: 'succeeded',
    callbacks: [{ claims: DECLINE }, { claims: DECLINE }],
    says: DECLINE,
    anomaly: 'failure_after_success',
  },
]

describe('promise 6: callbacks', () => {
  const service = sharedWithAccount(() => openVirtualService())
  const send = senderTo(service)
  const create = async (ends: Row['ends'] = 'succeeded'): Promise<string> => {
    const msisdn = ends === 'failed' ? FAILS : SUCCEEDS
    return (await post(service, service.secretKey, order({ msisdn }))).body.reference as string
  }
  const statusOf = async (reference: string) =>
    (await get(service, service.secretKey, reference)).body.status

  for (const { about, ends, comeAfterMs = LATE_MS, callbacks, says, anomaly } of ROWS) {
    it(`promise 6: callbacks ${about}: one move, one event, ${anomaly ?? 'no anomaly'} listed`, async () => {
      const reference = await create(ends)
      await service.clock.advance(comeAfterMs)
      service.network.change = (reaction) => (says === undefined ? reaction : { answer: says })
      for (const callback of callbacks) {
        assert.equal((await send(reference, callback)).code, callback.genuine === false ? 401 : 200)
      }
      service.network.change = (reaction) => reaction
      await service.clock.advance(60_000)
      const events = await rowsOf<{ event: string }>(service, 'select event from events', reference)
      assert.deepEqual(
        [await statusOf(reference), column(events, 'event')],
        [ends, [`payment.${ends}`]],
      )
      assert.deepEqual(
        await anomaliesOf(service, reference),
        anomaly === undefined ? [] : [anomaly],
      )
      const moved = (await storyEntriesOf(service, reference)).filter(
        ({ kind }) => kind === 'moved',
      )
      assert.equal(moved.length, 1)
      assert.equal(service.calls.request.filter((asked) => asked === reference).length, 1)
    })
  }

  it('promise 6: a genuine callback for an unknown payment changes nothing', async () => {
    const asked = service.calls.status.length
    assert.equal((await send('0'.repeat(24))).code, 200)
    assert.equal(service.calls.status.length, asked)
  })

  it('repeated genuine callbacks: 100 in a second cause one poll at once and one more after two seconds', async () => {
    const reference = await create()
    await service.clock.advance(100)
    const polls = () => service.calls.status.filter((asked) => asked === reference).length
    const before = polls()
    for (let count = 0; count < 100; count++) await send(reference)
    await service.clock.advance(1_000)
    assert.equal(polls() - before, 1)
    await service.clock.advance(1_000)
    assert.equal(polls() - before, 2)
    assert.equal(await statusOf(reference), 'succeeded')
  })

  it('genuine callbacks replayed after the outcome add nothing to the payment’s history', async () => {
    const reference = await create()
    await service.clock.advance(10_000)
    const before = await storyOf(service, reference)
    for (let count = 0; count < 10; count++) {
      await send(reference)
      await service.clock.advance(3_000)
    }
    assert.equal(await storyOf(service, reference), before)
  })
})

describe('callback rate limit per address', () => {
  const TOO_MANY = { code: 429, body: { message: 'Too Many Requests' }, retryAfter: '1' }
  const STRANGERS: [about: string, callback: Partial<Callback>, code: number][] = [
    ['forged callbacks', { genuine: false }, 401],
    ['callbacks for unknown operators', { route: 'sandbox/orange_ne' }, 404],
    ['callbacks for an unknown environment', { route: 'staging/airtel_ne' }, 404],
  ]
  const REFERENCE = '0'.repeat(24)
  const service = shared(() => openVirtualService())
  const send = senderTo(service)

  for (const [about, callback, code] of STRANGERS) {
    it(`${about}: 429 after a burst of 200, then 50 a second`, async () => {
      // The limit of an earlier test recovers.
      await service.clock.advance(10_000)
      for (let sent = 0; sent < 200; sent++)
        assert.equal((await send(REFERENCE, callback)).code, code)
      assert.deepEqual(await send(REFERENCE, callback), TOO_MANY)
      assert.equal(
        (await send(REFERENCE)).code,
        200,
        'a genuine callback from that address is accepted',
      )
      await service.clock.advance(1_000)
      for (let sent = 0; sent < 50; sent++)
        assert.equal((await send(REFERENCE, callback)).code, code)
      assert.deepEqual(await send(REFERENCE, callback), TOO_MANY)
    })
  }

  it('accepts 1,000 genuine callbacks at once', async () => {
    for (let sent = 0; sent < 1_000; sent++) assert.equal((await send(REFERENCE)).code, 200)
  })
})

it('callback rate limit: a callback that makes a connector throw counts as forged', async () => {
  const operator: Operator = {
    name: 'broken',
    request: async () => ({ is: 'accepted' }),
    status: async () => ({ is: 'unknown', why: '' }),
    refund: async () => ({ is: 'unknown', why: '' }),
    refundStatus: async () => ({ is: 'unknown', why: '' }),
    parseCallback: () => {
      throw new TypeError('a bug')
    },
  }
  const connect = connectOnly(operator)
  const clock = virtualClock()
  const broken = await openTestService(
    undefined,
    { KARBA_ROLE: 'api', KARBA_LOG_LEVEL: 'silent' },
    { connect, clock },
  )
  const url = '/operators/sandbox/broken/callback'
  const codes: number[] = []
  for (let sent = 0; sent < 250; sent++)
    codes.push((await broken.app.inject({ method: 'POST', url, payload: '{}' })).statusCode)
  assert.deepEqual(codes, [...Array(200).fill(500), ...Array(50).fill(429)])
  await clock.advanceUntil('end of the service', broken.remove())
})

// The service does not poll a payment that has ended, so a callback may be the only news of late
// money. Networks repeat a callback until they get 200.
describe('callbacks during a store outage', () => {
  const DECLINED = '40410000006'
  const SEED = 20_261_116
  const MINUTE_MS = 60_000

  let crashing: CrashingService
  let reference: string

  before(async () => {
    crashing = await openCrashingService({ random: seededRandom(SEED) })
    const { service, clock } = crashing
    const { secretKey } = (await newMerchant(service)).accounts.sandbox
    const created = await clock.advanceUntil(
      'payment',
      post(service, secretKey, order({ msisdn: DECLINED })),
    )
    reference = created.body.reference as string
    await clock.advance(MINUTE_MS)
  })
  after(() => crashing.close())

  async function callBack(): Promise<number> {
    const { service, clock } = crashing
    const answer = { status: 'succeeded', amount: 1_500, operator_reference: 'SIM-LATE' } as const
    const sent = sendCallback(service, { reference, answer, genuine: true }, 'sandbox/airtel_ne')
    return (await clock.advanceUntil('answer to the callback', Promise.resolve(sent))).statusCode
  }

  const rechecks = async (): Promise<unknown[]> =>
    crashing.service.db.read(
      'select request_reference from rechecks where request_reference = :reference',
      { reference },
    )

  for (const [about, afterMs] of [
    ['immediately', 0],
    ['after a timeout', 5_000],
  ] as const) {
    it(`a callback gets 503 when the store fails ${about}, and is recorded when the network repeats it`, async () => {
      const { process, clock } = crashing
      const error = new StoreUnavailable('the connection was refused')
      process.storeFault = (during) =>
        during === 'read' ? { error, isDone: false, afterMs } : undefined
      assert.equal(await callBack(), 503)
      await clock.advance(MINUTE_MS / 6)
      process.storeFault = () => undefined
      assert.equal(await callBack(), 200)
      await clock.advance(MINUTE_MS)
      assert.deepEqual(await rechecks(), [], 'the network was polled, and confirmed its status')
    })
  }
})
