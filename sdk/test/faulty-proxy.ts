// An HTTP proxy that loses the requests and answers that the test names.
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Fault =
  | 'passes'
  | 'is cut before the service'
  | 'is cut after the commit'
  | 'is cut in the middle of the answer'
  | 'gets a 404 of the proxy'
  | 'gets a 504 of the proxy'
  | 'is answered when the payment is over'
  | 'gets a 503'
  | 'gets a 503 for a minute'
  | 'is repeated to the service'
  | 'is never answered'
  | 'gets a redirect'
  | 'gets an endless answer'

/** For a client that reads on without a limit: the proxy stops. */
const ENDLESS_BYTES = 1 << 30
const CHUNK = Buffer.alloc(1 << 16, ' ')

/** Only creations get a fault, reads too with `readsToo`. */
export async function openFaultyProxy(
  serviceUrl: string,
  nextFault: (method: string, request: IncomingMessage) => Fault | Promise<Fault>,
  { readsToo = false } = {},
) {
  const met = new Map<Fault, number>()
  let endlessBytes = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    const fault =
      request.method === 'POST' || readsToo
        ? await nextFault(request.method as string, request)
        : 'passes'
    met.set(fault, (met.get(fault) ?? 0) + 1)
    await apply(fault, request, body, response)
  })

  async function apply(
    fault: Fault,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    if (fault === 'is cut before the service') return void response.destroy()
    if (fault === 'gets a 503' || fault === 'gets a 503 for a minute') {
      const headers = {
        'x-request-id': 'req_later',
        'retry-after': fault === 'gets a 503' ? '0' : '60',
      }
      return void response.writeHead(503, headers).end('{"message":"Service Unavailable"}')
    }
    if (fault === 'is never answered') return
    if (fault === 'gets a redirect')
      return void response.writeHead(307, { location: `${serviceUrl}${request.url}` }).end()
    if (fault === 'gets an endless answer') return sendEndless(response)
    const { answer, text } = await forward(request, body)
    if (fault === 'is repeated to the service') await forward(request, body)
    if (fault === 'is cut after the commit') return void response.destroy()
    if (fault === 'gets a 404 of the proxy')
      return void response.writeHead(404).end('<h1>Not Found</h1>')
    if (fault === 'gets a 504 of the proxy')
      return void response.writeHead(504).end('<h1>Gateway Timeout</h1>')
    if (fault === 'is answered when the payment is over') await untilOver(request, text)
    response.writeHead(answer.statusCode as number, answer.headers)
    if (fault !== 'is cut in the middle of the answer') return void response.end(text)
    response.write(text.subarray(0, text.length / 2), () => response.destroy())
  }

  async function forward(request: IncomingMessage, body: Buffer) {
    const { method, headers, url } = request
    const onward = requestTo(serviceUrl + url, { ...(method && { method }), headers })
    onward.end(body)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    return { answer, text: await buffer(answer) }
  }

  function sendEndless(response: ServerResponse): void {
    let left = ENDLESS_BYTES
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= CHUNK.length
        endlessBytes += CHUNK.length
        if (!response.write(CHUNK)) return void response.once('drain', send)
      }
      response.destroy()
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    send()
  }

  async function untilOver({ headers }: IncomingMessage, created: Buffer): Promise<void> {
    const { reference } = JSON.parse(created.toString()) as { reference: string }
    const { host: _host, 'content-length': _length, ...own } = headers
    await fetch(`${serviceUrl}/api/v1/payments/${reference}?wait=25`, {
      headers: own as Record<string, string>,
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    endlessBytes: () => endlessBytes,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
