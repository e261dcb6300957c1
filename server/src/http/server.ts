// The HTTP server that all routes share: a Fastify that answers errors in our own form, gives every answer an X-Request-Id, and logs and
// counts every request; and before it the exchanges of exchange.ts, for which all of that holds too. Holds no rules of a single API.
import type { IncomingMessage, RequestListener } from 'node:http'
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { MerchantKey } from '../domain/caller.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { type AnsweredRequest, requestLog } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'
import { HOUSE_ERRORS, type WireError } from '../wire/error.ts'
import { methodsAt } from './allowed-methods.ts'
import { addressOfCaller, networkList, networkOf } from './caller-network.ts'
import { type ConnectionLimits, type Connections, watchConnections } from './connections.ts'
import { sendError, sendHouseError } from './errors.ts'
import { type Exchange, type ExchangeRoute, exchangeRoutes } from './exchange.ts'
import { NodeRequest } from './node-request.ts'
import { refusedKeys } from './refused-keys.ts'
import { asHouseError, brokenRequests, isAmbiguous } from './request-faults.ts'
import { type OpaquePath, routableUrl } from './routable-url.ts'
import { exchangeServer } from './serve-exchange.ts'

export interface ServerDeps {
  log: Logger
  metrics: Metrics
  makeRequestId(): string
  /** The proxies whose X-Forwarded-For is trusted; empty for none. */
  trustProxy: string
  limits: Pick<ConnectionLimits, 'most' | 'mostPerNetwork'>
  clock: Pick<Clock, 'now' | 'after'>
  /** Whether callers reach the service over https. */
  isHttps: boolean
  /** Told of each request that was answered, afterwards. */
  answered?(request: AnsweredRequest): void
  /** Told once, when an address that is no listed proxy speaks for others. */
  unlistedProxy(address: string): void
  /** The route decodes the name in them itself, and the router must not. */
  opaquePaths: readonly OpaquePath[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** How many requests are unanswered now. */
    underWay(): number
    /** How many requests have begun since the start. */
    begun(): number
    connections: Connections
    /** Adds a route that is answered before Fastify. Fastify knows it too, for requests that only its router understands. */
    exchange(route: ExchangeRoute): void
  }
  interface FastifyContextConfig {
    exchange?: ExchangeRoute
    /** A stream that stays open, and that nobody waits for. */
    isLong?: boolean
  }
  interface FastifyRequest {
    /** The caller that the request's key belongs to, once the route has checked it. */
    caller: MerchantKey | undefined
    /** The payment the request was about, and our name for why it was refused, for its log line. */
    paymentReference: string | undefined
    refusal: string | undefined
  }
}

export const REQUEST_TIMEOUT_MS = 30_000
export const HEADER_LIMIT_BYTES = 16 * 1024
/** A connection that neither sends nor reads for so long is ended; so is one that has not sent a whole head after HEAD_TIMEOUT_MS. */
const SILENT_CONNECTION_MS = 60_000
/** Between two requests. Longer than load balancers keep theirs: they would send a request on a connection that we are just ending. */
const KEEP_ALIVE_MS = 72_000
/** One more than callers are told: theirs may have been under way. */
const IDLE_CONNECTION_MS = KEEP_ALIVE_MS + 1_000
const HEAD_TIMEOUT_MS = 15_000
const CHECKED_EVERY_MS = 5_000
/** More on one connection than any honest client sends before it reads an answer. */
const MOST_REQUESTS_OF_CONNECTION = 32
/** Where proxies run that serve many callers, beside those of the settings. */
const THIS_MACHINE = '127.0.0.1,::1'

export function makeServer(deps: ServerDeps): FastifyInstance {
  const { log, metrics, makeRequestId, trustProxy, opaquePaths } = deps
  const app = Fastify({
    genReqId: makeRequestId,
    trustProxy: trustProxy === '' ? false : trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENT_CONNECTION_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would answer a request without Host, and one with an unknown Expect, in its own form.
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      requireHostHeader: false,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKED_EVERY_MS,
    },
    // The router would answer a long name in a path with its own 414; the route decides what is too long.
    routerOptions: { maxParamLength: HEADER_LIMIT_BYTES },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // While closing, Fastify would answer in its own form; the hook below answers in ours.
    return503OnClosing: false,
    rewriteUrl: (request) => routableUrl(request, opaquePaths),
    clientErrorHandler: brokenRequests({ ...deps, connections: () => connections }),
  })

  app.decorateRequest('caller', undefined)
  app.decorateRequest('paymentReference', undefined)
  app.decorateRequest('refusal', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  const connections: Connections = watchConnections(app.server, {
    limits: { ...deps.limits, mostRequests: MOST_REQUESTS_OF_CONNECTION },
    isManyCallers: networkList([THIS_MACHINE, trustProxy].join(',')),
    refused: metrics.connectionRefused,
  })
  app.decorate('connections', connections)
  const counts = { underWay: 0, begun: 0 }
  app.decorate('underWay', () => counts.underWay)
  app.decorate('begun', () => counts.begun)
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  const isListedProxy = networkList(trustProxy)
  let hasToldProxy = false
  function tellProxy({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): void {
    if (hasToldProxy || headers['x-forwarded-for'] === undefined) return
    const address = socket.remoteAddress ?? ''
    hasToldProxy = !isListedProxy(address)
    if (hasToldProxy) deps.unlistedProxy(address)
  }
  const always = deps.isHttps ? ['strict-transport-security', 'max-age=31536000'] : []
  const addressOf = (request: NodeRequest): string => addressOfCaller(request, isListedProxy)
  const answerHeaders = { always, closes: () => stopping, addressOf }

  const serve = exchangeServer({
    makeRequestId,
    connections,
    counts,
    answerHeaders,
    isStopping: () => stopping,
    begins: tellProxy,
    fail: failExchange,
    record: recordExchange,
    silentMs: IDLE_CONNECTION_MS,
  })
  const routes = exchangeRoutes()
  const [toFastify] = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request').on('request', (request, response) => {
    const route = routes.find(request)
    if (route === undefined) toFastify?.(request, response)
    else serve(route, new NodeRequest(request, response), isAmbiguous(request))
  })
  app.decorate('exchange', (route: ExchangeRoute) => {
    routes.add(route)
    const handler = (): never => {
      throw new Error('an exchange is served by the first hook')
    }
    app.route({ method: route.method, url: route.url, config: { exchange: route }, handler })
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { exchange } = request.routeOptions.config
    if (exchange !== undefined) {
      reply.hijack()
      serve(exchange, new NodeRequest(request.raw, reply.raw), isAmbiguous(request.raw))
      return
    }
    if (!connections.begin(request.raw.socket, request.raw)) {
      reply.hijack()
      return
    }
    counts.begun++
    const { isLong = false } = request.routeOptions.config
    if (!isLong) counts.underWay++
    const startedAt = performance.now()
    // Whoever leaves while it is answered is no fault of the process.
    reply.raw.on('error', () => {})
    // Also when the caller goes away before its answer.
    reply.raw.once('close', () => {
      if (!isLong) counts.underWay--
      connections.end(request.raw.socket)
      if (!reply.raw.headersSent) return
      const { id, method, ip: address, caller, paymentReference, refusal } = request
      // The route's pattern, never the path itself: what a caller puts into a path stays out of the log.
      const route = request.routeOptions.url ?? 'unknown'
      const answer = { status: reply.statusCode, ms: performance.now() - startedAt }
      record({ id, method, route, ...answer, address, caller, paymentReference, refusal })
    })
    reply.header('x-request-id', request.id)
    for (let at = 0; at < always.length; at += 2) reply.header(always[at] as string, always[at + 1])
    if (stopping) {
      sendHouseError(reply, 'unavailable')
    } else if (isAmbiguous(request.raw)) {
      sendHouseError(reply, 'bad_request')
    } else {
      tellProxy(request.raw)
      done()
    }
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  // While stopping, each answer closes its connection; otherwise stopping would wait for its keep-alive timeout.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done(null, payload)
  })

  const countRefusedKey = refusedKeys(deps.clock, log)
  const logRequest = requestLog(log)

  function record(answered: AnsweredRequest): void {
    const { method, route, status, ms, address } = answered
    metrics.answered(route, method, status, ms / 1_000)
    const network = networkOf(address)
    if (status === 401) countRefusedKey(network)
    logRequest(answered, network)
    deps.answered?.(answered)
  }

  function recordExchange(exchange: Exchange): void {
    const { id, route, request, startedAt, waitedMs, caller, paymentReference, refusal } = exchange
    record({
      id,
      method: route.method,
      route: route.url,
      status: request.status as number,
      ms: performance.now() - startedAt - waitedMs,
      address: exchange.address,
      caller,
      paymentReference,
      refusal,
    })
  }

  /** Logs what was thrown, and returns how it is answered; undefined when no answer would be true. */
  function errorFor(error: unknown, request: string): WireError | undefined {
    if (error instanceof StoreOutcomeUnknown) {
      // The write may have been committed, so no answer would be true: the merchant reads the payment back before a retry (spec §8, D-31).
      log.error({ request, err: error }, 'the outcome of a write is unknown: cutting the connection')
      return undefined
    }
    if (error instanceof StoreUnavailable) {
      log.warn({ request, err: error }, 'the store is unavailable')
      return HOUSE_ERRORS.unavailable
    }
    const known = asHouseError(error as FastifyError)
    if (known === HOUSE_ERRORS.internal) log.error({ request, err: error }, 'a bug')
    return known
  }

  function failExchange(exchange: Exchange, thrown: unknown): void {
    const error = errorFor(thrown, exchange.id)
    if (error === undefined || exchange.request.status !== undefined) exchange.request.cut()
    else exchange.answerError(error)
  }

  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const error = errorFor(thrown, request.id)
    if (error !== undefined) return sendError(reply, error)
    reply.hijack()
    reply.raw.destroy()
  })

  const methodsByPath = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), ...[method].flat()])
  })
  app.setNotFoundHandler((request, reply) => {
    // As it was sent: the router's own form of it has lost what follows a name.
    const allowed = methodsAt(methodsByPath, request.originalUrl) ?? methodsAt(methodsByPath, request.url)
    if (allowed === undefined) return sendHouseError(reply, 'not_found')
    return sendHouseError(reply.header('allow', allowed.join(', ')), 'method_not_allowed')
  })
  return app
}
