// Promise 12, the forms: whatever a merchant writes, no connection goes to an address that is not public. Each form meets the
// check of the text, the sender, and the agent alone, as if the check of the text had been fooled.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Agent } from 'undici'
import { AddressRefused } from '../../src/webhooks/failure-text.ts'
import { guardedAgent } from '../../src/webhooks/guarded-agent.ts'
import { checkTarget, mayReach, readAllowedTargets, type TargetRules } from '../../src/webhooks/safe-address.ts'
import { webhookSender } from '../../src/webhooks/send.ts'
import { URL_FAULTS } from '../../src/wire/refusals.ts'
import { FORBIDDEN_ANSWERS, FORBIDDEN_URLS, NO_URLS, PUBLIC_HOSTS } from './forbidden-forms.ts'
import { type Loopback, listen, wallClock } from './loopback.ts'

const OPEN: TargetRules = { allowPlainHttp: true, allowed: [] }
const CLOSED: TargetRules = { allowPlainHttp: false, allowed: [] }
const TIMEOUT_MS = 5_000

const rulesFor = (allowed: string): TargetRules => ({ allowPlainHttp: false, allowed: readAllowedTargets(allowed) })
const isRefused = (text: string, rules: TargetRules): boolean => 'fault' in checkTarget(text, rules)

describe('promise 12: a forbidden address', () => {
  const deps = { clock: wallClock, rules: OPEN, timeoutMs: TIMEOUT_MS, lookup: async () => ['127.0.0.1', '::1'] }
  const agent = guardedAgent(deps)
  const sender = webhookSender(deps)
  let server: Loopback
  let forms: string[]

  before(async () => {
    server = await listen()
    const written = FORBIDDEN_URLS.map((form) => form.replace('PORT', String(server.port)))
    forms = [...written, ...written.map((form) => form.replace(/^( ?)http/i, '$1https'))]
  })
  after(async () => {
    await Promise.all([agent.close(), sender.close(), server.close()])
  })

  it('is refused in every way it can be written, before anything is looked up', () => {
    assert.ok(new Set(FORBIDDEN_URLS).size === FORBIDDEN_URLS.length && FORBIDDEN_URLS.length >= 190)
    assert.deepEqual(
      [...forms, ...NO_URLS].filter((form) => !isRefused(form, OPEN)),
      [],
    )
  })

  it('gets no connection from the sender', async () => {
    for (const url of [...forms, ...NO_URLS.map((form) => form.replace('PORT', String(server.port)))]) {
      const { status, error } = await sender.send({ url, headers: {}, body: '{}' })
      assert.equal(status, null, url)
      assert.match(error as string, /^the address is not allowed: [A-Z].*\.$/, url)
    }
    assert.deepEqual(server.reached, [])
  })

  it('gets no connection from the agent either, where only the socket is left to guard', async () => {
    const origins = forms.map((form) => URL.parse(form)?.origin).filter((origin) => origin !== undefined)
    assert.equal(origins.length, forms.length)
    for (const origin of new Set(origins)) {
      await assert.rejects(agent.request({ origin, path: '/', method: 'POST' }), AddressRefused, origin)
    }
    assert.deepEqual(server.reached, [])
  })

  it('would have been reached without the guard: the forms and the server are real', async () => {
    const here = /^(127\.|0\.0\.0\.0$|\[::1?\]$|\[::ffff:7f00:)/
    const plain = new Agent({ connect: { timeout: TIMEOUT_MS } })
    const real = forms.filter((form) => {
      const url = URL.parse(form)
      return url?.protocol === 'http:' && url.port !== '' && here.test(url.hostname)
    })
    for (const form of real) {
      const { body } = await plain.request({ origin: new URL(form).origin, path: '/', method: 'POST', reset: true })
      await body.dump()
    }
    await plain.close()
    assert.ok(real.length > 60, `${real.length} forms`)
    assert.equal(server.reached.length, real.length)
  })

  it('is never reached by a name that leads to it', () => {
    for (const answer of FORBIDDEN_ANSWERS) assert.ok(!mayReach(answer, 'hooks.example.com', OPEN), answer)
  })
})

describe('a target', () => {
  it('that is public is taken, however close it is to one that is not', () => {
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
    ['https://localhost/', /known only inside a network/],
    ['https://192.168.1.1/', /this address is not public/],
  ]
  for (const [url, says] of REFUSED) {
    it(`${JSON.stringify(url.slice(0, 40))} is refused with what to do: ${says.source}`, () => {
      const answer = checkTarget(url, CLOSED)
      assert.match('fault' in answer ? URL_FAULTS[answer.fault].en : 'taken', says)
    })
  }

  it('of 2,048 characters is taken', () => {
    assert.ok(!isRefused(`https://example.com/${'a'.repeat(2_028)}`, CLOSED))
  })

  it('is called as it was read: in one spelling, without the dot at its end', () => {
    const answer = checkTarget('HTTPS://Hooks.Example.COM.:443/a%20b?c=d', CLOSED)
    assert.equal('url' in answer && answer.url.href, 'https://hooks.example.com/a%20b?c=d')
  })

  const LISTED: [allowed: string, url: string, taken: boolean][] = [
    ['127.0.0.0/8', 'http://127.0.0.1:3000/', true],
    ['127.0.0.0/8', 'http://0x7f.1:3000/', true],
    ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]:3000/', true],
    ['127.0.0.0/8', 'http://[::1]:3000/', false],
    ['127.0.0.0/8', 'http://localhost:3000/', false],
    ['127.0.0.0/8', 'http://10.0.0.1/', false],
    ['127.0.0.0/8', 'http://1.1.1.1/', false],
    ['::1', 'http://[::1]/', true],
    ['::1', 'http://[::2]/', false],
    ['10.1.2.0/24', 'https://10.1.2.255/', true],
    ['10.1.2.0/24', 'https://10.1.3.0/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['localhost', 'http://localhost:3000/', true],
    ['localhost', 'http://LOCALHOST.:3000/', true],
    ['localhost', 'http://127.0.0.1:3000/', false],
    ['localhost', 'http://shop.localhost/', false],
    [' Shop.Internal , bücher.local', 'http://shop.internal/', true],
    ['shop.internal,bücher.local', 'http://xn--bcher-kva.local/', true],
    ['example.com', 'http://example.com/', true],
    ['', 'http://example.com/', false],
  ]
  for (const [allowed, url, taken] of LISTED) {
    it(`${url} is ${taken ? 'taken' : 'refused'} when the list is ${JSON.stringify(allowed)}`, () => {
      assert.equal(isRefused(url, rulesFor(allowed)), !taken)
    })
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
    it(`list with ${JSON.stringify(bad)} is refused in a sentence’s second half`, () => {
      assert.throws(() => readAllowedTargets(`localhost,${bad}`), {
        message: `must be a list like 127.0.0.0/8,::1,localhost: addresses, ranges and host names; ${JSON.stringify(bad)} is none of these`,
      })
    })
  }
})
