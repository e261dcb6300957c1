// How the dashboard's page is sent: compressed and kept where its name says what it is, never kept where it carries a nonce, and nothing but what was built.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { dashboardPages } from '../../src/dashboard-api/static.ts'
import { seededRandom } from '../kit/seeded-random.ts'

const SCRIPT = 'export const page = 1\n'

describe('the dashboard’s page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-page-'))
  let app: FastifyInstance
  before(() => {
    app = Fastify()
    dashboardPages(app, { random: seededRandom(1), folder })
  })
  after(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: `/dashboard${path}`, headers })

  it('says what to do while it is not built, and is there as soon as it is', async () => {
    const missing = await get('/')
    assert.equal(missing.statusCode, 503)
    assert.match(missing.body, /npm run build-dashboard/)
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<script nonce="{{nonce}}" src="/dashboard/assets/a-1.js"></script>')
    writeFileSync(join(folder, 'assets/a-1.js'), SCRIPT)
    writeFileSync(join(folder, 'assets/a-1.js.br'), brotliCompressSync(SCRIPT))
    writeFileSync(join(folder, 'assets/a-1.js.gz'), gzipSync(SCRIPT))
    writeFileSync(join(folder, 'mark.svg'), '<svg/>')
    writeFileSync(join(folder, '.sources'), 'hash')
    assert.equal((await get('/')).statusCode, 200)
  })

  it('every address of a page gets the one index.html, each time with another nonce that the policy names', async () => {
    const seen = new Set<string>()
    for (const path of ['/', '/a/acc_1/payments', '/console', '/sign-in?back=%2F']) {
      const { statusCode, headers, body } = await get(path)
      const nonce = /nonce="([^"]+)"/.exec(body)?.[1] ?? ''
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'no-store'], path)
      assert.ok(String(headers['content-security-policy']).includes(`'nonce-${nonce}'`), path)
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/)
      seen.add(nonce)
    }
    assert.equal(seen.size, 4)
  })

  it('a file whose name has a hash is kept for ever, in the best form that the browser takes', async () => {
    const forms: [accepted: string, sent: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
    ]
    for (const [accepted, sent] of forms) {
      const { headers } = await get('/assets/a-1.js', { 'accept-encoding': accepted })
      assert.equal(headers['content-encoding'], sent)
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.deepEqual([headers.vary, headers['x-content-type-options']], ['accept-encoding', 'nosniff'])
    }
    assert.match(String((await get('/mark.svg')).headers['cache-control']), /max-age=3600$/)
  })

  it('nothing else on the disk is ever sent', async () => {
    for (const path of ['/assets/../../secret', '/%2e%2e/%2e%2e/etc/passwd', '/assets/%2e%2e/.sources', '/.sources']) {
      const { statusCode, headers, body } = await get(path)
      assert.ok(statusCode === 404 || String(headers['content-type']).startsWith('text/html'), path)
      assert.doesNotMatch(body, /^hash|root:/)
    }
    assert.equal((await get('/assets/a-2.js')).statusCode, 404)
    assert.deepEqual([(await get('')).statusCode, (await get('')).headers.location], [308, '/dashboard/'])
  })
})
