// A way to the service on which answers are lost: real HTTP in between, that does to each creation what the test says.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What becomes of one request. */
export type Fate =
  | 'passes'
  | 'is cut before the service has it'
  | 'is cut after the commit'
  | 'is cut in the middle of the answer'
  | 'meets a proxy that has given up'
  | 'is put off'

export interface FaultyWay {
  url: string
  /** How often a request met each fate. */
  met: Map<Fate, number>
  close(): Promise<void>
}

/** Only creations meet a fate; each look passes, unless `looksToo`. */
export async function openFaultyWay(
  serviceUrl: string,
  nextFate: () => Fate,
  { looksToo = false } = {},
): Promise<FaultyWay> {
  const met = new Map<Fate, number>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    const fate = request.method === 'POST' || looksToo ? nextFate() : 'passes'
    met.set(fate, (met.get(fate) ?? 0) + 1)
    await suffer(fate, request, body, response)
  })

  async function suffer(fate: Fate, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    if (fate === 'is cut before the service has it') return void response.destroy()
    if (fate === 'is put off') {
      const headers = { 'x-request-id': 'req_later', 'retry-after': '0' }
      return void response.writeHead(503, headers).end('{"message":"Service Unavailable"}')
    }
    const { answer, text } = await forward(request, body)
    if (fate === 'is cut after the commit') return void response.destroy()
    if (fate === 'meets a proxy that has given up') return void response.writeHead(504).end('<h1>Gateway Timeout</h1>')
    response.writeHead(answer.statusCode as number, answer.headers)
    if (fate === 'passes') return void response.end(text)
    response.write(text.subarray(0, text.length / 2), () => response.destroy())
  }

  async function forward(request: IncomingMessage, body: Buffer) {
    const { method, headers, url } = request
    const onward = requestTo(serviceUrl + url, { ...(method && { method }), headers })
    onward.end(body)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    return { answer, text: await buffer(answer) }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
