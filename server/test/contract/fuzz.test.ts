// Requests that no one should send, generated from a fixed seed: whatever comes, the service answers in its own shape,
// never with a 5xx, and what it accepted can be read back as it was sent.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyJson, anyText, assertOurs, mutated, SEED } from '../kit/generated.ts'
import { order as anyOrder, head, openTestService, type TestService } from '../kit/service.ts'
import { tried, tries } from '../kit/tries.ts'

/** Ten times and more of each kind than a test; together a million in the long form. */
const [BODIES, PATHS, HEADS, RAW] = [
  tries(2_000, 400_000),
  tries(1_500, 250_000),
  tries(1_500, 250_000),
  tries(750, 100_000),
]
const run = (numRuns: number): fc.Parameters<unknown> => ({ seed: SEED, numRuns, endOnFailure: true })

let drawn = 0

/** Randomness from the seed too, so that keys and references are the same in every run. */
const random = {
  bytes: (count: number): Uint8Array => {
    const blocks = Array.from({ length: Math.ceil(count / 32) }, () => hash('sha256', `${SEED}:${++drawn}`, 'buffer'))
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

/** A valid order whose text was then damaged: bytes changed, cut, or said twice. */
const damagedOrder = fc
  .record({ at: fc.double({ min: 0, max: 1, noNaN: true }), bytes: fc.uint8Array({ maxLength: 6 }), cut: fc.nat(8) })
  .map(({ at, bytes, cut }) => {
    const whole = Buffer.from(JSON.stringify(order()))
    const place = Math.floor(at * whole.length)
    return Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place + cut)])
  })

const deepNesting = fc
  .tuple(fc.nat(9_000), fc.constantFrom('[', '{"a":', '[{"amount":'), fc.boolean())
  .map(([depth, opening, closed]) => {
    const closing = closed ? [...opening].reverse().join('').replace(/[^[{]/g, '').replaceAll('[', ']') : ''
    return opening.repeat(depth) + closing.replaceAll('{', '}').repeat(depth)
  })

const repeatedKeys = fc
  .array(fc.tuple(fc.constantFrom(...FIELDS), anyJson), { maxLength: 12 })
  .map((pairs) => `{${pairs.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')}}`)

const anyBody: fc.Arbitrary<string | Buffer> = fc.oneof(
  { weight: 4, arbitrary: mutatedOrder },
  { weight: 2, arbitrary: damagedOrder },
  { weight: 2, arbitrary: anyText.map((name) => JSON.stringify(order({ transaction_id: name }))) },
  { weight: 1, arbitrary: anyText.map((name) => JSON.stringify(order({ customer_name: name }))) },
  { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: deepNesting },
  { weight: 1, arbitrary: repeatedKeys },
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 70_000 }).map((size) => ' '.repeat(size)) },
)

/** What may stand in a request line: everything printable but a space. */
const pathText = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((written) => written.replaceAll(' ', '+')),
  fc.string({ unit: fc.constantFrom('%', '2', 'F', 'z', '/', '.', '?', '#', ';', ':', '\\', 'a'), maxLength: 20 }),
  anyText.map((name) => encodeURIComponent(name.toWellFormed())),
)
const anyPath = fc
  .tuple(
    fc.constantFrom(
      ...['/', '//', '/api/v1/', '/api/v1/payments', '/api/v1/payments/', '/%61pi/v1/payments/'],
      ...['/api/v1/external_payments', '/api/v1/external_payments/'],
    ),
    pathText,
  )
  .map(([start, rest]) => start + rest)

const HEADERS = ['content-type', 'authorization', 'svc-target-environment', 'svc-payment-type', 'accept']

describe('a generated request', () => {
  let service: TestService
  let sandbox: string
  /** Its account has no payments: no path can name one. */
  let live: string
  let port: number
  const agent = new Agent({ keepAlive: true })

  before(async () => {
    service = await openTestService(undefined, {}, { random })
    const { accounts } = await service.merchant()
    sandbox = accounts.sandbox.secretKey
    live = accounts.live.secretKey
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    port = (service.app.server.address() as AddressInfo).port
  })
  after(() => {
    agent.destroy()
    return service.remove()
  })

  async function send(method: string, path: string, headers: Record<string, string>): Promise<[number, string]> {
    const asked = request({ port, host: '127.0.0.1', agent, method, path, headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return [answer.statusCode as number, await text(answer)]
  }

  async function post(payload: string | Buffer, headers = head(sandbox)): Promise<[number, string]> {
    const answer = await service.app.inject({ method: 'POST', url: '/api/v1/payments', headers, payload })
    return [answer.statusCode, answer.body]
  }

  it('with any body is answered in our shape, and what was created reads back the same', async () => {
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
        assert.equal(external_reference, sent.transaction_id)
        assert.equal(reference, JSON.parse(answer).reference)
        assert.deepEqual([msisdn, amount], [sent.msisdn, sent.amount])
      }),
      run(BODIES),
    )
    tried(BODIES)
    assert.ok(created > 500, `only ${created} bodies were good: the run would show nothing about reading back`)
  })

  it('with any path is answered in our shape', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('GET', 'POST', 'DELETE', 'PUT'), anyPath, async (method, path) => {
        const [code, answer] = await send(method, path, head(live))
        // The list of payments is an address with an answer; whatever is a page is not the API's.
        if (!answer.startsWith('<!doctype')) assertOurs(code, answer, [200, 400, 404, 405])
      }),
      run(PATHS),
    )
    tried(PATHS)
  })

  it('with any header values is answered in our shape', async () => {
    const values = fc.dictionary(
      fc.constantFrom(...HEADERS),
      fc.oneof(
        fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
        fc.constantFrom('application/json', 'mobile', 'live', 'sandbox', 'Bearer ', ', ', 'application/json;', ';'),
        fc.array(fc.integer({ min: 0x80, max: 0xff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes)),
        fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 }).map((key) => `Bearer ${key}`),
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

  it('of raw bytes is answered in our shape, or the connection is closed without a word', async () => {
    const lines = Object.entries(head(sandbox)).map(([name, value]) => `${name}: ${value}`)
    const whole = Buffer.from(
      [
        'POST /api/v1/payments HTTP/1.1',
        'Host: karba',
        ...lines,
        'Content-Length: 2',
        'Connection: close',
        '',
        '{}',
      ].join('\r\n'),
    )
    const damaged = fc
      .tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 4 }), fc.nat(6))
      .map(([at, bytes, cut]) => Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + cut)]))
    const garbage = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, garbage), async (bytes) => {
        // What was damaged may have become two requests.
        for (const answer of (await sayAndListen(port, bytes)).split(/(?=HTTP\/1\.1 )/)) {
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

/** Says these bytes and no more, and hears the answer out. */
async function sayAndListen(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  // A server that hangs up while we still speak is a reset; what it said before counts.
  socket.on('error', () => {})
  socket.end(bytes)
  await once(socket, 'close')
  return heard
}
