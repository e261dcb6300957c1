// The listeners that share the server's port: a stop waits for the connections of each.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { head, openTestService, order, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until, within } from '../kit/waiting.ts'

/** The system spreads connections over the listeners by chance: with so many, hardly one listener is left out. */
const CONNECTIONS = 64

describe('the listeners of one port', () => {
  let service: TestService
  let port: number
  before(async () => {
    service = await openTestService(SQLITE, { KARBA_STOP_WITHIN_MS: '60000' })
    port = Number(new URL(await service.listen()).port)
  })
  // The last test has closed the service.
  after(() => service.place.remove())

  it('a stop answers every request under way, whichever listener accepted it, and then closes the store', async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const headers = Object.entries(head(secretKey)).map(([name, value]) => `${name}: ${value}\r\n`)
    const begun = await Promise.all(Array.from({ length: CONNECTIONS }, () => beginCreate(port, headers.join(''))))
    await until('request under way on each connection', () => service.app.underWay() === CONNECTIONS)
    const { body: metrics } = await service.app.inject('/metrics')
    // And the one that asks.
    assert.match(metrics, new RegExp(`^karba_http_requests_under_way ${CONNECTIONS + 1}$`, 'm'))
    const closed = service.close()
    // One after the other: a stop that did not wait for all of them would have closed the store before the last.
    for (const { socket, rest } of begun) {
      socket.write(rest)
      const [chunk] = (await within('answer', once(socket, 'data'))) as [Buffer]
      assert.equal(chunk.toString('latin1', 0, 12), 'HTTP/1.1 200')
    }
    await closed
  })
})

/** Sends a create without the end of its body. */
async function beginCreate(port: number, headers: string): Promise<{ socket: Socket; rest: string }> {
  const body = JSON.stringify(order())
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`POST /api/v1/payments HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n`)
  socket.write(body.slice(0, 10))
  return { socket, rest: body.slice(10) }
}
