// A merchant's server: real HTTP on this machine. It keeps what came, answers as the test says, and tells when enough has come.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  told: { id: string; event: string; data: Record<string, unknown> }
}

/** A status, or a status and what the answer says. */
type Reply = number | [status: number, text: string]

export interface Receiver {
  url: string
  /** In the order of arrival, before they are answered. */
  received: Received[]
  /** What it does with an event. A test sets it. */
  handle(event: Received): Reply | Promise<Reply>
  /** Resolves when it is so; looked at whenever an event has been answered. */
  until(holds: () => boolean): Promise<void>
  close(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  let waiting: { holds: () => boolean; resolve: () => void }[] = []
  const receiver: Receiver = {
    url: '',
    received: [],
    handle: () => 200,
    until: (holds) =>
      new Promise((resolve) => {
        waiting.push({ holds, resolve })
        look()
      }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  function look(): void {
    const met = waiting.filter(({ holds }) => holds())
    waiting = waiting.filter((each) => !met.includes(each))
    for (const { resolve } of met) resolve()
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    // Who sends may be killed in the middle of it.
    for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const event = { path: request.url as string, headers: request.headers, body, told: JSON.parse(body) }
    receiver.received.push(event)
    const reply = await receiver.handle(event)
    const [status, text] = typeof reply === 'number' ? [reply, ''] : reply
    response.writeHead(status).end(text)
    look()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}
