// More payments than an operator can take, on a virtual clock: merchants are served in turn, people are told when payments wait too long, and
// when an operator answers again everything settles within a minute (promise 5). A clock that was wrong leaves nothing unasked.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { makeLog } from '../../src/observability/log.ts'
import { insertRecheck } from '../../src/store/payments/payment-moves.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { insertPending, paymentOf } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

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

// A twentieth of ten thousand payments and of two hundred calls at a time.
describe('back-pressure: 500 payments that wait for an operator of ten calls at a time', () => {
  const lines: string[] = []
  let service: VirtualService
  before(async () => {
    const log = makeLog('info', { write: (line) => void lines.push(line) })
    service = await openVirtualService(
      undefined,
      { KARBA_OPERATOR_LIMITS: 'airtel_ne:request=10,airtel_ne:status=10' },
      { log },
    )
    service.network.change = () => ({ does: 'hang' })
    await insertPending(service, 'acc_waiting', 500, { dueAt: service.clock.now() })
  })
  after(() => service.remove())

  const told = (text: RegExp): number => lines.filter((line) => text.test(line)).length

  it('are told to those who run the service, every minute', async () => {
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
  for (const table of ['refunds', 'rechecks']) await service.db.change(`update ${table} set due_at = $1`, [inSixHours])
  await service.clock.advance(60_000)
  const due = await service.db.rows<{ due_at: number }>(
    'select due_at from refunds union all select due_at from rechecks',
  )
  assert.deepEqual(
    due.map(({ due_at }) => due_at),
    [inSixHours, inSixHours],
  )
})
