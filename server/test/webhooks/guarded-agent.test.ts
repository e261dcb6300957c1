// Promise 12, the connections: DNS that changes its mind, answers that mix good and bad, a peer that is not who was called. The one
// allowed address, 127.0.0.1, stands for the public internet; all others lead to the same server and must never be reached.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import tls from 'node:tls'
import fc from 'fast-check'
import type { GuardedAgentDeps } from '../../src/webhooks/guarded-agent.ts'
import { readAllowedTargets } from '../../src/webhooks/safe-address.ts'
import { type Attempt, type WebhookSender, webhookSender } from '../../src/webhooks/send.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'
import { FORBIDDEN_ANSWERS } from './forbidden-forms.ts'
import { answering, type Loopback, listen, wallClock } from './loopback.ts'
import { makeCertificate } from './test-certificate.ts'

const SEED = 20_261_115
const TRIES = tries(100, 1_000)
const TIMEOUT_MS = 5_000
const PUBLIC = '127.0.0.1'

let opened: { close(): Promise<void> }[] = []

function senderTo(allowed: string, lookup?: GuardedAgentDeps['lookup']): WebhookSender {
  const rules = { allowPlainHttp: true, allowed: readAllowedTargets(allowed) }
  return kept(webhookSender({ clock: wallClock, rules, timeoutMs: TIMEOUT_MS, ...(lookup && { lookup }) }))
}

/** Until the test is over, however it ends. */
function kept<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one)
  return one
}

const post = (sender: WebhookSender, url: string): Promise<Attempt> => sender.send({ url, headers: {}, body: '{}' })

afterEach(async () => {
  const closing = opened
  opened = []
  await Promise.all(closing.map((one) => one.close()))
})

describe('promise 12: DNS', () => {
  const SAME = [PUBLIC, '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1']
  const BAD = FORBIDDEN_ANSWERS.filter((address) => !SAME.includes(address))
  let server: Loopback

  before(async () => {
    server = await listen((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'))
    })
  })
  after(() => server.close())

  it('that changes after the check has no say: a connection asks once, and goes where the answer was checked', async () => {
    const asked = new Map<string, number>()
    const sender = senderTo(PUBLIC, async (host) => {
      const times = (asked.get(host) ?? 0) + 1
      asked.set(host, times)
      return [times === 1 ? PUBLIC : (BAD[times % BAD.length] as string)]
    })
    const before = server.reached.length
    for (let n = 0; n < TRIES; n++) {
      const host = `try-${n}.example.com`
      const url = `http://${host}:${server.port}/`
      assert.equal((await post(sender, url)).status, 200)
      assert.equal(asked.get(host), 1)
      for (let again = 0; again < 3; again++) {
        assert.equal(
          (await post(sender, url)).error,
          `the address is not allowed: ${host} does not lead to a public address.`,
        )
      }
      assert.equal(asked.get(host), 4)
    }
    assert.deepEqual(server.reached.slice(before), Array(TRIES).fill(PUBLIC))
    tried(TRIES)
  })

  it('that mixes allowed and forbidden answers gets no connection, whatever the order', async () => {
    const anyAnswer = fc.array(fc.oneof(fc.constant(PUBLIC), fc.constantFrom(...BAD)), { maxLength: 4 })
    let answer: string[] = []
    const sender = senderTo(PUBLIC, async () => answer)
    let expected = server.reached.length
    let mixed = 0
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (drawn) => {
        answer = drawn
        const good = drawn.length > 0 && drawn.every((address) => address === PUBLIC)
        if (good) expected++
        else if (drawn.includes(PUBLIC)) mixed++
        const { status } = await post(sender, `http://hooks.example.com:${server.port}/`)
        assert.equal(status, good ? 200 : null)
        assert.equal(server.reached.length, expected)
      }),
      { seed: SEED, numRuns: TRIES, endOnFailure: true },
    )
    assert.ok(mixed > TRIES / 10)
    tried(TRIES)
    assert.deepEqual([...new Set(server.reached)], [PUBLIC])
  })

  it('that answers with thousands of addresses has sixteen of them checked and tried', async () => {
    const many = [...Array.from({ length: 16 }, () => PUBLIC), ...Array.from({ length: 6_000 }, () => '10.0.0.1')]
    const url = `http://hooks.example.com:${server.port}/`
    assert.equal(
      (
        await post(
          senderTo(PUBLIC, async () => many),
          url,
        )
      ).status,
      200,
    )
    const { error } = await post(
      senderTo(PUBLIC, async () => many.slice(1)),
      url,
    )
    assert.match(error ?? '', /does not lead to a public address/)
  })

  // The next event may find the connection not quite free yet, and opens a second one; never a third.
  it('is not asked about an address, and not asked again while connections are kept', async () => {
    const server = kept(await listen())
    let asked = 0
    const sender = senderTo(PUBLIC, async () => {
      asked++
      return [PUBLIC]
    })
    for (let n = 0; n < 5; n++) assert.equal((await post(sender, `http://${PUBLIC}:${server.port}/`)).status, 200)
    assert.equal(asked, 0)
    for (let n = 0; n < 5; n++) assert.equal((await post(sender, `http://a.example.com:${server.port}/`)).status, 200)
    assert.ok(asked <= 2, `asked ${asked} times`)
  })
})

describe('promise 12: the peer', () => {
  // The system connects 0.0.0.0 to 127.0.0.1 (Windows to nothing), so the checked address and the peer are not the same.
  for (const scheme of ['http', 'https']) {
    it(`that is another than the one called is sent no byte (${scheme})`, async () => {
      const server = kept(await listen())
      const { status, error } = await post(senderTo('0.0.0.0'), `${scheme}://0.0.0.0:${server.port}/`)
      assert.equal(status, null)
      assert.match(error as string, /^the address is not allowed: 0\.0\.0\.0 is not|^the host cannot be reached$/)
      if (process.platform !== 'win32')
        await until('connection that has ended', () => server.reached.length === 1 && server.open() === 0)
      assert.equal(server.bytes(), 0)
    })
  }
})

describe('an allowed target', () => {
  const TARGETS: [allowed: string, host: string, answer: string[] | undefined, reached: string][] = [
    ['127.0.0.0/8', '127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.0/8', '[::ffff:127.0.0.1]', undefined, '127.0.0.1'],
    ['::1', '[::1]', undefined, '::1'],
    ['shop.internal', 'shop.internal', ['127.0.0.1'], '127.0.0.1'],
    ['shop.internal', 'shop.internal', ['::1', '127.0.0.1'], '::1'],
    ['127.0.0.1', 'hooks.example.com', ['127.0.0.1'], '127.0.0.1'],
  ]
  for (const [allowed, host, answer, reached] of TARGETS) {
    it(`is reached: ${host}${answer ? ` at ${answer}` : ''} when ${allowed} is listed`, async () => {
      const server = kept(await listen())
      const sender = senderTo(allowed, answer && (async () => answer))
      const { status, answer: text, error } = await post(sender, `http://${host}:${server.port}/`)
      assert.deepEqual([status, text, error], [200, 'ok', null])
      assert.deepEqual(server.reached, [reached])
    })
  }

  it('is looked up by the system when nobody else does', async () => {
    const server = kept(await listen(answering('HTTP/1.1 204 No Content\r\n\r\n')))
    assert.equal((await post(senderTo('localhost'), `http://localhost:${server.port}/`)).status, 204)
  })

  it('is reached at its second address when the first does not answer', async () => {
    const server = kept(await listen())
    // Nobody has this address, and a refused connection is the quickest of its failures.
    const sender = senderTo('shop.internal', async () => ['255.255.255.255', '127.0.0.1'])
    assert.equal((await post(sender, `http://shop.internal:${server.port}/`)).status, 200)
  })
})

describe('a certificate', () => {
  const CERTIFICATES = {
    good: makeCertificate('hooks.example.com'),
    other: makeCertificate('other.example.com'),
    expired: makeCertificate('hooks.example.com', { expired: true }),
    stranger: makeCertificate('hooks.example.com'),
  }
  const CASES: [which: keyof typeof CERTIFICATES, error: RegExp | null][] = [
    ['good', null],
    ['other', /^the certificate is not valid for this name$/],
    ['expired', /^the certificate has expired$/],
    ['stranger', /^the certificate is not signed by a known authority/],
  ]
  const trusted = tls.getCACertificates('default')
  let server: Server

  before(() => {
    const { stranger: _, ...known } = CERTIFICATES
    tls.setDefaultCACertificates(Object.values(known).map(({ cert }) => cert))
  })
  after(() => tls.setDefaultCACertificates(trusted))
  afterEach(async () => {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
  })

  for (const [which, error] of CASES) {
    it(`that is ${which} ${error === null ? 'is taken, for the name and not for the address' : 'is told as what it is'}`, async () => {
      let requests = 0
      let names: (string | false | null)[] = []
      server = createServer(CERTIFICATES[which], (request, response) => {
        requests++
        names = [
          (request.socket as tls.TLSSocket).servername,
          request.headers.host ?? null,
          (request.socket as tls.TLSSocket).alpnProtocol,
        ]
        response.end()
      })
      await new Promise<void>((resolve) => server.listen(0, PUBLIC, resolve))
      const { port } = server.address() as AddressInfo
      const attempt = await post(
        senderTo(PUBLIC, async () => [PUBLIC]),
        `https://hooks.example.com:${port}/`,
      )
      if (error === null) {
        assert.deepEqual([attempt.status, attempt.error], [200, null])
        assert.deepEqual(names, ['hooks.example.com', `hooks.example.com:${port}`, 'http/1.1'])
      } else {
        assert.match(attempt.error as string, error)
        assert.equal(requests, 0)
      }
    })
  }
})
