// Malformed and hostile requests: generated ones (promise 16), NUL and other control characters,
// inherited names such as `constructor`. Each gets an answer in our format, never a 5xx.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import type { z } from 'zod'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { ROUTES } from '../../src/dashboard-api/routes.ts'
import { simulatorToken } from '../../src/service/open-simulator.ts'
import { SIGNATURE_HEADER, signCallback } from '../../src/simulator/server.ts'
import { granted, TESTER } from '../kit/callers.ts'
import {
  anyJson,
  anyText,
  assertOurs,
  INHERITED_NAMES,
  mutated,
  namesInMessage,
  namesInText,
  SEED,
} from '../kit/generated.ts'
import { runKarba } from '../kit/karba.ts'
import { ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import {
  order as anyOrder,
  head,
  openTestService,
  order,
  postTo,
  signOrder,
} from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { address, byPhone, LINK, newLink } from '../links/payer.ts'
import { rawAnswerTo } from './general-errors.ts'

describe('promise 16: a generated request', async () => {
  /** A million in total in the long form. */
  const [BODIES, PATHS, HEADS, RAW] = [
    tries(1_000, 400_000),
    tries(500, 250_000),
    tries(500, 250_000),
    tries(300, 100_000),
  ]
  const run = (numRuns: number): fc.Parameters<unknown> => ({
    seed: SEED,
    numRuns,
    endOnFailure: true,
  })
  let drawn = 0

  /** Seeded randomness, so that keys and references are the same in every run. */
  const random = {
    bytes: (count: number): Uint8Array => {
      const blocks = Array.from({ length: Math.ceil(count / 32) }, () =>
        hash('sha256', `${SEED}:${++drawn}`, 'buffer'),
      )
      return Buffer.concat(blocks).subarray(0, count)
    },
  }

  let orders = 0
  const order = (change: Record<string, unknown> = {}): Record<string, unknown> =>
    anyOrder({ transaction_id: `fuzz-${++orders}`, ...change })

  const FIELDS = [
    'amount',
    'country',
    'currency',
    'msisdn',
    'transaction_id',
    'customer_name',
    '__proto__',
    'constructor',
  ]

  const mutatedOrder = mutated(FIELDS, order)

  const damagedOrder = fc
    .record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.uint8Array({ maxLength: 6 }),
      cut: fc.nat(8),
    })
    .map(({ at, bytes, cut }) => {
      const whole = Buffer.from(JSON.stringify(order()))
      const place = Math.floor(at * whole.length)
      return Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place + cut)])
    })

  const deepNesting = fc
    .tuple(fc.nat(9_000), fc.constantFrom('[', '{"a":', '[{"amount":'), fc.boolean())
    .map(([depth, opening, closed]) => {
      const closing = closed
        ? [...opening].reverse().join('').replace(/[^[{]/g, '').replaceAll('[', ']')
        : ''
      return opening.repeat(depth) + closing.replaceAll('{', '}').repeat(depth)
    })

  const repeatedKeys = fc
    .array(fc.tuple(fc.constantFrom(...FIELDS), anyJson), { maxLength: 12 })
    .map(
      (pairs) =>
        `{${pairs.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')}}`,
    )

  const anyBody: fc.Arbitrary<string | Buffer> = fc.oneof(
    { weight: 4, arbitrary: mutatedOrder },
    { weight: 2, arbitrary: damagedOrder },
    {
      weight: 2,
      arbitrary: anyText.map((name) => JSON.stringify(order({ transaction_id: name }))),
    },
    { weight: 1, arbitrary: anyText.map((name) => JSON.stringify(order({ customer_name: name }))) },
    { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: deepNesting },
    { weight: 1, arbitrary: repeatedKeys },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 60_000, max: 70_000 }).map((size) => ' '.repeat(size)),
    },
  )

  /** Characters that a request line may contain: everything printable but a space. */
  const pathText = fc.oneof(
    fc
      .string({ unit: 'grapheme-ascii', maxLength: 60 })
      .map((written) => written.replaceAll(' ', '+')),
    fc.string({
      unit: fc.constantFrom('%', '2', 'F', 'z', '/', '.', '?', '#', ';', ':', '\\', 'a'),
      maxLength: 20,
    }),
    anyText.map((name) => encodeURIComponent(name.toWellFormed())),
  )
  const anyPath = fc
    .tuple(
      fc.constantFrom(
        '/',
        '//',
        '/api/v1/',
        '/api/v1/payments',
        '/api/v1/payments/',
        '/%61pi/v1/payments/',
        '/api/v1/external_payments',
        '/api/v1/external_payments/',
      ),
      pathText,
    )
    .map(([start, rest]) => start + rest)

  const HEADERS = [
    'content-type',
    'authorization',
    'svc-target-environment',
    'svc-payment-type',
    'accept',
  ]

  const agent = new Agent({ keepAlive: true })
  const service = await openTestService(undefined, {}, { random })
  const { accounts } = await service.merchant()
  const sandbox = accounts.sandbox.secretKey
  const live = accounts.live.secretKey
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const port = (service.app.server.address() as AddressInfo).port
  after(() => {
    agent.destroy()
    return service.remove()
  })

  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<[number, string]> {
    const asked = request({ port, host: '127.0.0.1', agent, method, path, headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return [answer.statusCode as number, await text(answer)]
  }

  async function post(
    payload: string | Buffer,
    headers = head(sandbox),
  ): Promise<[number, string]> {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/payments',
      headers,
      payload,
    })
    return [answer.statusCode, answer.body]
  }

  it('with any body gets an answer in our format, and a created payment reads back the same', async () => {
    let created = 0
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const [code, answer] = await post(body)
        assertOurs(code, answer, [200, 400, 413, 422])
        if (code !== 200) return
        created++
        const sent = JSON.parse(body.toString())
        const path = `/api/v1/payments/${encodeURIComponent(sent.transaction_id)}`
        const [readCode, read] = await send('GET', path, head(sandbox))
        assert.equal(readCode, 200)
        const { external_reference, reference, msisdn, amount } = JSON.parse(read)
        assert.deepEqual(
          [external_reference, reference],
          [sent.transaction_id, JSON.parse(answer).reference],
        )
        assert.deepEqual([msisdn, amount], [sent.msisdn, sent.amount])
      }),
      run(BODIES),
    )
    tried(BODIES)
    assert.ok(
      created > BODIES / 4,
      `only ${created} bodies were good: the run would show nothing about reading back`,
    )
  })

  it('with any path gets an answer in our format', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'DELETE', 'PUT'),
        anyPath,
        async (method, path) => {
          const [code, answer] = await send(method, path, head(live))
          // The list of payments is a valid path; pages are not part of the API.
          if (!answer.startsWith('<!doctype')) assertOurs(code, answer, [200, 400, 404, 405])
        },
      ),
      run(PATHS),
    )
    tried(PATHS)
  })

  it('with any header values gets an answer in our format', async () => {
    const values = fc.dictionary(
      fc.constantFrom(...HEADERS),
      fc.oneof(
        fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
        fc.constantFrom(
          'application/json',
          'mobile',
          'live',
          'sandbox',
          'Bearer ',
          ', ',
          'application/json;',
          ';',
        ),
        fc
          .array(fc.integer({ min: 0x80, max: 0xff }), { maxLength: 20 })
          .map((codes) => String.fromCharCode(...codes)),
        fc
          .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 })
          .map((key) => `Bearer ${key}`),
      ),
      { maxKeys: 4 },
    )
    await fc.assert(
      fc.asyncProperty(values, fc.boolean(), async (changed, reads) => {
        const headers = { ...head(sandbox), ...changed }
        const [code, answer] = reads
          ? await send('GET', '/api/v1/payments/unknown', headers)
          : await post(JSON.stringify(order()), headers)
        assertOurs(code, answer, reads ? [400, 401, 404, 406] : [200, 400, 401, 406])
      }),
      run(HEADS),
    )
    tried(HEADS)
  })

  it('of raw bytes gets an answer in our format, or the server closes the connection', async () => {
    const lines = Object.entries(head(sandbox)).map(([name, value]) => `${name}: ${value}`)
    const top = [
      'POST /api/v1/payments HTTP/1.1',
      'Host: karba',
      ...lines,
      'Content-Length: 2',
      'Connection: close',
    ]
    const whole = Buffer.from([...top, '', '{}'].join('\r\n'))
    const damaged = fc
      .tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 4 }), fc.nat(6))
      .map(([at, bytes, cut]) =>
        Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + cut)]),
      )
    const garbage = fc
      .uint8Array({ minLength: 1, maxLength: 300 })
      .map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, garbage), async (bytes) => {
        // Damaged bytes may form two requests.
        for (const answer of (await rawAnswerTo(port, bytes, 'end')).split(/(?=HTTP\/1\.1 )/)) {
          if (answer === '') continue
          const [top, body] = answer.split('\r\n\r\n') as [string, string]
          assert.match(top, /^content-type: application\/json/im)
          assert.match(top, /^x-request-id: /im)
          assertOurs(Number(top.slice(9, 12)), body, [400, 401, 404, 405, 406, 413, 431])
        }
      }),
      run(RAW),
    )
    tried(RAW)
  })
})

// PostgreSQL accepts no NUL in a text.
describe('NUL', () => {
  const SHOP = 'https://shop.example'
  const FORM = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  }
  const ENCODED = ['%00', 'a%00b', '%01', '%C2%80', '%EF%BF%BF', '%ED%A0%80', '%FF']
  const UNKIND = ['\u0000', 'a\u0000b', '\ud800', '\uffff', '\u0001']

  type Request = {
    method: 'GET' | 'POST'
    url: string
    headers?: Record<string, string>
    payload?: string
  }

  for (const store of STORES)
    describe(`NUL on ${store.name}`, async () => {
      const service = await openTestService(store)
      const account = (await service.merchant()).accounts.sandbox
      granted(
        await changeCheckoutSettings(service, TESTER, {
          accountId: account.accountId,
          origins: [SHOP],
        }),
      )
      const link = await newLink(service, account.secretKey)
      after(() => service.remove())

      async function isAnswered(request: Request): Promise<void> {
        const { statusCode, body } = await service.app.inject({
          ...request,
          remoteAddress: address(),
        })
        assert.ok(
          statusCode < 500,
          `${request.method} ${request.url} ${request.payload ?? ''}: ${statusCode} ${body}`,
        )
      }

      it('in a path or a query', async () => {
        const headers = head(account.secretKey)
        for (const text of ENCODED) {
          for (const url of [
            `/simulator/pay/${text}`,
            `/pay/${text}`,
            `/pay/${text}/share`,
            `/pay/${text}/status`,
            `/pay/${link}?lang=${text}&embed=${text}&returned=${text}`,
            `/api/v1/external_payments/${text}`,
            `/operators/sandbox/${text}/callback`,
            `/operators/${text}/airtel_ne/callback`,
            `/checkout-${text}.js`,
          ]) {
            await isAnswered({ method: 'GET', url })
            await isAnswered({ method: 'POST', url, headers: FORM, payload: 'decision=approve' })
          }
          await isAnswered({ method: 'GET', url: `/api/v1/payments/${text}`, headers })
          await isAnswered({
            method: 'GET',
            url: `/api/v1/events?after=${text}&limit=${text}`,
            headers,
          })
          await isAnswered({
            method: 'GET',
            url: `/api/v1/events?after=evt_${text}&replays_after=${text}`,
            headers,
          })
        }
      })

      it('in any field of a body or a form', async () => {
        const page = {
          'content-type': 'application/json',
          authorization: `Bearer ${account.publicKey}`,
          origin: SHOP,
        }
        const whole = {
          ...LINK,
          description: 'x',
          transaction_id: 'x',
          customer_name: 'x',
          reference: 'x',
          order: 'x',
        }
        for (const text of UNKIND) {
          for (const field of Object.keys(order())) {
            const payload = JSON.stringify(order({ [field]: text }))
            await isAnswered({
              method: 'POST',
              url: '/api/v1/payments',
              headers: head(account.secretKey),
              payload,
            })
          }
          for (const field of [
            ...Object.keys(whole),
            'on_success_redirection_url',
            'on_failed_redirection_url',
          ]) {
            const payload = JSON.stringify({ ...LINK, [field]: text })
            const headers = head(account.secretKey)
            await isAnswered({ method: 'POST', url: '/api/v1/external_payments', headers, payload })
            await isAnswered({ method: 'POST', url: '/checkout/links', headers: page, payload })
          }
          for (const field of ['title', 'transaction_id', 'order_reference', 'expires_at']) {
            const signed = signOrder(account.secretKey, { ...LINK, [field]: text })
            await isAnswered({
              method: 'POST',
              url: '/checkout/links',
              headers: page,
              payload: JSON.stringify({ order: signed }),
            })
          }
          for (const field of [
            'method',
            'country',
            'msisdn',
            'attempt',
            'lang',
            'embed',
            'decision',
          ]) {
            const payload = `${new URLSearchParams({ ...byPhone('96123456'), [field]: text })}`
            await isAnswered({ method: 'POST', url: `/pay/${link}`, headers: FORM, payload })
            await isAnswered({
              method: 'POST',
              url: `/pay/${link}/abandon`,
              headers: FORM,
              payload,
            })
          }
        }
      })

      it('in a signed callback, as in one that is no JSON object', async () => {
        const token = simulatorToken(service.master)
        const bodies = [
          '',
          'x',
          '\u0000',
          'null',
          '12',
          '[]',
          '"x"',
          '{}',
          '{"reference":"\u0000"}',
          '{"reference":{}}',
        ]
        for (const payload of [
          ...bodies,
          JSON.stringify({ reference: 'a\u0000b'.padEnd(24, '0') }),
        ]) {
          const headers = {
            'content-type': 'application/json',
            [SIGNATURE_HEADER]: signCallback(token, payload),
          }
          const url = '/operators/sandbox/airtel_ne/callback'
          const { statusCode, body } = await service.app.inject({
            method: 'POST',
            url,
            headers,
            payload,
          })
          assert.deepEqual([statusCode, body], [401, '{"message":"Unauthorized"}'], payload)
        }
      })
    })
})

// Names that every JavaScript object inherits, in every part of a request and as command arguments.
describe('inherited names', async () => {
  interface Sent {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path: string
    headers: Record<string, string>
    body: string
  }

  const service = await openTestService(undefined, { KARBA_ROLE: 'api' })
  const merchant = await service.merchant()
  after(() => service.remove())

  /**
   * Each request comes from its own address: the tables are longer than the rate limit of one
   * address.
   */
  async function send({ method, path, headers, body }: Sent): Promise<number> {
    const payload = method === 'GET' ? {} : { payload: body }
    const sent = { method, url: path, headers, remoteAddress: address(), ...payload }
    const { statusCode, body: answer } = await service.app.inject(sent)
    assert.ok(
      statusCode < 500,
      `${statusCode} ${answer} to ${JSON.stringify({ method, path, headers, body })}`,
    )
    return statusCode
  }

  async function sendAll(requests: Sent[]): Promise<void> {
    for (const request of requests) {
      assert.ok(
        (await send(request)) < 400,
        `${request.method} ${request.path} is right before it is changed`,
      )
      for (const name of INHERITED_NAMES)
        for (const changed of namesInMessage(request, name)) await send(changed)
    }
  }

  it('merchant API: creates, reads, links, lists and events', async () => {
    const { secretKey } = merchant.accounts.sandbox
    const headers = head(secretKey)
    const link = { ...order(), title: 'Panier', description: 'Deux articles' }
    const forLinks = head(secretKey, { 'svc-payment-type': 'external_payment' })
    await sendAll([
      { method: 'POST', path: '/api/v1/payments', headers, body: JSON.stringify(order()) },
      {
        method: 'GET',
        path: '/api/v1/payments?status=failed&operator=mtn_bj&limit=10',
        headers,
        body: '',
      },
      { method: 'GET', path: '/api/v1/events?limit=10&after=0', headers, body: '' },
      {
        method: 'POST',
        path: '/api/v1/external_payments',
        headers: forLinks,
        body: JSON.stringify(link),
      },
    ])
  })

  it('payers’ pages: a link’s page and its forms', async () => {
    const headers = head(merchant.accounts.sandbox.secretKey, {
      'svc-payment-type': 'external_payment',
    })
    const made = await postTo(service, '/api/v1/external_payments', headers, {
      ...order(),
      title: 'A',
      description: 'B',
    })
    const path = `/pay/${made.body.reference}`
    const form = { ...ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }
    const browser = { 'accept-language': 'fr', cookie: 'karba-attempt=abc' }
    await sendAll([
      { method: 'GET', path: `${path}?lang=fr&embed=x`, headers: browser, body: '' },
      {
        method: 'POST',
        path,
        headers: form,
        body: 'lang=fr&method=mobile_money&country=NE&msisdn=96123456',
      },
    ])
  })

  it('dashboard: every field of every route', async () => {
    const { merchantId, accounts } = merchant
    const people = {
      owner: await signedIn(service, { at: merchantId, as: 'owner' }),
      administrator: await signedIn(service, { forServiceAs: 'administrator' }),
    }
    for (const { method, path, input } of ROUTES) {
      const who: SignedIn = path.startsWith('/console/') ? people.administrator : people.owner
      const fields = Object.keys((input as z.ZodObject).shape ?? {})
      const at = `/dashboard/api${path.replace(':accountId', accounts.sandbox.accountId)}`
      if (/\/(live|counter)$/.test(path) || path.includes('sign-out')) continue
      const headers = { ...ORIGIN, cookie: who.cookie, 'content-type': 'application/json' }
      for (const name of INHERITED_NAMES.slice(0, 2)) {
        const named = at.replaceAll(/:\w+/g, name)
        const body = JSON.stringify(
          Object.fromEntries([...fields, name].map((field) => [field, name])),
        )
        const query = [...fields, name].map((field) => `${field}=${name}`).join('&')
        await send({ method, path: `${named}?${query}`, headers, body })
        await send({ method, path: named, headers, body })
        for (const field of fields)
          await send({
            method,
            path: `${named}?${field}=${name}`,
            headers,
            body: JSON.stringify({ [field]: name }),
          })
      }
    }
  })

  it('pages and files: every segment of a path', async () => {
    const headers = {
      ...ORIGIN,
      accept: 'text/html',
      'accept-language': 'fr',
      'accept-encoding': 'br',
    }
    const addresses = ['/docs/errors', '/openapi.json', '/checkout.js', '/qr/x', '/robots.txt']
    for (const name of INHERITED_NAMES)
      for (const address of addresses)
        for (const path of namesInText(address, name))
          await send({ method: 'GET', path, headers, body: '' })
  })

  it('commands: as a command, an argument and an option', async () => {
    const { env } = service.place
    for (const args of [
      ['constructor'],
      ['payment', 'list', merchant.accounts.sandbox.accountId, '--status', 'constructor'],
      ['simulator', '--network', 'constructor'],
      ['audit', '__proto__'],
    ]) {
      const { code, stderr } = await runKarba(args, env)
      assert.ok(
        code === 1 || code === 2 || (code === 0 && args[0] === 'audit'),
        `${args.join(' ')}: ${code} ${stderr}`,
      )
      assert.doesNotMatch(stderr, /TypeError|\n\s+at /, args.join(' '))
    }
  })
})
