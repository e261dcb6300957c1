// Genuine and forged callbacks on a virtual clock. A callback only makes the service poll the network, so a payment
// changes state at most once (D-15). The route has a rate limit per address (D-29). A callback that the store could not
// record gets 503.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Operator } from '../../src/operators/operator.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { WireAnswer } from '../../src/simulator/network.ts'
import { StoreUnavailable } from '../../src/store/engine/database.ts'
import { prompting } from '../kit/connected.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { sendCallback } from '../kit/direct-operators.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, newMerchant, openTestService, order, post } from '../kit/service.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const SUCCEEDS = '40410000000'
const FAILS = '40410000006'
const SUCCESS: WireAnswer = { status: 'succeeded', amount: 1500, operator_reference: 'SIM-CALLBACK' }
const DECLINE: WireAnswer = { status: 'declined', reason: 'declined' }
const LATE_MS = 60_000

interface Sent {
  code: number
  body: unknown
  retryAfter: unknown
}

let service: VirtualService
let secretKey: string

async function open(): Promise<void> {
  service = await openVirtualService()
  secretKey = (await service.merchant()).accounts.sandbox.secretKey
}

async function send(
  reference: string,
  { claims = SUCCESS, genuine = true, route = 'sandbox/airtel_ne' }: Partial<Callback> = {},
): Promise<Sent> {
  const answer = await sendCallback(service, { reference, answer: claims, genuine }, route)
  return { code: answer.statusCode, body: answer.json(), retryAfter: answer.headers['retry-after'] }
}

interface Callback {
  claims: WireAnswer
  genuine: boolean
  route: string
}

interface Row {
  about: string
  msisdn: string
  /** Delay between the create and the callbacks. */
  comeAfterMs: number
  callbacks: Partial<Callback>[]
  /** The network’s status answer from then on, where it contradicts itself. */
  says?: WireAnswer
  ends: 'succeeded' | 'failed'
  anomalies?: string[]
}

const ROWS: Row[] = [
  { about: 'early', msisdn: SUCCEEDS, comeAfterMs: 0, callbacks: [{}], ends: 'succeeded' },
  { about: 'early, with a false success', msisdn: FAILS, comeAfterMs: 0, callbacks: [{}], ends: 'failed' },
  { about: 'a minute late', msisdn: SUCCEEDS, comeAfterMs: LATE_MS, callbacks: [{}], ends: 'succeeded' },
  { about: 'twice', msisdn: SUCCEEDS, comeAfterMs: 2_000, callbacks: [{}, {}], ends: 'succeeded' },
  {
    about: 'that contradict each other',
    msisdn: SUCCEEDS,
    comeAfterMs: 2_000,
    callbacks: [{ claims: DECLINE }, { claims: SUCCESS }, { claims: DECLINE }],
    ends: 'succeeded',
  },
  {
    about: 'that contradict the status',
    msisdn: FAILS,
    comeAfterMs: 2_000,
    callbacks: [{ claims: SUCCESS }],
    ends: 'failed',
  },
  { about: 'forged', msisdn: FAILS, comeAfterMs: 0, callbacks: [{ genuine: false }], ends: 'failed' },
  {
    about: 'forged, a minute late',
    msisdn: FAILS,
    comeAfterMs: LATE_MS,
    callbacks: [{ genuine: false }],
    says: SUCCESS,
    ends: 'failed',
  },
  {
    about: 'for another operator’s payment',
    msisdn: FAILS,
    comeAfterMs: LATE_MS,
    callbacks: [{ route: 'sandbox/mtn_bj' }, { route: 'live/airtel_ne' }],
    says: SUCCESS,
    ends: 'failed',
  },
  {
    about: 'twice, when the operator says that a failed payment succeeded',
    msisdn: FAILS,
    comeAfterMs: LATE_MS,
    callbacks: [{}, {}],
    says: SUCCESS,
    ends: 'failed',
    anomalies: ['success_after_failure'],
  },
  {
    about: 'twice, when the operator says that a succeeded payment failed',
    msisdn: SUCCEEDS,
    comeAfterMs: LATE_MS,
    callbacks: [{ claims: DECLINE }, { claims: DECLINE }],
    says: DECLINE,
    ends: 'succeeded',
    anomalies: ['failure_after_success'],
  },
]

describe('promise 6: callbacks', () => {
  before(open)
  after(() => service.remove())

  for (const row of ROWS) {
    const listed = row.anomalies === undefined ? 'no anomaly' : `${row.anomalies} listed`
    it(`promise 6: callbacks ${row.about}: one move, one event, ${listed}`, async () => {
      const { reference } = (await post(service, secretKey, order({ msisdn: row.msisdn }))).body as {
        reference: string
      }
      await service.clock.advance(row.comeAfterMs)
      const { says } = row
      service.network.change = (reaction) => (says === undefined ? reaction : { answer: says })
      for (const callback of row.callbacks) {
        assert.equal((await send(reference, callback)).code, callback.genuine === false ? 401 : 200)
      }
      service.network.change = (reaction) => reaction
      await service.clock.advance(60_000)

      const { accountId, number } = await paymentOf(service, reference)
      const of = (sql: string) =>
        service.db.rows<Named>(`${sql} where account_id = $1 and number = $2`, [accountId, number])
      const all = async (sql: string) => (await of(sql)).map(({ what }) => what)
      assert.equal((await get(service, secretKey, reference)).body.status, row.ends)
      assert.deepEqual(await all('select event as what from events'), [`payment.${row.ends}`])
      assert.deepEqual(await all('select kind as what from payment_anomalies'), row.anomalies ?? [])
      const story = await all('select kind as what from payment_story')
      assert.equal(story.filter((kind) => kind === 'moved').length, 1)
      assert.deepEqual(
        service.calls.request.filter((asked) => asked === reference),
        [reference],
      )
    })
  }

  it('promise 6: a genuine callback for an unknown payment changes nothing', async () => {
    const asked = service.calls.status.length
    assert.equal((await send('0'.repeat(24))).code, 200)
    assert.equal(service.calls.status.length, asked)
  })
})

interface Named {
  what: string
}

describe('callback rate limit per address', () => {
  const TOO_MANY = { code: 429, body: { message: 'Too Many Requests' }, retryAfter: '1' }
  const STRANGERS: [about: string, callback: Partial<Callback>, code: number][] = [
    ['forged callbacks', { genuine: false }, 401],
    ['callbacks for unknown operators', { route: 'sandbox/orange_ne' }, 404],
    ['callbacks for an unknown environment', { route: 'staging/airtel_ne' }, 404],
  ]
  const REFERENCE = '0'.repeat(24)

  for (const [about, callback, code] of STRANGERS) {
    it(`${about}: 429 after a burst of 200, then 50 a second`, async () => {
      await open()
      for (let sent = 0; sent < 200; sent++) assert.equal((await send(REFERENCE, callback)).code, code)
      assert.deepEqual(await send(REFERENCE, callback), TOO_MANY)
      assert.equal((await send(REFERENCE)).code, 200, 'a genuine callback from that address is accepted')
      await service.clock.advance(1_000)
      for (let sent = 0; sent < 50; sent++) assert.equal((await send(REFERENCE, callback)).code, code)
      assert.deepEqual(await send(REFERENCE, callback), TOO_MANY)
      await service.remove()
    })
  }

  it('accepts 1,000 genuine callbacks at once', async () => {
    await open()
    for (let sent = 0; sent < 1_000; sent++) assert.equal((await send(REFERENCE)).code, 200)
    await service.remove()
  })
})

describe('repeated genuine callbacks', () => {
  before(open)
  after(() => service.remove())

  it('100 in a second cause one poll at once and one more after two seconds', async () => {
    const { reference } = (await post(service, secretKey, order({ msisdn: SUCCEEDS }))).body as { reference: string }
    await service.clock.advance(100)
    const before = service.calls.status.length
    for (let count = 0; count < 100; count++) await send(reference)
    await service.clock.advance(1_000)
    assert.equal(service.calls.status.length - before, 1)
    await service.clock.advance(1_000)
    assert.equal(service.calls.status.length - before, 2)
    assert.equal((await get(service, secretKey, reference)).body.status, 'succeeded')
  })
})

describe('genuine callbacks replayed after the outcome', () => {
  before(open)
  after(() => service.remove())

  it('add nothing to the payment’s history', async () => {
    const { reference } = (await post(service, secretKey, order({ msisdn: SUCCEEDS }))).body as { reference: string }
    await service.clock.advance(10_000)
    const { accountId, number } = await paymentOf(service, reference)
    const lines = async (): Promise<number> => {
      const sql = 'select entry from payment_story where account_id = $1 and number = $2'
      return (await service.db.rows(sql, [accountId, number])).length
    }
    const before = await lines()
    for (let count = 0; count < 10; count++) {
      await send(reference)
      await service.clock.advance(3_000)
    }
    assert.equal(await lines(), before)
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
  const connected = prompting('sandbox', operator)
  const connect = async () => ({ operators: operatorRegistry([connected]), close: async () => {} })
  const clock = virtualClock()
  const broken = await openTestService(undefined, { KARBA_ROLE: 'api', KARBA_LOG_LEVEL: 'silent' }, { connect, clock })
  const url = '/operators/sandbox/broken/callback'
  const codes = new Map<number, number>()
  for (let sent = 0; sent < 250; sent++) {
    const { statusCode } = await broken.app.inject({ method: 'POST', url, payload: '{}' })
    codes.set(statusCode, (codes.get(statusCode) ?? 0) + 1)
  }
  assert.deepEqual(Object.fromEntries(codes), { 500: 200, 429: 50 })
  await clock.advanceUntil('end of the service', broken.remove())
})

// The service does not poll a payment that has ended, so a callback may be the only news of late money. Networks repeat
// a callback until they get 200.
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
    const created = await clock.advanceUntil('payment', post(service, secretKey, order({ msisdn: DECLINED })))
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
    crashing.service.db.rows('select request_reference from rechecks where request_reference = $1', [reference])

  for (const [about, afterMs] of [
    ['immediately', 0],
    ['after a timeout', 5_000],
  ] as const) {
    it(`a callback gets 503 when the store fails ${about}, and is recorded when the network repeats it`, async () => {
      const { process, clock } = crashing
      const error = new StoreUnavailable('the connection was refused')
      process.storeFault = (during) => (during === 'read' ? { error, isDone: false, afterMs } : undefined)
      assert.equal(await callBack(), 503)
      await clock.advance(MINUTE_MS / 6)
      process.storeFault = () => undefined
      assert.equal(await callBack(), 200)
      await clock.advance(MINUTE_MS)
      assert.deepEqual(await rechecks(), [], 'the network was polled, and confirmed its status')
    })
  }
})
