// Back-pressure on a virtual clock: an operator gets more payments than it can take. Merchants take
// turns, the service logs long waits and probes a silent operator rarely, and every payment settles
// after recovery (promises 5, 7, ADR-0007).

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { makeLog } from '../../src/observability/log.ts'
import { insertRecheck } from '../../src/store/payments/payment-moves.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { insertPending, paymentOf } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { shared, sharedWithAccount } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

describe('back-pressure', () => {
  const HOUR_MS = 3_600_000
  const AIRTEL = '96123456'

  async function pendingIn({ db }: VirtualService): Promise<number> {
    const [row] = await db.read<{ n: number }>(
      `select count(*) as n from payments where status = 'pending'`,
    )
    return row?.n ?? 0
  }

  describe('with 5 concurrent calls of 500 ms each', () => {
    const LIMITS = { KARBA_OPERATOR_LIMITS: 'airtel_ne:request=5,airtel_ne:status=5' }
    const service = sharedWithAccount(() => openVirtualService(SQLITE, LIMITS))
    before(async () => {
      service.network.change = (reaction) => ({ ...reaction, afterMs: 500 })
      await insertPending(service, 'acc_busy_merchant', 300, { dueAt: service.clock.now() })
      await service.clock.advance(5_000)
    })

    it('dispatches another merchant’s payment in turn, not after the first merchant’s backlog', async () => {
      const { secretKey } = service
      const { body } = await post(service, secretKey, order({ msisdn: AIRTEL }))
      // Up to 100 payments wait in the dispatcher ahead of it, at 10 a second.
      await service.clock.advance(15_000)
      assert.ok(service.calls.request.includes(body.reference as string), 'it was sent')
      assert.ok((await pendingIn(service)) > 50, 'the first merchant still has a backlog')
      assert.equal(
        (await get(service, secretKey, body.reference as string)).body.status,
        'succeeded',
      )
    })
  })

  /**
   * Scaled from 10,000 payments and 200 concurrent calls: a fortieth, and a fifth in the long form.
   */
  const PAYMENTS = tries(250, 2_000)
  const CALLS = PAYMENTS / 50
  describe(`with ${PAYMENTS} payments waiting for an operator with ${CALLS} concurrent calls`, () => {
    const lines: string[] = []
    const log = makeLog('info', { write: (line) => void lines.push(line) })
    const LIMITS = { KARBA_OPERATOR_LIMITS: `airtel_ne:request=${CALLS},airtel_ne:status=${CALLS}` }
    const service = shared(() => openVirtualService(undefined, LIMITS, { log }))
    before(async () => {
      service.network.change = () => ({ does: 'hang' })
      await insertPending(service, 'acc_waiting', PAYMENTS, { dueAt: service.clock.now() })
    })

    const logged = (text: RegExp): number => lines.filter((line) => text.test(line)).length

    it('logs the backlog every minute', async () => {
      await service.clock.advance(5 * 60_000)
      const times = logged(/airtel_ne.*payments wait for this connection/)
      assert.ok(times >= 3 && times <= 5, `${times} times`)
    })

    it('settles all within a minute of recovery, at 500 ms each and within the operator’s limits', async () => {
      service.network.change = (reaction) => ({ ...reaction, afterMs: 500 })
      await service.clock.advance(60_000)
      assert.equal(await pendingIn(service), 0)
      const { request } = service.calls
      assert.equal(new Set(request).size, request.length)
      await service.clock.advance(20_000)
      assert.equal(logged(/airtel_ne.*no longer wait/), 1)
    })
  })

  const service = sharedWithAccount(() => openVirtualService(SQLITE))

  it('polls payments within a minute although a clock error set their due times hours ahead', async () => {
    const now = service.clock.now()
    await insertPending(service, 'acc_ahead', 20, { dueAt: now + HOUR_MS })
    await insertPending(service, 'acc_a_little_ahead', 20, { dueAt: now + 10 * 60_000 })
    await service.clock.advance(60_000)
    assert.equal(await pendingIn(service), 0)
  })

  it('polls refunds and rechecks within a minute although a clock error set their due times days ahead', async () => {
    const { secretKey } = service
    const made = [await post(service, secretKey, order()), await post(service, secretKey, order())]
    const [refunded, rechecked] = made.map(({ body }) => body.reference as string) as [
      string,
      string,
    ]
    await service.clock.advance(10_000)
    granted(await refundPayment(service, TESTER, { name: refunded }))
    const ahead = service.clock.now() + 30 * 24 * HOUR_MS
    await insertRecheck(service.db, await paymentOf(service, rechecked), ahead)
    await service.db.change('update refunds set due_at = :ahead', { ahead })
    const before = service.calls.status.length
    await service.clock.advance(60_000)
    assert.equal((await get(service, secretKey, refunded)).body.status, 'refunded')
    assert.deepEqual(service.calls.status.slice(before), [rechecked])
    assert.deepEqual(await service.db.read('select request_reference from rechecks'), [])
  })

  it('keeps the due time of refunds and rechecks that are due in six hours', async () => {
    const reference = (await post(service, service.secretKey, order())).body.reference as string
    await service.clock.advance(10_000)
    granted(await refundPayment(service, TESTER, { name: reference }))
    const inSixHours = service.clock.now() + 6 * HOUR_MS
    await insertRecheck(service.db, await paymentOf(service, reference), service.clock.now())
    for (const table of [
      `rechecks set due_at = :inSixHours`,
      `refunds set due_at = :inSixHours where status = 'pending'`,
    ])
      await service.db.change(`update ${table}`, { inSixHours })
    await service.clock.advance(60_000)
    const sql =
      'select due_at from refunds where due_at is not null union all select due_at from rechecks'
    const due = await service.db.read<{ due_at: number }>(sql)
    assert.deepEqual(column(due, 'due_at'), [inSixHours, inSixHours])
  })
})

// The dispatcher releases payments that wait longer than their lease, claims them again later, and
// sends each once.
describe('backlog', () => {
  /**
   * 40 concurrent calls of 9 seconds each: a backlog of more than a minute, with leases of 15
   * seconds.
   */
  const ANSWERS_AFTER_MS = 9_000
  const PAYMENTS = tries(300, 2_000)
  /** Three times the minimum duration, because the dispatcher retries released payments later. */
  const SETTLED_AFTER_MS = PAYMENTS * 600

  const SLOW_OPERATORS = { msisdn: '40410000100', operators: ['airtel_ne'] }
  const ANOTHER_OPERATORS = '94123456'

  const service = sharedWithAccount(() => openVirtualService())
  before(async () => {
    await insertPending(service, 'acc_backlog', PAYMENTS, {
      dueAt: service.clock.now(),
      ...SLOW_OPERATORS,
    })
    const rows = await service.db.read<{ reference: string }>('select reference from payments')
    const slow = new Set(column(rows, 'reference'))
    service.network.change = (reaction, reference) =>
      slow.has(reference) ? { ...reaction, afterMs: ANSWERS_AFTER_MS } : reaction
  })

  it('sends a payment to another operator at once while a slow operator has a backlog', async () => {
    for (let made = 0; made < 10; made++) {
      await service.clock.advance(1_300)
      const { body } = await post(service, service.secretKey, order({ msisdn: ANOTHER_OPERATORS }))
      await service.clock.advance(50)
      assert.ok(service.calls.request.includes(body.reference as string), `payment ${made + 1}`)
    }
  })

  it(`sends each of ${PAYMENTS} payments once and settles it when the operator takes 9 s per call`, async () => {
    await service.clock.advance(SETTLED_AFTER_MS)
    const { request } = service.calls
    assert.equal(new Set(request).size, request.length)
    const sql = `select status from payments where account_id = 'acc_backlog'`
    const rows = await service.db.read<{ status: string }>(sql)
    assert.deepEqual(column(rows, 'status'), Array(PAYMENTS).fill('succeeded'))
  })
})

// A silent operator: creates continue, the dispatcher probes it at intervals, /metrics reports it,
// and it recovers without intervention.
describe('operator down', () => {
  const DOWN_FOR_MS = 5 * 60_000
  /** Creates during the outage, at even intervals. */
  const PAYMENTS = 50
  const AIRTEL = '96123456'

  const service = sharedWithAccount(() => openVirtualService())
  let downSince: number
  before(() => {
    service.network.change = () => ({ does: 'hang' })
    downSince = service.clock.now()
  })

  async function metric(name: string, operator = 'airtel_ne'): Promise<number> {
    const { body } = await service.app.inject({ url: '/metrics' })
    const line = new RegExp(
      `^${name}\\{environment="sandbox",connection="${operator}"\\} (\\S+)$`,
      'm',
    )
    return Number(line.exec(body)?.[1])
  }

  const callsMade = (): number => service.calls.request.length + service.calls.status.length

  it('accepts creates while an operator is down, and probes that operator at intervals', async () => {
    for (let made = 0; made < PAYMENTS; made++) {
      const { code } = await post(service, service.secretKey, order({ msisdn: AIRTEL }))
      assert.equal(code, 200)
      await service.clock.advance(DOWN_FOR_MS / PAYMENTS)
    }
    // 10 timeouts mark it as down. Add the calls in flight at that moment, and one probe every 15
    // seconds plus its deadline.
    assert.ok(callsMade() >= 10 + 10 && callsMade() <= 10 + 20 + 60, `${callsMade()} calls`)
  })

  it('reports the outage and its start in /metrics', async () => {
    assert.equal(await metric('karba_operator_up'), 0)
    const since = (await metric('karba_operator_since_seconds')) * 1_000
    assert.ok(since > downSince && since < downSince + DOWN_FOR_MS / 2)
    assert.equal(await metric('karba_operator_up', 'moov_ne'), 1)
  })

  it('settles every payment after the operator recovers', async () => {
    service.network.change = (reaction) => reaction
    for (let minute = 0; minute < 20; minute++) await service.clock.sleep(60_000)
    await service.clock.advance(10_000)
    assert.equal(await metric('karba_operator_up'), 1)
    const count = async (from: string) => (await service.db.read(`select 1 from ${from}`)).length
    assert.equal(await count(`payments where status = 'pending'`), 0)
    // Every debited payer has a succeeded payment: the network’s records and the store agree.
    assert.equal(
      await count('simulated_payments'),
      await count(`payments where status = 'succeeded'`),
    )
  })
})
