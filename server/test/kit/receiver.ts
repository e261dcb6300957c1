// A merchant's server: real HTTP on this machine. It keeps what it is sent, byte for byte, and answers as the test says. Can be closed
// and opened again on its port.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until, within } from './waiting.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** Read from the body. */
  event: { id: string; event: string; data: Record<string, unknown> }
}

interface Reply {
  status: number
  text: string
}

export interface Receiver {
  url: string
  /** In the order of arrival, before they are answered. */
  got: Received[]
  /** How many of them it has answered. */
  answered: number
  /** What it answers from now on. */
  answer: Reply
  /** What it does with an event: answers as above, unless a test sets it. */
  handle(event: Received): number | Reply | Promise<number | Reply>
  /** Resolves with the nth that it got, counted from 1. */
  nth(count: number): Promise<Received>
  close(): Promise<void>
  open(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const got: Received[] = []
  let server: Server
  let port = 0

  async function open(): Promise<void> {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      // A sender may be killed in the middle of a request.
      for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const { url: path = '', headers } = request
      const received = { path, headers, body, event: JSON.parse(body.toString()) }
      got.push(received)
      // What a test's own receiver throws, while the service is being closed say, is a failure of the receiver.
      const reply = await Promise.resolve(receiver.handle(received)).catch(() => 500)
      const { status, text } = typeof reply === 'number' ? { status: reply, text: '' } : reply
      response.writeHead(status).end(text)
      receiver.answered++
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  const receiver: Receiver = {
    url: '',
    got,
    answered: 0,
    answer: { status: 200, text: 'thanks' },
    handle: () => receiver.answer,
    nth: (count) => until(`request ${count} at the receiver`, () => got[count - 1]),
    async close() {
      server.closeAllConnections()
      server.close()
      await within('end of the receiver', once(server, 'close'))
    },
    open,
  }
  await open()
  receiver.url = `http://127.0.0.1:${port}`
  return receiver
}
