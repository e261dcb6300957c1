// Every error of spec §7 and D-05 with its exact status, body and headers (D-62); and the headers
// that all answers share.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { type Answer, get, head, openTestService, order, post, postTo } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { LINK, postLink, readLink } from '../links/payer.ts'
import { rawAnswerTo } from './general-errors.ts'

const service = await openTestService()
const { accounts } = await service.merchant()
const keys = { sandbox: accounts.sandbox.secretKey, live: accounts.live.secretKey }
for (const key of [keys.sandbox, keys.live])
  await post(service, key, order({ transaction_id: 'taken' }))
after(() => service.remove())

describe('errors', () => {
  type Row = [about: string, send: () => Promise<Answer>, http: number, body: object]
  type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS'
  const create =
    (change: object, key: keyof typeof keys = 'sandbox') =>
    () =>
      post(service, keys[key], order({ ...change }))
  const anyRequest = (method: Method, url: string) => async (): Promise<Answer> => {
    const answer = await service.app.inject({ method, url })
    return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
  }
  const EXTERNAL_REFERENCE = { status: 'failed', message: 'External Reference Not Valid' }

  // The errors of headers are in head-table.test.ts, those of bodies in body-order.test.ts and
  // links/creating.test.ts.
  const ROWS: Row[] = [
    [
      'an unknown reference',
      () => get(service, keys.sandbox, 'unknown'),
      404,
      { message: 'Payment Not Found' },
    ],
    ['an unknown link', () => readLink(service, 'unknown'), 404, { message: 'Payment Not Found' }],
    [
      'a transaction_id used before in live',
      create({ transaction_id: 'taken' }, 'live'),
      422,
      EXTERNAL_REFERENCE,
    ],
    [
      'a transaction_id used before in sandbox',
      create({ transaction_id: 'taken' }),
      422,
      EXTERNAL_REFERENCE,
    ],
    [
      'a body over 64 KiB',
      create({ note: 'x'.repeat(65_536) }),
      413,
      { message: 'Payload Too Large' },
    ],
    ...[
      'GET /nothing',
      'POST /api/v2/payments',
      'GET /payments/x',
      'GET /api//v1/payments/x',
      'GET /API/v1/payments/x',
      'GET /%zz%',
    ].map(
      (call): Row => [
        call,
        anyRequest(...(call.split(' ') as [Method, string])),
        404,
        { message: 'Not Found' },
      ],
    ),
  ]

  describe('an error', () => {
    for (const [about, send, http, body] of ROWS)
      it(`for ${about} is ${http} ${JSON.stringify(body)}`, async () => {
        const answer = await send()
        assert.deepEqual([answer.code, answer.body], [http, body])
      })

    const WRONG_METHODS: [allow: string, calls: string[]][] = [
      [
        'POST, GET',
        ['PUT /api/v1/payments', 'DELETE /api/v1/payments?x=1', 'DELETE /api/v1/payments/x/refund'],
      ],
      [
        'GET',
        ['POST /api/v1/account', 'POST /api/v1/payments/x/refund/', 'POST /api/v1/payments/refund'],
      ],
      [
        'GET',
        ['POST /api/v1/payments/x', 'PATCH /api/v1/payments/x', 'DELETE /api/v1/payments/%zz'],
      ],
      [
        'GET',
        ['OPTIONS /api/v1/payments/a/b', 'POST /api/v1/external_payments/x', 'POST /healthz'],
      ],
      ['POST', ['DELETE /api/v1/external_payments/x/cancel', 'GET /api/v1/external_payments']],
      ['POST, PUT', ['GET /operators/sandbox/airtel_ne/callback']],
    ]
    for (const [allow, calls] of WRONG_METHODS)
      for (const call of calls)
        it(`for ${call} is 405 and allows ${allow}`, async () => {
          const answer = await anyRequest(...(call.split(' ') as [Method, string]))()
          assert.deepEqual([answer.code, answer.body], [405, { message: 'Method Not Allowed' }])
          assert.equal(answer.headers.allow, allow)
        })

    it('for live without operators in production is 403, after the body checks; sandbox is not affected', async () => {
      const production = await openTestService(STORES[0], { KARBA_MODE: 'production' })
      try {
        const { accounts } = await production.merchant()
        const { code, body } = await post(production, accounts.live.secretKey, order())
        assert.deepEqual([code, body], [403, { message: 'Forbidden: Environment Not Available' }])
        assert.equal(
          (await post(production, accounts.live.secretKey, order({ amount: 1 }))).code,
          400,
        )
        assert.equal((await get(production, accounts.live.secretKey, 'x')).code, 404)
        assert.equal((await post(production, accounts.sandbox.secretKey, order())).code, 200)
      } finally {
        await production.remove()
      }
    })
  })

  it('every answer is JSON and has its own X-Request-Id', async () => {
    const sends = [
      ...ROWS.map(([, send]) => send),
      create({}),
      () => post(service, keys.sandbox, order(), { 'svc-payment-type': undefined }),
      () => get(service, keys.sandbox, 'taken'),
      anyRequest('DELETE', '/api/v1/payments'),
      anyRequest('GET', '/healthz'),
      anyRequest('GET', '/readyz'),
    ]
    const seen = new Set<unknown>()
    for (const send of sends) {
      const { headers } = await send()
      assert.match(`${headers['content-type']}`, /^application\/json(; charset=utf-8)?$/)
      assert.match(`${headers['x-request-id']}`, /^\S{8,}$/)
      seen.add(headers['x-request-id'])
    }
    assert.equal(seen.size, sends.length)
  })

  describe('raw bytes on the socket', async () => {
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    const port = (service.app.server.address() as AddressInfo).port
    const BAD_REQUEST = { message: 'Bad Request' }
    const TOO_LARGE = { message: 'Request Header Fields Too Large' }
    const LAST = 'Host: karba\r\nConnection: close\r\n\r\n'
    const BYTES: [about: string, bytes: string | Buffer, http: number, body?: object][] = [
      ['that are no HTTP', 'hello\r\n\r\n', 400, BAD_REQUEST],
      ['of a TLS greeting', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), 400, BAD_REQUEST],
      ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, BAD_REQUEST],
      ['of an unknown method', `FETCH / HTTP/1.1\r\n${LAST}`, 400, BAD_REQUEST],
      ['with a header that has no name', `GET / HTTP/1.1\r\n: x\r\n${LAST}`, 400, BAD_REQUEST],
      ['with accents in the path', `GET /api/v1/payments/é HTTP/1.1\r\n${LAST}`, 400, BAD_REQUEST],
      [
        'with a length that is no number',
        `POST / HTTP/1.1\r\nContent-Length: x\r\n${LAST}`,
        400,
        BAD_REQUEST,
      ],
      [
        'with two lengths',
        `POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${LAST}`,
        400,
        BAD_REQUEST,
      ],
      [
        'of a broken chunk',
        `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${LAST}zz\r\n`,
        400,
        BAD_REQUEST,
      ],
      [
        'with a header of 20,000 bytes',
        `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n${LAST}`,
        431,
        TOO_LARGE,
      ],
      [
        'with 3,000 headers',
        `GET / HTTP/1.1\r\n${'X-Y: zzz\r\n'.repeat(3_000)}${LAST}`,
        431,
        TOO_LARGE,
      ],
      [
        'with a path of 20,000 bytes',
        `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${LAST}`,
        431,
        TOO_LARGE,
      ],
      ['without a Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, BAD_REQUEST],
      ['with an unsupported Expect header', `GET /healthz HTTP/1.1\r\nExpect: tea\r\n${LAST}`, 200],
      ['for the whole server', `OPTIONS * HTTP/1.1\r\n${LAST}`, 404, { message: 'Not Found' }],
    ]
    for (const [about, bytes, http, body] of BYTES)
      it(`${about} get ${http} as JSON`, async () => {
        const [top, text] = (await rawAnswerTo(port, bytes)).split('\r\n\r\n') as [string, string]
        assert.match(top, new RegExp(`^HTTP/1.1 ${http} `))
        assert.match(top, /^content-type: application\/json/im)
        assert.match(top, /^x-request-id: \S{8,}/im)
        assert.deepEqual(JSON.parse(text), body ?? JSON.parse(text))
      })
  })
})

describe('error headers', () => {
  const key = keys.sandbox
  const create = (change: object) => () => post(service, key, order({ ...change }))
  const withHead = (change: Record<string, string | undefined>) => () =>
    post(service, key, order(), change)
  const link = (change: object) => () => postLink(service, key, { ...LINK, ...change })
  const raw = (body: string) => () => postTo(service, '/api/v1/payments', head(key), body)
  const feed = (query: string) => () => ask('GET', `/api/v1/events?${query}`)
  async function ask(method: 'GET' | 'DELETE', url: string): Promise<Answer> {
    const {
      statusCode: code,
      headers,
      ...answer
    } = await service.app.inject({ method, url, headers: head(key) })
    return { code, headers, body: answer.json() }
  }

  const [ENVIRONMENT, FAILED_URL] = ['Svc-Target-Environment', 'on_failed_redirection_url']
  type Row = [about: string, send: () => Promise<Answer>, code: string, param: string | undefined]
  const ROWS: Row[] = [
    ...['Content-Type', 'Authorization', ENVIRONMENT, 'Svc-Payment-Type'].map(
      (name): Row => [
        `no ${name}`,
        withHead({ [name.toLowerCase()]: undefined }),
        'header_missing',
        name,
      ],
    ),
    [
      'two headers less',
      withHead({ authorization: '', 'svc-payment-type': '' }),
      'header_missing',
      'Authorization',
    ],
    [
      'no valid environment',
      withHead({ [ENVIRONMENT.toLowerCase()]: 'x' }),
      'environment_not_allowed',
      ENVIRONMENT,
    ],
    ['a body that is not JSON', raw('{'), 'body_incomplete', undefined],
    ['an empty object', raw('{}'), 'body_incomplete', undefined],
    [
      'no transaction_id',
      create({ transaction_id: undefined }),
      'body_incomplete',
      'transaction_id',
    ],
    ['a blank number', create({ msisdn: ' ' }), 'body_incomplete', 'msisdn'],
    ['an amount with a space', create({ amount: '15 000' }), 'amount_not_valid', 'amount'],
    [
      'a taken transaction_id',
      create({ transaction_id: 'taken' }),
      'external_reference_taken',
      'transaction_id',
    ],
    ['a link without an amount', link({ amount: undefined }), 'link_body_incomplete', 'amount'],
    ['a link without a title', link({ title: '' }), 'link_body_incomplete', 'title'],
    [
      'an ftp redirection URL',
      link({ [FAILED_URL]: 'ftp://x' }),
      'redirection_url_not_valid',
      FAILED_URL,
    ],
    ['an unknown payment', () => get(service, key, 'unknown'), 'payment_not_found', undefined],
    ['an unknown link', () => readLink(service, 'unknown'), 'payment_not_found', undefined],
    ['a feed with an invalid after', feed(`after=${'1'.repeat(41)}`), 'after_not_valid', 'after'],
    [
      'replays with an invalid replays_after',
      feed('replays_after=x'),
      'after_not_valid',
      'replays_after',
    ],
    ['an unknown address', () => ask('GET', '/api/v2'), 'not_found', undefined],
    ['an unknown method', () => ask('DELETE', '/api/v1/payments'), 'method_not_allowed', undefined],
    ['a long body', create({ note: 'x'.repeat(70_000) }), 'payload_too_large', undefined],
  ]

  for (const [about, send, code, param] of ROWS)
    it(`${about}: ${code}${param === undefined ? '' : ` about ${param}`}`, async () => {
      const { headers } = await send()
      assert.deepEqual([headers['svc-error-code'], headers['svc-error-param']], [code, param])
    })

  it('a success has neither header', async () => {
    const { headers } = await post(service, key, order())
    assert.equal('svc-error-code' in headers || 'svc-error-param' in headers, false)
  })
})
