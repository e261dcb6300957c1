// The two lines between the shop and Karba: the shop's requests, and Karba's webhooks. A case may
// answer, lose, delay or repeat what passes.
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenLocally } from '../../../server/test/kit/process.ts'

export interface Message {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export interface Reply {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** Passes a message on; the reply of the other side. */
export type PassOn = (message: Message) => Promise<Reply>

/** What becomes of a message; `lost` closes the connection without an answer. */
export type Fate = (message: Message, passOn: PassOn) => Promise<Reply | 'lost'>

export interface Line {
  url: string
  fate: Fate
  close(): void
}

export const passes: Fate = (message, passOn) => passOn(message)

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name, value]) =>
        typeof value === 'string' &&
        !/^(host|connection|content-length|transfer-encoding)$/.test(name),
    ),
  ) as Record<string, string>

export async function openLine(target: () => string): Promise<Line> {
  const passOn: PassOn = async ({ method, path, headers, body }) => {
    const answer = await fetch(target() + path, {
      method,
      headers,
      redirect: 'manual',
      ...(method === 'GET' ? {} : { body }),
    })
    const kept = [...answer.headers].filter(
      ([name]) =>
        !/^(connection|content-length|content-encoding|transfer-encoding|keep-alive)$/.test(name),
    )
    return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() }
  }
  const line: Line = { url: '', fate: passes, close: () => {} }
  const server = createServer(async (request, response) => {
    try {
      const message = {
        method: request.method as string,
        path: request.url as string,
        headers: headersOf(request),
        body: (await buffer(request)).toString(),
      }
      const reply = await line.fate(message, passOn)
      if (reply === 'lost') return void response.destroy()
      response.writeHead(reply.status, reply.headers).end(reply.body)
    } catch {
      // The other side is down, or the one that asked has gone.
      response.destroy()
    }
  })
  line.url = `http://127.0.0.1:${await listenLocally(server)}`
  line.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return line
}
