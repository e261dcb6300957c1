// What the address of the service shows to anybody: the front page, the reference, the description of the API, and what robots are told.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { newLink } from '../links/payer.ts'

let service: TestService
let key: string
before(async () => {
  service = await openTestService()
  key = (await service.merchant()).accounts.sandbox.secretKey
})
after(() => service.remove())

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.app.inject({ url, headers, method })

describe('a document for everybody', () => {
  const DOCUMENTS: [url: string, type: string][] = [
    ['/', 'text/html; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/api/v1/openapi.json', 'application/json'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/favicon.ico', 'image/svg+xml'],
    ['/checkout.js', 'text/javascript; charset=utf-8'],
  ]
  for (const [url, type] of DOCUMENTS) {
    it(`${url} needs no key, may be kept, and answers HEAD`, async () => {
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

  it('is compressed for those who take it, and each form has its own ETag', async () => {
    const plain = await ask('/docs')
    const br = await ask('/docs', { 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await ask('/docs', { 'accept-encoding': 'gzip;q=0.5, br;q=0' })
    assert.deepEqual([br.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip'])
    assert.equal(brotliDecompressSync(br.rawPayload).toString(), plain.body)
    assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
    assert.equal(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size, 3)
    for (const { headers } of [plain, br, gzip]) assert.equal(headers.vary, 'Accept-Encoding')
    assert.ok(br.rawPayload.length * 5 < plain.rawPayload.length)
  })
})

it('nothing that a key opens, and no payer’s page, is ever compressed', async () => {
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

it('the description that is served is that of the documents', async () => {
  const written = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
  assert.deepEqual((await ask('/api/v1/openapi.json')).json(), written)
})

it('the pages are one request each: nothing in them comes from elsewhere, by their policy and by their text', async () => {
  for (const url of ['/', '/docs']) {
    const { body, headers } = await ask(url)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+';/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    assert.doesNotMatch(body, /(?:src|action)="|<link rel="(?!icon)|@import|url\(/)
  }
})

it('the reference has every operation, every field and every error message of the description', async () => {
  const { body } = await ask('/docs')
  const page = body.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&gt;', '>')
  const { paths, components } = (await ask('/api/v1/openapi.json')).json()
  for (const item of Object.values<Record<string, { operationId?: string }>>(paths)) {
    for (const [method, { operationId }] of Object.entries(item)) {
      if (method === 'get' || method === 'post') assert.ok(page.includes(`<section id="${operationId}">`), operationId)
    }
  }
  const messages = [...JSON.stringify(paths).matchAll(/"message":\{"type":"string","enum":\[(.*?)\]/g)]
  const texts = messages.flatMap(([, list]) => JSON.parse(`[${list}]`) as string[])
  assert.ok(texts.length > 40)
  for (const text of texts) assert.ok(page.includes(text), text)
  for (const name of ['Payment', 'Link', 'PaymentOrder', 'LinkOrder']) {
    for (const field of Object.keys(components.schemas[name].properties))
      assert.ok(page.includes(`<code>${field}`), field)
  }
})

it('robots are kept from payments and the dashboard, and previews of links in messages are not kept from payments', async () => {
  const { body } = await ask('/robots.txt')
  assert.match(body, /^User-agent: \*\nDisallow: \/pay\/$/m)
  for (const group of body.split('\n\n')) assert.match(group, /^Disallow: \/dashboard$/m)
  const [previews] = body.split('\n\n') as [string]
  assert.match(previews, /WhatsApp/)
  assert.doesNotMatch(previews, /\/pay\//)
})

it('a payer’s page answers HEAD as GET does, without its body', async () => {
  const link = await newLink(service, key)
  for (const url of [`/pay/${link}`, `/pay/${link}/share`]) {
    const head = await ask(url, {}, 'HEAD')
    assert.deepEqual([head.statusCode, head.body, head.headers['cache-control']], [200, '', 'no-store'])
  }
})
