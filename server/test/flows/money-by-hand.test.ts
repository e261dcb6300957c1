// What a person decides about money, on both stores: a debit that came after a failure is accepted or given back, and a refund that a network has
// no call for is confirmed or given up. Each is one decision, told to the merchant where the payment moves, and in the audit log.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listLatestAudit } from '../../src/actions/audit/audit-log.ts'
import { acceptLateMoney, listLatestAnomalies, refundLateMoney } from '../../src/actions/payments/anomalies.ts'
import { endRefundByHand, listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { RefundAnswer } from '../../src/domain/operator-report.ts'
import type { Operator, Reversal } from '../../src/operators/operator.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { prompting } from '../kit/connected.ts'
import { get, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, closeLink, newLink, pay, postLink, statusOfLink } from '../links/payer.ts'

const NUMBER = '96123456'
const NOTE = 'seen on the statement of the day'

describe('money by hand', () => {
  /** What the network says of each reference, where it is not declined; and what it was asked to give back. */
  const paid = new Map<string, number>()
  const reversals: Reversal[] = []
  let refundAnswer: RefundAnswer = { is: 'by_hand', why: 'only its dashboard can' }
  let service: VirtualService
  let secretKey: string

  const operator: Operator = {
    name: 'airtel_ne',
    request: async () => ({ is: 'declined', reason: 'declined', mayChange: true }),
    status: async (reference) => {
      const amountXof = paid.get(reference)
      return amountXof === undefined
        ? { is: 'declined', reason: 'declined', mayChange: true }
        : { is: 'succeeded', amountXof, operatorReference: `OP-${reference.slice(0, 4)}` }
    },
    refund: async (reversal) => {
      reversals.push(reversal)
      return refundAnswer
    },
    refundStatus: async () => refundAnswer,
    parseCallback: () => undefined,
  }

  before(async () => {
    const operators = operatorRegistry([prompting('sandbox', operator)])
    service = await openVirtualService(SQLITE, {}, { connect: async () => ({ operators, close: async () => {} }) })
    secretKey = (await service.merchant()).accounts.sandbox.secretKey
  })
  after(() => service.remove())

  /** A payment that its network declined, and was paid for later: found, because that network says itself that it may change its mind. */
  async function latePayment(): Promise<{ reference: string; anomalyId: string }> {
    const { body } = await post(service, secretKey, order({ msisdn: NUMBER }))
    const reference = body.reference as string
    await service.clock.advance(5_000)
    assert.equal(await statusOf(reference), 'failed')
    paid.set(reference, 1500)
    return { reference, anomalyId: await anomalyOf(reference) }
  }

  async function anomalyOf(reference: string): Promise<string> {
    for (let quarters = 0; quarters < 24; quarters++) {
      await service.clock.sleep(15 * 60_000)
      await service.clock.advance(1_000)
      const open = granted(await listLatestAnomalies(service, TESTER, { openOnly: true })).rows
      const found = open.find((each) => each.reference === reference && each.kind === 'success_after_failure')
      if (found !== undefined) return found.anomalyId
    }
    return assert.fail('the late money was not found within six hours')
  }

  const statusOf = async (reference: string) => (await get(service, secretKey, reference)).body.status
  async function eventsOf(reference: string): Promise<string[]> {
    const rows = await service.db.rows<{ event: string }>(
      `select event from events
         where (account_id, number) in (select account_id, number from payments where reference = $1) order by sequence`,
      [reference],
    )
    return rows.map(({ event }) => event)
  }

  it('accepted late money makes the payment succeed, tells the merchant, and closes the anomaly, once', async () => {
    const { reference, anomalyId } = await latePayment()
    const twice = await Promise.all([1, 2].map(() => acceptLateMoney(service, TESTER, { anomalyId, note: NOTE })))
    assert.deepEqual(twice.map((each) => 'refused' in each).sort(), [false, true])
    const { body } = await get(service, secretKey, reference)
    assert.deepEqual([body.status, body.failure_reason], ['succeeded', undefined])
    assert.deepEqual(await eventsOf(reference), ['payment.failed', 'payment.succeeded'])
    const [entry] = granted(await listLatestAudit(service, TESTER, { subject: anomalyId })).rows
    assert.equal(entry?.action, 'anomaly.accept')
    assert.ok('refused' in (await acceptLateMoney(service, TESTER, { anomalyId, note: NOTE })))
  })

  it('late money that is given back is asked for by its own name, and the payment stays failed', async () => {
    const { reference, anomalyId } = await latePayment()
    refundAnswer = { is: 'succeeded', amountXof: 1500, operatorReference: 'OP-BACK' }
    const { refundReference } = granted(await refundLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    await service.clock.advance(5_000)
    const [reversal] = reversals.filter((each) => each.refundReference === refundReference)
    assert.deepEqual(
      [reversal?.reference, reversal?.operatorReference, reversal?.amountXof],
      [reference, `OP-${reference.slice(0, 4)}`, 1500],
    )
    assert.equal(await statusOf(reference), 'failed')
    assert.deepEqual(await eventsOf(reference), ['payment.failed'])
  })

  it('late money that the operator refuses to give back becomes a task for a person', async () => {
    const { anomalyId } = await latePayment()
    refundAnswer = { is: 'declined', reason: 'operator_error' }
    const { refundReference } = granted(await refundLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    await service.clock.advance(5_000)
    const { rows } = await listRefundTasks(service, TESTER)
    assert.match(rows.find((each) => each.refundReference === refundReference)?.why ?? '', /refused/)
  })

  it('an open link whose late attempt is accepted is paid', async () => {
    const link = await newLink(service, secretKey)
    await pay(service, link, byPhone(NUMBER))
    await service.clock.advance(5_000)
    const [attempt] = await service.db.rows<{ reference: string; payment: string }>(
      `select t.reference, p.reference as payment from payment_attempts t
         join payments p on p.account_id = t.account_id and p.number = t.number
         join payment_links l on l.account_id = t.account_id and l.number = t.number where l.reference = $1`,
      [link],
    )
    paid.set(attempt?.reference as string, 15_000)
    const anomalyId = await anomalyOf(attempt?.payment as string)
    granted(await acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    assert.equal(await statusOfLink(service, link), 'succeeded')
    assert.deepEqual(await eventsOf(attempt?.payment as string), ['payment.succeeded'])
  })

  /** A link without an amount: 500 was typed first, and is paid late; then 20,000, which is declined. */
  async function lateOf500({ isClosed }: { isClosed: boolean }): Promise<{ reference: string; anomalyId: string }> {
    const { body } = await postLink(service, secretKey, { title: 'Don', minimum_amount: 100, shouldExpire: false })
    const link = body.reference as string
    for (const [attempt, amount] of ['500', '20000'].entries()) {
      await pay(service, link, { ...byPhone(NUMBER, attempt), amount })
      await service.clock.advance(5_000)
    }
    if (isClosed) await closeLink(service, link)
    const [first] = await service.db.rows<{ reference: string; payment: string }>(
      `select t.reference, p.reference as payment from payment_attempts t
         join payments p on p.account_id = t.account_id and p.number = t.number
         join payment_links l on l.account_id = t.account_id and l.number = t.number
         where l.reference = $1 order by t.attempt`,
      [link],
    )
    paid.set(first?.reference as string, 500)
    const reference = first?.payment as string
    return { reference, anomalyId: await anomalyOf(reference) }
  }

  it('late money of an attempt over another amount than the latest is accepted over its own', async () => {
    const { reference, anomalyId } = await lateOf500({ isClosed: false })
    granted(await acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    const { body } = await get(service, secretKey, reference)
    assert.deepEqual([body.status, body.amount], ['succeeded', 500])
    const [event] = await service.db.rows<{ payload: string }>(
      'select payload from events where (account_id, number) in (select account_id, number from payments where reference = $1)',
      [reference],
    )
    assert.equal(JSON.parse(event?.payload ?? '{}').data.amount, 500)
  })

  it('and given back over its own, by the network or by a person, also when the link has closed over another', async () => {
    const { reference, anomalyId } = await lateOf500({ isClosed: true })
    const refused = { refused: 'late_money_not_needed', status: 'failed' }
    assert.deepEqual(await acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }), refused)
    refundAnswer = { is: 'by_hand', why: 'only its dashboard can' }
    const { refundReference } = granted(await refundLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    await service.clock.advance(5_000)
    const isIt = (each: { refundReference: string }): boolean => each.refundReference === refundReference
    assert.equal(reversals.find(isIt)?.amountXof, 500)
    const task = (await listRefundTasks(service, TESTER)).rows.find(isIt)
    assert.deepEqual([task?.amountXof, task?.operator, task?.msisdnWritten], [500, 'airtel_ne', NUMBER])
    assert.deepEqual([await statusOf(reference), await eventsOf(reference)], ['failed', ['payment.failed']])
  })

  it('a refund that the network cannot make waits for a person, who confirms it with a proof', async () => {
    const { reference, anomalyId } = await latePayment()
    granted(await acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    refundAnswer = { is: 'by_hand', why: 'only its dashboard can' }
    const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
    await service.clock.advance(60_000)
    const asked = reversals.filter((each) => each.refundReference === refundReference).length
    assert.equal(asked, 1, 'nobody asks the network again')
    const task = (await listRefundTasks(service, TESTER)).rows.find((each) => each.reference === reference)
    assert.deepEqual([task?.why, task?.amountXof], ['only its dashboard can', 1500])
    assert.equal(await statusOf(reference), 'succeeded')
    const ended = await Promise.all(
      [1, 2].map(() => endRefundByHand(service, TESTER, { refundReference, isMade: true, proof: 'slip 8812' })),
    )
    assert.deepEqual(ended.map((each) => 'refused' in each).sort(), [false, true])
    assert.equal(await statusOf(reference), 'refunded')
    assert.deepEqual((await eventsOf(reference)).at(-1), 'payment.refunded')
  })

  it('a refund that is given up leaves the payment as it is, and another may be asked for', async () => {
    const { reference, anomalyId } = await latePayment()
    granted(await acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
    await service.clock.advance(5_000)
    granted(
      await endRefundByHand(service, TESTER, { refundReference, isMade: false, proof: 'the payer kept the goods' }),
    )
    assert.equal(await statusOf(reference), 'succeeded')
    granted(await refundPayment(service, TESTER, { name: reference }))
  })

  it('and karba verify finds nothing wrong in all that', async () => {
    assert.deepEqual(granted(await verifyStore(service, TESTER)).findings, [])
  })
})
