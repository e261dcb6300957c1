// The refusals of the simulated pawaPay, with the codes of its own documents.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type PawapayNetworkOptions, pawapayNetwork } from '../src/pawapay/network.ts'
import { type Answered, type Asked, ask, DECIDE_AFTER_MS, openSimulator } from './open-simulator.ts'

const depositIdOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

function openPawapay(options: PawapayNetworkOptions = {}) {
  const opened = openSimulator((deps) => pawapayNetwork(deps, options))
  const call = (what: string, { headers, body = '""' }: Asked = {}): Answered => {
    const own = {
      authorization: 'Bearer simulated-pawapay-token',
      'content-type': 'application/json',
    }
    return ask(opened.network, what, { headers: { ...own, ...headers }, body })
  }
  const deposit = (body: unknown, headers = {}): Answered =>
    call('POST /v2/deposits', { body, headers })
  const depositOf = (number: number) =>
    deposit({ ...DEPOSIT, amount: '1000', depositId: depositIdOf(number) })
  const paid = async (number: number): Promise<void> => {
    depositOf(number)
    await opened.clock.advance(DECIDE_AFTER_MS)
  }
  /** The HTTP code and the code of the failure. */
  const refused = ({ code, body }: Answered): unknown[] => [code, body.failureReason?.failureCode]
  return { ...opened, call, deposit, depositOf, paid, refused }
}

/** Of a deposit of 1000 francs. */
const FEE_XOF = 20

const DEPOSIT = {
  depositId: 'f4401bd2-1568-4140-bf2d-eb77d2b2b639',
  amount: '1500',
  currency: 'XOF',
  payer: { type: 'MMO', accountDetails: { phoneNumber: '22951345789', provider: 'MTN_MOMO_BEN' } },
}
const payer = (accountDetails: object) => ({
  type: 'MMO',
  accountDetails: { ...DEPOSIT.payer.accountDetails, ...accountDetails },
})

const REFUSED: [about: string, changes: object, http: number, failureCode: string][] = [
  ['no id', { depositId: undefined }, 400, 'MISSING_PARAMETER'],
  ['no amount', { amount: undefined }, 400, 'MISSING_PARAMETER'],
  ['no payer', { payer: undefined }, 400, 'MISSING_PARAMETER'],
  [
    'no number',
    { payer: { type: 'MMO', accountDetails: { provider: 'MTN_MOMO_BEN' } } },
    400,
    'MISSING_PARAMETER',
  ],
  ['an unknown field', { callbackUrl: 'https://shop.example' }, 400, 'UNSUPPORTED_PARAMETER'],
  ['v1’s field', { correspondent: 'MTN_MOMO_BEN' }, 400, 'UNSUPPORTED_PARAMETER'],
  [
    'a UUID of another version',
    { depositId: 'f4401bd2-1568-1140-bf2d-eb77d2b2b639' },
    400,
    'INVALID_PARAMETER',
  ],
  ['an id that is not a UUID', { depositId: 'order-1' }, 400, 'INVALID_PARAMETER'],
  ['an amount as a number', { amount: 1500 }, 400, 'INVALID_PARAMETER'],
  ['an amount with zeros in front', { amount: '01500' }, 400, 'INVALID_PARAMETER'],
  ['a negative amount', { amount: '-1500' }, 400, 'INVALID_PARAMETER'],
  ['a currency in lower case', { currency: 'xof' }, 400, 'INVALID_PARAMETER'],
  ['v1’s type of payer', { payer: { ...DEPOSIT.payer, type: 'MSISDN' } }, 400, 'INVALID_PARAMETER'],
  [
    'a number with a plus sign',
    { payer: payer({ phoneNumber: '+22951345789' }) },
    400,
    'INVALID_PARAMETER',
  ],
  ['a message of three characters', { customerMessage: 'abc' }, 400, 'INVALID_PARAMETER'],
  ['a message with a dash', { customerMessage: '7K3M-PQ2X-4' }, 400, 'INVALID_PARAMETER'],
  ['a message of 23 characters', { customerMessage: 'a'.repeat(23) }, 400, 'INVALID_PARAMETER'],
  ['metadata that is not a list', { metadata: { order: '1' } }, 400, 'INVALID_PARAMETER'],
  [
    'the same metadata twice',
    { metadata: [{ order: '1' }, { order: '2' }] },
    400,
    'DUPLICATE_METADATA_FIELD',
  ],
  ['another currency', { currency: 'ZMW' }, 200, 'INVALID_CURRENCY'],
  [
    'a provider of another country',
    { payer: payer({ provider: 'MTN_MOMO_ZMB' }) },
    200,
    'INVALID_PROVIDER',
  ],
  [
    'a number of another country',
    { payer: payer({ phoneNumber: '260763456789' }) },
    200,
    'INVALID_PHONE_NUMBER',
  ],
  [
    'a number without its country',
    { payer: payer({ phoneNumber: '51345789' }) },
    200,
    'INVALID_PHONE_NUMBER',
  ],
  ['decimals, where francs have none', { amount: '1500.5' }, 200, 'INVALID_AMOUNT'],
  ['an amount below the minimum', { amount: '99' }, 200, 'AMOUNT_OUT_OF_BOUNDS'],
  ['an amount above the maximum', { amount: '2000001' }, 200, 'AMOUNT_OUT_OF_BOUNDS'],
]

describe('pawapay simulator: a deposit is refused', () => {
  for (const [about, changes, http, failureCode] of REFUSED) {
    it(`for ${about}: ${failureCode}`, () => {
      const { network, deposit, refused } = openPawapay()
      const answer = deposit({ ...DEPOSIT, ...changes })
      assert.deepEqual([answer.body.status, ...refused(answer)], ['REJECTED', http, failureCode])
      assert.deepEqual(network.books(), [])
    })
  }

  it('and its id can be used again by a valid one', () => {
    const { network, deposit } = openPawapay()
    deposit({ ...DEPOSIT, amount: '1' })
    assert.equal(deposit(DEPOSIT).body.status, 'ACCEPTED')
    assert.equal(network.books()[0]?.requests, 2)
  })

  it('when its body is not JSON, or has another content type', () => {
    const { deposit, refused } = openPawapay()
    const plain = deposit(DEPOSIT, { 'content-type': 'text/plain' })
    for (const answer of [deposit('{"depositId":'), deposit('[]'), plain])
      assert.deepEqual(refused(answer), [400, 'INVALID_INPUT'])
  })

  it('without a token with 401, and with a wrong one with 403', () => {
    const { call, refused } = openPawapay()
    for (const path of ['/v2/deposits', '/v2/refunds', '/v2/predict-provider']) {
      const sent = (authorization?: string) =>
        refused(call(`POST ${path}`, { body: DEPOSIT, headers: { authorization } }))
      assert.deepEqual(sent(), [401, 'NO_AUTHENTICATION'])
      for (const wrong of [
        'Bearer wrong',
        'simulated-pawapay-token',
        'Basic simulated-pawapay-token',
      ])
        assert.deepEqual(sent(wrong), [403, 'AUTHENTICATION_ERROR'])
    }
  })
})

describe('pawapay simulator: a deposit is accepted', () => {
  it('with every optional field, and shown with them', async () => {
    const { call, deposit, clock } = openPawapay()
    const body = {
      ...DEPOSIT,
      customerMessage: 'Order 12345',
      clientReferenceId: 'INV-123456',
      metadata: [{ orderId: 'ORD-1' }, { customerId: 'customer@email.com', isPII: true }],
    }
    const { code, body: taken } = deposit(body)
    assert.equal(code, 200)
    const created = '2026-11-15T09:30:00Z'
    const { depositId } = DEPOSIT
    assert.deepEqual(taken, { depositId, status: 'ACCEPTED', nextStep: 'FINAL_STATUS', created })
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual(call(`GET /v2/deposits/${depositId}`).body, {
      status: 'FOUND',
      data: {
        depositId,
        status: 'COMPLETED',
        amount: '1500.00',
        currency: 'XOF',
        country: 'BEN',
        created,
        payer: DEPOSIT.payer,
        customerMessage: 'Order 12345',
        clientReferenceId: 'INV-123456',
        providerTransactionId: '4097842130',
        metadata: { orderId: 'ORD-1', customerId: 'customer@email.com' },
      },
    })
  })

  it('once for each id, in upper or lower case', () => {
    const { network, deposit } = openPawapay()
    deposit(DEPOSIT)
    const { code, body } = deposit({
      ...DEPOSIT,
      depositId: DEPOSIT.depositId.toUpperCase(),
      amount: '9000',
    })
    assert.deepEqual([code, body.status], [200, 'DUPLICATE_IGNORED'])
    assert.equal(network.books()[0]?.amountXof, 1_500)
  })

  it('and decided by a person instead of its payer', async () => {
    const { network, clock, depositOf } = openPawapay()
    const decisions = {
      approve: 'COMPLETED',
      decline: 'FAILED',
      no_funds: 'FAILED',
      ignore: 'PROCESSING',
    } as const
    for (const [at, [decision, status]] of Object.entries(decisions).entries()) {
      depositOf(at)
      assert.ok(network.decide(depositIdOf(at), decision as keyof typeof decisions))
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal(network.books()[at]?.status, status, decision)
    }
    assert.ok(!network.decide(depositIdOf(0), 'decline'))
    assert.ok(!network.decide('no such', 'approve'))
  })
})

describe('pawapay simulator: a refund is refused', () => {
  const refund = (changes: object = {}) => ({
    refundId: depositIdOf(50),
    depositId: depositIdOf(1),
    ...changes,
  })
  const CASES: [about: string, changes: object, http: number, failureCode: string][] = [
    ['a deposit that is not there', { depositId: depositIdOf(9) }, 200, 'NOT_FOUND'],
    ['an amount without a currency', { amount: '100' }, 400, 'MISSING_PARAMETER'],
    ['another currency', { amount: '100', currency: 'ZMW' }, 200, 'INVALID_CURRENCY'],
    ['decimals', { amount: '100.5', currency: 'XOF' }, 200, 'INVALID_AMOUNT'],
    ['more than was paid', { amount: '1001', currency: 'XOF' }, 200, 'AMOUNT_TOO_LARGE'],
    ['a recipient', { recipient: {} }, 400, 'UNSUPPORTED_PARAMETER'],
    ['an id that is not a UUID', { refundId: 'refund-1' }, 400, 'INVALID_PARAMETER'],
  ]
  for (const [about, changes, http, failureCode] of CASES) {
    it(`for ${about}: ${failureCode}`, async () => {
      const { call, paid, refused } = openPawapay()
      await paid(1)
      assert.deepEqual(refused(call('POST /v2/refunds', { body: refund(changes) })), [
        http,
        failureCode,
      ])
    })
  }

  it('before the deposit is paid, during another refund, after a full refund, and from an empty wallet', async () => {
    const { network, call, paid, depositOf, clock } = openPawapay({ walletXof: FEE_XOF })
    const codeOf = (changes: object) => {
      const { status, failureReason } = call('POST /v2/refunds', { body: refund(changes) }).body
      return failureReason?.failureCode ?? status
    }
    depositOf(1)
    assert.equal(codeOf({}), 'INVALID_STATE')
    await paid(1)
    const part = { amount: '400', currency: 'XOF' }
    assert.equal(codeOf(part), 'ACCEPTED')
    assert.equal(codeOf({}), 'DUPLICATE_IGNORED')
    assert.equal(codeOf({ refundId: depositIdOf(51) }), 'REFUND_IN_PROGRESS')
    await clock.advance(DECIDE_AFTER_MS)
    // Without an amount, the remaining amount is refunded.
    assert.equal(codeOf({ refundId: depositIdOf(52) }), 'ACCEPTED')
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(network.books()[0]?.refunds, 1)
    assert.equal(codeOf({ refundId: depositIdOf(53) }), 'DEPOSIT_ALREADY_REFUNDED')
    const empty = openPawapay({ walletXof: -500 })
    await empty.paid(1)
    const answer = empty.call('POST /v2/refunds', { body: refund() })
    assert.deepEqual(empty.refused(answer), [200, 'PAWAPAY_WALLET_OUT_OF_FUNDS'])
  })
})

describe('pawapay simulator: other addresses', () => {
  it('a number is normalised, and its provider predicted', () => {
    const { call } = openPawapay()
    const predict = (phoneNumber?: string) =>
      call('POST /v2/predict-provider', { body: { phoneNumber } })
    const mtn = { country: 'BEN', provider: 'MTN_MOMO_BEN', phoneNumber: '22951345789' }
    assert.deepEqual(predict('+229 51-34 57 89').body, mtn)
    assert.equal(predict('2290195345789').body.provider, 'MOOV_BEN')
    assert.deepEqual([predict('250783456789').code, predict().code], [400, 400])
  })

  it('availability, balances and keys have the documented format, and can be filtered by country', () => {
    const { call } = openPawapay()
    const types = ['DEPOSIT', 'PAYOUT', 'REFUND'].map((operationType) => ({
      operationType,
      status: 'OPERATIONAL',
    }))
    const providers = ['MTN_MOMO_BEN', 'MOOV_BEN'].map((provider) => ({
      provider,
      operationTypes: types,
    }))
    assert.deepEqual(call('GET /v2/availability').body, [{ country: 'BEN', providers }])
    assert.deepEqual(call('GET /v2/availability?country=GHA').body, [])
    const balances = [{ country: 'BEN', balance: '1000000.00', currency: 'XOF', provider: '' }]
    assert.deepEqual(call('GET /v2/wallet-balances?country=BEN').body, { balances })
    const [key] = call('GET /v2/public-key/http', { headers: { authorization: undefined } }).body
    assert.equal(key.id, 'HTTP_EC_P256_KEY:1')
    assert.match(key.key, /^-----BEGIN PUBLIC KEY-----\n/)
  })

  it('an unknown address gets 404, and an id that is not a UUID is refused', () => {
    const { call } = openPawapay()
    for (const path of ['/v2/deposit', '/deposits', '/v2/payouts', '/v2/deposits/a/b/c']) {
      assert.equal(call(`POST ${path}`, { body: {} }).code, 404, path)
    }
    assert.equal(call('GET /v2/deposits/order-1').code, 400)
    assert.deepEqual(call(`GET /v2/refunds/${depositIdOf(1)}`).body, { status: 'NOT_FOUND' })
  })
})
