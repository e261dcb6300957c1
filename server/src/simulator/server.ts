// The simulated network over real HTTP, on a loopback port: a connector calls a server that can be slow, cut the connection or answer 5xx,
// not a function. Calls need the simulator's token.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Reaction, SimulatedCallback, SimulatedNetwork } from './network.ts'
import type { SimulatedProvider } from './provider.ts'

const BODY_LIMIT_BYTES = 4_096

export const SIGNATURE_HEADER = 'x-simulator-signature'

export const signCallback = (token: string, body: string | Buffer): string =>
  createHmac('sha256', token).update(body).digest('hex')

/** The body of a callback and its signature; a forged one is signed with something else. */
export function callbackMessage(token: string, { reference, answer, genuine }: SimulatedCallback): [string, string] {
  const body = JSON.stringify({ reference, ...answer })
  return [body, signCallback(genuine ? token : `not ${token}`, body)]
}

export interface SimulatorServer {
  url: string
  close(): Promise<void>
}

export interface SimulatorServerOptions {
  clock: Clock
  token: string
  /** Any free port by default. */
  port?: number | undefined
  /** Whether the server keeps its process alive. */
  keepsAlive?: boolean | undefined
}

export async function startSimulatorServer(
  network: SimulatedNetwork,
  provider: SimulatedProvider,
  { clock, token, port = 0, keepsAlive = false }: SimulatorServerOptions,
): Promise<SimulatorServer> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  if (!keepsAlive) server.unref()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.headers.authorization !== `Bearer ${token}`) return answer(response, 401, { error: 'no valid token' })
      const reaction = await route(request)
      if (reaction === undefined) return answer(response, 404, { error: 'no such address' })
      perform(reaction, response)
    } catch {
      answer(response, 500, { error: 'the simulator failed' })
    }
  }

  async function route(request: IncomingMessage): Promise<Reaction | undefined> {
    const [, kind, reference] = (request.url as string).split('/')
    if (request.method === 'GET' && kind === 'payments' && reference) return network.status(reference)
    if (request.method === 'GET' && kind === 'sessions' && reference)
      return { answer: await provider.status(reference) }
    if (request.method === 'GET' && kind === 'refunds' && reference) return network.refundStatus(reference)
    if (request.method !== 'POST') return undefined
    const body = JSON.parse(await readBody(request))
    if (kind === 'sessions' && reference) return { answer: await provider.cancel(reference) }
    if (kind === 'sessions') {
      const { reference: of, method, amount: amountXof, merchant: merchantName, title, return_url: returnUrl } = body
      return { answer: await provider.open({ reference: of, method, amountXof, merchantName, title, returnUrl }) }
    }
    if (kind === 'payments') {
      return network.request({ reference: body.reference, msisdn: body.msisdn, amountXof: body.amount })
    }
    if (kind !== 'refunds') return undefined
    const { refund_reference: refundReference, reference: of, amount: amountXof } = body
    return network.refund({ refundReference, reference: of, amountXof })
  }

  function perform(reaction: Reaction, response: ServerResponse): void {
    if ('answer' in reaction) {
      const { answer: body, afterMs = 0 } = reaction
      if (afterMs === 0) answer(response, 200, body)
      else clock.after(afterMs, () => answer(response, 200, body))
    } else if (reaction.does === '5xx') {
      answer(response, 503, { error: 'busy' })
    } else if (reaction.does === 'cut') {
      response.destroy()
    }
    // `hang` never answers: the caller's deadline ends the call.
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function answer(response: ServerResponse, code: number, body: object): void {
  if (response.destroyed) return
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > BODY_LIMIT_BYTES) throw new Error('too long')
  }
  return text
}
