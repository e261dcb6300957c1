// The doors behind a link's page: forms of other sites, too many of them, too long ones, and whatever else can be sent there, generated from
// a fixed seed. Nothing is done that the payer did not ask for, and every answer is one of ours.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyText, SEED, unkindText } from '../kit/generated.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  type Fields,
  look,
  newLink,
  onPage,
  pay,
  type Shown,
  SUCCEEDS,
  send,
  stateOf,
  toProvider,
} from './payer.ts'

const HOST = 'pay.example:8080'

describe('a form', () => {
  let service: VirtualService
  let key: string

  before(async () => {
    service = await openVirtualService()
    key = (await service.merchant()).accounts.sandbox.secretKey
  })
  after(() => service.remove())

  for (const [written, country, named] of [
    ['+229 01 97 12 34 56', 'NE', 'BJ'],
    ['00227 96 12 34 57', 'BJ', 'NE'],
    ['2290197123458', 'NE', 'BJ'],
    ['96 12 34 59', 'NE', 'NE'],
  ]) {
    it(`with ${written} under ${country} is a number of ${named}`, async () => {
      const link = await newLink(service, key)
      await pay(service, link, { ...byPhone(written as string), country: country as string })
      assert.equal(await stateOf(service, link), 'waiting:1')
      const [row] = await service.db.rows<{ country: string }>(
        `select p.country from payments p join payment_links l on l.account_id = p.account_id and l.number = p.number where l.reference = $1`,
        [link],
      )
      assert.equal(row?.country, named)
    })
  }

  it('with a card number in place of a phone number is not shown again', async () => {
    const link = await newLink(service, key)
    const { code, text } = await pay(service, link, byPhone('4111 1111 1111 1111'))
    assert.equal(code, 200)
    assert.doesNotMatch(text, /1111/)
    assert.match(text, /n’est pas valide/)
  })

  const FORMS: [path: string, fields: Fields, state: string, lead: (link: string) => Promise<unknown>, then: string][] =
    [
      ['', byPhone(SUCCEEDS), 'open:0', async () => {}, 'waiting:1'],
      ['', onPage('bank_card'), 'open:0', async () => {}, 'waiting:1'],
      ['/abandon', {}, 'waiting:1', (link) => pay(service, link, onPage('wallet')), 'open:1'],
    ]
  const SENDERS: [about: string, headers: Record<string, string>, isOurs: boolean][] = [
    ['of another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['of a neighbour', { 'sec-fetch-site': 'same-site' }, false],
    ['of another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: `http://${HOST}` }, false],
    ['with a word nobody knows', { 'sec-fetch-site': 'x' }, false],
    ['of another host, from an old browser', { origin: 'https://evil.example' }, false],
    ['of another port, from an old browser', { origin: 'http://pay.example' }, false],
    ['of a file, from an old browser', { origin: 'file://' }, false],
    ['of an origin that is none', { origin: 'pay.example:8080' }, false],
    ['of our own page', { 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
    ['typed by the payer', { 'sec-fetch-site': 'none' }, true],
    ['of our own page, from an old browser', { origin: `http://${HOST}` }, true],
    ['of our own page behind a proxy, from an old browser', { origin: `https://${HOST}` }, true],
    ['of our own page over plain http, where browsers write null', { origin: 'null' }, true],
    ['of no browser', {}, true],
  ]
  for (const [about, headers, isOurs] of SENDERS) {
    it(`${about} ${isOurs ? 'does what it says' : 'changes nothing, and shows where the link stands'}`, async () => {
      for (const [path, fields, state, lead, then] of FORMS) {
        const link = await newLink(service, key)
        await lead(link)
        const { code, text } = await send(service, `/pay/${link}${path}`, fields, { host: HOST, ...headers })
        assert.equal(code, isOurs ? 303 : 200)
        if (!isOurs) assert.match(text, new RegExp(`data-state="${state}"`))
        assert.equal(await stateOf(service, link), isOurs ? then : state, `${path} ${fields.method}`)
      }
    })
  }

  it('of 4 KiB is read, and of one byte more gets 413 in our shape, and does nothing', async () => {
    const link = await newLink(service, key)
    const fields = `${new URLSearchParams(byPhone(SUCCEEDS))}&note=`
    for (const path of ['', '/abandon']) {
      const { code, text } = await send(service, `/pay/${link}${path}`, fields.padEnd(4_097, 'x'))
      assert.deepEqual([code, text], [413, '{"message":"Payload Too Large"}'])
    }
    assert.equal(await stateOf(service, link), 'open:0')
    assert.equal((await send(service, `/pay/${link}`, fields.padEnd(4_096, 'x'))).code, 303)
    assert.equal(await stateOf(service, link), 'waiting:1')
  })

  it('of the provider’s page over 1 KiB gets 413 in our shape', async () => {
    const page = await toProvider(service, await newLink(service, key), onPage('wallet'))
    const { code, text } = await send(service, page, 'decision=approve&note='.padEnd(1_025, 'x'))
    assert.deepEqual([code, text], [413, '{"message":"Payload Too Large"}'])
  })

  const METHODS: [method: 'GET' | 'PUT' | 'DELETE' | 'POST' | 'PATCH', path: string, code: number, allow?: string][] = [
    ['PUT', '', 405, 'GET, HEAD, POST'],
    ['DELETE', '', 405, 'GET, HEAD, POST'],
    ['POST', '/share', 405, 'GET, HEAD'],
    ['PATCH', '/status', 405, 'GET, HEAD'],
    ['GET', '/cancel', 404],
    ['POST', '/cancel', 404],
    ['GET', '/abandon?x=1', 405, 'POST'],
    ['GET', '/nothing', 404],
    ['POST', '/', 404],
  ]
  for (const [method, path, code, allow] of METHODS) {
    it(`by ${method} to /pay/…${path} gets ${code} in our shape`, async () => {
      const answer = await service.app.inject({ method, url: `/pay/${await newLink(service, key)}${path}` })
      const message = code === 405 ? 'Method Not Allowed' : 'Not Found'
      assert.deepEqual([answer.statusCode, answer.json(), answer.headers.allow], [code, { message }, allow])
    })
  }

  it('from one address is turned away with a page and Retry-After after 60 at once; looking is still allowed', async () => {
    const link = await newLink(service, key)
    const from = (method: 'GET' | 'POST', remoteAddress: string, url = `/pay/${link}`) =>
      service.app.inject({ method, url, remoteAddress, headers: { 'accept-language': 'en' } })
    for (let sent = 0; sent < 60; sent++) assert.equal((await from('POST', '203.0.113.1')).statusCode, 303)
    for (const path of ['', '/abandon']) {
      const answer = await from('POST', '203.0.113.1', `/pay/${link}${path}`)
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [429, '5'])
      assert.match(answer.body, /<html lang="en">/)
      assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
    assert.equal((await from('POST', '203.0.113.2')).statusCode, 303)
    assert.equal((await from('GET', '203.0.113.1')).statusCode, 200)
    for (let seen = 1; seen < 500; seen++) await from('GET', '203.0.113.1', `/pay/${link}/status`)
    for (const path of ['', '/share', '/status']) {
      assert.equal((await from('GET', '203.0.113.1', `/pay/${link}${path}`)).statusCode, 429)
    }
    await service.clock.sleep(100)
    assert.deepEqual(
      [(await from('POST', '203.0.113.1')).statusCode, (await from('POST', '203.0.113.1')).statusCode],
      [303, 429],
    )
    assert.equal(await stateOf(service, link), 'open:0')
  })
})

const FIELDS: Record<string, string[]> = {
  method: ['mobile', 'bank_card', 'wallet'],
  country: ['NE', 'BJ', 'ne'],
  msisdn: [SUCCEEDS, '96123456', '+227 96 12 34 56', '0197123456', '40410000110'],
  attempt: ['0', '1', '2', '-1', '1e3'],
  lang: ['fr', 'en'],
  embed: ['https://shop.example', 'null'],
  decision: ['approve', 'decline'],
}
/** Forms that mean something, with fields that have become anything. */
const anyForm = fc
  .record(
    Object.fromEntries(
      Object.entries(FIELDS).map(([name, usual]) => [
        name,
        fc.option(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, anyText, unkindText), { freq: 8 }),
      ]),
    ),
  )
  .map((fields) => Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null))
const encoded = anyForm.map((fields) => `${new URLSearchParams(fields)}`)
const anyBody: fc.Arbitrary<string | Buffer> = fc.oneof(
  { weight: 6, arbitrary: encoded },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: anyText.map((text) => Buffer.from(text)) },
)
const anyHeaders = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data',
      'x',
      ';',
      '',
    ),
    'accept-language': fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
    origin: fc.constantFrom('null', 'https://evil.example', 'http://localhost', 'http://localhost:80', 'x'),
    'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'none', ''),
  },
  { requiredKeys: [] },
)

describe('a generated request', () => {
  let service: VirtualService
  let key: string

  before(async () => {
    service = await openVirtualService(SQLITE)
    key = (await service.merchant()).accounts.sandbox.secretKey
  })
  after(() => service.remove())

  it('to any door of a link is answered in our shape, and never begins two attempts', async () => {
    let link = await newLink(service, key)
    let page = await toProvider(service, link, onPage('wallet'))
    const seen = new Set<number>()
    const doors = fc.constantFrom('', '', '', '/abandon', '/share', '/status', 'provider')
    await fc.assert(
      fc.asyncProperty(doors, anyBody, encoded, anyHeaders, fc.nat(9), async (door, body, query, headers, dice) => {
        if ((await stateOf(service, link)).startsWith('closed') || dice === 0) {
          link = await newLink(service, key)
          if (dice > 4) page = await toProvider(service, link, onPage('wallet'))
        }
        const url = `${door === 'provider' ? page : `/pay/${link}${door}`}?${query}${dice > 7 ? '&returned=1' : ''}`
        const reads = door === '/share' || door === '/status' || dice % 3 === 2
        const answer = await (reads ? look(service, url) : send(service, url, body, headers))
        assertOurs(answer)
        seen.add(answer.code)
        if (dice === 1) await service.clock.advance(3_000)
      }),
      { seed: SEED, numRuns: 350, endOnFailure: true },
    )
    for (const code of [200, 303]) assert.ok(seen.has(code), `${[...seen]}`)
    const doubled = await service.db.rows(
      `select number from payment_attempts where status <> 'failed' group by account_id, number having count(*) > 1`,
    )
    assert.deepEqual(doubled, [])
  })
})

/** A page, our JSON, or a way to a page of ours. */
function assertOurs({ code, text, goTo, headers }: Shown): void {
  assert.ok([200, 303, 400, 404, 405].includes(code), `${code} ${text}`)
  if (code === 303) {
    assert.match(
      goTo,
      /^(\/pay\/[0-9a-z]{32}\?|http:\/\/localhost\/(simulator\/pay\/[0-9a-z]{24}$|pay\/[0-9a-z]{32}\?lang=(fr|en)&(embed=[^&]*&)?payer=[0-9a-f]{64}&returned=1$))/,
    )
    assert.match(goTo, /^[\x21-\x7e]*$/)
  } else if (String(headers['content-type']).startsWith('text/html')) {
    assert.match(text, /^<!doctype html>/)
  } else {
    assert.deepEqual(Object.keys(JSON.parse(text)), [code === 200 ? 'state' : 'message'])
  }
}
