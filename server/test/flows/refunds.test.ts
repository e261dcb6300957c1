// Refunds on a virtual clock: asked of the operator, never twice, pending until it confirms; and what a late or contradictory
// word of an operator does, which is nothing but to be kept for a person (D-14, D-15).
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import { recordRefundOutcome } from '../../src/actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { EVERY_ACCOUNT, type ServiceItself } from '../../src/domain/caller.ts'
import type { OperatorAnswer } from '../../src/domain/operator-report.ts'
import type { OperatorRefund } from '../../src/domain/refund.ts'
import { listAnomalies } from '../../src/store/payments/anomalies.ts'
import { claimDueRefund } from '../../src/store/payments/refunds.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const WORKER: ServiceItself = { is: 'service', part: 'worker' }
/** Before which every anomaly stands. */
const LATEST = { at: Number.MAX_SAFE_INTEGER, anomalyId: '' }

let service: VirtualService
let merchant: NewMerchant

before(async () => {
  service = await openVirtualService()
  merchant = await service.merchant()
})
after(() => service.remove())

async function settled(msisdn: string): Promise<string> {
  const { body } = await post(service, merchant.accounts.sandbox.secretKey, order({ msisdn }))
  await service.clock.advance(10_000)
  return body.reference as string
}

async function statusOf(reference: string): Promise<unknown> {
  return (await get(service, merchant.accounts.sandbox.secretKey, reference)).body.status
}

function refund(name: string): ReturnType<typeof refundPayment> {
  return refundPayment(service, TESTER, { name })
}

async function eventsOf(reference: string): Promise<string[]> {
  const { number } = await paymentOf(service, reference)
  const rows = await service.db.rows<{ event: string }>(
    'select event from events where number = $1 order by sequence',
    [number],
  )
  return rows.map(({ event }) => event)
}

it('a succeeded payment is refunded once the operator has confirmed it, and keeps validated_at', async () => {
  const reference = await settled('40410000000')
  assert.ok('refundReference' in (await refund(reference)))
  assert.equal(await statusOf(reference), 'succeeded')
  await service.clock.advance(20_000)
  const { body } = await get(service, merchant.accounts.sandbox.secretKey, reference)
  assert.equal(body.status, 'refunded')
  assert.match(body.validated_at as string, /^2026-/)
  assert.deepEqual(await eventsOf(reference), ['payment.succeeded', 'payment.refunded'])
  const audit = await service.db.rows<{ actor: string }>('select actor from audit_log where subject = $1', [reference])
  assert.deepEqual(
    audit.map(({ actor }) => actor),
    ['shell tester@test'],
  )
})

it('two who ask at the same time get one refund between them, and who asks later none', async () => {
  const reference = await settled('40410000001')
  const answers = await Promise.all([refund(reference), refund(reference), refund(reference)])
  assert.equal(answers.filter((answer) => 'refundReference' in answer).length, 1)
  await service.clock.advance(20_000)
  assert.deepEqual(await refund(reference), { refused: 'refund_exists' })
  assert.deepEqual(await eventsOf(reference), ['payment.succeeded', 'payment.refunded'])
})

it('a refund whose answer was lost is asked for again and given once', async () => {
  const reference = await settled('40410000126')
  await refund(reference)
  await service.clock.advance(30_000)
  assert.equal(await statusOf(reference), 'refunded')
  const rows = await service.db.rows('select reference from simulated_refunds where reference = $1', [reference])
  assert.equal(rows.length, 1)
})

it('an answer that comes after its claim expired does not cut short the claim of whoever has it now', async () => {
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

it('a refused refund leaves the payment succeeded, and may be asked for again', async () => {
  const reference = await settled('40410000125')
  await refund(reference)
  await service.clock.advance(20_000)
  assert.equal(await statusOf(reference), 'succeeded')
  assert.ok('refundReference' in (await refund(reference)))
})

it('only what succeeded can be refunded', async () => {
  assert.deepEqual(await refund(await settled('40410000006')), {
    refused: 'payment_not_refundable',
    status: 'failed',
  })
  assert.deepEqual(await refund('0'.repeat(24)), { refused: 'payment_not_found' })
})

async function say(reference: string, answer: OperatorAnswer): Promise<void> {
  const payment = await paymentOf(service, reference)
  const report = { payment, via: 'status', calledAt: service.clock.now(), answer } as const
  await recordOutcomes(service, WORKER, [report, report])
}

it('a success after a failure changes nothing and is kept for a person, once', async () => {
  const reference = await settled('40410000006')
  await say(reference, { is: 'succeeded', amountXof: 1500, operatorReference: 'LATE' })
  assert.equal(await statusOf(reference), 'failed')
  const [anomaly, ...more] = await listAnomalies(service.db, EVERY_ACCOUNT, { openOnly: true }, LATEST, 10)
  assert.equal(anomaly?.reference, reference)
  assert.equal(anomaly?.kind, 'success_after_failure')
  assert.deepEqual(more, [])
})

it('a payment that the operator does not know is not failed when only the clock has jumped past the 15 minutes', async () => {
  const { body } = await post(service, merchant.accounts.sandbox.secretKey, order({ msisdn: '40410000008' }))
  const payment = { ...(await paymentOf(service, body.reference)), handedOverAt: 0, acceptedAt: null }
  const now = service.clock.now()
  const report = { payment, via: 'status', calledAt: now, answer: { is: 'not_known' } } as const
  await recordOutcomes(service, WORKER, [{ ...report, clockJumpedTo: now - 1_000 }])
  assert.equal(await statusOf(payment.reference), 'pending')
  await recordOutcomes(service, WORKER, [report])
  assert.equal(await statusOf(payment.reference), 'failed')
})

it('a success with another amount is not believed: the payment stays pending and a person is told', async () => {
  const { body } = await post(service, merchant.accounts.sandbox.secretKey, order({ msisdn: '40410000008' }))
  const reference = body.reference as string
  await say(reference, { is: 'succeeded', amountXof: 1499, operatorReference: 'LESS' })
  assert.equal(await statusOf(reference), 'pending')
  const kinds = (await listAnomalies(service.db, EVERY_ACCOUNT, { openOnly: true }, LATEST, 10)).map(({ kind }) => kind)
  assert.deepEqual(kinds.sort(), ['amount_mismatch', 'success_after_failure'])
})
