// The names of webhooks' hosts, asked of a DNS server of our own that answers what a test says, or never. A name that gets no answer must
// not take a thread from anything else.
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type HostResolverDeps, hostResolver, type Lookup } from '../../src/webhooks/guarded-agent.ts'
import { readAllowedTargets } from '../../src/webhooks/safe-address.ts'
import { webhookSender } from '../../src/webhooks/send.ts'
import { wallClock } from './loopback.ts'

const LONG_MS = 10_000
const SHORT_MS = 200

type Kind = 'A' | 'AAAA'
/** Addresses as bytes; no such name; the server's own failure; or no answer at all. */
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

/** What was asked, in order, such as `A both.example`. */
const asked: string[] = []
const dns = createSocket('udp4')
let deps: HostResolverDeps
let resolver: Lookup
let slow: Lookup
const folder = mkdtempSync(join(tmpdir(), 'karba-hosts-'))
const hostsFile = join(folder, 'hosts')
const rules = { allowPlainHttp: true, allowed: [] }

before(async () => {
  writeFileSync(hostsFile, '# silent.example\n10.1.2.3\tpaper.example LocalHost # 10.1.2.4 silent.example\n')
  dns.on('message', (question, { port, address }) => {
    const { kind, name, end } = read(question)
    asked.push(`${kind} ${name}`)
    const answer = NAMES[name]?.[kind] ?? 'unknown'
    if (answer !== 'silent') dns.send(reply(question, end, answer), port, address)
  })
  dns.bind(0, '127.0.0.1')
  await once(dns, 'listening')
  deps = { clock: wallClock, rules, timeoutMs: SHORT_MS, servers: [`127.0.0.1:${dns.address().port}`], hostsFile }
  slow = hostResolver(deps)
  resolver = hostResolver({ ...deps, timeoutMs: LONG_MS })
})
after(() => {
  dns.close()
  rmSync(folder, { recursive: true })
})

/** RFC 1035: twelve bytes, then the name in parts that begin with their length, and the kind. */
function read(question: Buffer): { kind: Kind; name: string; end: number } {
  const parts: string[] = []
  let at = 12
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    parts.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { kind: question.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA', name: parts.join('.').toLowerCase(), end: at + 5 }
}

function reply(question: Buffer, end: number, answer: Exclude<Answer, 'silent'>): Buffer {
  const addresses = typeof answer === 'string' ? [] : answer
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180 | (answer === 'unknown' ? 3 : answer === 'fails' ? 2 : 0), 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((bytes) => {
    const kind = bytes.length === 4 ? 1 : 28
    return Buffer.concat([Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 1, 0, bytes.length]), bytes])
  })
  return Buffer.concat([head, question.subarray(12, end), ...records])
}

/** How often getaddrinfo is called meanwhile: each call keeps a thread until the DNS answers. */
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
  for (const [host, addresses] of FOUND) {
    it(`has all addresses of both kinds: ${host}`, async () => assert.deepEqual(await resolver(host), addresses))
  }

  const NOT_FOUND: readonly [host: string, code: string][] = [
    ['none.example', 'ENOTFOUND'],
    ['unknown.example', 'ENOTFOUND'],
    ['failing.example', 'EAI_AGAIN'],
  ]
  for (const [host, code] of NOT_FOUND) {
    it(`without addresses fails as the system’s own lookup does: ${host} with ${code}`, () =>
      assert.rejects(resolver(host), { code }))
  }

  it('that gets no answer is given up at the deadline', () =>
    assert.rejects(slow('silent.example'), { code: 'EAI_AGAIN' }))

  it('with one forbidden address among good ones gets no connection', async () => {
    const sender = webhookSender({ clock: wallClock, rules, timeoutMs: LONG_MS, lookup: resolver })
    const { error } = await sender.send({ url: 'http://mixed.example/', headers: {}, body: '{}' })
    await sender.close()
    assert.equal(error, 'the address is not allowed: mixed.example does not lead to a public address.')
  })

  it('is asked about once by attempts that begin together, and again by the next', async () => {
    asked.length = 0
    await Promise.all(Array.from({ length: 8 }, () => resolver('both.example')))
    assert.deepEqual(asked.toSorted(), ['A both.example', 'AAAA both.example'])
    await resolver('both.example')
    assert.equal(asked.length, 4)
  })

  it('takes none of the threads that look up other names, unless the settings or the hosts file name it', async () => {
    asked.length = 0
    const ask = (lookup: Lookup, host: string) => countSystemLookups(() => lookup(host).catch(() => {}))
    assert.equal(await ask(slow, 'silent.example'), 0)
    assert.ok(asked.length >= 2)
    asked.length = 0
    assert.equal(await ask(slow, 'localhost'), 1, 'in the hosts file')
    const vouched = { allowPlainHttp: true, allowed: readAllowedTargets('localhost') }
    const noFile = join(folder, 'none')
    assert.equal(
      await ask(hostResolver({ ...deps, rules: vouched, hostsFile: noFile }), 'localhost'),
      1,
      'in the settings',
    )
    assert.deepEqual(asked, [])
  })

  it('takes none in a sender with its own settings', async () => {
    const sender = webhookSender({ clock: wallClock, rules, timeoutMs: SHORT_MS })
    const send = () => sender.send({ url: 'http://hooks.karba-test.invalid/', headers: {}, body: '{}' })
    assert.equal(await countSystemLookups(send), 0)
    await sender.close()
  })
})
