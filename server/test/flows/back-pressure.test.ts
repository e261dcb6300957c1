// More payments than an operator can take, on a virtual clock: merchants take turns, long waits are logged, a silent
// operator is left alone, and everything settles when it answers again (promises 5 and 7, ADR-0007).

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { makeLog } from '../../src/observability/log.ts'
import { insertRecheck } from '../../src/store/payments/payment-moves.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { insertPending, paymentOf } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

describe('back-pressure', () => {
  const HOUR_MS = 3_600_000
  const AIRTEL = '96123456'

  async function pendingIn({ db }: VirtualService): Promise<number> {
    const [row] = await db.rows<{ n: number }>(`select count(*) as n from payments where status = 'pending'`)
    return row?.n ?? 0
  }

  describe('an operator of 500 ms with five calls at a time', () => {
    let service: VirtualService
    before(async () => {
      service = await openVirtualService(SQLITE, {
        KARBA_OPERATOR_LIMITS: 'airtel_ne:request=5,airtel_ne:status=5',
      })
      service.network.change = (reaction) => ({ ...reaction, afterMs: 500 })
      await insertPending(service, 'acc_busy_merchant', 300, { dueAt: service.clock.now() })
      await service.clock.advance(5_000)
    })
    after(async () => {
      // All callbacks have come: none is left for a service that is gone.
      await service.clock.advance(60_000)
      await service.remove()
    })

    it('serves another merchant’s payment in turn, not behind the hundreds of the first one', async () => {
      const { secretKey } = (await service.merchant()).accounts.sandbox
      const { body } = await post(service, secretKey, order({ msisdn: AIRTEL }))
      // A hundred may wait at the dispatcher before it, ten a second.
      await service.clock.advance(15_000)
      assert.ok(service.calls.request.includes(body.reference as string), 'it was sent')
      assert.ok((await pendingIn(service)) > 50, 'the first merchant has a backlog still')
      assert.equal((await get(service, secretKey, body.reference as string)).body.status, 'succeeded')
    })
  })

  /** Of ten thousand payments and of two hundred calls at a time: a fortieth, and a fifth in the long form. */
  const PAYMENTS = tries(250, 2_000)
  const CALLS = PAYMENTS / 50
  describe(`${PAYMENTS} payments that wait for an operator of ${CALLS} calls at a time`, () => {
    const lines: string[] = []
    let service: VirtualService
    before(async () => {
      const log = makeLog('info', { write: (line) => void lines.push(line) })
      service = await openVirtualService(
        undefined,
        { KARBA_OPERATOR_LIMITS: `airtel_ne:request=${CALLS},airtel_ne:status=${CALLS}` },
        { log },
      )
      service.network.change = () => ({ does: 'hang' })
      await insertPending(service, 'acc_waiting', PAYMENTS, { dueAt: service.clock.now() })
    })
    after(() => service.remove())

    const told = (text: RegExp): number => lines.filter((line) => text.test(line)).length

    it('are logged every minute', async () => {
      await service.clock.advance(5 * 60_000)
      const times = told(/airtel_ne.*payments wait for this connection/)
      assert.ok(times >= 3 && times <= 5, `${times} times`)
    })

    it('settle within a minute once it answers again, 500 ms each, at its own limits', async () => {
      service.network.change = (reaction) => ({ ...reaction, afterMs: 500 })
      await service.clock.advance(60_000)
      assert.equal(await pendingIn(service), 0)
      const { request } = service.calls
      assert.equal(new Set(request).size, request.length)
      await service.clock.advance(20_000)
      assert.equal(told(/airtel_ne.*no longer wait/), 1)
    })
  })

  it('payments that a wrong clock put hours ahead are asked about within a minute', async (t) => {
    const service = await openVirtualService(SQLITE)
    t.after(() => service.remove())
    const now = service.clock.now()
    await insertPending(service, 'acc_ahead', 20, { dueAt: now + HOUR_MS })
    await insertPending(service, 'acc_a_little_ahead', 20, { dueAt: now + 10 * 60_000 })
    await service.clock.advance(60_000)
    assert.equal(await pendingIn(service), 0)
  })

  it('refunds and rechecks that a wrong clock put days ahead are asked about within a minute', async (t) => {
    const service = await openVirtualService(SQLITE)
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const made = [await post(service, secretKey, order()), await post(service, secretKey, order())]
    const [refunded, rechecked] = made.map(({ body }) => body.reference as string) as [string, string]
    await service.clock.advance(10_000)
    granted(await refundPayment(service, TESTER, { name: refunded }))
    const ahead = service.clock.now() + 30 * 24 * HOUR_MS
    await insertRecheck(service.db, await paymentOf(service, rechecked), ahead)
    await service.db.change('update refunds set due_at = $1', [ahead])
    const before = service.calls.status.length
    await service.clock.advance(60_000)
    assert.equal((await get(service, secretKey, refunded)).body.status, 'refunded')
    assert.deepEqual(service.calls.status.slice(before), [rechecked])
    assert.deepEqual(await service.db.rows('select request_reference from rechecks'), [])
  })

  it('refunds and rechecks that are due in six hours stay so', async (t) => {
    const service = await openVirtualService(SQLITE)
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const reference = (await post(service, secretKey, order())).body.reference as string
    await service.clock.advance(10_000)
    granted(await refundPayment(service, TESTER, { name: reference }))
    const inSixHours = service.clock.now() + 6 * HOUR_MS
    await insertRecheck(service.db, await paymentOf(service, reference), service.clock.now())
    for (const table of ['refunds', 'rechecks'])
      await service.db.change(`update ${table} set due_at = $1`, [inSixHours])
    await service.clock.advance(60_000)
    const due = await service.db.rows<{ due_at: number }>(
      'select due_at from refunds union all select due_at from rechecks',
    )
    assert.deepEqual(
      due.map(({ due_at }) => due_at),
      [inSixHours, inSixHours],
    )
  })
})

// Payments that wait for longer than their lease are released, claimed again later, and sent once.
describe('backlog', () => {
  /** Forty calls at a time of nine seconds each: a backlog of minutes, and leases of fifteen seconds. */
  const ANSWERS_AFTER_MS = 9_000
  const PAYMENTS = tries(600, 2_000)
  /** Three times as long as they take by themselves: what was let go comes back later. */
  const SETTLED_AFTER_MS = PAYMENTS * 600

  const SLOW_OPERATORS = { msisdn: '40410000100', operators: ['airtel_ne'] }
  const ANOTHER_OPERATORS = '94123456'

  let service: VirtualService

  before(async () => {
    service = await openVirtualService()
    await insertPending(service, 'acc_backlog', PAYMENTS, { dueAt: service.clock.now(), ...SLOW_OPERATORS })
    const slow = new Set(
      (await service.db.rows<Named>('select reference from payments')).map(({ reference }) => reference),
    )
    service.network.change = (reaction, reference) =>
      slow.has(reference) ? { ...reaction, afterMs: ANSWERS_AFTER_MS } : reaction
  })
  after(() => service.remove())

  interface Named {
    reference: string
  }

  it('a payment of another operator is sent at once, however many wait for a slow one', async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    for (let made = 0; made < 10; made++) {
      await service.clock.advance(1_300)
      const { body } = await post(service, secretKey, order({ msisdn: ANOTHER_OPERATORS }))
      await service.clock.advance(50)
      assert.ok(service.calls.request.includes(body.reference as string), `payment ${made + 1}`)
    }
  })

  it(`of ${PAYMENTS} payments that wait for an operator that takes 9 s to answer, each is sent once and settled`, async () => {
    await service.clock.advance(SETTLED_AFTER_MS)
    const { request } = service.calls
    assert.equal(new Set(request).size, request.length)
    const rows = await service.db.rows<{ status: string; n: number }>(
      `select status, count(*) as n from payments where account_id = 'acc_backlog' group by status`,
    )
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ status: 'succeeded', n: PAYMENTS }],
    )
  })
})

// A silent operator: creates continue, the dispatcher probes it now and then, /metrics shows it, and it recovers
// without help.
describe('operator down', () => {
  const DOWN_FOR_MS = 10 * 60_000
  /** As many creates as come in while it is down, evenly. */
  const PAYMENTS = 100
  const AIRTEL = '96123456'

  let service: VirtualService
  let secretKey: string
  let downSince: number

  before(async () => {
    service = await openVirtualService()
    secretKey = (await service.merchant()).accounts.sandbox.secretKey
    service.network.change = () => ({ does: 'hang' })
    downSince = service.clock.now()
  })
  after(() => service.remove())

  async function metric(name: string, operator = 'airtel_ne'): Promise<number> {
    const { body } = await service.app.inject({ url: '/metrics' })
    const [, value] =
      new RegExp(`^${name}\\{environment="sandbox",connection="${operator}"\\} (\\S+)$`, 'm').exec(body) ?? []
    return Number(value)
  }

  const callsMade = (): number => service.calls.request.length + service.calls.status.length

  it('takes creates as ever while an operator is down, and calls it now and then', async () => {
    for (let made = 0; made < PAYMENTS; made++) {
      const { code } = await post(service, secretKey, order({ msisdn: AIRTEL }))
      assert.equal(code, 200)
      await service.clock.advance(DOWN_FOR_MS / PAYMENTS)
    }
    // Ten silences until it counts as down, those that were under way then, and a call every 15 seconds and its
    // deadline.
    assert.ok(callsMade() >= 10 + 20 && callsMade() <= 10 + 40 + 60, `${callsMade()} calls`)
  })

  it('says in /metrics that it is down, and since when', async () => {
    assert.equal(await metric('karba_operator_up'), 0)
    const since = (await metric('karba_operator_since_seconds')) * 1_000
    assert.ok(since > downSince && since < downSince + DOWN_FOR_MS / 2)
    assert.equal(await metric('karba_operator_up', 'moov_ne'), 1)
  })

  it('brings every payment to its outcome when it is back', async () => {
    service.network.change = (reaction) => reaction
    for (let minute = 0; minute < 20; minute++) await service.clock.sleep(60_000)
    await service.clock.advance(10_000)
    assert.equal(await metric('karba_operator_up'), 1)
    const rows = await service.db.rows<{ n: number }>(`select count(*) as n from payments where status = 'pending'`)
    assert.equal(rows[0]?.n, 0)
    // Whoever was debited has paid: the network's books and ours say the same.
    const [books] = await service.db.rows<{ debited: number; succeeded: number }>(
      `select (select count(*) from simulated_payments) as debited,
       (select count(*) from payments where status = 'succeeded') as succeeded`,
    )
    assert.equal(books?.debited, books?.succeeded)
  })
})
