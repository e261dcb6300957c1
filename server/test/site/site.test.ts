// The public documents of the service: home page, API reference, OpenAPI description and
// robots.txt.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { get, openTestService, order, post } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { newLink } from '../links/payer.ts'

const service = shared(() => openTestService())
let key: string
before(async () => {
  key = (await service.merchant()).accounts.sandbox.secretKey
})

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.app.inject({ url, headers, method })

describe('public documents', () => {
  const DOCUMENTS: [url: string, type: string][] = [
    ['/', 'text/html; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/api/v1/openapi.json', 'application/json'],
    ['/docs/errors', 'text/html; charset=utf-8'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/favicon.ico', 'image/svg+xml'],
    ['/checkout.js', 'text/javascript; charset=utf-8'],
  ]
  for (const [url, type] of DOCUMENTS) {
    it(`${url} needs no key, is cacheable, and answers HEAD`, async () => {
      const { statusCode, headers, body } = await ask(url)
      assert.deepEqual([statusCode, headers['content-type']], [200, type])
      assert.match(String(headers['cache-control']), /^public, max-age=\d+$/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      const head = await ask(url, {}, 'HEAD')
      assert.deepEqual([head.statusCode, head.body], [200, ''])
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(body)))
      const again = await ask(url, { 'if-none-match': String(headers.etag) })
      assert.deepEqual([again.statusCode, again.body], [304, ''])
    })
  }

  const UNKNOWN: [about: string, url: string, headers: Record<string, string>, type: RegExp][] = [
    [
      'a browser',
      '/nothing',
      { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      /^text\/html/,
    ],
    [
      'a browser in English',
      '/nothing',
      { accept: 'text/html', 'accept-language': 'en' },
      /^text\/html/,
    ],
    ['curl', '/nothing', { accept: '*/*' }, /^text\/html/],
    [
      'a program that asks for JSON',
      '/nothing',
      { accept: 'application/json' },
      /^application\/json/,
    ],
    [
      'a program that sends JSON',
      '/payments/x',
      { 'content-type': 'application/json' },
      /^application\/json/,
    ],
    ['a program that says nothing', '/nothing', {}, /^application\/json/],
    ['a browser below /api', '/api/v1/nothing', { accept: 'text/html' }, /^application\/json/],
  ]
  for (const [about, url, headers, type] of UNKNOWN)
    it(`unknown address: ${about} gets ${type}`, async () => {
      const answer = await ask(url, headers)
      assert.equal(answer.statusCode, 404)
      assert.match(String(answer.headers['content-type']), type)
      const title =
        headers['accept-language'] === 'en' ? 'This page does not exist' : 'Cette page n’existe pas'
      if (type.source.includes('html')) assert.ok(answer.body.includes(title))
    })

  it('an encoding that the client accepts is used, and each has its own ETag', async () => {
    const plain = await ask('/api/v1/openapi.json')
    const br = await ask('/api/v1/openapi.json', { 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await ask('/api/v1/openapi.json', { 'accept-encoding': 'gzip;q=0.5, br;q=0' })
    assert.deepEqual(
      [br.headers['content-encoding'], gzip.headers['content-encoding']],
      ['br', 'gzip'],
    )
    assert.equal(brotliDecompressSync(br.rawPayload).toString(), plain.body)
    assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
    assert.equal(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size, 3)
    for (const { headers } of [plain, br, gzip]) assert.equal(headers.vary, 'Accept-Encoding')
    assert.ok(br.rawPayload.length * 5 < plain.rawPayload.length)
  })
})

it('public documents: answers to a key and payers’ pages are never compressed', async () => {
  const takes = { 'accept-encoding': 'gzip, br' }
  const { body } = await post(service, key, order(), takes)
  const link = await newLink(service, key)
  const answers = [
    await get(service, key, body.reference as string, takes),
    await ask(`/pay/${link}`, takes),
    await ask(`/api/v1/external_payments/${link}`, takes),
  ]
  for (const { headers } of answers) assert.equal(headers['content-encoding'], undefined)
})

it('public documents: /api/v1/openapi.json is docs/openapi.json', async () => {
  const written = JSON.parse(
    readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
  )
  assert.deepEqual((await ask('/api/v1/openapi.json')).json(), written)
})

it('public documents: an address that reads too many gets 429, also for the API reference’s script', async (t) => {
  const limited = await openTestService(undefined, { KARBA_PUBLIC_RATE: '1' })
  t.after(() => limited.remove())
  const read = async (url: string, remoteAddress: string): Promise<number> =>
    (await limited.app.inject({ url, remoteAddress })).statusCode
  for (const url of ['/docs', '/docs/scalar.js', '/', '/api/v1/openapi.json', '/robots.txt'])
    assert.equal(await read(url, '192.0.2.1'), 200, url)
  assert.equal(await read('/docs/scalar.js', '192.0.2.1'), 429)
  assert.equal(await read('/docs/scalar.js', '192.0.2.2'), 200)
})

it('home page: its policy allows its own style and nothing else, and it loads nothing', async () => {
  const { body, headers } = await ask('/')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+';/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.doesNotMatch(body, /(?:src|action)="|<link rel="(?!icon)|@import|url\(/)
})

it('API reference: its policy allows scripts of this service only, and no other host', async () => {
  const { headers } = await ask('/docs')
  const policy = String(headers['content-security-policy'])
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self' 'sha256-\S+'; style-src 'unsafe-inline';/,
  )
  assert.doesNotMatch(policy, /unsafe-eval|https?:|\*/)
})

it('robots.txt: search engines may not read payments or the dashboard; link previews may read payments', async () => {
  const { body } = await ask('/robots.txt')
  assert.match(body, /^User-agent: \*\nDisallow: \/pay\/$/m)
  for (const group of body.split('\n\n')) assert.match(group, /^Disallow: \/dashboard$/m)
  const [previews] = body.split('\n\n') as [string]
  assert.match(previews, /WhatsApp/)
  assert.doesNotMatch(previews, /\/pay\//)
})

it('payers’ pages: HEAD answers as GET does, without the body', async () => {
  const link = await newLink(service, key)
  for (const url of [`/pay/${link}`, `/pay/${link}/share`]) {
    const head = await ask(url, {}, 'HEAD')
    assert.deepEqual(
      [head.statusCode, head.body, head.headers['cache-control']],
      [200, '', 'no-store'],
    )
  }
})
