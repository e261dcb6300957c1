// Refunds on a virtual clock: requested once, pending until the operator confirms, ended when the
// network reverses the payment itself (D-14, D-15, promise 27).

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import {
  listRefundTasks,
  recordRefundOutcome,
} from '../../src/actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/payments/operator-report.ts'
import type { ServiceItself } from '../../src/domain/people/caller.ts'
import type { OperatorRefund } from '../../src/domain/refunds/refund.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { claimDueRefund } from '../../src/store/payments/refunds.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import {
  type CrashingOptions,
  type CrashingService,
  openCrashingService,
  openSurroundings,
} from '../kit/crashing-service.ts'
import { connectOnly } from '../kit/direct-operators.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, newMerchant, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { tried, tries } from '../kit/tries.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { rowsOf } from '../networks/harness.ts'

describe('refunds', () => {
  const WORKER: ServiceItself = { is: 'service', part: 'worker' }

  const service = sharedWithAccount(() => openVirtualService())
  const create = async (msisdn: string): Promise<string> =>
    (await post(service, service.secretKey, order({ msisdn }))).body.reference as string
  async function settled(msisdn: string): Promise<string> {
    const reference = await create(msisdn)
    await service.clock.advance(10_000)
    return reference
  }
  const read = async (reference: string) => (await get(service, service.secretKey, reference)).body
  const statusOf = async (reference: string) => (await read(reference)).status
  const refund = (name: string) => refundPayment(service, TESTER, { name })
  const eventsOf = async (reference: string): Promise<string[]> =>
    column(
      await rowsOf<{ event: string }>(
        service,
        'select event from events',
        reference,
        'order by sequence',
      ),
      'event',
    )

  it('a succeeded payment becomes refunded once the operator confirms, and keeps validated_at', async () => {
    const reference = await settled('40410000000')
    assert.ok('refundReference' in (await refund(reference)))
    assert.equal(await statusOf(reference), 'succeeded')
    await service.clock.advance(20_000)
    const body = await read(reference)
    assert.equal(body.status, 'refunded')
    assert.match(body.validated_at as string, /^2026-/)
    assert.deepEqual(await eventsOf(reference), [
      'payment.succeeded',
      'refund.succeeded',
      'payment.refunded',
    ])
    const audited = 'select actor from audit_log where subject = :reference'
    const audit = await service.db.read<{ actor: string }>(audited, { reference })
    assert.deepEqual(column(audit, 'actor'), ['shell tester@test'])
  })

  it('concurrent requests create one refund, and a later request is refused', async () => {
    const reference = await settled('40410000001')
    const answers = await Promise.all([refund(reference), refund(reference), refund(reference)])
    assert.equal(answers.filter((answer) => 'refundReference' in answer).length, 1)
    await service.clock.advance(20_000)
    assert.deepEqual(await refund(reference), { refused: 'refund_exists' })
    assert.deepEqual(await eventsOf(reference), [
      'payment.succeeded',
      'refund.succeeded',
      'payment.refunded',
    ])
  })

  it('a refund whose answer was lost is requested again and paid once', async () => {
    const reference = await settled('40410000126')
    await refund(reference)
    await service.clock.advance(30_000)
    assert.equal(await statusOf(reference), 'refunded')
    const rows = await service.db.read(
      'select reference from simulated_refunds where reference = :reference',
      { reference },
    )
    assert.equal(rows.length, 1)
  })

  it('an answer after its claim expired does not shorten the claim of the current holder', async () => {
    const { db, clock } = service
    const reference = await settled('40410000000')
    const { refundReference } = granted(await refund(reference))
    const slow = await claimDueRefund(db, refundReference, clock.now(), 1_000)
    const quick = await claimDueRefund(db, refundReference, clock.now() + 1_000, 60_000)
    assert.deepEqual([slow?.refundReference, slow?.claims], [quick?.refundReference, 1])
    const answer = { is: 'unknown', why: 'no answer within 10000 ms' } as const
    await recordRefundOutcome(service, WORKER, { refund: slow as OperatorRefund, answer })
    assert.equal(await claimDueRefund(db, refundReference, clock.now() + 60_000, 1_000), undefined)
    await recordRefundOutcome(service, WORKER, { refund: quick as OperatorRefund, answer })
    await clock.advance(60_000)
    assert.equal(await statusOf(reference), 'refunded')
  })

  it('a refused refund leaves the payment succeeded, and may be requested again', async () => {
    const reference = await settled('40410000125')
    await refund(reference)
    await service.clock.advance(20_000)
    assert.equal(await statusOf(reference), 'succeeded')
    assert.ok('refundReference' in (await refund(reference)))
  })

  it('only a succeeded payment can be refunded', async () => {
    const failed = { refused: 'payment_not_refundable', status: 'failed' }
    assert.deepEqual(await refund(await settled('40410000006')), failed)
    assert.deepEqual(await refund('0'.repeat(24)), { refused: 'payment_not_found' })
  })

  it('a payment that the operator does not know does not fail when only the clock jumps past the 15 minutes', async () => {
    const payment = {
      ...(await paymentOf(service, await create('40410000008'))),
      handedOverAt: 0,
      acceptedAt: null,
    }
    const now = service.clock.now()
    const report = { payment, via: 'status', calledAt: now, answer: { is: 'not_known' } } as const
    await recordOutcomes(service, WORKER, [{ ...report, clockJumpedTo: now - 1_000 }])
    assert.equal(await statusOf(payment.reference), 'pending')
    await recordOutcomes(service, WORKER, [report])
    assert.equal(await statusOf(payment.reference), 'failed')
  })
})

// Refunds that end late or cannot be sent: the service polls at growing intervals, logs what to
// repair, and isolates networks from each other.
describe('refund calls', () => {
  const MINUTE_MS = 60_000
  const HOUR_MS = 60 * MINUTE_MS
  const REFUSED: RefundAnswer = {
    is: 'unknown',
    why: 'HTTP 401',
    neverLeft: true,
    misconfigured: true,
  }

  const lines: string[] = []
  const logged = (text: string): number => lines.filter((line) => line.includes(text)).length
  const SUCCEEDED = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' } as const
  const SILENCE = { is: 'unknown', why: 'no answer within 10000 ms' } as const
  let answer: RefundAnswer
  let answersAfterMs = 0
  let collects: OperatorAnswer
  let calls = 0
  let atOnce = 0
  let mostAtOnce = 0
  let callsAtMtn = 0

  const refund = async (): Promise<RefundAnswer> => {
    calls++
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    await new Promise<void>((resolve) => service.clock.after(answersAfterMs, resolve))
    atOnce--
    return answer
  }
  const refundAtMtn = async (): Promise<RefundAnswer> => {
    callsAtMtn++
    return SUCCEEDED
  }
  const collect = async () => collects
  const verbs = { request: collect, status: collect, parseCallback: () => undefined }
  const airtel = { ...verbs, name: 'airtel_ne', refund, refundStatus: refund }
  const mtn = { ...verbs, name: 'mtn_bj', refund: refundAtMtn, refundStatus: refundAtMtn }

  const log = makeLog('info', { write: (line) => void lines.push(line) })
  const service = sharedWithAccount(() =>
    openVirtualService(undefined, {}, { connect: connectOnly(airtel, mtn), log }),
  )
  const AT_MTN = { country: 'BJ', msisdn: '0161000000' }

  async function paid(change: Record<string, unknown> = {}): Promise<string> {
    collects = SUCCEEDED
    const { body } = await post(service, service.secretKey, order(change))
    await service.clock.advance(1_000)
    return body.reference as string
  }

  async function beginRefund(change: Record<string, unknown> = {}): Promise<string> {
    return granted(await refundPayment(service, TESTER, { name: await paid(change) }))
      .refundReference
  }

  it('refunds that are refused for a connection’s settings are logged once, and their recovery once', async () => {
    answer = REFUSED
    await beginRefund()
    await service.clock.advance(2 * MINUTE_MS)
    assert.equal(logged('refunds are refused for the credentials or settings'), 1)
    answer = { is: 'succeeded', operatorReference: 'RE-1' }
    await service.clock.advance(MINUTE_MS)
    assert.equal(logged('refunds of this connection work again'), 1)
  })

  it('a refund that the operator accepted and does not end is polled at growing intervals', async () => {
    answer = { is: 'accepted' }
    await beginRefund()
    const begun = calls
    for (let passed = 0; passed < 10 * MINUTE_MS; passed += 2_500) await service.clock.sleep(2_500)
    const first = calls - begun
    // The machine sleeps: work that came due meanwhile runs once.
    await service.clock.sleep(10 * HOUR_MS)
    await service.clock.advance(MINUTE_MS)
    const before = calls
    for (let passed = 0; passed < 21 * MINUTE_MS; passed += 30_000)
      await service.clock.sleep(30_000)
    await service.clock.settle()
    assert.ok(first > 15 && first < 30, `${first}`)
    assert.equal(calls - before, 2)
  })

  it('a network that does not answer delays no refund at another network, and gets one call at a time', async () => {
    answer = SILENCE
    answersAfterMs = 10_000
    mostAtOnce = 0
    const begun: string[] = []
    for (let count = 0; count < 6; count++) begun.push(await beginRefund())
    await service.clock.advance(5_000)
    await beginRefund(AT_MTN)
    await service.clock.advance(1_000)
    assert.deepEqual([callsAtMtn, mostAtOnce, atOnce], [1, 1, 1])
    answersAfterMs = 0
    answer = SUCCEEDED
    await service.clock.advance(5 * MINUTE_MS)
    const pending = `select refund_reference as name from refunds where status = 'pending'`
    for (const { name } of await service.db.read<{ name: string }>(pending))
      assert.ok(!begun.includes(name), name)
  })

  it('a network that is marked down gets no refunds, and gets all of them after its recovery', async () => {
    const names = [await paid(), await paid()]
    collects = SILENCE
    for (let count = 0; count < 12; count++) await post(service, service.secretKey, order())
    // Each failed probe lengthens the interval, up to fifteen seconds.
    const key = { environment: 'sandbox', connection: 'airtel_ne' } as const
    await service.clock.advance(2 * MINUTE_MS)
    while (service.dispatcher.mayBeCalled(key)) await service.clock.advance(100)
    const before = calls
    for (const name of names) granted(await refundPayment(service, TESTER, { name }))
    while (!service.dispatcher.mayBeCalled(key)) {
      assert.equal(calls, before)
      await service.clock.advance(100)
    }
    collects = SUCCEEDED
    await service.clock.advance(MINUTE_MS)
    assert.ok(calls >= before + 2)
  })
})

// The network reverses a payment while its refund is pending: the service sends nothing more and
// leaves no task.
describe('reversed refunds', () => {
  const MINUTE_MS = 60_000
  const PAID: OperatorAnswer = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' }
  const REFUSED: RefundAnswer = {
    is: 'unknown',
    why: 'HTTP 401',
    neverLeft: true,
    misconfigured: true,
  }

  let answer: RefundAnswer
  /** The network’s answer about the payments. */
  let paid: OperatorAnswer = PAID
  const sent: string[] = []

  const refundStatus = async (): Promise<RefundAnswer> => answer
  const operator: Operator = {
    name: 'airtel_ne',
    request: async () => PAID,
    status: async () => paid,
    refundStatus,
    refund: async ({ reference }) => {
      sent.push(reference)
      return refundStatus()
    },
    parseCallback: ({ path }) => ({ reference: path, isGenuine: true }),
  }

  const service = sharedWithAccount(() =>
    openVirtualService(undefined, {}, { connect: connectOnly(operator) }),
  )

  async function beginRefund(): Promise<string> {
    const { body } = await post(service, service.secretKey, order())
    await service.clock.advance(1_000)
    granted(await refundPayment(service, TESTER, { name: body.reference as string }))
    return body.reference as string
  }

  const BACK: RefundAnswer = { is: 'succeeded', operatorReference: 'RE-2' }
  const NOT_SENT_AGAIN =
    'may have been sent and is not known is not sent again, and is listed as an anomaly'
  /** The network’s answer about the refund before its own reversal, and after it. */
  const REVERSED: [
    about: string,
    says: RefundAnswer,
    later: RefundAnswer,
    ...anomalies: string[],
  ][] = [
    ['could not be sent yet ends and is never sent', REFUSED, BACK],
    ['waits for staff is no longer a task', { is: 'by_hand', why: 'only its portal can' }, BACK],
    [
      'was sent is still polled, and listed as an anomaly',
      { is: 'accepted' },
      BACK,
      'reversed_during_refund',
    ],
    [
      NOT_SENT_AGAIN,
      { is: 'unknown', why: 'HTTP 500' },
      { is: 'not_known' },
      'reversed_during_refund',
    ],
  ]

  for (const [about, says, later, ...anomalies] of REVERSED) {
    it(`after the network’s own reversal, a refund that ${about}`, async () => {
      answer = says
      paid = PAID
      const reference = await beginRefund()
      await service.clock.advance(2_000)
      paid = { is: 'refunded', amountXof: 1_500, operatorReference: 'OP-1' }
      const before = sent.length
      const url = `/operators/sandbox/airtel_ne/callback/${reference}`
      assert.equal((await service.app.inject({ method: 'POST', url, payload: {} })).statusCode, 200)
      await service.clock.advance(100)
      answer = later
      await service.clock.advance(2 * MINUTE_MS)
      assert.equal(sent.length, before)
      const refund = await rowsOf(service, 'select status, due_at from refunds', reference)
      assert.deepEqual(refund, [{ status: 'succeeded', due_at: null }])
      const of = (row: { reference: string }): boolean => row.reference === reference
      assert.deepEqual((await listRefundTasks(service, TESTER)).rows.filter(of), [])
      const listed = granted(
        await listLatestAnomalies(service, TESTER, { openOnly: true }),
      ).rows.filter(of)
      assert.deepEqual(column(listed, 'kind'), anomalies)
      assert.equal((await get(service, service.secretKey, reference)).body.status, 'refunded')
    })
  }
})

// A network that takes up to a minute to answer, longer than a call’s deadline, while two processes
// claim due refunds.
describe('promise 27: slow refunds', () => {
  const SEED = 20_261_115
  const SUCCEEDS_AT_ONCE = '40410000100'
  const LONGEST_ANSWER_MS = 60_000
  /** Each blocks one process for a call’s deadline, and is then polled. */
  const PATIENCE_MS = 60_000

  const REFUNDS = tries(10, 200)

  it(`each of ${REFUNDS} refunds that take up to a minute is requested once by two processes`, async () => {
    const around = await openSurroundings({ isShared: true })
    const random = seededRandom(SEED)
    const requests = new Map<string, number>()
    const line: CrashingOptions['line'] = async ({ kind, reference }, make) => {
      const reaction = await make()
      if (kind !== 'refund') return reaction
      requests.set(reference, (requests.get(reference) ?? 0) + 1)
      return { ...reaction, afterMs: random.between(1, LONGEST_ANSWER_MS) }
    }
    const open = (): Promise<CrashingService> =>
      openCrashingService({ random: random.fork(), line }, around)
    const [first, second] = [await open(), await open()]
    try {
      const { service } = first
      const { secretKey } = (await newMerchant(service)).accounts.sandbox
      const names: string[] = []
      for (let n = 0; n < REFUNDS; n++) {
        const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
        names.push(body.reference as string)
      }
      await around.clock.advance(10_000)
      const refunds: string[] = []
      for (const name of names)
        refunds.push(granted(await refundPayment(service, TESTER, { name })).refundReference)
      const left = () =>
        service.db.read(`select reference from payments where status <> 'refunded'`)
      for (let passedMs = 0; (await left()).length > 0; passedMs += 10_000) {
        assert.ok(passedMs < REFUNDS * PATIENCE_MS, 'every refund is done')
        await around.clock.advance(10_000)
      }
      for (const refund of refunds) assert.equal(requests.get(refund), 1, refund)
      tried(REFUNDS)
    } finally {
      await first.close()
      await second.close()
      await around.close()
    }
  })
})
