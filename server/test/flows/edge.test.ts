// What the HTTP edge refuses and tells: doubled headers, unlisted proxies, keys that are tried, ids that tell nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, it } from 'node:test'
import { makeLog } from '../../src/observability/log.ts'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'

const lines: string[] = []
const told = (text: RegExp): number => lines.filter((line) => text.test(line)).length
let service: TestService
let secretKey: string

before(async () => {
  service = await openTestService(
    undefined,
    { KARBA_MODE: 'production', PUBLIC_URL: 'https://pay.example', KARBA_METRICS_TOKEN: '' },
    { log: makeLog('info', { write: (line) => void lines.push(line) }) },
  )
  secretKey = (await service.merchant()).accounts.sandbox.secretKey
  await service.listen()
})
after(() => service.remove())

async function raw(text: string): Promise<string> {
  const { port } = service.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  // Not ended: Node answers nobody who has said that they say no more, unless the answer is there at once.
  socket.write(text)
  await once(socket, 'close')
  return answer
}

for (const doubled of [
  'Authorization: Bearer sk_a\r\nauthorization: Bearer sk_b',
  'Host: a.example\r\nhost: b.example',
]) {
  it(`two ${doubled.split(':', 1)[0]} headers are a bad request`, async () => {
    const host = doubled.startsWith('Host') ? '' : 'Host: karba\r\n'
    const answer = await raw(`GET /api/v1/payments/x HTTP/1.1\r\n${host}${doubled}\r\nconnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*\{"message":"Bad Request"\}$/)
  })
}

it('over https every answer says so for the future', async () => {
  const { headers } = await get(service, secretKey, 'nothing')
  assert.equal(headers['strict-transport-security'], 'max-age=31536000')
})

it('request ids tell nothing about the number of requests', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, () => get(service, secretKey, 'nothing')))
  const texts = ids.map(({ headers }) => headers['x-request-id'] as string)
  assert.equal(new Set(texts).size, 50)
  for (const id of texts) assert.match(id, /^req_[\w-]{16}$/)
  assert.ok(new Set(texts.map((id) => id.slice(0, 8))).size > 45, 'no common beginning')
})

it('the log line of a request tells the caller’s network and key', async () => {
  const { body } = await post(service, secretKey, order())
  const line = lines.map((each) => JSON.parse(each)).find(({ payment }) => payment === body.reference)
  assert.equal(line.network, '127.0.0.1')
  assert.match(line.keyId, /^key_/)
})

it('an address that forwards for others and is not listed is told once', async () => {
  for (let count = 0; count < 3; count++) {
    await raw('GET /healthz HTTP/1.1\r\nhost: karba\r\nx-forwarded-for: 41.138.10.7\r\nconnection: close\r\n\r\n')
  }
  assert.equal(told(/KARBA_TRUST_PROXY/), 1)
})

it('a network that tries many keys is told once a minute', async () => {
  for (let count = 0; count < 40; count++) await get(service, `sk_sandbox_${'x'.repeat(32)}`, 'nothing')
  await until('line about it', () => told(/keys of this network were refused/) === 1)
})

it('metrics in production: closed without a token, also for a proxy on this machine that adds no header', async () => {
  const ask = (more: string) => raw(`GET /metrics HTTP/1.1\r\nhost: karba\r\n${more}connection: close\r\n\r\n`)
  for (const more of ['', 'x-forwarded-for: 41.138.10.7\r\n', 'authorization: Bearer \r\n', 'authorization: \r\n'])
    assert.match(await ask(more), /^HTTP\/1\.1 404 /)
})

it('metrics in production: with a token, open to whoever sends it', async () => {
  const settings = {
    KARBA_MODE: 'production',
    PUBLIC_URL: 'https://pay.example',
    KARBA_METRICS_TOKEN: 'a-token-for-metrics',
  }
  const other = await openTestService(undefined, settings)
  const codeOf = async (authorization: string) =>
    (await other.app.inject({ url: '/metrics', headers: { authorization } })).statusCode
  assert.deepEqual([await codeOf('Bearer a-token-for-metrics'), await codeOf('Bearer a-token-for-metricS')], [200, 404])
  await other.remove()
})
