// A payment is sent once: also after an unrecorded send, with an unreachable operator, or across a
// clock step.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { Agent } from 'undici'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { sender } from '../../src/operators/http-call.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { keepAliveClock } from '../../src/service/runtime.ts'
import { followStore } from '../../src/service/store-clock.ts'
import { StoreUnavailable } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { connectOnly } from '../kit/direct-operators.ts'
import { listenLocally } from '../kit/process.ts'
import { get, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import type { VirtualClock } from '../kit/virtual-clock.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

describe('sent once', () => {
  const SUCCEEDS = '40410000000'
  const SUCCEEDS_AT_ONCE = '40410000100'
  /** The lease of a payment, plus a margin. */
  const LEASE_MS = 20_000
  const REFUNDS = 6
  const FREEZE_MS = 60_000

  const service = sharedWithAccount(() => openVirtualService(SQLITE))
  const create = async (msisdn: string): Promise<string> =>
    (await post(service, service.secretKey, order({ msisdn }))).body.reference as string
  const statusOf = async (reference: string) =>
    (await get(service, service.secretKey, reference)).body.status
  const times = (calls: readonly string[], reference: string): number =>
    calls.filter((each) => each === reference).length

  it('a payment whose send could not be recorded is polled, and not sent again', async () => {
    const { transaction } = service.db
    service.db.transaction = async () => {
      throw new StoreUnavailable('PostgreSQL is being restarted')
    }
    const reference = await create(SUCCEEDS)
    await service.clock.advance(10_000)
    service.db.transaction = transaction
    assert.equal(times(service.calls.request, reference), 1)
    await service.clock.advance(LEASE_MS)
    assert.equal(await statusOf(reference), 'succeeded')
    assert.equal(times(service.calls.request, reference), 1)
    assert.ok(times(service.calls.status, reference) >= 1)
  })

  it('a payment that was claimed and never sent is polled, and then sent', async () => {
    service.network.change = () => ({ does: 'cut' })
    const reference = await create(SUCCEEDS)
    // As if the process had crashed between the claim and the call.
    await service.clock.advance(1)
    await service.db.change(
      `update payments set handed_over_at = null, polls = 0, claims = 1, due_at = :dueAt
       where reference = :reference`,
      { reference, dueAt: service.clock.now() },
    )
    await service.db.change('delete from simulated_payments where reference = :reference', {
      reference,
    })
    service.network.change = (reaction) => reaction
    const before = times(service.calls.request, reference)
    await service.clock.advance(LEASE_MS)
    assert.equal(await statusOf(reference), 'succeeded')
    assert.ok(times(service.calls.status, reference) >= 1, 'asked first')
    assert.equal(times(service.calls.request, reference), before + 1)
  })

  it('each refund at a network with six seconds of latency is requested once', async () => {
    const references = await Promise.all(
      Array.from({ length: REFUNDS }, () => create(SUCCEEDS_AT_ONCE)),
    )
    await service.clock.advance(5_000)
    service.network.change = (reaction) =>
      'answer' in reaction ? { ...reaction, afterMs: 6_000 } : reaction
    const refunds: string[] = []
    for (const name of references) {
      refunds.push(granted(await refundPayment(service, TESTER, { name })).refundReference)
    }
    await service.clock.advance(180_000)
    for (const reference of references) assert.equal(await statusOf(reference), 'refunded')
    for (const refund of refunds) assert.equal(times(service.calls.refund, refund), 1)
    service.network.change = (reaction) => reaction
  })

  it('a refund that was claimed right before a freeze is polled before it is sent', async () => {
    const name = await create(SUCCEEDS_AT_ONCE)
    await service.clock.advance(5_000)
    const { write } = service.db
    service.db.write = async <Row>(
      sql: string,
      values: Parameters<typeof write>[1],
    ): Promise<Row[]> => {
      const claimed = await write<Row>(sql, values)
      if (claimed.length === 0 || !sql.startsWith('update refunds')) return claimed
      service.db.write = write
      // The view of a process that was frozen while the answer was in flight.
      await new Promise<void>((resolve) => service.clock.after(FREEZE_MS, resolve))
      return claimed
    }
    const refund = granted(await refundPayment(service, TESTER, { name })).refundReference
    const asked: string[] = []
    service.network.change = (reaction, reference) => {
      if (reference === refund)
        asked.push(times(service.calls.refund, refund) === 0 ? 'status' : 'refund')
      return reaction
    }
    await service.clock.advance(2 * FREEZE_MS)
    service.network.change = (reaction) => reaction
    assert.deepEqual(
      [await statusOf(name), times(service.calls.refund, refund), asked[0]],
      ['refunded', 1, 'status'],
    )
  })
})

// Requests that certainly never left are sent when the connection recovers, while that still helps
// the payer (ADR-0007).
describe('never left', () => {
  const MINUTE = 60_000
  const REFUSED = { is: 'unknown', why: 'no answer: ECONNREFUSED', neverLeft: true } as const

  it('a call to a closed port is known to have never left; a call that is cut is not', async () => {
    const server = createServer((socket) => void socket.once('data', () => socket.destroy()))
    const agent = new Agent()
    const address = `http://127.0.0.1:${await listenLocally(server)}`
    const send = sender(agent, address, { clock: keepAliveClock, timeoutMs: 5_000 })
    const ask = () => send({ method: 'GET', path: '/', headers: {} })
    assert.ok(!('neverLeft' in (await ask())))
    server.close()
    await once(server, 'close')
    assert.deepEqual(await ask(), { failed: 'no answer: ECONNREFUSED', neverLeft: true })
    await agent.close()
  })

  describe('a payment to an unreachable operator', () => {
    const sent: string[] = []
    let isDown = true
    const operator: Operator = {
      name: 'airtel_ne',
      request: async ({ reference, amountXof }) => {
        if (isDown) return REFUSED
        sent.push(reference)
        return { is: 'succeeded', amountXof, operatorReference: 'OP-1' }
      },
      status: async () => (isDown ? REFUSED : { is: 'not_known' }),
      refund: async () => REFUSED,
      refundStatus: async () => REFUSED,
      parseCallback: () => undefined,
    }
    const service = sharedWithAccount(() =>
      openVirtualService(undefined, {}, { connect: connectOnly(operator) }),
    )

    async function create(): Promise<string> {
      isDown = true
      const { body } = await post(service, service.secretKey, order({ msisdn: '96123456' }))
      await service.clock.advance(1_000)
      return body.reference as string
    }
    /**
     * Due work runs once in ten seconds: the search for work is most of the cost of the virtual
     * minutes.
     */
    async function pass(minutes: number): Promise<void> {
      for (let tens = 0; tens < minutes * 6; tens++) await service.clock.sleep(10_000)
      await service.clock.settle()
    }
    const read = async (reference: string) =>
      (await get(service, service.secretKey, reference)).body
    const statusOf = async (reference: string) => (await read(reference)).status

    it('is sent once when the connection recovers after five minutes', async () => {
      const reference = await create()
      await pass(5)
      assert.equal(await statusOf(reference), 'pending')
      isDown = false
      await service.clock.advance(MINUTE)
      assert.equal(await statusOf(reference), 'succeeded')
      assert.equal(sent.filter((each) => each === reference).length, 1)
    })

    it('is not sent when the connection recovers after 20 minutes: it is polled, and fails when surely unknown', async () => {
      const reference = await create()
      await pass(20)
      isDown = false
      await pass(9)
      assert.equal(await statusOf(reference), 'pending')
      await pass(2)
      const { status, failure_reason } = await read(reference)
      assert.deepEqual([status, failure_reason], ['failed', 'never_received'])
      assert.ok(!sent.includes(reference))
    })
  })
})

// The store’s clock steps while merchants create payments: each payment is sent once, or soon ends
// as never received (promise 25).
describe('clock steps', () => {
  const MINUTE = 60_000
  const HOUR = 60 * MINUTE

  const STEPS: [name: string, ms: number][] = [
    ['16 minutes ahead', 16 * MINUTE],
    ['2 hours ahead', 2 * HOUR],
    ['a day ahead', 24 * HOUR],
    ['16 minutes back', -16 * MINUTE],
    ['2 hours back', -2 * HOUR],
  ]
  /** Claims expire first, by elapsed time. */
  const SETTLED_WITHIN_MS = 2 * MINUTE

  /** How far the clock of the machine, and of the store that runs on it, is ahead. */
  let aheadMs = 0
  const clockFrom = (truth: VirtualClock) => {
    const machine = { ...truth, now: () => truth.now() + aheadMs }
    return followStore(machine, async () => machine.now())
  }
  const service = sharedWithAccount(() => openVirtualService(undefined, {}, { clockFrom }))

  const create = (count: number, change?: Record<string, unknown>): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { code, body } = await post(service, service.secretKey, order(change))
        assert.equal(code, 200)
        return body.reference as string
      }),
    )

  async function assertSentOnce(references: readonly string[]): Promise<void> {
    for (const reference of references) {
      const sent = service.calls.request.filter((each) => each === reference).length
      const { status } = (await get(service, service.secretKey, reference)).body
      assert.deepEqual([sent, status], [1, 'succeeded'], reference)
    }
  }

  for (const [name, ms] of STEPS) {
    it(`${name}: payments created around the step are sent once and settle`, async () => {
      await service.clock.advance(4_000)
      const references = await create(3)
      aheadMs += ms
      references.push(...(await create(3)))
      for (let second = 0; second < 8; second++) {
        await service.clock.advance(1_000)
        references.push(...(await create(1)))
      }
      await service.clock.advance(SETTLED_WITHIN_MS)
      await assertSentOnce(references)
    })
  }

  it('ahead and soon back: payments claimed in between are sent once and settle', async () => {
    const references = await create(2)
    for (const ms of [2 * HOUR, -2 * HOUR]) {
      aheadMs += ms
      await service.clock.advance(6_000)
      references.push(...(await create(2)))
    }
    await service.clock.advance(SETTLED_WITHIN_MS)
    await assertSentOnce(references)
  })

  it('ahead during a request: the payment is not sent again although its claim seems to have expired', async () => {
    const { change } = service.network
    // The network does not answer the request, sends no callback, and does not find the payment for
    // a while.
    service.network.change = () => ({ does: 'hang' })
    const references = await create(1, { msisdn: '40410000102' })
    await service.clock.advance(100)
    aheadMs += MINUTE
    service.network.change = () => ({ answer: { status: 'not_known' } })
    await service.clock.advance(8_000)
    service.network.change = change
    await service.clock.advance(SETTLED_WITHIN_MS)
    await assertSentOnce(references)
  })
})
