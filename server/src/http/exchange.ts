// Routes that are answered on Node's own request and response, before Fastify sees them: its objects, hooks and promises cost as much as a
// read of the store. A route says what is checked before the body is read and what is answered; whatever holds for every request is in
// server.ts, which serves both kinds.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MerchantKey } from '../domain/caller.ts'
import { ERROR_CODE_HEADER, errorText, HOUSE_ERRORS, type HouseError, type WireError } from '../wire/error.ts'
import { hasSuffix, nameBetween } from './routable-url.ts'

export interface ExchangeRoute {
  method: string
  /** In the router's syntax: a path, with `*` at its end or `:name` within for a name that the route decodes itself. */
  url: string
  bodyLimit: number
  /** Before the body is read: answers a refusal, or lets the exchange go on, at once or later. */
  enter(exchange: Exchange, goOn: () => void): void | Promise<void>
  /** Once the body is there. */
  handle(exchange: Exchange): Promise<void>
}

/** What the server gives every answer of its own accord. */
export interface AnswerHeaders {
  /** Names and values in turn. */
  always: readonly string[]
  /** Whether each answer closes its connection. */
  closes(): boolean
  /** Where a request comes from, past our own proxies. */
  addressOf(request: IncomingMessage): string
}

/** One request and its answer. */
export class Exchange {
  readonly route: ExchangeRoute
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly startedAt: number
  /** How long the caller asked us to wait, of the time since the start. */
  waitedMs: number
  /** Undefined until it was read, and where there is none. */
  body: Buffer | undefined
  /** Once the route has checked the request's key. */
  caller: MerchantKey | undefined
  /** For the log line. */
  paymentReference: string | undefined
  refusal: string | undefined
  readonly #headers: AnswerHeaders
  readonly #waits: (longestMs: number | undefined) => void

  constructor(
    route: ExchangeRoute,
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    headers: AnswerHeaders,
    /** Told when the exchange begins to wait because its caller wishes it, for how long at most, and with undefined when it no longer does. */
    waits: (longestMs: number | undefined) => void,
  ) {
    this.route = route
    this.request = request
    this.response = response
    this.id = id
    this.startedAt = performance.now()
    this.#headers = headers
    this.#waits = waits
    this.waitedMs = 0
    this.body = undefined
    this.caller = undefined
    this.paymentReference = undefined
    this.refusal = undefined
  }

  get address(): string {
    return this.#headers.addressOf(this.request)
  }

  /** Waits for something else than our own work: it holds up nobody, and its connection may be silent for that long. */
  async waitFor<Result>(longestMs: number, work: (gone: AbortSignal) => Promise<Result>): Promise<Result> {
    const gone = new AbortController()
    const leave = (): void => gone.abort()
    this.response.once('close', leave)
    this.#waits(longestMs)
    const began = performance.now()
    try {
      return await work(gone.signal)
    } finally {
      this.waitedMs = performance.now() - began
      this.#waits(undefined)
      this.response.off('close', leave)
    }
  }

  /** Takes serialized JSON, and further headers as names and values in turn. */
  answer(code: number, text: string, ...further: string[]): void {
    const { always, closes } = this.#headers
    const headers = ['x-request-id', this.id, ...always, ...further]
    const size = Buffer.byteLength(text)
    headers.push('content-type', 'application/json; charset=utf-8', 'content-length', String(size))
    if (closes()) headers.push('connection', 'close')
    this.response.writeHead(code, headers)
    // Letters of one byte each are the same in both, and copied faster as these.
    this.response.end(text, size === text.length ? 'latin1' : 'utf8')
  }

  answerError(error: WireError, ...further: string[]): void {
    if (error.http === 503 || error.http === 429) further.push('retry-after', '1')
    this.answer(error.http, errorText(error), ERROR_CODE_HEADER, error.code, ...further)
  }

  /** An error that belongs to no operation (D-05). */
  answerHouseError(error: HouseError, ...further: string[]): void {
    this.answerError(HOUSE_ERRORS[error], ...further)
  }
}

/** Reads the body and then calls `done`; answers by itself when the body is too long or does not come whole. */
export function receiveBody(exchange: Exchange, done: () => void): void {
  const { request, route } = exchange
  const length = Number(request.headers['content-length'])
  if (length > route.bodyLimit) {
    refuseBody(exchange, 'payload_too_large')
    return
  }
  // A small body mostly comes with its head, and waits to be read by then: taking it is 3 µs cheaper than being told of it.
  process.nextTick(() => {
    if (length === 0 || request.readableLength !== length) {
      receiveChunks(exchange, done)
      return
    }
    exchange.body = request.read(length) as Buffer
    // What follows is the end of the request, without which Node would keep it until the next one.
    request.resume()
    done()
  })
}

function receiveChunks(exchange: Exchange, done: () => void): void {
  const { request, route } = exchange
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= route.bodyLimit) return
    end()
    refuseBody(exchange, 'payload_too_large')
  }
  const onEnd = (): void => {
    end()
    exchange.body = Buffer.concat(chunks, size)
    done()
  }
  const onError = (): void => {
    end()
    refuseBody(exchange, 'bad_request')
  }
  function end(): void {
    request.off('data', onData).off('end', onEnd).off('error', onError)
    // The caller may go away later too, and then nobody is left to be told.
    request.on('error', () => {})
  }
  request.on('data', onData).on('end', onEnd).on('error', onError)
}

/** The connection is closed: the caller may be sending more of the body. */
function refuseBody(exchange: Exchange, error: HouseError): void {
  exchange.answerHouseError(error, 'connection', 'close')
}

/** Finds the route of a request as most clients write it; undefined for any other, which the router finds. */
export function exchangeRoutes(): {
  add(route: ExchangeRoute): void
  find(request: IncomingMessage): ExchangeRoute | undefined
} {
  const whole = new Map<string, ExchangeRoute>()
  /** Those with a suffix first. */
  const byPrefix: { prefix: string; suffix: string; route: ExchangeRoute }[] = []
  return {
    add(route) {
      const [prefix, suffix] = route.url.split(/\*|:name/) as [string, string?]
      if (suffix === undefined) whole.set(`${route.method} ${route.url}`, route)
      else if (suffix === '') byPrefix.push({ prefix, suffix, route })
      else byPrefix.unshift({ prefix, suffix, route })
    },
    find(request) {
      const url = request.url as string
      const exact = whole.get(`${request.method} ${url}`)
      if (exact !== undefined) return exact
      for (const opaque of byPrefix) {
        const { prefix, suffix, route } = opaque
        if (route.method !== request.method || !url.startsWith(prefix)) continue
        if (url.includes('%')) return undefined
        const end = url.indexOf('?')
        const path = end === -1 ? url : url.slice(0, end)
        if (suffix !== '' && !hasSuffix(path, opaque)) continue
        request.nameInPath = nameBetween(path, opaque)
        return route
      }
      return undefined
    },
  }
}
