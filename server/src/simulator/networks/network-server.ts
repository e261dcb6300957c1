// A conformance simulator over HTTP, with a control address beside the network's own: what is in its books, which faults it has, and what
// payers decide. For tests and for whoever develops against the network; it is no part of a service that moves money.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../domain/clock-and-random.ts'
import { answerControl, CONTROL_PATH } from './control.ts'
import type { ConformanceNetwork, WireReaction, WireRequest } from './network.ts'

export interface NetworkServer {
  url: string
  close(): Promise<void>
}

export interface NetworkServerOptions {
  clock: Clock
  /** Any free port by default. */
  port?: number
  /** Whether it keeps its process alive. */
  keepsAlive?: boolean
}

const BODY_LIMIT_BYTES = 256 * 1024

export async function startNetworkServer(
  network: ConformanceNetwork,
  { clock, port = 0, keepsAlive = false }: NetworkServerOptions,
): Promise<NetworkServer> {
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => answer(network, clock, { request, response, body }))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  if (!keepsAlive) server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Also those that a silent network keeps open.
      server.closeAllConnections()
      await closed
    },
  }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  body: string
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT_BYTES) throw new Error('the body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function answer(network: ConformanceNetwork, clock: Clock, { request, response, body }: Exchange): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
  const wire: WireRequest = { method: request.method ?? 'GET', path: pathname, query: searchParams, headers, body }
  const reaction = pathname.startsWith(CONTROL_PATH) ? answerControl(network, wire) : network.handle(wire)
  if ('silent' in reaction) return
  const { afterMs = 0 } = reaction
  if (afterMs > 0) clock.after(afterMs, () => respond(response, reaction))
  else respond(response, reaction)
}

function respond(response: ServerResponse, reaction: Exclude<WireReaction, { silent: true }>): void {
  if ('cut' in reaction) {
    response.destroy()
    return
  }
  const { code, headers = {}, body } = reaction
  const isJson = typeof body === 'object'
  response.writeHead(code, isJson ? { 'content-type': 'application/json', ...headers } : headers)
  response.end(isJson ? JSON.stringify(body) : body)
}
