// A merchant's server: keeps what it is sent, byte for byte, and answers as the test says. Can be closed and opened again on its port.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Receiver {
  url: string
  got: Received[]
  /** What it answers from now on. */
  answer: { status: number; text: string }
  /** Resolves with the nth that it got, counted from 1. */
  nth(count: number): Promise<Received>
  close(): Promise<void>
  open(): Promise<void>
}

const PATIENCE_MS = 10_000

export async function openReceiver(): Promise<Receiver> {
  const got: Received[] = []
  let server: Server
  let port = 0

  async function open(): Promise<void> {
    server = createServer(async (request, reply) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      got.push({ path: request.url as string, headers: request.headers, body: Buffer.concat(chunks) })
      reply.writeHead(receiver.answer.status).end(receiver.answer.text)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  const receiver: Receiver = {
    url: '',
    got,
    answer: { status: 200, text: 'thanks' },
    async nth(count) {
      const deadline = performance.now() + PATIENCE_MS
      while (got.length < count) {
        if (performance.now() > deadline) throw new Error(`the receiver got ${got.length} and not ${count}`)
        await pause(10)
      }
      return got[count - 1] as Received
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
    open,
  }
  await open()
  receiver.url = `http://127.0.0.1:${port}`
  return receiver
}
