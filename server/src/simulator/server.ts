// The simulated network's API: it answers calls, and can be slow, cut the connection or answer 5xx.
// Calls need its token. In a process of its own it is a server on a loopback port; within the
// service, calls need no socket.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Dispatcher } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Reaction, SimulatedCallback, SimulatedNetwork, SimulatedProvider } from './network.ts'

const BODY_LIMIT_BYTES = 4_096

export const SIGNATURE_HEADER = 'x-simulator-signature'

export const signCallback = (token: string, body: string | Buffer): string =>
  createHmac('sha256', token).update(body).digest('hex')

/** The body of a callback and its signature; a forged one is signed with something else. */
export function callbackMessage(
  token: string,
  { reference, answer, genuine }: SimulatedCallback,
): [string, string] {
  const body = JSON.stringify({ reference, ...answer })
  return [body, signCallback(genuine ? token : `not ${token}`, body)]
}

export type SimulatorCall = {
  method: string
  path: string
  authorization: string | undefined
  body: string
}

/**
 * Text is JSON. Without an answer, the connection is cut, or the caller waits until its deadline.
 */
export type SimulatorAnswer =
  | { code: number; text: string; afterMs: number }
  | { does: 'cut' | 'hang' }

/** Answers a call to the network or the provider, whatever its transport. */
export function simulatorAnswers(
  network: SimulatedNetwork,
  provider: SimulatedProvider,
  token: string,
): (call: SimulatorCall) => Promise<SimulatorAnswer> {
  const isAllowed = `Bearer ${token}`

  async function route({ method, path, body: text }: SimulatorCall): Promise<Reaction | undefined> {
    const [, kind, reference] = path.split('/')
    if (method === 'GET' && kind === 'payments' && reference) return network.status(reference)
    if (method === 'GET' && kind === 'sessions' && reference)
      return { answer: await provider.status(reference) }
    if (method === 'GET' && kind === 'refunds' && reference) return network.refundStatus(reference)
    if (method !== 'POST') return undefined
    const body = JSON.parse(text)
    if (kind === 'sessions' && reference) return { answer: await provider.cancel(reference) }
    if (kind === 'sessions') {
      const {
        reference: of,
        method: by,
        amount: amountXof,
        merchant: merchantName,
        title,
        return_url: returnUrl,
      } = body
      return {
        answer: await provider.open({
          reference: of,
          method: by,
          amountXof,
          merchantName,
          title,
          returnUrl,
        }),
      }
    }
    if (kind === 'payments') {
      return network.request({
        reference: body.reference,
        msisdn: body.msisdn,
        amountXof: body.amount,
      })
    }
    if (kind !== 'refunds') return undefined
    const { refund_reference: refundReference, reference: of, amount: amountXof } = body
    return network.refund({ refundReference, reference: of, amountXof })
  }

  return async (call) => {
    try {
      if (call.authorization !== isAllowed) return answer(401, { error: 'no valid token' })
      const reaction = await route(call)
      if (reaction === undefined) return answer(404, { error: 'no such address' })
      if ('answer' in reaction) {
        return answer(200, { reference: referenceIn(call), ...reaction.answer }, reaction.afterMs)
      }
      return reaction.does === '5xx' ? answer(503, { error: 'busy' }) : { does: reaction.does }
    } catch {
      return answer(500, { error: 'the simulator failed' })
    }
  }
}

/** Of the payment, session or refund that a call is about. */
function referenceIn({ path, body }: SimulatorCall): string | undefined {
  const inPath = path.split('/')[2]
  if (inPath !== undefined) return inPath
  const asked = JSON.parse(body)
  return asked.refund_reference ?? asked.reference
}

const answer = (code: number, body: object, afterMs = 0): SimulatorAnswer => ({
  code,
  text: JSON.stringify(body),
  afterMs,
})

export type SimulatorServer = { url: string; close(): Promise<void> }

export interface SimulatorServerOptions {
  clock: Clock
  /** Any free port by default. */
  port?: number | undefined
  keepsAlive?: boolean | undefined
}

export async function startSimulatorServer(
  answers: ReturnType<typeof simulatorAnswers>,
  { clock, port = 0, keepsAlive = false }: SimulatorServerOptions,
): Promise<SimulatorServer> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  if (!keepsAlive) server.unref()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const body = await readBody(request).catch(() => undefined)
    if (body === undefined) {
      write(response, { code: 413, text: '{"error":"the body is too long"}' })
      return
    }
    const answered = await answers({ method, path, authorization: headers.authorization, body })
    if (!('does' in answered)) {
      if (answered.afterMs === 0) write(response, answered)
      else clock.after(answered.afterMs, () => write(response, answered))
    } else if (answered.does === 'cut') response.destroy()
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

function write(response: ServerResponse, { code, text }: { code: number; text: string }): void {
  if (response.destroyed) return
  response.writeHead(code, { 'content-type': 'application/json' }).end(text)
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > BODY_LIMIT_BYTES) throw new Error('too long')
  }
  return text
}

// Calls a simulated network in the same process: replaces undici's agent and passes calls on
// without a socket. Callbacks use no socket either (compose.ts). HTTP connections within one
// process cost more than the rest of a settlement, and would distort measurements of the service.

type Options = { clock: Clock; answers(call: SimulatorCall): Promise<SimulatorAnswer> }

/** Supports only a text body or none, and headers as an object. */
export class InProcessDispatcher extends Dispatcher {
  readonly #options: Options
  /** Aborts an in-flight call. */
  readonly #underWay = new Set<(why: Error) => void>()

  constructor(options: Options) {
    super()
    this.#options = options
  }

  override dispatch(
    call: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { clock, answers } = this.#options
    const underWay = this.#underWay
    const controller = {
      aborted: false,
      paused: false,
      reason: null as Error | null,
      abort: fail,
      pause() {},
      resume() {},
    }
    underWay.add(fail)

    function fail(why: Error): void {
      if (!underWay.delete(fail)) return
      controller.aborted = true
      controller.reason = why
      handler.onResponseError?.(controller, why)
    }

    function end({ code, text }: { code: number; text: string }): void {
      if (!underWay.delete(fail)) return
      handler.onResponseStart?.(controller, code, { 'content-type': 'application/json' })
      handler.onResponseData?.(controller, Buffer.from(text))
      handler.onResponseEnd?.(controller, {})
    }

    handler.onRequestStart?.(controller, {})
    if (controller.aborted) return true
    const { authorization } = call.headers as Record<string, string | undefined>
    const body = (call.body ?? '') as string
    void answers({ method: call.method, path: call.path, authorization, body }).then((answered) => {
      if (!('does' in answered)) {
        if (answered.afterMs === 0) end(answered)
        else clock.after(answered.afterMs, () => end(answered))
      } else if (answered.does === 'cut') fail(failure('UND_ERR_SOCKET'))
      // `hang` never answers: the caller's deadline ends the call.
    })
    return true
  }

  /** Aborts all in-flight calls, as an agent does. */
  override async destroy(): Promise<void> {
    for (const fail of this.#underWay) fail(failure('UND_ERR_DESTROYED'))
  }
}

/** With the code that undici gives it. */
const failure = (code: string): Error => Object.assign(new Error('the call has ended'), { code })
