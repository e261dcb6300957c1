// The HTTP server that all routes share: a Fastify that answers errors in our own form, gives every answer an X-Request-Id, and logs and
// counts every request. Holds no rules of a single API.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { MerchantKey } from '../domain/caller.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Metrics } from '../observability/metrics.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'
import { errorText, HOUSE_ERRORS, type WireError } from '../wire/error.ts'
import { networkList, networkOf } from './caller-network.ts'
import { type ConnectionLimits, type Connections, watchConnections } from './connections.ts'
import { sendError, sendHouseError } from './errors.ts'
import { refusedKeys } from './refused-keys.ts'
import { routableUrl } from './routable-url.ts'

export interface ServerDeps {
  log: Logger
  metrics: Metrics
  makeRequestId(): string
  /** The proxies whose X-Forwarded-For is trusted; empty for none. */
  trustProxy: string
  limits: Pick<ConnectionLimits, 'most' | 'mostPerNetwork'>
  clock: Pick<Clock, 'now'>
  /** Whether callers reach the service over https. */
  isHttps: boolean
  /** Told once, when an address that is no listed proxy speaks for others. */
  unlistedProxy(address: string): void
  /** Prefixes of paths that end in a name. The route decodes the name itself, and the router must not. */
  opaquePaths: readonly string[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** How many requests are unanswered now. */
    underWay(): number
    connections: Connections
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
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, makeRequestId()),
  })

  app.decorateRequest('caller', undefined)
  app.decorateRequest('paymentReference', undefined)
  app.decorateRequest('refusal', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  const connections = watchConnections(app.server, {
    limits: { ...deps.limits, mostRequests: MOST_REQUESTS_OF_CONNECTION },
    isManyCallers: networkList([THIS_MACHINE, trustProxy].join(',')),
    refused: metrics.connectionRefused,
  })
  app.decorate('connections', connections)
  let underWay = 0
  app.decorate('underWay', () => underWay)
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (!connections.begin(request.raw.socket)) {
      reply.hijack()
      return
    }
    underWay++
    reply.header('x-request-id', request.id)
    if (deps.isHttps) reply.header('strict-transport-security', 'max-age=31536000')
    if (stopping) {
      sendHouseError(reply, 'unavailable')
    } else if (isAmbiguous(request.raw)) {
      sendHouseError(reply, 'bad_request')
    } else {
      done()
    }
  })
  const isListedProxy = networkList(trustProxy)
  let hasToldProxy = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasToldProxy && request.raw.headers['x-forwarded-for'] !== undefined) {
      const address = request.raw.socket.remoteAddress ?? ''
      hasToldProxy = !isListedProxy(address)
      if (hasToldProxy) deps.unlistedProxy(address)
    }
    done()
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  // While stopping, each answer closes its connection; otherwise stopping would wait for its keep-alive timeout.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    underWay--
    connections.end(request.raw.socket)
    record(request, reply)
    done()
  })

  const countRefusedKey = refusedKeys(deps.clock, log)

  function record(request: FastifyRequest, reply: FastifyReply): void {
    // The route's pattern, never the path itself: what a caller puts into a path stays out of the log.
    const route = request.routeOptions.url ?? 'unknown'
    metrics.answered(route, request.method, reply.statusCode, reply.elapsedTime / 1_000)
    const network = networkOf(request.ip)
    if (reply.statusCode === 401) countRefusedKey(network)
    log.info({
      request: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      network,
      keyId: request.caller?.keyId,
      account: request.caller?.accountId,
      payment: request.paymentReference,
      refusal: request.refusal,
    })
  }

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof StoreOutcomeUnknown) {
      // The write may have been committed, so no answer would be true: the merchant reads the payment back before a retry (spec §8, D-31).
      log.error({ request: request.id, err: error }, 'the outcome of a write is unknown: cutting the connection')
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    if (error instanceof StoreUnavailable) {
      log.warn({ request: request.id, err: error }, 'the store is unavailable')
      return sendHouseError(reply, 'unavailable')
    }
    const known = asHouseError(error)
    if (known === HOUSE_ERRORS.internal) log.error({ request: request.id, err: error }, 'a bug')
    return sendError(reply, known)
  })

  const methodsByPath = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), ...[method].flat()])
  })
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(methodsByPath, request.url)
    if (allowed === undefined) return sendHouseError(reply, 'not_found')
    return sendHouseError(reply.header('allow', allowed.join(', ')), 'method_not_allowed')
  })
  return app
}

function methodsAt(methodsByPath: ReadonlyMap<string, string[]>, url: string): string[] | undefined {
  const path = url.split('?', 1)[0] as string
  for (const [pattern, methods] of methodsByPath) {
    const matches = pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : isOfPattern(path, pattern)
    if (matches) return methods
  }
  return undefined
}

/** `:name` matches anything between two slashes. */
function isOfPattern(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')]
  return given.length === wanted.length && wanted.every((part, at) => part === given[at] || part.startsWith(':'))
}

/** Without Host, or with two of a header that there must be one of: a proxy before us may have read the other one. */
function isAmbiguous({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined && httpVersion === '1.1') return true
  let [hosts, keys] = [0, 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') keys++
  }
  return hosts > 1 || keys > 1
}

/** Fastify's own errors about a request, in our form; any other error is a bug. */
function asHouseError(error: FastifyError): WireError {
  if (error.statusCode === 413) return HOUSE_ERRORS.payload_too_large
  const aboutRequest = error.code?.startsWith('FST_ERR_CTP') || error.code === 'ECONNRESET'
  return aboutRequest ? HOUSE_ERRORS.bad_request : HOUSE_ERRORS.internal
}

/** For bytes that are not HTTP, headers that are too long, or a request that is too slow: there is only a socket to answer on. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? HOUSE_ERRORS.headers_too_large
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? HOUSE_ERRORS.request_timeout
        : HOUSE_ERRORS.bad_request
  const text = errorText(answer)
  socket.end(
    `HTTP/1.1 ${answer.http} ${answer.message}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
}
