// Routes that are answered before Fastify sees them: its objects, hooks and promises cost as much as a read of the store. A route says what is
// checked before the body is read and what is answered; whatever holds for every request is in serve-exchange.ts.
import type { MerchantKey } from '../domain/caller.ts'
import { ERROR_CODE_HEADER, errorText, HOUSE_ERRORS, type HouseError, type WireError } from '../wire/error.ts'
import type { NodeRequest } from './node-request.ts'
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
  addressOf(request: NodeRequest): string
}

/** One request and its answer. */
export class Exchange {
  readonly route: ExchangeRoute
  readonly request: NodeRequest
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
  /** Set while the exchange waits. */
  #leave: (() => void) | undefined
  #isOver: boolean

  constructor(
    route: ExchangeRoute,
    request: NodeRequest,
    id: string,
    headers: AnswerHeaders,
    /** Told when the exchange begins to wait because its caller wishes it, for how long at most, and with undefined when it no longer does. */
    waits: (longestMs: number | undefined) => void,
  ) {
    this.route = route
    this.request = request
    this.id = id
    this.startedAt = performance.now()
    this.#headers = headers
    this.#waits = waits
    this.#leave = undefined
    this.#isOver = false
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
    this.#leave = () => gone.abort()
    // The caller may have left before there was anything to wait for.
    if (this.#isOver) gone.abort()
    this.#waits(longestMs)
    const began = performance.now()
    try {
      return await work(gone.signal)
    } finally {
      this.#leave = undefined
      this.waitedMs = performance.now() - began
      this.#waits(undefined)
    }
  }

  /** Told when the answer was sent, or its caller has gone away. */
  over(): void {
    this.#isOver = true
    this.#leave?.()
  }

  /** Takes serialized JSON, and further headers as names and values in turn. */
  answer(code: number, text: string, ...further: string[]): void {
    this.#send(code, text, further, this.#headers.closes())
  }

  #send(code: number, text: string, further: readonly string[], closes: boolean): void {
    const headers = ['x-request-id', this.id, ...this.#headers.always, ...further]
    const size = String(Buffer.byteLength(text))
    headers.push('content-type', 'application/json; charset=utf-8', 'content-length', size)
    this.request.answer(code, headers, text, closes)
  }

  answerError(error: WireError, ...further: string[]): void {
    if (error.http === 503 || error.http === 429) further.push('retry-after', '1')
    this.answer(error.http, errorText(error), ERROR_CODE_HEADER, error.code, ...further)
  }

  /** An error that belongs to no operation (D-05). */
  answerHouseError(error: HouseError): void {
    this.answerError(HOUSE_ERRORS[error])
  }

  /** Reads the body and then calls `done`; answers by itself when it cannot be read. */
  receiveBody(done: () => void): void {
    this.request.receiveBody(
      this.route.bodyLimit,
      (body) => {
        this.body = body
        done()
      },
      // The caller may be sending more of the body.
      (why) => {
        const { http, code } = HOUSE_ERRORS[why]
        this.#send(http, errorText(HOUSE_ERRORS[why]), [ERROR_CODE_HEADER, code], true)
      },
    )
  }
}

/** Finds the route of a request as most clients write it; undefined for any other, which the router finds. */
export function exchangeRoutes(): {
  add(route: ExchangeRoute): void
  /** Writes the name in its path into the request. */
  find(request: {
    method?: string | undefined
    url?: string | undefined
    nameInPath?: string | undefined
  }): ExchangeRoute | undefined
} {
  /** Few, and comparing a path with each is cheaper than looking it up: most requests have a name in theirs. */
  const whole: ExchangeRoute[] = []
  /** Those with a suffix first. */
  const byPrefix: { prefix: string; suffix: string; route: ExchangeRoute }[] = []
  return {
    add(route) {
      const [prefix, suffix] = route.url.split(/\*|:name/) as [string, string?]
      if (suffix === undefined) whole.push(route)
      else if (suffix === '') byPrefix.push({ prefix, suffix, route })
      else byPrefix.unshift({ prefix, suffix, route })
    },
    find(request) {
      const url = request.url as string
      for (const route of whole) if (route.url === url && route.method === request.method) return route
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
