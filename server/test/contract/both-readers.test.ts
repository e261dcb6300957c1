// A request is answered alike, to the letter, whether it comes in one piece, and is read by us, or in two, and is read by Node.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, it } from 'node:test'
import { head, openTestService, order, post, type TestService } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'

let service: TestService
let key: string
let nodeReads = 0
before(async () => {
  service = await openTestService(undefined, { KARBA_SANDBOX_DELAY_MS: '600000' })
  key = (await service.merchant()).accounts.sandbox.secretKey
  await post(service, key, order({ transaction_id: 'read-me' }))
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  service.app.server.on('request', () => nodeReads++)
})
after(() => service.remove())

interface Asked {
  method?: 'GET' | 'POST'
  path: string
  change?: Record<string, string | undefined>
  body?: string
}

function written({ method = 'GET', path, change = {}, body = '' }: Asked): Buffer {
  const headers = { host: 'karba', ...head(key, change) }
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

/** The whole answer, without what is different in each. */
async function answerTo(...pieces: Buffer[]): Promise<string> {
  const { port } = service.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const [atServer] = await once(service.app.server, 'connection')
  for (const piece of pieces) {
    const size = atServer.bytesRead + piece.length
    socket.write(piece)
    await until('piece at the server', () => atServer.bytesRead >= size || text !== '')
  }
  await until('answer', () => {
    const length = Number(/content-length: (\d+)/.exec(text)?.[1])
    return Buffer.byteLength(text.slice(text.indexOf('\r\n\r\n') + 4)) >= length
  })
  socket.destroy()
  return text.replace(/^(x-request-id|Date): .*$/gim, '$1').replace(/"(reference|public_reference)":"[^"]+"/g, '"$1"')
}

const newOrder = (change: Record<string, unknown> = {}): string => JSON.stringify(order(change))
const CASES: Record<string, () => Asked> = {
  'a create': () => ({ method: 'POST', path: '/payments', body: newOrder() }),
  'a create with letters of more than a byte': () => ({
    method: 'POST',
    path: '/payments',
    body: newOrder({ customer_name: 'Fátima Sàlámì' }),
  }),
  'a create of what is there': () => ({
    method: 'POST',
    path: '/payments',
    body: newOrder({ transaction_id: 'read-me' }),
  }),
  'a create with a wrong amount': () => ({ method: 'POST', path: '/payments', body: newOrder({ amount: -1 }) }),
  'a create of no JSON': () => ({ method: 'POST', path: '/payments', body: '{' }),
  'a create of nothing': () => ({ method: 'POST', path: '/payments', body: '' }),
  'a create without a header': () => ({
    method: 'POST',
    path: '/payments',
    body: newOrder(),
    change: { 'svc-payment-type': undefined },
  }),
  'a read': () => ({ path: '/payments/read-me' }),
  'a read of nothing': () => ({ path: '/payments/nothing' }),
  'a read with a short wait': () => ({ path: '/payments/read-me?wait=1' }),
  'a read with a wrong wait': () => ({ path: '/payments/read-me?wait=x' }),
  'a read with a key that is none': () => ({ path: '/payments/read-me', change: { authorization: 'Bearer sk_x' } }),
  'a read without a key': () => ({ path: '/payments/read-me', change: { authorization: undefined } }),
  'a read in another environment': () => ({
    path: '/payments/read-me',
    change: { 'svc-target-environment': 'live' },
  }),
  'a refund of nothing': () => ({ method: 'POST', path: '/payments/nothing/refund', body: '{}' }),
}

for (const [what, ask] of Object.entries(CASES)) {
  it(`${what} is answered alike`, async () => {
    const before = nodeReads
    const whole = await answerTo(written(ask()))
    assert.equal(nodeReads, before, 'Node read what was plain')
    const request = written(ask())
    const inTwo = await answerTo(request.subarray(0, 30), request.subarray(30))
    assert.equal(nodeReads, before + 1, 'we read what was not plain')
    assert.equal(whole, inTwo)
  })
}
