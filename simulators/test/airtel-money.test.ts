// The refusals of the simulated Airtel, as its gateway gives them: from published live tests and
// the documents' tables. Then the exchanges of Airtel's own documents, as in the public copies of
// its Postman collection.
import assert from 'node:assert/strict'
import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { column } from '../../server/test/kit/callers.ts'
import { type AirtelNetworkOptions, airtelMoneyNetwork } from '../src/airtel-money/network.ts'
import { type Answered, ask, DECIDE_AFTER_MS, openSimulator } from './open-simulator.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
type Headers = Record<string, string | undefined>

function wireClient(options: AirtelNetworkOptions = {}) {
  const { country = 'NE', currency = 'XOF' } = options
  const opened = openSimulator((deps) => airtelMoneyNetwork(deps, options))
  const { clientId, clientSecret } = opened.network.credentials
  const credentials = {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
  }
  const call = (what: string, headers: Headers = {}, body?: unknown): Answered =>
    ask(opened.network, what, { headers, body })
  const token = (): string =>
    call('POST /auth/oauth2/token', JSON_TYPE, credentials).body.access_token
  /** A call that is valid except for the given changes; an undefined header is left out. */
  const send = (what: string, body?: unknown, headers: Headers = {}): Answered => {
    const own = { 'X-Country': country, 'X-Currency': currency, Authorization: `Bearer ${token()}` }
    return call(what, { ...JSON_TYPE, Accept: '*/*', ...own, ...headers }, body)
  }
  const pay = (headers: Headers, body: unknown = PAYMENT) => send(PAY, body, headers)
  return { ...opened, credentials, call, token, send, pay }
}

const PAY = 'POST /merchant/v1/payments/'
const REFUND = { transaction: { airtel_money_id: 'MP261115.0930.L00001' } }
const PAYMENT = {
  reference: 'Order 42',
  subscriber: { country: 'NE', currency: 'XOF', msisdn: '97000000' },
  transaction: { amount: 1500, country: 'NE', currency: 'XOF', id: 'order-42-first' },
}
const INVALID_TOKEN = {
  error_description: 'The access token is invalid or has expired',
  error: 'invalid_token',
}
const router = (status_code: string, status_message: string) => ({ status_message, status_code })
const refusal = (response_code: string, message: string, code = '400') => ({
  status: { response_code, code, success: false, message },
})
const WALLET_ID = "Missing request header 'x-wallet-id' for method parameter of type String"
const NO_CURRENCY = {
  status: { code: '400', success: false, result_code: 'ESB000008', message: WALLET_ID },
}
const NO_PARTNER = router('ROUTER110', 'Partner 2d9647ada26843468f68e7090619d40b not found')
const NOT_AUTHORISED = router('ROUTER007', 'User Not authorized for country')

const HEADERS: [about: string, headers: Headers, code: number, body: unknown][] = [
  ['no token', { Authorization: undefined }, 401, INVALID_TOKEN],
  ['an unknown token', { Authorization: 'Bearer unknown' }, 401, INVALID_TOKEN],
  ['another content type', { 'Content-Type': 'text/plain' }, 415, {}],
  ['no X-Country', { 'X-Country': undefined }, 400, NO_PARTNER],
  [
    'a country code of 3 letters',
    { 'X-Country': 'NER' },
    400,
    refusal('DP00900001013', 'Invalid Country Code'),
  ],
  ['another country', { 'X-Country': 'UG' }, 400, NOT_AUTHORISED],
  ['no X-Currency', { 'X-Currency': undefined }, 200, NO_CURRENCY],
  [
    'an empty X-Currency',
    { 'X-Currency': '' },
    200,
    refusal('DP00900001013', 'Invalid/Missing Currency'),
  ],
  ['another currency', { 'X-Currency': 'EUR' }, 400, router('ROUTER112', 'Invalid Currency')],
]

describe('airtel-money simulator: a payment is refused for', () => {
  for (const [about, headers, code, body] of HEADERS) {
    it(about, () => {
      const { pay, network } = wireClient()
      const answer = pay(headers)
      assert.deepEqual([answer.code, answer.body, network.books()], [code, body, []])
    })
  }
})

const withTransaction = (changed: object) => ({
  ...PAYMENT,
  transaction: { ...PAYMENT.transaction, ...changed },
})
const withNumber = (msisdn: string) => ({
  ...PAYMENT,
  subscriber: { ...PAYMENT.subscriber, msisdn },
})

const BODIES: [
  about: string,
  body: unknown,
  responseCode: string | undefined,
  resultCode?: string,
][] = [
  ['a body that is not JSON', '{', 'DP00900001013'],
  ['a body that is a list', [], 'DP00900001013'],
  ['no reference', { ...PAYMENT, reference: undefined }, 'DP00900001013'],
  ['a reference of 3 characters', { ...PAYMENT, reference: 'abc' }, 'DP00900001013', 'ESB000008'],
  [
    'a reference of 65 characters',
    { ...PAYMENT, reference: 'a'.repeat(65) },
    'DP00900001013',
    'ESB000008',
  ],
  ['an id of 65 characters', withTransaction({ id: 'a'.repeat(65) }), 'DP00900001013', 'ESB000008'],
  ['no id', withTransaction({ id: undefined }), 'DP00900001013'],
  ['a number with its country code', withNumber('22797000000'), 'DP00900001013', '521002'],
  ['a number that is too short', withNumber('9700000'), 'DP00900001013', '521002'],
  ['no amount', withTransaction({ amount: undefined }), 'DP00900001004', 'ESB000008'],
  ['an amount of zero', withTransaction({ amount: 0 }), 'DP00900001004', 'ESB000008'],
  ['a negative amount', withTransaction({ amount: -5 }), 'DP00900001004', 'ESB000008'],
  [
    'an amount with four decimals',
    withTransaction({ amount: 1.2345 }),
    'DP00900001004',
    'ESB000008',
  ],
  ['another country in the body', withTransaction({ country: 'UG' }), undefined, 'ESB000034'],
  ['another currency in the body', withTransaction({ currency: 'UGX' }), undefined, 'ESB000035'],
]

describe('airtel-money simulator: a payment is refused, with HTTP 200 and the inner code 400, for', () => {
  for (const [about, body, responseCode, resultCode] of BODIES) {
    it(about, () => {
      const { pay, network } = wireClient()
      const answer = pay({}, body)
      const { response_code, result_code, code, success } = answer.body.status
      assert.deepEqual([response_code, result_code], [responseCode, resultCode])
      assert.deepEqual([answer.code, code, success, network.books()], [200, '400', false, []])
    })
  }
})

describe('airtel-money simulator:', () => {
  it('the body may omit country and currency, and may have numbers as numbers', () => {
    const [subscriber, transaction] = [{ msisdn: 97000000 }, { amount: '1500', id: 'abcd' }]
    const { body } = wireClient().pay({}, { reference: 'Order 42', subscriber, transaction })
    assert.equal(body.status.success, true)
  })

  it('a token expires after three minutes', async () => {
    const { token, clock, pay } = wireClient()
    const Authorization = `Bearer ${token()}`
    await clock.advance(179_000)
    assert.equal(pay({ Authorization }).code, 200)
    await clock.advance(1_000)
    assert.deepEqual(pay({ Authorization }).body, INVALID_TOKEN)
  })

  it('accepts credentials as JSON, as a form or as Basic, and only for client_credentials', () => {
    const { call, credentials } = wireClient()
    const { client_id: id = '', client_secret: secret, grant_type } = credentials
    const form = new URLSearchParams({
      client_id: id,
      client_secret: secret ?? '',
      grant_type,
    }).toString()
    const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
    const codes = [
      call(
        'POST /auth/oauth2/token',
        { 'Content-Type': 'application/x-www-form-urlencoded' },
        form,
      ),
      call('POST /auth/oauth2/token', { ...JSON_TYPE, ...basic }, { grant_type }),
      call('POST /auth/oauth2/token', JSON_TYPE, { ...credentials, grant_type: 'password' }),
      call('POST /auth/oauth2/token', JSON_TYPE, { client_id: id, grant_type }),
      call('POST /auth/oauth2/token', JSON_TYPE, '{'),
    ]
    assert.deepEqual(column(codes, 'code'), [200, 200, 400, 400, 400])
  })

  it('unknown addresses get 404, also without a token', () => {
    const { call } = wireClient()
    const unknown = ['POST /merchant/v3/payments/', 'GET /', 'POST /standard/v1/payments/abcd']
    for (const what of ['GET /merchant/v1/payments/', ...unknown])
      assert.deepEqual(call(what).body, { message: 'no Route matched with those values' })
  })

  it('an enquiry reports an unknown id', () => {
    const { status } = wireClient().send('GET /standard/v1/payments/never-sent').body
    assert.deepEqual([status.result_code, status.success], ['ESB000045', false])
  })

  it('a payment is refunded once, and only when it was paid', async () => {
    const { pay, send, clock, network } = wireClient()
    pay({})
    const refund = (): unknown => {
      const { status } = send('POST /standard/v1/payments/refund', REFUND).body
      return status.response_code ?? status.result_code
    }
    assert.equal(refund(), 'DP00800001025')
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual([refund(), refund()], ['ESB000010', 'DP00900001011'])
    assert.equal(network.books()[0]?.refunds, 1)
  })

  it('a reset clears everything', () => {
    const { token, pay, network } = wireClient()
    const Authorization = `Bearer ${token()}`
    pay({})
    network.faults.on('unavailable')
    network.reset()
    assert.deepEqual([network.books(), network.faults.active()], [[], {}])
    assert.equal(pay({ Authorization }).code, 401)
  })
})

describe('airtel-money simulator: signatures', () => {
  /** Written from the documents' seven steps, not from the connector. */
  function sign({ send }: ReturnType<typeof wireClient>, signed: string): Headers {
    const { data } = send('GET /v1/rsa/encryption-keys').body
    const [key, iv] = [randomBytes(32), randomBytes(16)]
    const cipher = createCipheriv('aes-256-cbc', key, iv)
    const publicKey = createPublicKey({
      key: Buffer.from(data.key, 'base64'),
      format: 'der',
      type: 'spki',
    })
    const pair = Buffer.from(`${key.toString('base64')}:${iv.toString('base64')}`)
    return {
      'x-signature': cipher.update(signed, 'utf8', 'base64') + cipher.final('base64'),
      'x-key': publicEncrypt(
        { key: publicKey, padding: constants.RSA_PKCS1_PADDING },
        pair,
      ).toString('base64'),
    }
  }

  it('a signature must match the body byte for byte', () => {
    const client = wireClient({ requiresSigning: true })
    const body = JSON.stringify(PAYMENT, null, 2)
    const pay = (signed: string) =>
      client.send('POST /merchant/v2/payments/', body, sign(client, signed))
    const forbidden = pay(JSON.stringify(PAYMENT))
    const expected = refusal('DP00800001026', 'X-signature and payload did not match', '403')
    assert.deepEqual([forbidden.code, forbidden.body], [403, expected])
    assert.equal(pay(body).code, 200)
  })

  it('a partial signature is refused, and a wrong one also where signing is optional', () => {
    const client = wireClient()
    const { 'x-key': key } = sign(client, JSON.stringify(PAYMENT))
    assert.deepEqual(
      client.pay({ 'x-key': key }).body,
      router('ROUTER003', 'Missing header/body params'),
    )
    for (const each of [key, 'bm8='])
      assert.equal(client.pay({ 'x-key': each, 'x-signature': 'bm8=' }).code, 403)
  })
})

describe('airtel-money simulator: documented exchange:', () => {
  const UGANDA = { country: 'UG', currency: 'UGX', msisdnLength: 10 }
  const id = 'random-unique-id'
  const SAMPLE = {
    reference: 'Testing transaction',
    subscriber: { country: 'UG', currency: 'UGX', msisdn: 9999999999 },
    transaction: { amount: 1000, country: 'UG', currency: 'UGX', id },
  }
  const DONE = { code: '200', message: 'SUCCESS', result_code: 'ESB000010', success: true }
  const IN_PROCESS = { ...DONE, response_code: 'DP00800001006' }
  const EXISTS = {
    ...refusal('DP00800001000', 'External Transaction ID already exists.', '500').status,
  }
  const paid = { airtel_money_id: 'MP261115.0930.L00001', id, message: 'success', status: 'TS' }
  const failed = { id, message: 'User did not enter the pin', status: 'TF' }
  const refunded = { airtel_money_id: 'CI261115.0930.L00001', status: 'SUCCESS' }
  const balance = { balance: '37,600.00', currency: 'UGX', account_status: 'Active' }
  const answered = (data: object | undefined, status: object) => ({ ...(data && { data }), status })
  const BARE = {
    'X-Country': undefined,
    'X-Currency': undefined,
    'Content-Type': undefined,
    Accept: undefined,
  }
  const ENQUIRY = `GET /standard/v1/payments/${id}`
  const PUSHED = answered({ transaction: { id, status: 'SUCCESS' } }, IN_PROCESS)

  interface Exchange {
    about: string
    /** The payment before, if there is one; the fault at the call. */
    before?: typeof SAMPLE | object
    fault?: string
    options?: AirtelNetworkOptions
    what: string
    sent?: object
    headers?: Headers
    code?: number
    body: object
  }

  const EXCHANGES: Exchange[] = [
    {
      about: 'Authorization: Bad Request',
      what: 'POST /auth/oauth2/token',
      code: 400,
      sent: { client_id: 'a', client_secret: 'b', grant_type: 'client_credentials' },
      body: { error_description: 'Invalid client authentication', error: 'invalid_client' },
    },
    { about: 'Payments USSD push: Success', what: PAY, sent: SAMPLE, body: PUSHED },
    {
      about: 'Payments USSD push: Success, v2',
      what: 'POST /merchant/v2/payments/',
      sent: SAMPLE,
      body: PUSHED,
    },
    {
      about: 'Payments USSD push: the id exists',
      before: SAMPLE,
      what: PAY,
      sent: SAMPLE,
      body: answered(undefined, { ...EXISTS, result_code: 'ESB000041' }),
    },
    {
      about: 'Payments USSD push: I/O exception',
      fault: 'gateway_times_out',
      what: PAY,
      sent: SAMPLE,
      code: 408,
      body: router('CONNECTION_TIMEOUT', 'I/O Exception'),
    },
    {
      about: 'Transaction inquiry: Success, with a token and no other header',
      before: SAMPLE,
      what: ENQUIRY,
      fault: 'success_with_code_in_process',
      headers: BARE,
      body: answered({ transaction: paid }, IN_PROCESS),
    },
    {
      about: 'Transaction inquiry: Failed',
      options: { ...UGANDA, msisdnLength: 8 },
      what: ENQUIRY,
      before: { ...SAMPLE, subscriber: { msisdn: '97000005' } },
      body: answered({ transaction: failed }, refusal('DP00800001005', 'FAILED', '200').status),
    },
    ...['v1', 'v2'].map((version) => ({
      about: `Refund: Success, ${version}`,
      before: SAMPLE,
      sent: REFUND,
      what: `POST /standard/${version}/payments/refund`,
      body: answered({ transaction: refunded }, DONE),
    })),
    {
      about: 'Balance inquiry: Success, with the flag success false',
      fault: 'balance_success_is_false',
      what: 'GET /standard/v1/users/balance',
      body: answered(balance, { ...DONE, response_code: 'DP02100000001', success: false }),
    },
  ]

  for (const {
    about,
    before,
    fault,
    options = UGANDA,
    what,
    sent,
    headers,
    code = 200,
    body,
  } of EXCHANGES) {
    it(about, async () => {
      const { send, clock, network } = wireClient(options)
      if (before !== undefined) send(PAY, before)
      await clock.advance(DECIDE_AFTER_MS)
      if (fault !== undefined) network.faults.on(fault)
      const answer = send(what, sent, headers)
      assert.deepEqual([answer.code, answer.body], [code, body])
    })
  }

  it('Authorization: 200', () => {
    const { call, credentials } = wireClient(UGANDA)
    const answer = call('POST /auth/oauth2/token', { ...JSON_TYPE, Accept: '*/*' }, credentials)
    const { access_token: token, ...rest } = answer.body
    assert.deepEqual([answer.code, rest], [200, { token_type: 'bearer', expires_in: 180 }])
    assert.match(token, /^[\w-]{32}$/)
  })

  it('Payments USSD push: Unauthorized', () => {
    const Authorization = 'Bearer om1LTK7s6iRbDChQvhaFqSiAF4dPwKG0'
    const { code, headers, body } = wireClient(UGANDA).pay({ Authorization }, SAMPLE)
    assert.match(headers['www-authenticate'] ?? '', /^Bearer realm="service" error="invalid_token"/)
    assert.deepEqual([code, body], [401, INVALID_TOKEN])
  })

  it('Encryption keys: Success, with X-Country-Code', () => {
    const headers = { 'X-Country': undefined, 'X-Country-Code': 'UG' }
    const { data, status } = wireClient(UGANDA).send(
      'GET /v1/rsa/encryption-keys',
      undefined,
      headers,
    ).body
    assert.deepEqual(status, { ...DONE, message: 'Success', response_code: 'DP02010001001' })
    assert.deepEqual([data.key_id, data.valid_upto], [100, '16-11-2026 09:30:00'])
    // The sample's own key: 1024 bits, without PEM lines.
    assert.match(data.key, /^MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQ/)
  })
})
