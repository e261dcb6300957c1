// Clients generated from docs/openapi.json drop Content-Type from requests without a body. The
// interceptor that the documents print makes them work. The client here sends what one by
// @hey-api/openapi-ts sends.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { head, openTestService, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { blocksOf, readDocument } from './printed-code.ts'

type Interceptor = (request: Request) => Request

const { info } = JSON.parse(readDocument('docs/openapi.json')) as { info: { description: string } }
const PRINTED: [place: string, text: string][] = [
  ['the OpenAPI description', info.description],
  ['the English guide', readDocument('docs/guides/en/errors.md')],
  ['the French guide', readDocument('docs/guides/fr/errors.md')],
]

describe('generated clients', async () => {
  const service = await openTestService(SQLITE)
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { secretKey } = (await service.merchant()).accounts.sandbox
  after(() => service.remove())

  /** A request that the generator makes, through the interceptors that the user adds. */
  function makeClient() {
    const interceptors: Interceptor[] = []
    const use = (interceptor: Interceptor): void => void interceptors.push(interceptor)
    return {
      client: { interceptors: { request: { use } } },
      read(name: string): Promise<Response> {
        const headers = new Headers(head(secretKey))
        headers.delete('Content-Type')
        const plain = new Request(`${address}/api/v1/payments/${name}`, { headers })
        return fetch(interceptors.reduce((request, change) => change(request), plain))
      },
    }
  }

  it('generated clients: without the interceptor a read is refused, and the hint names the reason', async () => {
    const { read } = makeClient()
    const { status, headers } = await read('unknown')
    assert.deepEqual([status, headers.get('svc-error-code')], [400, 'header_missing'])
    assert.match(headers.get('svc-error-hint') ?? '', /generated clients drop Content-Type/)
    assert.equal(headers.get('svc-error-param'), 'Content-Type')
  })

  for (const [place, text] of PRINTED)
    it(`generated clients: a read works with the interceptor of ${place}`, async () => {
      const block = blocksOf(text).find(({ code }) => code.includes('interceptors'))
      const { client, read } = makeClient()
      runInNewContext(block?.code ?? '', { client })
      const { body } = await post(service, secretKey, order())
      assert.equal((await read(String(body.reference))).status, 200)
    })
})
