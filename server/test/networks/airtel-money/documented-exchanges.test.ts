// The exchanges that Airtel's own documents show, as they are in the public copies of its Postman collection: what is sent and what is answered,
// written out, with the country and the numbers of our simulated application.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type WireClient, wireClient } from './wire-client.ts'

const UGANDA = { country: 'UG', currency: 'UGX', msisdnLength: 10 }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const headersOf = ({ token }: WireClient): Record<string, string> => ({
  'X-Country': 'UG',
  'X-Currency': 'UGX',
  Authorization: `Bearer ${token()}`,
})
const PAYMENT = {
  reference: 'Testing transaction',
  subscriber: { country: 'UG', currency: 'UGX', msisdn: 9999999999 },
  transaction: { amount: 1000, country: 'UG', currency: 'UGX', id: 'random-unique-id' },
}

it('Authorization: 200', () => {
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

it('Authorization: Bad Request', () => {
  const credentials = { client_id: 'a', client_secret: 'b', grant_type: 'client_credentials' }
  const answer = wireClient(UGANDA).call('POST', '/auth/oauth2/token', JSON_TYPE, credentials)
  assert.deepEqual(
    [answer.code, answer.body],
    [400, { error_description: 'Invalid client authentication', error: 'invalid_client' }],
  )
})

it('Payments USSD push: Unauthorized', () => {
  const headers = { 'X-Currency': 'UGX', 'X-Country': 'UG', Authorization: 'Bearer om1LTK7s6iRbDChQvhaFqSiAF4dPwKG0' }
  const answer = wireClient(UGANDA).call('POST', '/merchant/v1/payments/', { ...headers, ...JSON_TYPE }, PAYMENT)
  assert.equal(answer.code, 401)
  assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="service" error="invalid_token"/)
  assert.deepEqual(answer.body, {
    error_description: 'The access token is invalid or has expired',
    error: 'invalid_token',
  })
})

it('Payments USSD push: Success, in both versions', () => {
  for (const version of ['v1', 'v2']) {
    const client = wireClient(UGANDA)
    const answer = client.call(
      'POST',
      `/merchant/${version}/payments/`,
      { ...headersOf(client), ...JSON_TYPE },
      PAYMENT,
    )
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

it('Payments USSD push: the id exists', () => {
  const client = wireClient(UGANDA)
  const headers = { ...headersOf(client), ...JSON_TYPE }
  client.call('POST', '/merchant/v1/payments/', headers, PAYMENT)
  const answer = client.call('POST', '/merchant/v1/payments/', headers, PAYMENT)
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

it('Payments USSD push: I/O exception', () => {
  const client = wireClient(UGANDA)
  client.network.faults.on('gateway_times_out')
  const answer = client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, PAYMENT)
  assert.deepEqual(
    [answer.code, answer.body],
    [408, { status_message: 'I/O Exception', status_code: 'CONNECTION_TIMEOUT' }],
  )
})

it('Transaction inquiry: Success, asked with a token and no other header', async () => {
  const client = wireClient(UGANDA)
  client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, PAYMENT)
  await client.clock.advance(3_000)
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

it('Transaction inquiry: Failed', async () => {
  const client = wireClient({ ...UGANDA, msisdnLength: 8 })
  const payment = { ...PAYMENT, subscriber: { msisdn: '97000005' } }
  client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, payment)
  await client.clock.advance(3_000)
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

it('Refund: Success', async () => {
  for (const version of ['v1', 'v2']) {
    const client = wireClient(UGANDA)
    client.call('POST', '/merchant/v1/payments/', { ...headersOf(client), ...JSON_TYPE }, PAYMENT)
    await client.clock.advance(3_000)
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

it('Balance inquiry: Success, with the flag that says otherwise', () => {
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

it('Encryption keys: Success, with X-Country-Code', () => {
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
  // The sample's own: a key of 1024 bits, without a frame.
  assert.match(String(data.key), /^MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQ/)
  assert.equal(data.valid_upto, '16-11-2026 09:30:00')
})
