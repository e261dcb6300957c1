// Promise 12: no connection reaches an address that is not public, in any spelling and with any DNS
// answer.

import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import tls from 'node:tls'
import fc from 'fast-check'
import { Agent } from 'undici'
import { AddressRefused } from '../../src/webhooks/failure-text.ts'
import {
  type GuardedAgentDeps,
  guardedAgent,
  hostResolver,
  type Lookup,
} from '../../src/webhooks/guarded-agent.ts'
import {
  checkTarget,
  mayReach,
  readAllowedTargets,
  type TargetRules,
} from '../../src/webhooks/safe-address.ts'
import { type Attempt, type WebhookSender, webhookSender } from '../../src/webhooks/send.ts'
import { URL_FAULTS } from '../../src/wire/refusals/webhook-refusals.ts'
import { certificateOf } from '../kit/certificate.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'
import { FORBIDDEN_ANSWERS, FORBIDDEN_URLS, NO_URLS, PUBLIC_HOSTS } from './forbidden-forms.ts'
import { answering, closedAfterEach, type Loopback, listen, wallClock } from './loopback.ts'

// Each form meets the check of the text, the sender, and the agent alone, as if the check of the
// text had been bypassed.
describe('spellings of addresses', () => {
  const OPEN: TargetRules = { allowPlainHttp: true, allowed: [] }
  const CLOSED: TargetRules = { allowPlainHttp: false, allowed: [] }
  const TIMEOUT_MS = 5_000
  const rulesFor = (allowed: string): TargetRules => ({
    allowPlainHttp: false,
    allowed: readAllowedTargets(allowed),
  })
  const isRefused = (text: string, rules: TargetRules): boolean =>
    'fault' in checkTarget(text, rules)

  describe('promise 12: a forbidden address', async () => {
    const deps = {
      clock: wallClock,
      rules: OPEN,
      timeoutMs: TIMEOUT_MS,
      lookup: async () => ['127.0.0.1', '::1'],
    }
    const agent = guardedAgent(deps)
    const sender = webhookSender(deps)
    const server = await listen()
    const written = FORBIDDEN_URLS.map((form) => form.replace('PORT', String(server.port)))
    const forms = [...written, ...written.map((form) => form.replace(/^( ?)http/i, '$1https'))]
    after(async () => {
      await Promise.all([agent.close(), sender.close(), server.close()])
    })

    it('is refused in every spelling, before any look-up', () => {
      assert.ok(
        new Set(FORBIDDEN_URLS).size === FORBIDDEN_URLS.length && FORBIDDEN_URLS.length >= 190,
      )
      const accepted = [...forms, ...NO_URLS].filter((form) => !isRefused(form, OPEN))
      assert.deepEqual(accepted, [])
    })

    it('gets no connection from the sender', async () => {
      for (const url of [
        ...forms,
        ...NO_URLS.map((form) => form.replace('PORT', String(server.port))),
      ]) {
        const { status, error } = await sender.send({ url, headers: {}, body: '{}' })
        assert.equal(status, null, url)
        assert.match(error as string, /^the address is not allowed: [A-Z].*\.$/, url)
      }
      assert.deepEqual(server.reached, [])
    })

    it('gets no connection from the agent, where only the socket guard is left', async () => {
      const origins = forms
        .map((form) => URL.parse(form)?.origin)
        .filter((origin) => origin !== undefined)
      assert.equal(origins.length, forms.length)
      for (const origin of new Set(origins))
        await assert.rejects(
          agent.request({ origin, path: '/', method: 'POST' }),
          AddressRefused,
          origin,
        )
      assert.deepEqual(server.reached, [])
    })

    it('would be reached without the guard: the spellings and the server are real', async () => {
      const here = /^(127\.|0\.0\.0\.0$|\[::1?\]$|\[::ffff:7f00:)/
      const plain = new Agent({ connect: { timeout: TIMEOUT_MS } })
      const real = forms.filter((form) => {
        const url = URL.parse(form)
        return url?.protocol === 'http:' && url.port !== '' && here.test(url.hostname)
      })
      for (const form of real) {
        const { body } = await plain.request({
          origin: new URL(form).origin,
          path: '/',
          method: 'POST',
          reset: true,
        })
        await body.dump()
      }
      await plain.close()
      assert.ok(real.length > 60, `${real.length} forms`)
      assert.equal(server.reached.length, real.length)
    })

    it('is never reached through a name that resolves to it', () => {
      for (const answer of FORBIDDEN_ANSWERS)
        assert.ok(!mayReach(answer, 'hooks.example.com', OPEN), answer)
    })
  })

  describe('a webhook address', () => {
    it('that is public is accepted, also next to a forbidden range', () => {
      for (const host of PUBLIC_HOSTS) {
        assert.ok(!isRefused(`https://${host}/hook?shop=7`, CLOSED), host)
        assert.ok(!isRefused(`https://${host}:8443/`, CLOSED), host)
      }
    })

    const REFUSED: [url: string, says: RegExp][] = [
      ['http://example.com/', /^Use https:\/\/ instead of http:\/\//],
      ['example.com/hook', /begins with https:\/\//],
      ['https://user:password@example.com/', /user name and password/],
      ['https://@example.com/', /user name and password/],
      ['https://example.com/#here', /Leave out the #/],
      ['https://example.com/#', /Leave out the #/],
      ['https://example.com/two words', /without spaces/],
      ['https://example.com\\hook', /backslashes/],
      ['https://exa..mple.com/', /Check the host name/],
      ['https://example.com../', /Check the host name/],
      [`https://example.com/${'a'.repeat(2_029)}`, /at most 2048/],
      ['https://localhost/', /works only inside a private network/],
      ['https://192.168.1.1/', /this address is not public/],
    ]
    for (const [url, says] of REFUSED)
      it(`${JSON.stringify(url.slice(0, 40))} is refused with an instruction: ${says.source}`, () => {
        const answer = checkTarget(url, CLOSED)
        assert.match('fault' in answer ? URL_FAULTS[answer.fault].en : 'taken', says)
      })

    it('of 2,048 characters is accepted', () =>
      assert.ok(!isRefused(`https://example.com/${'a'.repeat(2_028)}`, CLOSED)))

    it('is normalised: one spelling, without the trailing dot', () => {
      const answer = checkTarget('HTTPS://Hooks.Example.COM.:443/a%20b?c=d', CLOSED)
      assert.equal('url' in answer && answer.url.href, 'https://hooks.example.com/a%20b?c=d')
    })

    const LISTED: [allowed: string, accepted: string[], refused: string[]][] = [
      [
        '127.0.0.0/8',
        ['127.0.0.1:3000', '0x7f.1:3000', '[::ffff:127.0.0.1]:3000'],
        ['[::1]:3000', 'localhost:3000', '10.0.0.1', '1.1.1.1'],
      ],
      ['::1', ['[::1]'], ['[::2]']],
      ['10.1.2.0/24', ['https://10.1.2.255/'], ['https://10.1.3.0/']],
      ['fd00::/8', ['https://[fd12::1]/'], []],
      ['localhost', ['localhost:3000', 'LOCALHOST.:3000'], ['127.0.0.1:3000', 'shop.localhost']],
      [' Shop.Internal , bücher.local', ['shop.internal'], []],
      ['shop.internal,bücher.local', ['xn--bcher-kva.local'], []],
      ['example.com', ['example.com'], []],
      ['', [], ['example.com']],
    ]
    for (const [allowed, accepted, refused] of LISTED)
      for (const host of [...accepted, ...refused]) {
        const url = host.includes('://') ? host : `http://${host}/`
        const taken = accepted.includes(host)
        it(`${url} is ${taken ? 'accepted' : 'refused'} when the list is ${JSON.stringify(allowed)}`, () =>
          assert.equal(isRefused(url, rulesFor(allowed)), !taken))
      }

    for (const bad of [
      '127.0.0.0/33',
      '::1/129',
      '1.2.3.4/',
      '1.2.3.4/8/8',
      '127.1',
      '0x7f.1',
      '*.local',
      'a b',
      'http://a',
      'a:80',
      '[::1]',
      'a..b',
      'fe80::1%lo',
      '/8',
    ]) {
      it(`allow-list with ${JSON.stringify(bad)} is refused with a reason`, () => {
        assert.throws(() => readAllowedTargets(`localhost,${bad}`), {
          message: `must be a list like 127.0.0.0/8,::1,localhost: addresses, ranges and host names; ${JSON.stringify(bad)} is none of these`,
        })
      })
    }
  })
})

// The one allowed address, 127.0.0.1, represents the public internet. All others lead to the same
// server and must never be reached.
describe('guarded agent', () => {
  const SEED = 20_261_115
  const TRIES = tries(100, 1_000)
  const TIMEOUT_MS = 5_000
  const PUBLIC = '127.0.0.1'
  const kept = closedAfterEach()

  function senderTo(allowed: string, lookup?: GuardedAgentDeps['lookup']): WebhookSender {
    const rules = { allowPlainHttp: true, allowed: readAllowedTargets(allowed) }
    return kept(
      webhookSender({ clock: wallClock, rules, timeoutMs: TIMEOUT_MS, ...(lookup && { lookup }) }),
    )
  }

  const post = (sender: WebhookSender, url: string): Promise<Attempt> =>
    sender.send({ url, headers: {}, body: '{}' })

  describe('promise 12: DNS', async () => {
    const SAME = [PUBLIC, '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1']
    const BAD = FORBIDDEN_ANSWERS.filter((address) => !SAME.includes(address))
    let server: Loopback

    server = await listen((socket) => {
      socket.on('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
      )
    })
    after(() => server.close())

    it('that changes after the check has no effect: a connection resolves once, and uses the checked address', async () => {
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
          const seen = (await post(sender, url)).error
          assert.equal(
            seen,
            `the address is not allowed: ${host} does not lead to a public address.`,
          )
        }
        assert.equal(asked.get(host), 4)
      }
      assert.deepEqual(server.reached.slice(before), Array(TRIES).fill(PUBLIC))
      tried(TRIES)
    })

    it('that mixes allowed and forbidden answers gets no connection, in any order', async () => {
      const anyAnswer = fc.array(fc.oneof(fc.constant(PUBLIC), fc.constantFrom(...BAD)), {
        maxLength: 4,
      })
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
          assert.deepEqual([status, server.reached.length], [good ? 200 : null, expected])
        }),
        { seed: SEED, numRuns: TRIES, endOnFailure: true },
      )
      assert.ok(mixed > TRIES / 10)
      tried(TRIES)
      assert.deepEqual([...new Set(server.reached)], [PUBLIC])
    })

    it('that answers with thousands of addresses has sixteen of them checked and tried', async () => {
      const many = [
        ...Array.from({ length: 16 }, () => PUBLIC),
        ...Array.from({ length: 6_000 }, () => '10.0.0.1'),
      ]
      const url = `http://hooks.example.com:${server.port}/`
      const [all, fewer] = [
        senderTo(PUBLIC, async () => many),
        senderTo(PUBLIC, async () => many.slice(1)),
      ]
      assert.equal((await post(all, url)).status, 200)
      const { error } = await post(fewer, url)
      assert.match(error ?? '', /does not lead to a public address/)
    })

    // The next event may find the connection still busy and open a second one, never a third.
    it('is not used for an IP address, nor again while connections are kept', async () => {
      const server = kept(await listen())
      let asked = 0
      const sender = senderTo(PUBLIC, async () => {
        asked++
        return [PUBLIC]
      })
      for (let n = 0; n < 5; n++)
        assert.equal((await post(sender, `http://${PUBLIC}:${server.port}/`)).status, 200)
      assert.equal(asked, 0)
      for (let n = 0; n < 5; n++)
        assert.equal((await post(sender, `http://a.example.com:${server.port}/`)).status, 200)
      assert.ok(asked <= 2, `asked ${asked} times`)
    })
  })

  // The system connects 0.0.0.0 to 127.0.0.1 (Windows to nothing), so the checked address and the
  // peer differ.
  for (const scheme of ['http', 'https'])
    it(`promise 12: the peer that differs from the checked address is sent no byte (${scheme})`, async () => {
      const server = kept(await listen())
      const { status, error } = await post(
        senderTo('0.0.0.0'),
        `${scheme}://0.0.0.0:${server.port}/`,
      )
      assert.equal(status, null)
      assert.match(
        error as string,
        /^the address is not allowed: 0\.0\.0\.0 is not|^the host cannot be reached$/,
      )
      if (process.platform !== 'win32')
        await until(
          'connection that has ended',
          () => server.reached.length === 1 && server.open() === 0,
        )
      assert.equal(server.bytes(), 0)
    })

  describe('an allowed target', () => {
    const TARGETS: [
      allowed: string,
      host: string,
      answer: string[] | undefined,
      reached: string,
    ][] = [
      ['127.0.0.0/8', '127.0.0.1', undefined, '127.0.0.1'],
      ['127.0.0.0/8', '[::ffff:127.0.0.1]', undefined, '127.0.0.1'],
      ['::1', '[::1]', undefined, '::1'],
      ['shop.internal', 'shop.internal', ['127.0.0.1'], '127.0.0.1'],
      ['shop.internal', 'shop.internal', ['::1', '127.0.0.1'], '::1'],
      ['127.0.0.1', 'hooks.example.com', ['127.0.0.1'], '127.0.0.1'],
    ]
    for (const [allowed, host, answer, reached] of TARGETS)
      it(`is reached: ${host}${answer ? ` at ${answer}` : ''} when ${allowed} is listed`, async () => {
        const server = kept(await listen())
        const sender = senderTo(allowed, answer && (async () => answer))
        const { status, answer: text, error } = await post(sender, `http://${host}:${server.port}/`)
        assert.deepEqual([status, text, error, server.reached], [200, 'ok', null, [reached]])
      })

    it('is resolved by the system without another resolver', async () => {
      const server = kept(await listen(answering('HTTP/1.1 204 No Content\r\n\r\n')))
      assert.equal(
        (await post(senderTo('localhost'), `http://localhost:${server.port}/`)).status,
        204,
      )
    })

    it('is reached at its second address when the first does not answer', async () => {
      const server = kept(await listen())
      // Nothing has this address, and a refused connection is its quickest failure.
      const sender = senderTo('shop.internal', async () => ['255.255.255.255', '127.0.0.1'])
      assert.equal((await post(sender, `http://shop.internal:${server.port}/`)).status, 200)
    })
  })

  describe('a certificate', async () => {
    const CERTIFICATES = {
      good: certificateOf('hooks.example.com'),
      other: certificateOf('other.example.com'),
      expired: certificateOf('hooks.example.com', { expired: true }),
      stranger: certificateOf('hooks.example.com'),
    }
    const CASES: [which: keyof typeof CERTIFICATES, error: RegExp | null][] = [
      ['good', null],
      ['other', /^the certificate is not valid for this name$/],
      ['expired', /^the certificate has expired$/],
      ['stranger', /^the certificate is not signed by a known authority/],
    ]
    const trusted = tls.getCACertificates('default')
    let server: Server
    const { stranger: _, ...known } = CERTIFICATES
    before(() => tls.setDefaultCACertificates(Object.values(known).map(({ cert }) => cert)))
    after(() => tls.setDefaultCACertificates(trusted))
    afterEach(async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    })

    for (const [which, error] of CASES)
      it(`that is ${which} ${error === null ? 'is accepted, for the name and not for the address' : 'has its own error'}`, async () => {
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
  })
})

// A DNS server of the test answers as the test says, or never. An unanswered name must not occupy a
// thread that others need.
describe('host names', async () => {
  const LONG_MS = 10_000
  const SHORT_MS = 200
  type Kind = 'A' | 'AAAA'
  /** Addresses as bytes; no such name; a server failure; or no answer. */
  type Answer = readonly Buffer[] | 'unknown' | 'fails' | 'silent'
  const FIRST = Buffer.from([93, 184, 216, 34])
  const PRIVATE = Buffer.from([10, 0, 0, 1])
  const V6 = Buffer.from('26062800022000010248189325c81946', 'hex')
  const V6_WRITTEN = '2606:2800:220:1:248:1893:25c8:1946'

  const NAMES: Readonly<Record<string, Record<Kind, Answer>>> = {
    'both.example': { A: [FIRST], AAAA: [V6] },
    'old.example': { A: [FIRST], AAAA: [] },
    'new.example': { A: [], AAAA: [V6] },
    'half-failing.example': { A: [FIRST], AAAA: 'fails' },
    'mixed.example': { A: [FIRST, PRIVATE], AAAA: [] },
    'none.example': { A: [], AAAA: [] },
    'unknown.example': { A: 'unknown', AAAA: 'unknown' },
    'failing.example': { A: 'fails', AAAA: 'unknown' },
    'silent.example': { A: 'silent', AAAA: 'silent' },
  }

  /** Of changing.example. */
  let changing: Record<Kind, Answer> = { A: [], AAAA: [] }

  /** The questions in order, such as `A both.example`. */
  const asked: string[] = []
  const dns = createSocket('udp4')
  const folder = mkdtempSync(join(tmpdir(), 'karba-hosts-'))
  const hostsFile = join(folder, 'hosts')
  const rules = { allowPlainHttp: true, allowed: [] }

  writeFileSync(
    hostsFile,
    '# silent.example\n10.1.2.3\tpaper.example LocalHost # 10.1.2.4 silent.example\n',
  )
  dns.on('message', (question, { port, address }) => {
    const { kind, name, end } = read(question)
    asked.push(`${kind} ${name}`)
    const answer = (name === 'changing.example' ? changing : NAMES[name])?.[kind] ?? 'unknown'
    if (answer !== 'silent') dns.send(reply(question, end, answer), port, address)
  })
  dns.bind(0, '127.0.0.1')
  await once(dns, 'listening')
  const deps = {
    clock: wallClock,
    rules,
    timeoutMs: SHORT_MS,
    servers: [`127.0.0.1:${dns.address().port}`],
    hostsFile,
  }
  const slow = hostResolver(deps)
  const resolver = hostResolver({ ...deps, timeoutMs: LONG_MS })
  after(() => {
    dns.close()
    rmSync(folder, { recursive: true })
  })

  /** RFC 1035: twelve bytes, then the name in parts that begin with their length, and the type. */
  function read(question: Buffer): { kind: Kind; name: string; end: number } {
    const parts: string[] = []
    let at = 12
    for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
      parts.push(question.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    return {
      kind: question.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA',
      name: parts.join('.').toLowerCase(),
      end: at + 5,
    }
  }

  function reply(question: Buffer, end: number, answer: Exclude<Answer, 'silent'>): Buffer {
    const addresses = typeof answer === 'string' ? [] : answer
    const head = Buffer.from(question.subarray(0, 12))
    const codes = new Map<unknown, number>([
      ['unknown', 3],
      ['fails', 2],
    ])
    head.writeUInt16BE(0x8180 | (codes.get(answer) ?? 0), 2)
    head.writeUInt16BE(addresses.length, 6)
    head.writeUInt32BE(0, 8)
    const records = addresses.map((bytes) => {
      const kind = bytes.length === 4 ? 1 : 28
      return Buffer.concat([
        Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 1, 0, bytes.length]),
        bytes,
      ])
    })
    return Buffer.concat([head, question.subarray(12, end), ...records])
  }

  /** The number of getaddrinfo calls meanwhile: each occupies a thread until DNS answers. */
  async function countSystemLookups(work: () => Promise<unknown>): Promise<number> {
    let count = 0
    const hook = createHook({
      init(_, type) {
        if (type === 'GETADDRINFOREQWRAP') count++
      },
    }).enable()
    await work().finally(() => hook.disable())
    return count
  }

  describe('the host name of a webhook', () => {
    const FOUND: readonly [host: string, addresses: readonly string[]][] = [
      ['both.example', ['93.184.216.34', V6_WRITTEN]],
      ['old.example', ['93.184.216.34']],
      ['new.example', [V6_WRITTEN]],
      ['half-failing.example', ['93.184.216.34']],
      ['mixed.example', ['93.184.216.34', '10.0.0.1']],
    ]
    for (const [host, addresses] of FOUND)
      it(`resolves to all addresses of both families: ${host}`, async () =>
        assert.deepEqual(await resolver(host), addresses))

    const NOT_FOUND: readonly [host: string, code: string][] = [
      ['none.example', 'ENOTFOUND'],
      ['unknown.example', 'ENOTFOUND'],
      ['failing.example', 'EAI_AGAIN'],
    ]
    for (const [host, code] of NOT_FOUND)
      it(`without addresses fails as the system’s own look-up does: ${host} with ${code}`, () =>
        assert.rejects(resolver(host), { code }))

    it('that gets no answer is given up at the deadline', () =>
      assert.rejects(slow('silent.example'), { code: 'EAI_AGAIN' }))

    it('with one forbidden address among allowed ones gets no connection', async () => {
      const sender = webhookSender({
        clock: wallClock,
        rules,
        timeoutMs: LONG_MS,
        lookup: resolver,
      })
      const { error } = await sender.send({ url: 'http://mixed.example/', headers: {}, body: '{}' })
      await sender.close()
      assert.equal(
        error,
        'the address is not allowed: mixed.example does not lead to a public address.',
      )
    })

    const LISTED = Buffer.from([127, 0, 0, 2])
    const THIS_MACHINE = Buffer.from([127, 0, 0, 1])
    const METADATA = Buffer.from([169, 254, 169, 254])
    const V6_THIS_MACHINE = Buffer.from('00000000000000000000000000000001', 'hex')
    const CHANGES: readonly [addresses: Record<Kind, Answer>, isReached: boolean][] = [
      [{ A: [LISTED], AAAA: [] }, true],
      [{ A: [THIS_MACHINE], AAAA: [] }, false],
      [{ A: [LISTED, THIS_MACHINE], AAAA: [] }, false],
      [{ A: [LISTED], AAAA: [V6_THIS_MACHINE] }, false],
      [{ A: [...Array.from({ length: 15 }, () => LISTED), METADATA], AAAA: [] }, false],
      [{ A: [METADATA], AAAA: [] }, false],
      [{ A: [LISTED], AAAA: 'fails' }, true],
    ]
    it('that changes between deliveries is asked for and checked at each connection', async () => {
      const answer = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
      const server = await listen((socket) => void socket.on('data', () => socket.end(answer)))
      const own = { allowPlainHttp: true, allowed: readAllowedTargets('127.0.0.2') }
      const lookup = hostResolver({ ...deps, rules: own, timeoutMs: LONG_MS })
      const sender = webhookSender({ clock: wallClock, rules: own, timeoutMs: LONG_MS, lookup })
      for (const [addresses, isReached] of CHANGES) {
        changing = addresses
        const before = server.reached.length
        const { status, error } = await sender.send({
          url: `http://changing.example:${server.port}/`,
          headers: {},
          body: '{}',
        })
        assert.deepEqual([status, server.reached.length - before], isReached ? [200, 1] : [null, 0])
        if (!isReached)
          assert.match(error ?? '', /changing\.example does not lead to a public address/)
      }
      assert.deepEqual([...new Set(server.reached)], ['127.0.0.2'])
      await sender.close()
      await server.close()
    })

    it('is resolved once for concurrent attempts, and again for the next', async () => {
      asked.length = 0
      await Promise.all(Array.from({ length: 8 }, () => resolver('both.example')))
      assert.deepEqual(asked.toSorted(), ['A both.example', 'AAAA both.example'])
      await resolver('both.example')
      assert.equal(asked.length, 4)
    })

    it('occupies no thread of other look-ups, unless the settings or the hosts file name it', async () => {
      asked.length = 0
      const ask = (lookup: Lookup, host: string) =>
        countSystemLookups(() => lookup(host).catch(() => {}))
      assert.equal(await ask(slow, 'silent.example'), 0)
      assert.ok(asked.length >= 2)
      asked.length = 0
      assert.equal(await ask(slow, 'localhost'), 1, 'in the hosts file')
      const vouched = { allowPlainHttp: true, allowed: readAllowedTargets('localhost') }
      const noFile = join(folder, 'none')
      const seen = await ask(
        hostResolver({ ...deps, rules: vouched, hostsFile: noFile }),
        'localhost',
      )
      assert.equal(seen, 1, 'in the settings')
      assert.deepEqual(asked, [])
    })

    it('occupies none in a sender with its own settings', async () => {
      const sender = webhookSender({ clock: wallClock, rules, timeoutMs: SHORT_MS })
      const send = () =>
        sender.send({ url: 'http://hooks.karba-test.invalid/', headers: {}, body: '{}' })
      assert.equal(await countSystemLookups(send), 0)
      await sender.close()
    })
  })
})
