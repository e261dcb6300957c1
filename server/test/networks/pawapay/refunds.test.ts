// Refunds through the connector, against the simulated pawaPay.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refundPayment } from '../../../src/actions/payments/refund-payment.ts'
import { EVERY_ACCOUNT } from '../../../src/domain/caller.ts'
import { uuidOfReference } from '../../../src/domain/reference.ts'
import { listRefundsByHand } from '../../../src/store/payments/refunds.ts'
import { granted, TESTER } from '../../kit/callers.ts'
import { get, order, post } from '../../kit/service.ts'
import { openServiceOnNetwork } from '../network-under-test.ts'
import { PAWAPAY_UNDER_TEST } from './faults.ts'
import { answer, ask, DECIDED_AFTER_MS, depositIdOf, openPawapay, reversal, scriptedPawapay } from './open-pawapay.ts'

describe('a refund', () => {
  it('is accepted, under way, and then done; it is not known before it was sent', async () => {
    const { operator, clock, done, paid, network, calls } = openPawapay()
    await paid(1)
    assert.deepEqual(await done(operator.refundStatus(reversal(1))), { is: 'not_known' })
    assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
    assert.deepEqual(JSON.parse(calls.at(-1)?.body as string), {
      refundId: uuidOfReference(reversal(1).refundReference),
      depositId: depositIdOf(1),
      amount: '1000',
      currency: 'XOF',
    })
    assert.deepEqual(await done(operator.refundStatus(reversal(1))), { is: 'accepted', code: 'ACCEPTED' })
    await clock.advance(DECIDED_AFTER_MS)
    const refunded = await done(operator.refundStatus(reversal(1)))
    assert.deepEqual([refunded.is, 'amountXof' in refunded && refunded.amountXof], ['succeeded', 1_000])
    assert.equal(network.books()[0]?.refunds, 1)
  })

  it('that is asked for twice is made once: the second answer is its state', async () => {
    const { operator, clock, done, paid, network } = openPawapay()
    await paid(1)
    network.faults.on('cut_after_registering', 1)
    assert.equal((await done(operator.refund(reversal(1)))).is, 'unknown')
    assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted', code: 'ACCEPTED' })
    await clock.advance(DECIDED_AFTER_MS)
    assert.equal((await done(operator.refund(reversal(1)))).is, 'succeeded')
    assert.equal(network.books()[0]?.refunds, 1)
  })

  it('waits for another one of the same deposit', async () => {
    const { operator, clock, done, paid, network } = openPawapay()
    await paid(1)
    ask(network, 'POST', '/v2/refunds', {
      body: { refundId: depositIdOf(77), depositId: depositIdOf(1), amount: '400', currency: 'XOF' },
    })
    assert.deepEqual(await done(operator.refund(reversal(1, { amountXof: 600 }))), {
      is: 'unknown',
      why: 'another refund of the deposit is under way',
      code: 'REFUND_IN_PROGRESS',
      neverLeft: true,
      passesWithinMs: 86_400_000,
    })
    await clock.advance(DECIDED_AFTER_MS)
    assert.deepEqual(await done(operator.refund(reversal(1, { amountXof: 600 }))), { is: 'accepted' })
    await clock.advance(DECIDED_AFTER_MS)
    assert.equal(network.books()[0]?.refunds, 1)
  })

  it('of more than is left, or of what somebody refunded in the dashboard, is for a person', async () => {
    const { operator, clock, done, paid, network } = openPawapay()
    await paid(1)
    const body = { refundId: depositIdOf(77), depositId: depositIdOf(1), amount: '400', currency: 'XOF' }
    ask(network, 'POST', '/v2/refunds', { body })
    await clock.advance(DECIDED_AFTER_MS)
    const why = 'part of the deposit was refunded by another way (AMOUNT_TOO_LARGE)'
    assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'by_hand', why })
    await paid(2)
    network.faults.on('refunded_elsewhere', 1)
    const elsewhere = { is: 'by_hand', why: 'the deposit was refunded by another way' }
    assert.deepEqual(await done(operator.refund(reversal(2))), elsewhere)
  })

  it('that pawaPay has done already is read, not taken for another’s', async () => {
    const refundId = uuidOfReference(reversal(1).refundReference)
    const data = { refundId, status: 'COMPLETED', amount: '1000.00', currency: 'XOF' }
    const { operator } = scriptedPawapay({
      'POST *': answer(200, { status: 'REJECTED', failureReason: { failureCode: 'DEPOSIT_ALREADY_REFUNDED' } }),
      'GET *': answer(200, { status: 'FOUND', data }),
    })
    const expected = { is: 'succeeded', amountXof: 1_000, operatorReference: refundId }
    assert.deepEqual(await operator.refund(reversal(1)), expected)
  })

  it('waits for money in the wallet, and goes through once somebody has topped it up', async () => {
    const { operator, done, paid, network } = openPawapay()
    await paid(1)
    network.faults.on('wallet_empty', 1)
    assert.deepEqual(await done(operator.refund(reversal(1))), {
      is: 'unknown',
      why: 'the pawaPay wallet does not hold the amount: top it up',
      code: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
      neverLeft: true,
      misconfigured: true,
    })
    assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
  })

  it('that the account may not make is for a person', async () => {
    const { operator, done, paid, network } = openPawapay()
    await paid(1)
    network.faults.on('refunds_not_allowed')
    const why = 'refunds are not enabled for the pawaPay account (REFUNDS_NOT_ALLOWED)'
    assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'by_hand', why })
  })

  it('waits while its provider is DELAYED', async () => {
    const { operator, clock, done, paid, network } = openPawapay()
    await paid(1)
    network.faults.on('provider_delayed')
    assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
    assert.deepEqual(await done(operator.refundStatus(reversal(1))), { is: 'accepted', code: 'ENQUEUED' })
    await clock.advance(11 * 60_000)
    assert.equal((await done(operator.refundStatus(reversal(1)))).is, 'succeeded')
  })

  const LATER: [subscriber: string, expected: object][] = [
    ['51345089', { is: 'declined', reason: 'payer_not_found', code: 'RECIPIENT_NOT_FOUND' }],
    ['51345099', { is: 'declined', reason: 'limit_reached', code: 'WALLET_LIMIT_REACHED' }],
    ['51345119', { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }],
  ]
  for (const [subscriber, expected] of LATER) {
    it(`that was accepted fails later for 229 ${subscriber}`, async () => {
      const { operator, clock, done, paid, network } = openPawapay()
      await paid(1, { msisdn: `22901${subscriber}` })
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
      await clock.advance(DECIDED_AFTER_MS)
      assert.deepEqual(await done(operator.refundStatus(reversal(1))), expected)
      assert.equal(network.books()[0]?.refunds, 0)
    })
  }
})

it('a refund of a deposit that pawaPay does not finish is tried for a day, and then left to a person', async () => {
  const service = await openServiceOnNetwork(PAWAPAY_UNDER_TEST)
  try {
    const { clock, network, db } = service
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const { body } = await post(service, secretKey, order({ country: 'BJ', msisdn: PAWAPAY_UNDER_TEST.msisdn }))
    await clock.advance(10_000)
    network.faults.on('deposit_not_finished')
    granted(await refundPayment(service, TESTER, { name: body.reference as string }))
    const byHand = async (): Promise<string[]> => (await listRefundsByHand(db, EVERY_ACCOUNT, 10)).map(({ why }) => why)
    for (let hour = 0; hour < 23; hour++) await clock.sleep(3_600_000)
    await clock.advance(60_000)
    assert.deepEqual(await byHand(), [])
    await clock.sleep(3_600_000)
    await clock.advance(60_000)
    assert.deepEqual(await byHand(), ['pawaPay has not finished processing the deposit, for too long'])
    assert.equal((await get(service, secretKey, body.reference as string)).body.status, 'succeeded')
    assert.equal(network.books()[0]?.refunds, 0)
  } finally {
    await service.remove()
  }
})
