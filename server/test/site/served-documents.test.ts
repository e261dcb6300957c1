// The documents that the service serves as Markdown, /llms.txt, and the Postman collection as JSON.
// server/test/docs/postman.test.ts runs the collection.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { openApi } from '../../src/merchant-api/openapi.ts'
import { SERVED_DOCUMENTS } from '../../src/site/served-documents.ts'
import { anchorsOf } from '../docs/anchors.ts'
import { readDocument } from '../docs/printed-code.ts'
import { openTestService } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'

const service = shared(() => openTestService())

const ask = (url: string) => service.app.inject({ url })

/** Without code, where brackets are no link. */
const linksIn = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = '']) => target,
  )

describe('served documents', () => {
  for (const { address, file } of SERVED_DOCUMENTS)
    it(`served documents: ${address} is ${file} as Markdown, whose links lead to what is served`, async () => {
      const { statusCode, headers, body } = await ask(address)
      assert.deepEqual(
        [statusCode, headers['content-type'], headers['x-content-type-options']],
        [200, 'text/markdown; charset=utf-8', 'nosniff'],
      )
      assert.match(String(headers['cache-control']), /^public, max-age=\d+$/)
      assert.match(body, /^# /)
      const [title] = /^# .*$/m.exec(readDocument(file)) ?? []
      assert.ok(title !== undefined && body.startsWith(title))
      for (const target of linksIn(body)) {
        if (/^https?:/.test(target)) continue
        const [path = '', chapter] = target.split('#')
        const led = path === '' ? body : (await ask(path)).body
        if (path !== '') assert.equal((await ask(path)).statusCode, 200, target)
        if (chapter !== undefined) assert.ok(anchorsOf(led).has(chapter), target)
      }
    })

  it('served documents: every guide of both languages is among them', () => {
    for (const language of ['en', 'fr']) {
      const folder = `docs/guides/${language}`
      const guides = readdirSync(new URL(`../../../${folder}/`, import.meta.url))
      const served = SERVED_DOCUMENTS.map(({ file }) => file)
      assert.deepEqual(
        guides.filter((name) => !served.includes(`${folder}/${name}`)),
        [],
      )
    }
  })

  it('served documents: code keeps its text', async () => {
    const codeOf = (text: string): string[] => text.match(/^```[\s\S]*?^```$/gm) ?? []
    for (const { address, file } of SERVED_DOCUMENTS)
      assert.deepEqual(codeOf((await ask(address)).body), codeOf(readDocument(file)), file)
  })

  const OUTSIDE = [
    '/docs/operating.md',
    '/docs/guides/en/../../operating.md',
    '/docs/guides/en/..%2f..%2foperating.md',
    '/docs/%2e%2e/package.json',
    '/docs/..%5cpackage.json',
    '/docs/guides/en/webhooks.md/../../../../package.json',
    '/docs/guides/en/webhooks.md%00',
    '/docs/guides/en/',
    '/docs/guides/de/webhooks.md',
    '/docs/adr/0001-layers.md',
  ]
  for (const url of OUTSIDE)
    it(`served documents: ${url} is a 404`, async () => {
      assert.equal((await ask(url)).statusCode, 404)
    })

  it('served documents: an address that reads too many gets 429', async (t) => {
    const limited = await openTestService(undefined, { KARBA_PUBLIC_RATE: '1' })
    t.after(() => limited.remove())
    const read = async (url: string, remoteAddress: string): Promise<number> =>
      (await limited.app.inject({ url, remoteAddress })).statusCode
    const urls = ['/llms.txt', '/docs/errors.md', '/api/v1/postman.json', '/docs', '/']
    for (const url of urls) assert.equal(await read(url, '192.0.2.1'), 200, url)
    for (const url of urls) assert.equal(await read(url, '192.0.2.1'), 429, url)
    assert.equal(await read('/llms.txt', '192.0.2.2'), 200)
  })
})

it('llms.txt: has a title, a summary, and each document once', async () => {
  const { headers, body } = await ask('/llms.txt')
  assert.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  assert.match(body, /^# Karba\n\n> \S/)
  const targets = linksIn(body)
  assert.deepEqual(
    targets.toSorted(),
    [
      '/api/v1/openapi.json',
      '/api/v1/postman.json',
      ...SERVED_DOCUMENTS.map(({ address }) => address),
    ].toSorted(),
  )
  for (const target of targets) assert.equal((await ask(target)).statusCode, 200, target)
})

interface Folder {
  name: string
  item: { name: string; request: { method: string; url: { raw: string } } }[]
}

it('Postman collection: has each operation of the OpenAPI description once, and no key', async () => {
  const { headers, body } = await ask('/api/v1/postman.json')
  assert.equal(headers['content-type'], 'application/json')
  const { item, variable } = JSON.parse(body) as {
    item: Folder[]
    variable: { key: string; value: string }[]
  }
  const { paths } = openApi() as { paths: Record<string, Record<string, { summary?: string }>> }
  const operations = Object.values(paths).flatMap((operationsOf) =>
    Object.entries(operationsOf)
      .filter(([method]) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
      .map(([, { summary }]) => summary),
  )
  const requests = item.flatMap((folder) => folder.item)
  assert.deepEqual(requests.map(({ name }) => name).toSorted(), operations.toSorted())
  assert.equal(variable.find(({ key }) => key === 'secret_key')?.value, '')
  assert.doesNotMatch(body, /[sp]k_(sandbox|live)_\w/)
  for (const { name, request } of requests)
    assert.doesNotMatch(request.url.raw, /\{reference\}/, name)
})
