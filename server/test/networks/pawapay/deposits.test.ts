// Deposits through the connector, against the simulated pawaPay.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collection, DECIDED_AFTER_MS, depositIdOf, openPawapay, reference } from './open-pawapay.ts'

describe('a deposit', () => {
  it('is accepted, under way, and then paid', async () => {
    const { operator, clock, done, network } = openPawapay()
    assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
    assert.deepEqual(await done(operator.status(reference(1))), { is: 'accepted', code: 'ACCEPTED' })
    await clock.advance(2_000)
    assert.deepEqual(await done(operator.status(reference(1))), { is: 'accepted', code: 'PROCESSING' })
    await clock.advance(DECIDED_AFTER_MS)
    const paid = await done(operator.status(reference(1)))
    assert.deepEqual(paid, { is: 'succeeded', amountXof: 1_000, operatorReference: '0000000000' })
    const [booked] = network.books()
    assert.deepEqual([booked?.debits, booked?.requests, booked?.msisdn], [1, 1, '2290151345789'])
  })

  it('is asked for as the documents want it', async () => {
    const { operator, done, calls } = openPawapay()
    await done(operator.request(collection(1, { operator: 'moov_bj', msisdn: '2290195345789' })))
    const { path, headers, body } = calls.find(({ method }) => method === 'POST') as (typeof calls)[number]
    assert.equal(path, '/v2/deposits')
    assert.equal(headers.authorization, 'Bearer simulated-pawapay-token')
    assert.equal(headers['user-agent'], 'Karba/1.0')
    assert.deepEqual(JSON.parse(body as string), {
      depositId: depositIdOf(1),
      amount: '1000',
      currency: 'XOF',
      payer: { type: 'MMO', accountDetails: { phoneNumber: '2290195345789', provider: 'MOOV_BEN' } },
      customerMessage: '7K3MPQ2X4',
      clientReferenceId: '7K3M-PQ2X-4',
    })
  })

  it('is sent with eight digits, another provider’s code and another User-Agent where these are set', async () => {
    const options = { msisdnDigits: 8, providers: { mtn_bj: 'MOOV_BEN' }, userAgent: 'Shop/2' }
    const { operator, done, calls } = openPawapay({ options })
    assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
    const { headers, body } = calls.find(({ method }) => method === 'POST') as (typeof calls)[number]
    const { phoneNumber, provider } = JSON.parse(body as string).payer.accountDetails
    assert.deepEqual([phoneNumber, provider, headers['user-agent']], ['22951345789', 'MOOV_BEN', 'Shop/2'])
  })

  it('is not known under a reference that was never sent', async () => {
    const { operator, done } = openPawapay()
    assert.deepEqual(await done(operator.status(reference(5))), { is: 'not_known' })
  })

  it('that is asked for twice is made once: the second answer is its state', async () => {
    const { operator, clock, done, network } = openPawapay()
    await done(operator.request(collection(1)))
    assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted', code: 'ACCEPTED' })
    await clock.advance(DECIDED_AFTER_MS)
    assert.equal((await done(operator.request(collection(1)))).is, 'succeeded')
    assert.deepEqual(
      network.books().map(({ debits, requests }) => [debits, requests]),
      [[1, 3]],
    )
  })

  it('whose duplicate is not found has not been refused, nor was it never sent', async () => {
    const { operator, done, network } = openPawapay()
    await done(operator.request(collection(1)))
    network.faults.on('not_found_at_first')
    const why = 'said to be a duplicate, and then not found'
    assert.deepEqual(await done(operator.request(collection(1))), { is: 'unknown', why })
    network.faults.allOff()
    network.faults.on('status_unavailable')
    const again = await done(operator.request(collection(1)))
    assert.deepEqual(again, { is: 'unknown', why: 'a duplicate, but HTTP 503' })
  })

  it('for a network that pawaPay does not reach is not sent', async () => {
    const { operator, done, calls } = openPawapay()
    const answer = await done(operator.request(collection(1, { operator: 'celtiis_bj' })))
    const why = 'no provider is set for celtiis_bj'
    assert.deepEqual(answer, { is: 'unknown', why, neverLeft: true, misconfigured: true })
    assert.deepEqual(calls, [])
  })
})

const ENDS: [subscriber: string, expected: object][] = [
  ['51345019', { is: 'declined', reason: 'limit_reached', code: 'PAYER_LIMIT_REACHED' }],
  ['51345029', { is: 'declined', reason: 'payer_not_found', code: 'PAYER_NOT_FOUND' }],
  ['51345039', { is: 'declined', reason: 'declined', code: 'PAYMENT_NOT_APPROVED' }],
  ['51345049', { is: 'declined', reason: 'insufficient_funds', code: 'INSUFFICIENT_BALANCE' }],
  ['51345069', { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }],
  ['51345129', { is: 'accepted', code: 'SUBMITTED' }],
  ['51345139', { is: 'accepted', code: 'IN_RECONCILIATION' }],
  ['51345149', { is: 'declined', reason: 'operator_error', code: 'PAYMENT_IN_PROGRESS' }],
  ['51345169', { is: 'declined', reason: 'limit_reached', code: 'WALLET_LIMIT_REACHED' }],
  ['51345179', { is: 'declined', reason: 'operator_error', code: 'A_CODE_OF_NEXT_YEAR' }],
  ['95345679', { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }],
  ['95345639', { is: 'accepted', code: 'SUBMITTED' }],
]

describe('the test numbers', () => {
  for (const [subscriber, expected] of ENDS) {
    it(`229 ${subscriber} ends as the documents say, with ten digits and with eight`, async () => {
      for (const msisdnDigits of [10, 8]) {
        const { paid } = openPawapay({ options: { msisdnDigits } })
        assert.deepEqual(await paid(1, { msisdn: `22901${subscriber}` }), expected)
      }
    })
  }

  it('a deposit in reconciliation ends after an hour', async () => {
    const { paid, clock, done, operator } = openPawapay()
    await paid(1, { msisdn: '2290151345139' })
    await paid(2, { msisdn: '2290151345159' })
    await clock.advance(3_600_000)
    assert.equal((await done(operator.status(reference(1)))).is, 'succeeded')
    const failed = { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }
    assert.deepEqual(await done(operator.status(reference(2))), failed)
  })
})

describe('what the network makes of amounts', () => {
  const forms = ['amounts_with_four_decimals', 'amounts_as_numbers', 'amounts_with_separators']
  for (const fault of forms) {
    it(`a paid amount is read in whole francs: ${fault}`, async () => {
      const { paid, network } = openPawapay()
      network.faults.on(fault)
      const expected = { is: 'succeeded', amountXof: 37_600, operatorReference: '0000000000' }
      assert.deepEqual(await paid(1, { amountXof: 37_600 }), expected)
    })
  }

  it('another amount is told as it is, and another currency contradicts', async () => {
    const { paid, network } = openPawapay()
    network.faults.on('another_amount')
    assert.deepEqual(await paid(1), { is: 'succeeded', amountXof: 1_100, operatorReference: '0000000000' })
    network.faults.allOff()
    network.faults.on('another_currency')
    assert.deepEqual(await paid(2), { is: 'contradicts', told: 'COMPLETED in XAF' })
  })

  it('an amount that is not allowed is declined', async () => {
    const { operator, done } = openPawapay()
    const answer = await done(operator.request(collection(1, { amountXof: 99 })))
    assert.deepEqual(answer, { is: 'declined', reason: 'amount_not_allowed', code: 'AMOUNT_OUT_OF_BOUNDS' })
  })
})

describe('a failure without a reason, or with a reason as text', () => {
  it('is declined all the same: FAILED is final', async () => {
    const { paid, network } = openPawapay()
    network.faults.on('reason_missing')
    const bare = { is: 'declined', reason: 'operator_error', code: 'FAILED' }
    assert.deepEqual(await paid(1, { msisdn: '2290151345049' }), bare)
    network.faults.allOff()
    network.faults.on('reason_as_text')
    const told = { is: 'declined', reason: 'insufficient_funds', code: 'INSUFFICIENT_BALANCE' }
    assert.deepEqual(await paid(2, { msisdn: '2290151345049' }), told)
  })
})
