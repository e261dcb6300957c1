// The refusals of the simulated Airtel, as its gateway gives them: from published live tests and the documents' tables.
// Then the exchanges of Airtel's own documents, as in the public copies of its Postman collection.
import assert from 'node:assert/strict'
import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AirtelNetworkOptions, airtelMoneyNetwork } from '../src/airtel-money/network.ts'
import { type Answered, ask, DECIDE_AFTER_MS, type OpenSimulator, openSimulator } from './open-simulator.ts'

interface WireClient extends OpenSimulator {
  call(method: string, path: string, headers?: Record<string, string>, body?: unknown): Answered
  /** A token, by the credentials of the simulated network. */
  token(): string
}

function wireClient(options: AirtelNetworkOptions = {}): WireClient {
  const opened = openSimulator((deps) => airtelMoneyNetwork(deps, options))
  const call: WireClient['call'] = (method, path, headers, body) =>
    ask(opened.network, `${method} ${path}`, { ...(headers && { headers }), body })
  const token = (): string => {
    const { clientId, clientSecret } = opened.network.credentials
    const body = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
    return call('POST', '/auth/oauth2/token', { 'Content-Type': 'application/json' }, body).body.access_token
  }
  return { ...opened, call, token }
}

const PAYMENT = {
  reference: 'Order 42',
  subscriber: { country: 'NE', currency: 'XOF', msisdn: '97000000' },
  transaction: { amount: 1500, country: 'NE', currency: 'XOF', id: 'order-42-first' },
}

type Headers = Record<string, string | undefined>

/** Posts a payment that is valid except for the given changes; an undefined header is left out. */
function pay(client: WireClient, headers: Headers, body: unknown = PAYMENT, path = '/merchant/v1/payments/'): Answered {
  const all: Headers = {
    'Content-Type': 'application/json',
    Accept: '*/*',
    'X-Country': 'NE',
    'X-Currency': 'XOF',
    Authorization: `Bearer ${client.token()}`,
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined))
  return client.call('POST', path, sent, body)
}

const INVALID_TOKEN = { error_description: 'The access token is invalid or has expired', error: 'invalid_token' }

const HEADERS: [about: string, headers: Headers, code: number, body: unknown][] = [
  ['no token', { Authorization: undefined }, 401, INVALID_TOKEN],
  ['an unknown token', { Authorization: 'Bearer unknown' }, 401, INVALID_TOKEN],
  ['another content type', { 'Content-Type': 'text/plain' }, 415, {}],
  [
    'no X-Country',
    { 'X-Country': undefined },
    400,
    { status_message: 'Partner 2d9647ada26843468f68e7090619d40b not found', status_code: 'ROUTER110' },
  ],
  [
    'a country code of three characters',
    { 'X-Country': 'NER' },
    400,
    { status: { response_code: 'DP00900001013', code: '400', success: false, message: 'Invalid Country Code' } },
  ],
  [
    'another country',
    { 'X-Country': 'UG' },
    400,
    { status_message: 'User Not authorized for country', status_code: 'ROUTER007' },
  ],
  [
    'no X-Currency',
    { 'X-Currency': undefined },
    200,
    {
      status: {
        code: '400',
        success: false,
        result_code: 'ESB000008',
        message: "Missing request header 'x-wallet-id' for method parameter of type String",
      },
    },
  ],
  [
    'an empty X-Currency',
    { 'X-Currency': '' },
    200,
    { status: { response_code: 'DP00900001013', code: '400', success: false, message: 'Invalid/Missing Currency' } },
  ],
  ['another currency', { 'X-Currency': 'EUR' }, 400, { status_message: 'Invalid Currency', status_code: 'ROUTER112' }],
]

describe('airtel-money simulator: a payment is refused for', () => {
  for (const [about, headers, code, body] of HEADERS) {
    it(about, () => {
      const client = wireClient()
      const answer = pay(client, headers)
      assert.deepEqual([answer.code, answer.body], [code, body])
      assert.deepEqual(client.network.books(), [])
    })
  }
})

const BODIES: [
  about: string,
  body: unknown,
  codes: [responseCode: string | undefined, resultCode: string | undefined],
][] = [
  ['a body that is not JSON', '{', ['DP00900001013', undefined]],
  ['a body that is a list', [], ['DP00900001013', undefined]],
  ['no reference', { ...PAYMENT, reference: undefined }, ['DP00900001013', undefined]],
  ['a reference of 3 characters', { ...PAYMENT, reference: 'abc' }, ['DP00900001013', 'ESB000008']],
  ['a reference of 65 characters', { ...PAYMENT, reference: 'a'.repeat(65) }, ['DP00900001013', 'ESB000008']],
  ['an id of 65 characters', withTransaction({ id: 'a'.repeat(65) }), ['DP00900001013', 'ESB000008']],
  ['no id', withTransaction({ id: undefined }), ['DP00900001013', undefined]],
  ['a number with its country code', withNumber('22797000000'), ['DP00900001013', '521002']],
  ['a number that is too short', withNumber('9700000'), ['DP00900001013', '521002']],
  ['no amount', withTransaction({ amount: undefined }), ['DP00900001004', 'ESB000008']],
  ['an amount of zero', withTransaction({ amount: 0 }), ['DP00900001004', 'ESB000008']],
  ['a negative amount', withTransaction({ amount: -5 }), ['DP00900001004', 'ESB000008']],
  ['an amount with four decimals', withTransaction({ amount: 1.2345 }), ['DP00900001004', 'ESB000008']],
  ['another country in the body', withTransaction({ country: 'UG' }), [undefined, 'ESB000034']],
  ['another currency in the body', withTransaction({ currency: 'UGX' }), [undefined, 'ESB000035']],
]

function withTransaction(changed: object): unknown {
  return { ...PAYMENT, transaction: { ...PAYMENT.transaction, ...changed } }
}

function withNumber(msisdn: string): unknown {
  return { ...PAYMENT, subscriber: { ...PAYMENT.subscriber, msisdn } }
}

describe('airtel-money simulator: a payment is refused, with HTTP 200 and the inner code 400, for', () => {
  for (const [about, body, codes] of BODIES) {
    it(about, () => {
      const client = wireClient()
      const answer = pay(client, {}, body)
      const { status } = answer.body as { status: Record<string, unknown> }
      assert.equal(answer.code, 200)
      assert.deepEqual([status.response_code, status.result_code], codes)
      assert.deepEqual([status.code, status.success], ['400', false])
      assert.deepEqual(client.network.books(), [])
    })
  }
})

it('airtel-money simulator: the body may omit country and currency, and may have numbers as numbers', () => {
  const client = wireClient()
  const body = { reference: 'Order 42', subscriber: { msisdn: 97000000 }, transaction: { amount: '1500', id: 'abcd' } }
  assert.equal((pay(client, {}, body).body as { status: { success: boolean } }).status.success, true)
})

it('airtel-money simulator: a token expires after three minutes', async () => {
  const client = wireClient()
  const Authorization = `Bearer ${client.token()}`
  await client.clock.advance(179_000)
  assert.equal(pay(client, { Authorization }).code, 200)
  await client.clock.advance(1_000)
  assert.deepEqual(pay(client, { Authorization }).body, INVALID_TOKEN)
})

it('airtel-money simulator: accepts credentials as JSON, as a form or as Basic, and only for client_credentials', () => {
  const { call } = wireClient()
  const [id, secret] = ['simulated-airtel-client', 'simulated-airtel-secret']
  const json = { 'Content-Type': 'application/json' }
  const grant = { grant_type: 'client_credentials' }
  const form = new URLSearchParams({ client_id: id, client_secret: secret, ...grant }).toString()
  const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
  const codes = [
    call('POST', '/auth/oauth2/token', { 'Content-Type': 'application/x-www-form-urlencoded' }, form),
    call('POST', '/auth/oauth2/token', { ...json, ...basic }, grant),
    call('POST', '/auth/oauth2/token', json, { client_id: id, client_secret: secret, grant_type: 'password' }),
    call('POST', '/auth/oauth2/token', json, { client_id: id, ...grant }),
    call('POST', '/auth/oauth2/token', json, '{'),
  ].map(({ code }) => code)
  assert.deepEqual(codes, [200, 200, 400, 400, 400])
})

it('airtel-money simulator: unknown addresses get 404, also without a token', () => {
  const { call } = wireClient()
  for (const [method, path] of [
    ['GET', '/merchant/v1/payments/'],
    ['POST', '/merchant/v3/payments/'],
    ['GET', '/'],
    ['POST', '/standard/v1/payments/abcd'],
  ] as const) {
    assert.deepEqual(call(method, path).body, { message: 'no Route matched with those values' })
  }
})

it('airtel-money simulator: an enquiry reports an unknown id', () => {
  const client = wireClient()
  const headers = { Authorization: `Bearer ${client.token()}` }
  const { status } = client.call('GET', '/standard/v1/payments/never-sent', headers).body as {
    status: Record<string, unknown>
  }
  assert.equal(status.result_code, 'ESB000045')
  assert.equal(status.success, false)
})

it('airtel-money simulator: a payment is refunded once, and only when it was paid', async () => {
  const client = wireClient()
  pay(client, {})
  const refund = (): unknown => {
    const body = { transaction: { airtel_money_id: 'MP261115.0930.L00001' } }
    const { status } = pay(client, {}, body, '/standard/v1/payments/refund').body as { status: Record<string, unknown> }
    return status.response_code ?? status.result_code
  }
  assert.equal(refund(), 'DP00800001025')
  await client.clock.advance(DECIDE_AFTER_MS)
  assert.equal(refund(), 'ESB000010')
  assert.equal(refund(), 'DP00900001011')
  assert.equal(client.network.books()[0]?.refunds, 1)
})

/** Written from the documents' seven steps, not from the connector. */
function sign(client: WireClient, signed: string): Headers {
  const headers = { 'X-Country': 'NE', 'X-Currency': 'XOF', Authorization: `Bearer ${client.token()}` }
  const { data } = client.call('GET', '/v1/rsa/encryption-keys', headers).body as { data: { key: string } }
  const [key, iv] = [randomBytes(32), randomBytes(16)]
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const publicKey = createPublicKey({ key: Buffer.from(data.key, 'base64'), format: 'der', type: 'spki' })
  const pair = Buffer.from(`${key.toString('base64')}:${iv.toString('base64')}`)
  return {
    'x-signature': cipher.update(signed, 'utf8', 'base64') + cipher.final('base64'),
    'x-key': publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, pair).toString('base64'),
  }
}

it('airtel-money simulator: a signature must match the body byte for byte', () => {
  const client = wireClient({ requiresSigning: true })
  const body = JSON.stringify(PAYMENT, null, 2)
  const forbidden = pay(client, sign(client, JSON.stringify(PAYMENT)), body, '/merchant/v2/payments/')
  assert.deepEqual(
    [forbidden.code, forbidden.body],
    [
      403,
      {
        status: {
          response_code: 'DP00800001026',
          code: '403',
          success: false,
          message: 'X-signature and payload did not match',
        },
      },
    ],
  )
  assert.equal(pay(client, sign(client, body), body, '/merchant/v2/payments/').code, 200)
})

it('airtel-money simulator: a partial signature is refused, and a wrong one also where signing is optional', () => {
  const client = wireClient()
  const { 'x-key': key } = sign(client, JSON.stringify(PAYMENT))
  const half = { status_message: 'Missing header/body params', status_code: 'ROUTER003' }
  assert.deepEqual(pay(client, { 'x-key': key }).body, half)
  assert.equal(pay(client, { 'x-key': key, 'x-signature': 'bm8=' }).code, 403)
  assert.equal(pay(client, { 'x-key': 'bm8=', 'x-signature': 'bm8=' }).code, 403)
})

it('airtel-money simulator: a reset clears everything', async () => {
  const client = wireClient()
  const Authorization = `Bearer ${client.token()}`
  pay(client, {})
  client.network.faults.on('unavailable')
  client.network.reset()
  assert.deepEqual(client.network.books(), [])
  assert.deepEqual(client.network.faults.active(), {})
  assert.equal(pay(client, { Authorization }).code, 401)
})

const UGANDA = { country: 'UG', currency: 'UGX', msisdnLength: 10 }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const headersOf = ({ token }: WireClient): Record<string, string> => ({
  'X-Country': 'UG',
  'X-Currency': 'UGX',
  Authorization: `Bearer ${token()}`,
})
const SAMPLE = {
  reference: 'Testing transaction',
  subscriber: { country: 'UG', currency: 'UGX', msisdn: 9999999999 },
  transaction: { amount: 1000, country: 'UG', currency: 'UGX', id: 'random-unique-id' },
}

it('airtel-money simulator: documented exchange: Authorization: 200', () => {
  const client = wireClient(UGANDA)
  const credentials = {
    client_id: 'simulated-airtel-client',
    client_secret: 'simulated-airtel-secret',
    grant_type: 'client_credentials',
  }
  const answer = client.call('POST', '/auth/oauth2/token', { ...JSON_TYPE, Accept: '*/*' }, credentials)
  const { access_token: token, ...rest } = answer.body as Record<string, unknown>
  assert.equal(answer.code, 200)
  assert.deepEqual(rest, { token_type: 'bearer', expires_in: 180 })
  assert.match(String(token), /^[\w-]{32}$/)
})

it('airtel-money simulator: documented exchange: Authorization: Bad Request', () => {
  const credentials = { client_id: 'a', client_secret: 'b', grant_type: 'client_credentials' }
  const answer = wireClient(UGANDA).call('POST', '/auth/oauth2/token', JSON_TYPE, credentials)
  assert.deepEqual(
    [answer.code, answer.body],
    [400, { error_description: 'Invalid client authentication', error: 'invalid_client' }],
  )
})

it('airtel-money simulator: documented exchange: Payments USSD push: Unauthorized', () => {
  const headers = { 'X-Currency': 'UGX', 'X-Country': 'UG', Authorization: 'Bearer om1LTK7s6iRbDChQvhaFqSiAF4dPwKG0' }
  const answer = wireClient(UGANDA).call('POST', '/merchant/v1/payments/', { ...headers, ...JSON_TYPE }, SAMPLE)
  assert.equal(answer.code, 401)
  assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="service" error="invalid_token"/)
  assert.deepEqual(answer.body, {
    error_description: 'The access token is invalid or has expired',
    error: 'invalid_token',
  })
})

it('airtel-money simulator: documented exchange: Payments USSD push: Success, in both versions', () => {
  for (const version of ['v1', 'v2']) {
    const client = wireClient(UGANDA)
    const answer = client.call('POST', `/merchant/${version}/payments/`, { ...headersOf(client), ...JSON_TYPE }, SAMPLE)
    assert.deepEqual(
      [answer.code, answer.body],
      [
        200,
        {
          data: { transaction: { id: 'random-unique-id', status: 'SUCCESS' } },
          status: {
            code: '200',
            message: 'SUCCESS',
            result_code: 'ESB000010',
            response_code: 'DP00800001006',
            success: true,
          },
        },
      ],
    )
  }
})

it('airtel-money simulator: documented exchange: Payments USSD push: the id exists', () => {
  const client = wireClient(UGANDA)
  const headers = { ...headersOf(client), ...JSON_TYPE }
  client.call('POST', '/merchant/v1/payments/', headers, SAMPLE)
  const answer = client.call('POST', '/merchant/v1/payments/', headers, SAMPLE)
  assert.deepEqual(
    [answer.code, answer.body],
    [
      200,
      {
        status: {
          response_code: 'DP00800001000',
          code: '500',
          success: false,
          result_code: 'ESB000041',
          message: 'External Transaction ID already exists.',
        },
      },
    ],
  )
})

it('airtel-money simulator: documented exchange: Payments USSD push: I/O exception', () => {
  const client = wireClient(UGANDA)
  client.network.faults.on('gateway_times_out')
  const answer = client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, SAMPLE)
  assert.deepEqual(
    [answer.code, answer.body],
    [408, { status_message: 'I/O Exception', status_code: 'CONNECTION_TIMEOUT' }],
  )
})

it('airtel-money simulator: documented exchange: Transaction inquiry: Success, with a token and no other header', async () => {
  const client = wireClient(UGANDA)
  client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, SAMPLE)
  await client.clock.advance(DECIDE_AFTER_MS)
  client.network.faults.on('success_with_code_in_process')
  const headers = { Authorization: `Bearer ${client.token()}` }
  const answer = client.call('GET', '/standard/v1/payments/random-unique-id', headers)
  assert.deepEqual(
    [answer.code, answer.body],
    [
      200,
      {
        data: {
          transaction: {
            airtel_money_id: 'MP261115.0930.L00001',
            id: 'random-unique-id',
            message: 'success',
            status: 'TS',
          },
        },
        status: {
          code: '200',
          message: 'SUCCESS',
          result_code: 'ESB000010',
          response_code: 'DP00800001006',
          success: true,
        },
      },
    ],
  )
})

it('airtel-money simulator: documented exchange: Transaction inquiry: Failed', async () => {
  const client = wireClient({ ...UGANDA, msisdnLength: 8 })
  const payment = { ...SAMPLE, subscriber: { msisdn: '97000005' } }
  client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, payment)
  await client.clock.advance(DECIDE_AFTER_MS)
  const answer = client.call('GET', '/standard/v1/payments/random-unique-id', headersOf(client))
  assert.deepEqual(
    [answer.code, answer.body],
    [
      200,
      {
        data: { transaction: { id: 'random-unique-id', message: 'User did not enter the pin', status: 'TF' } },
        status: { response_code: 'DP00800001005', code: '200', success: false, message: 'FAILED' },
      },
    ],
  )
})

it('airtel-money simulator: documented exchange: Refund: Success', async () => {
  for (const version of ['v1', 'v2']) {
    const client = wireClient(UGANDA)
    client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, SAMPLE)
    await client.clock.advance(DECIDE_AFTER_MS)
    const body = { transaction: { airtel_money_id: 'MP261115.0930.L00001' } }
    const headers = { ...headersOf(client), ...JSON_TYPE }
    const answer = client.call('POST', `/standard/${version}/payments/refund`, headers, body)
    assert.deepEqual(
      [answer.code, answer.body],
      [
        200,
        {
          data: { transaction: { airtel_money_id: 'CI261115.0930.L00001', status: 'SUCCESS' } },
          status: { code: '200', message: 'SUCCESS', result_code: 'ESB000010', success: true },
        },
      ],
    )
  }
})

it('airtel-money simulator: documented exchange: Balance inquiry: Success, with the flag success false', () => {
  const client = wireClient(UGANDA)
  client.network.faults.on('balance_success_is_false')
  const answer = client.call('GET', '/standard/v1/users/balance', headersOf(client))
  assert.deepEqual(
    [answer.code, answer.body],
    [
      200,
      {
        data: { balance: '37,600.00', currency: 'UGX', account_status: 'Active' },
        status: {
          code: '200',
          message: 'SUCCESS',
          result_code: 'ESB000010',
          response_code: 'DP02100000001',
          success: false,
        },
      },
    ],
  )
})

it('airtel-money simulator: documented exchange: Encryption keys: Success, with X-Country-Code', () => {
  const client = wireClient(UGANDA)
  const headers = { 'X-Country-Code': 'UG', 'X-Currency': 'UGX', Authorization: `Bearer ${client.token()}` }
  const answer = client.call('GET', '/v1/rsa/encryption-keys', headers)
  const { data, status } = answer.body as { data: Record<string, unknown>; status: unknown }
  assert.deepEqual(status, {
    code: '200',
    message: 'Success',
    response_code: 'DP02010001001',
    result_code: 'ESB000010',
    success: true,
  })
  assert.equal(data.key_id, 100)
  // The sample's own key: 1024 bits, without PEM lines.
  assert.match(String(data.key), /^MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQ/)
  assert.equal(data.valid_upto, '16-11-2026 09:30:00')
})
