// What the door for merchants' pages says to every browser, whoever asks: the script, the preflight, and the rate (D-52, D-53).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { openTestService, type TestService } from '../kit/service.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { readLink } from './payer.ts'

const SHOP = 'https://shop.example'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.remove())

it('a preflight is the same for every site, and promises no credentials', async () => {
  for (const origin of [SHOP, 'https://evil.example', 'null']) {
    const answer = await service.app.inject({
      method: 'OPTIONS',
      url: '/checkout/links',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    assert.equal(answer.statusCode, 204)
    assert.equal(answer.body, '')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['access-control-allow-methods'], 'POST')
    assert.equal(answer.headers['access-control-allow-headers'], 'authorization, content-type')
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
})

it('another method: 405 with those that there are', async () => {
  const answer = await service.app.inject({ method: 'GET', url: '/checkout/links' })
  assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'OPTIONS, POST'])
})

it('no other door lets a page of another site read its answer, but the public read', async () => {
  const { accounts } = await service.merchant()
  for (const url of ['/api/v1/payments/x', '/api/v1/events', '/healthz']) {
    const authorization = `Bearer ${accounts.sandbox.secretKey}`
    const answer = await service.app.inject({ url, headers: { origin: SHOP, authorization } })
    assert.equal(answer.headers['access-control-allow-origin'], undefined, url)
  }
  const { headers } = await readLink(service, 'unknown')
  assert.equal(headers['access-control-allow-origin'], '*')
})

it('the script has an address that pins it, with the integrity hash of the documents, for good', async () => {
  const docs = readFileSync(new URL('../../../docs/checkout-script.md', import.meta.url), 'utf8')
  const [, path, integrity] = /src="[^"]*?(\/checkout-[0-9a-f]{16}\.js)"\s+integrity="([^"]+)"/.exec(docs) ?? []
  const { statusCode, headers, body } = await service.app.inject(path as string)
  assert.equal(statusCode, 200)
  assert.equal(`sha384-${createHash('sha384').update(body).digest('base64')}`, integrity)
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal((await service.app.inject('/checkout.js')).body, body)
  assert.equal((await service.app.inject('/checkout-0000000000000000.js')).statusCode, 404)
})

it('a browser that has the script is told so, and gets nothing twice', async () => {
  const etag = String((await service.app.inject('/checkout.js')).headers.etag)
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await service.app.inject({ url: '/checkout.js', headers: { 'if-none-match': known } })
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag])
  }
  const other = await service.app.inject({ url: '/checkout.js', headers: { 'if-none-match': '"x"' } })
  assert.equal(other.statusCode, 200)
})

it('the script is small, plain, and not kept for long', async () => {
  const { statusCode, headers, body } = await service.app.inject('/checkout.js')
  assert.equal(statusCode, 200)
  assert.ok(Buffer.byteLength(body) < 4_750, `${Buffer.byteLength(body)} bytes`)
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(headers['cache-control'], 'public, max-age=300')
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  // Nothing that a site's policy would refuse, and nothing that is newer than ES2017.
  assert.doesNotMatch(body, /\beval\b|new Function|innerHTML|setAttribute\(['"]style|<style|\?\.|\?\?|\.\.\.|\/\/ /)
})

it('thirty at once from one address, then five a second: 429 before anything is read', async () => {
  const virtual = await openVirtualService()
  const code = async (remoteAddress: string): Promise<number> =>
    (await virtual.app.inject({ method: 'POST', url: '/checkout/links', remoteAddress })).statusCode
  for (let asked = 0; asked < 30; asked++) assert.equal(await code('10.9.9.9'), 400)
  assert.equal(await code('10.9.9.9'), 429)
  assert.equal(await code('10.9.9.8'), 400, 'another address is not limited')
  await virtual.clock.advance(200)
  assert.deepEqual([await code('10.9.9.9'), await code('10.9.9.9')], [400, 429])
  await virtual.remove()
})
