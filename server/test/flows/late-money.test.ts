// Money that moves after a recorded outcome: a debit after a failure, several debits for one link,
// a reversal, an unknown payment. The service reports each or lists it as an anomaly, and staff
// accept it or refund it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listLatestAudit } from '../../src/actions/audit/audit-log.ts'
import {
  acceptLateMoney,
  closeAnomaly,
  listLatestAnomalies,
  refundLateMoney,
} from '../../src/actions/payments/anomalies.ts'
import {
  endRefundByHand,
  listRefundTasks,
} from '../../src/actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/payments/operator-report.ts'
import type { Operator, Reversal } from '../../src/operators/operator.ts'
import type { WireAnswer } from '../../src/simulator/network.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { connectOnly, deliverCallback, sendCallback } from '../kit/direct-operators.ts'
import { get, order, post, postAt } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  closeLink,
  newLink,
  pay,
  postLink,
  stateOf,
  statusOfLink,
} from '../links/payer.ts'
import { eventsOf, rowsOf } from '../networks/harness.ts'

describe('late money', () => {
  const MINUTE = 60_000
  const HOUR = 60 * MINUTE
  const SUCCEEDS = '40410000000'
  const NOT_KNOWN: WireAnswer = { status: 'not_known' }
  const REVERSED: WireAnswer = { status: 'refunded', amount: 1500, operator_reference: 'OP-1' }
  const debited = (amount: number): WireAnswer => ({
    status: 'succeeded',
    amount,
    operator_reference: 'OP-LATE',
  })

  const service = sharedWithAccount(() => openVirtualService(SQLITE))

  /**
   * Advances in steps of a minute, 15 minutes or half an hour: due work runs once per step, and
   * then has time to finish.
   */
  async function pass(ms: number): Promise<void> {
    const short = ms > HOUR ? 15 * MINUTE : MINUTE
    const step = ms > 12 * HOUR ? 30 * MINUTE : short
    for (let passed = 0; passed < ms; passed += step) {
      await service.clock.sleep(step)
      await service.clock.advance(1_000)
    }
  }

  /** Overrides the network’s answers from now on, whatever its records say. */
  function answer(answers: WireAnswer): void {
    service.network.change = () => ({ answer: answers })
  }
  const anomalies = async () =>
    granted(await listLatestAnomalies(service, TESTER, { openOnly: true })).rows
  const anomaliesOf = async (reference: string) =>
    (await anomalies()).filter((each) => each.reference === reference)
  /** The kinds of a payment’s anomalies, with their details. */
  const listed = async (reference: string): Promise<unknown[]> =>
    (await anomaliesOf(reference)).map(({ kind, detail }) => [kind, JSON.parse(detail)])
  const read = async (reference: string) => (await get(service, service.secretKey, reference)).body
  const create = async (): Promise<string> =>
    (await post(service, service.secretKey, order({ msisdn: SUCCEEDS }))).body.reference as string
  /** A payment that has succeeded. */
  async function paid(): Promise<string> {
    service.network.change = (reaction) => reaction
    const reference = await create()
    await service.clock.advance(10_000)
    assert.equal((await read(reference)).status, 'succeeded')
    return reference
  }
  const dueRechecks = () => service.db.read('select request_reference from rechecks')

  /** A payment that fails because its operator denies it for 15 minutes. */
  async function neverReceived(): Promise<string> {
    service.network.change = () => ({ does: 'hang' })
    const reference = await create()
    await service.clock.advance(MINUTE)
    answer(NOT_KNOWN)
    await pass(17 * MINUTE)
    const { status, failure_reason } = await read(reference)
    assert.deepEqual([status, failure_reason], ['failed', 'never_received'])
    return reference
  }

  it('a debit hours after a failure that the service concluded is found, listed once, and changes nothing by itself', async () => {
    const reference = await neverReceived()
    await pass(5 * HOUR)
    assert.deepEqual(await anomaliesOf(reference), [])
    answer(debited(1500))
    await pass(3 * HOUR)
    const detail = { recorded: 'failed', reported: 'succeeded', operatorReference: 'OP-LATE' }
    assert.deepEqual(await listed(reference), [['success_after_failure', detail]])
    assert.equal((await read(reference)).status, 'failed')
    assert.deepEqual(await dueRechecks(), [])
  })

  it('an unknown outcome is polled for three days at growing intervals, and then no more', async () => {
    const reference = await neverReceived()
    const before = service.calls.status.length
    // Three days, and the time in which rechecks were overdue, because due work runs once in half
    // an hour here.
    await pass(92 * HOUR)
    const asked = service.calls.status.slice(before).filter((each) => each === reference).length
    assert.ok(asked >= 20 && asked <= 40, `${asked} checks`)
    assert.deepEqual(await dueRechecks(), [])
    const afterwards = service.calls.status.length
    await pass(24 * HOUR)
    assert.equal(service.calls.status.length, afterwards)
  })

  /** Due work runs once in this time. */
  async function sleepThrough(ms: number): Promise<void> {
    await service.clock.sleep(ms)
    await service.clock.advance(MINUTE)
  }

  it('a debit is found although the operator did not answer at the end of the three days', async () => {
    const reference = await neverReceived()
    await sleepThrough(70 * HOUR)
    service.network.change = () => ({ does: '5xx' })
    for (let time = 0; time < 3; time++) await sleepThrough(7 * HOUR)
    answer(debited(1500))
    await sleepThrough(7 * HOUR)
    assert.deepEqual(column(await anomaliesOf(reference), 'kind'), ['success_after_failure'])
    assert.deepEqual(await dueRechecks(), [])
  })

  it('a machine that slept for a day, or a clock set a day ahead, leaves the three days whole', async () => {
    const reference = await neverReceived()
    await sleepThrough(24 * HOUR)
    await pass(60 * HOUR)
    answer(debited(1500))
    await pass(7 * HOUR)
    assert.deepEqual(column(await anomaliesOf(reference), 'kind'), ['success_after_failure'])
    assert.deepEqual(await dueRechecks(), [])
  })

  it('a callback in the last hour restarts the three days', async () => {
    const reference = await neverReceived()
    await sleepThrough(71 * HOUR)
    service.network.change = () => ({ does: '5xx' })
    assert.equal(
      await deliverCallback(service, { reference, answer: debited(1500), genuine: true }),
      true,
    )
    const before = service.calls.status.length
    // Within two minutes, and not six hours after the previous check.
    await sleepThrough(2 * MINUTE)
    assert.ok(service.calls.status.length > before)
    answer(NOT_KNOWN)
    await sleepThrough(7 * HOUR)
    answer(debited(1500))
    await sleepThrough(7 * HOUR)
    assert.equal((await anomaliesOf(reference)).length, 1)
    assert.deepEqual(await dueRechecks(), [])
  })

  it('each of three late debits for one link has its own anomaly, and resolving one leaves the others open', async () => {
    const link = await newLink(service, service.secretKey, { shouldExpire: false })
    for (let attempt = 0; attempt < 3; attempt++) {
      service.network.change = () => ({ does: 'hang' })
      await pay(service, link, byPhone(SUCCEEDS, attempt))
      await service.clock.advance(MINUTE)
      answer(NOT_KNOWN)
      await pass(17 * MINUTE)
      assert.equal(await stateOf(service, link), `open:${attempt + 1}`)
    }
    answer(debited(15_000))
    await pass(3 * HOUR)
    const reference = (await read(link)).reference as string
    const found = await anomaliesOf(reference)
    const attempts = await rowsOf<{ reference: string }>(
      service,
      'select reference from payment_attempts',
      reference,
    )
    const late = found.map(({ detail }) => JSON.parse(detail).attempt)
    assert.deepEqual([late.length, late.sort()], [3, column(attempts, 'reference').sort()])
    const [first, ...others] = found
    const closed = { anomalyId: first?.anomalyId as string, note: 'refunded by hand' }
    granted(await closeAnomaly(service, TESTER, closed))
    assert.deepEqual(await anomaliesOf(reference), others)
    assert.deepEqual(await closeAnomaly(service, TESTER, closed), { refused: 'anomaly_not_found' })
  })

  /** Sends a callback from the operator, which gives this status when polled. */
  async function hear(reference: string, says: WireAnswer): Promise<void> {
    answer(says)
    assert.equal(await deliverCallback(service, { reference, answer: says, genuine: true }), true)
    await service.clock.advance(5_000)
  }

  it('late money that the operator takes back is listed as gone, and cannot be accepted or refunded', async () => {
    const reference = await neverReceived()
    await hear(reference, debited(1500))
    await hear(reference, { ...debited(1500), status: 'refunded' })
    // A success from before the reversal that arrives after it.
    await hear(reference, debited(1500))
    const [found, ...more] = await anomaliesOf(reference)
    assert.deepEqual(
      [found?.kind, JSON.parse(found?.detail ?? '{}').reported, more],
      ['success_after_failure', 'refunded', []],
    )
    const input = { anomalyId: found?.anomalyId as string, note: 'seen on the statement' }
    for (const settle of [acceptLateMoney, refundLateMoney])
      assert.deepEqual(await settle(service, TESTER, input), { refused: 'anomaly_not_late_money' })
    assert.equal((await read(reference)).status, 'failed')
    granted(await closeAnomaly(service, TESTER, input))
  })

  it('a failure that arrives after our refund is listed: the refund had no debit', async () => {
    const reference = await paid()
    await postAt(service, service.secretKey, `/payments/${reference}/refund`, {})
    await service.clock.advance(30_000)
    assert.equal((await read(reference)).status, 'refunded')
    await hear(reference, { status: 'declined', reason: 'operator_error' })
    const detail = { recorded: 'refunded', reported: 'failed' }
    assert.deepEqual(await listed(reference), [['failure_after_success', detail]])
    assert.equal((await read(reference)).status, 'refunded')
  })

  it('a genuine callback for an unknown payment is listed once, under the operator’s reference', async () => {
    const reference = 'z'.repeat(24)
    const callback = { reference, answer: debited(1500), genuine: true }
    for (let time = 0; time < 2; time++) {
      assert.equal((await sendCallback(service, callback, 'sandbox/airtel_ne')).statusCode, 200)
    }
    const [found, ...more] = await anomaliesOf(reference)
    const expected = { kind: 'unknown_reference', accountId: null, operator: 'airtel_ne' }
    assert.partialDeepStrictEqual([{ ...found }, more], [expected, []])
  })

  it('a reversal by the operator moves a succeeded payment to refunded, with its event', async () => {
    const reference = await paid()
    const { validated_at, meta_data } = await read(reference)
    const [success] = await eventsOf(service, reference)
    for (let time = 0; time < 2; time++) await hear(reference, REVERSED)
    // The debit keeps its own reference, whatever reference the reversal has.
    const whole = { ...(await read(reference)), status: 'refunded', validated_at, meta_data }
    assert.deepEqual(await read(reference), whole)
    const events = await eventsOf(service, reference)
    assert.deepEqual(column(events, 'event'), ['payment.succeeded', 'payment.refunded'])
    for (const { payload } of events)
      assert.deepEqual(JSON.parse(payload).data.meta_data, meta_data)
    assert.deepEqual(events[0], success)
    assert.deepEqual(await anomaliesOf(reference), [])
  })

  it('a reversal is found although the operator did not answer after its callback', async () => {
    const reference = await paid()
    service.network.change = () => ({ does: '5xx' })
    assert.equal(
      await deliverCallback(service, { reference, answer: REVERSED, genuine: true }),
      true,
    )
    await service.clock.settle()
    assert.equal((await read(reference)).status, 'succeeded')
    answer(REVERSED)
    await pass(3 * MINUTE)
    assert.equal((await read(reference)).status, 'refunded')
    assert.deepEqual(await dueRechecks(), [])
  })
})

// Staff decisions: accept late money or refund it, confirm a manual refund or abandon it. Each
// happens once and is in the audit log.
for (const store of STORES)
  describe(`staff decisions on ${store.name}`, () => {
    const NUMBER = '96123456'
    const NOTE = 'seen on the statement of the day'

    /**
     * The network’s answer for each reference, by default declined; and the refunds that it was
     * sent.
     */
    const paid = new Map<string, number>()
    const reversals: Reversal[] = []
    const BY_HAND: RefundAnswer = { is: 'by_hand', why: 'only its dashboard can' }
    let refundAnswer: RefundAnswer = BY_HAND
    const DECLINED: OperatorAnswer = { is: 'declined', reason: 'declined', mayChange: true }

    const operator: Operator = {
      name: 'airtel_ne',
      request: async () => DECLINED,
      status: async (reference) => {
        const amountXof = paid.get(reference)
        if (amountXof === undefined) return DECLINED
        return { is: 'succeeded', amountXof, operatorReference: `OP-${reference.slice(0, 4)}` }
      },
      refund: async (reversal) => {
        reversals.push(reversal)
        return refundAnswer
      },
      refundStatus: async () => refundAnswer,
      parseCallback: () => undefined,
    }

    const service = sharedWithAccount(() =>
      openVirtualService(store, {}, { connect: connectOnly(operator) }),
    )

    /**
     * A payment that its network declined and later debited. The service finds it because this
     * network states that a decline may change.
     */
    async function latePayment(): Promise<{ reference: string; anomalyId: string }> {
      const { body } = await post(service, service.secretKey, order({ msisdn: NUMBER }))
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
        const found = open.find(
          (each) => each.reference === reference && each.kind === 'success_after_failure',
        )
        if (found !== undefined) return found.anomalyId
      }
      return assert.fail('the late money was not found within six hours')
    }

    const read = async (reference: string) =>
      (await get(service, service.secretKey, reference)).body
    const statusOf = async (reference: string) => (await read(reference)).status
    const namesOfEvents = async (reference: string): Promise<string[]> =>
      column(await eventsOf(service, reference), 'event')
    /** A payment is asked about once in two seconds. */
    const asked = <Outcome>(outcome: Promise<Outcome>): Promise<Outcome> =>
      service.clock.advanceUntil('answer', outcome)
    const accept = (anomalyId: string) =>
      asked(acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }))
    const refundLate = async (anomalyId: string): Promise<string> =>
      granted(await asked(refundLateMoney(service, TESTER, { anomalyId, note: NOTE })))
        .refundReference
    const taskOf = async (refundReference: string) =>
      (await listRefundTasks(service, TESTER)).rows.find(
        (each) => each.refundReference === refundReference,
      )
    const reversalOf = (refundReference: string) =>
      reversals.filter((each) => each.refundReference === refundReference)

    it('accepted late money makes the payment succeed, notifies the merchant and closes the anomaly, once', async () => {
      const { reference, anomalyId } = await latePayment()
      const both = [1, 2].map(() => acceptLateMoney(service, TESTER, { anomalyId, note: NOTE }))
      const twice = await asked(Promise.all(both))
      assert.deepEqual(twice.map((each) => 'refused' in each).sort(), [false, true])
      const { status, failure_reason } = await read(reference)
      assert.deepEqual([status, failure_reason], ['succeeded', undefined])
      assert.deepEqual(await namesOfEvents(reference), ['payment.failed', 'payment.succeeded'])
      const [entry] = granted(await listLatestAudit(service, TESTER, { subject: anomalyId })).rows
      assert.equal(entry?.action, 'anomaly.accept')
      assert.ok('refused' in (await accept(anomalyId)))
    })

    it('refunded late money goes back under its own reference, and the payment stays failed', async () => {
      const { reference, anomalyId } = await latePayment()
      refundAnswer = { is: 'succeeded', amountXof: 1500, operatorReference: 'OP-BACK' }
      const refundReference = await refundLate(anomalyId)
      await service.clock.advance(5_000)
      const sent = { reference, operatorReference: `OP-${reference.slice(0, 4)}`, amountXof: 1500 }
      assert.partialDeepStrictEqual(reversalOf(refundReference), [sent])
      assert.deepEqual(
        [await statusOf(reference), await namesOfEvents(reference)],
        ['failed', ['payment.failed']],
      )
    })

    it('late money whose refund the operator refuses becomes a task for staff', async () => {
      const { anomalyId } = await latePayment()
      refundAnswer = { is: 'declined', reason: 'operator_error' }
      const refundReference = await refundLate(anomalyId)
      await service.clock.advance(5_000)
      assert.match((await taskOf(refundReference))?.why ?? '', /refused/)
    })

    it('accepting a late attempt of an open link marks the link as paid', async () => {
      const link = await newLink(service, service.secretKey)
      await pay(service, link, byPhone(NUMBER))
      await service.clock.advance(5_000)
      const { attempt, reference } = await firstAttemptOf(link)
      paid.set(attempt, 15_000)
      granted(await accept(await anomalyOf(reference)))
      assert.equal(await statusOfLink(service, link), 'succeeded')
      assert.deepEqual(await namesOfEvents(reference), ['payment.succeeded'])
    })

    async function firstAttemptOf(link: string): Promise<{ attempt: string; reference: string }> {
      const sql = `select t.reference as attempt, p.reference from payment_attempts t
         join payments p on p.account_id = t.account_id and p.number = t.number
         join payment_links l on l.account_id = t.account_id and l.number = t.number
         where l.reference = :link order by t.attempt`
      return (await service.db.read<{ attempt: string; reference: string }>(sql, { link }))[0]!
    }

    /**
     * A link without an amount: an attempt of 500 is paid late, then an attempt of 20,000 is
     * declined.
     */
    async function lateOf500({
      isClosed,
    }: {
      isClosed: boolean
    }): Promise<{ reference: string; anomalyId: string }> {
      const terms = { title: 'Don', minimum_amount: 100, shouldExpire: false }
      const link = (await postLink(service, service.secretKey, terms)).body.reference as string
      for (const [attempt, amount] of ['500', '20000'].entries()) {
        await pay(service, link, { ...byPhone(NUMBER, attempt), amount })
        await service.clock.advance(5_000)
      }
      if (isClosed) await closeLink(service, link)
      const { attempt, reference } = await firstAttemptOf(link)
      paid.set(attempt, 500)
      return { reference, anomalyId: await anomalyOf(reference) }
    }

    it('late money of an earlier attempt is accepted with that attempt’s amount', async () => {
      const { reference, anomalyId } = await lateOf500({ isClosed: false })
      granted(await accept(anomalyId))
      const { status, amount } = await read(reference)
      assert.deepEqual([status, amount], ['succeeded', 500])
      const [event] = await eventsOf(service, reference)
      assert.equal(JSON.parse(event?.payload ?? '{}').data.amount, 500)
    })

    it('late money is refunded with its own amount, by the network or by staff, also after the link closed with another', async () => {
      const { reference, anomalyId } = await lateOf500({ isClosed: true })
      const refused = { refused: 'late_money_not_needed', status: 'failed' }
      assert.deepEqual(await accept(anomalyId), refused)
      refundAnswer = BY_HAND
      const refundReference = await refundLate(anomalyId)
      await service.clock.advance(5_000)
      assert.equal(reversalOf(refundReference)[0]?.amountXof, 500)
      const task = await taskOf(refundReference)
      assert.deepEqual(
        [task?.amountXof, task?.operator, task?.msisdnWritten],
        [500, 'airtel_ne', NUMBER],
      )
      assert.deepEqual(
        [await statusOf(reference), await namesOfEvents(reference)],
        ['failed', ['payment.failed']],
      )
    })

    it('a refund that the network cannot make waits for staff, who confirm it with a proof', async () => {
      const { reference, anomalyId } = await latePayment()
      granted(await accept(anomalyId))
      refundAnswer = BY_HAND
      const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(60_000)
      assert.equal(reversalOf(refundReference).length, 1, 'the network gets no further call')
      const task = await taskOf(refundReference)
      assert.deepEqual([task?.why, task?.amountXof], ['only its dashboard can', 1500])
      assert.equal(await statusOf(reference), 'succeeded')
      const made = { refundReference, isMade: true, proof: 'slip 8812' }
      const ended = await Promise.all([1, 2].map(() => endRefundByHand(service, TESTER, made)))
      assert.deepEqual(ended.map((each) => 'refused' in each).sort(), [false, true])
      assert.equal(await statusOf(reference), 'refunded')
      assert.deepEqual((await namesOfEvents(reference)).at(-1), 'payment.refunded')
    })

    it('an abandoned refund leaves the payment unchanged, and a new refund may be requested', async () => {
      const { reference, anomalyId } = await latePayment()
      granted(await accept(anomalyId))
      const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(5_000)
      const abandoned = { refundReference, isMade: false, proof: 'the payer kept the goods' }
      granted(await endRefundByHand(service, TESTER, abandoned))
      assert.equal(await statusOf(reference), 'succeeded')
      granted(await refundPayment(service, TESTER, { name: reference }))
    })

    it('karba verify finds no fault after all these cases', async () => {
      assert.deepEqual(granted(await verifyStore(service, TESTER)).findings, [])
    })
  })
