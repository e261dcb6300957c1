// The HTTP server that all routes share: a Fastify that answers errors in our own form, gives every
// answer an X-Request-Id, and logs and counts every request. Holds no rules of a single API.

import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../domain/clock-and-random.ts'
import type { MerchantKey } from '../domain/people/caller.ts'
import { type AnsweredRequest, refusedKeys, requestLog } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { HEADER_LIMIT_BYTES, REQUEST_TIMEOUT_MS } from '../wire/error.ts'
import { type ConnectionLimits, type Connections, watchConnections } from './connections.ts'
import { answerErrors, brokenRequests, isAmbiguous, sendGeneralError } from './errors.ts'
import type { Page } from './html.ts'
import { networkList, networkOf } from './rate-limit.ts'

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
  answered?(request: AnsweredRequest): void
  /** Called for each request that gets 503 for the store. */
  storeUnavailable(error: Error): void
  /** Called once, when an address that is not a listed proxy sends X-Forwarded-For. */
  unlistedProxy(address: string): void
  /** The page for an unknown address, for a browser that prefers this language. */
  missingPage(acceptLanguage: string): Page
  /** Paths whose route decodes the name in them itself; the router must not. */
  opaquePaths: readonly OpaquePath[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** How many requests are unanswered now. Long polls and streams do not count. */
    underWay(): number
    /** How many requests have begun since the start. */
    begun(): number
    /** From now on each request gets 503, and its connection ends with the answer. */
    refuseRequests(): void
    connections: Connections
    longPoll: LongPoll
  }
  interface FastifyContextConfig {
    /** A stream that stays open. */
    isLong?: boolean
  }
  interface FastifyRequest {
    /** The caller that the request's key belongs to, once the route has checked it. */
    caller: MerchantKey | undefined
    /** The payment the request was about, and our name for why it was refused, for its log line. */
    paymentReference: string | undefined
    refusal: string | undefined
    /** Whether the request is in a long poll now, and how long it has been in one. */
    isWaiting: boolean
    waitedMs: number
  }
}

/**
 * Does `work`, which waits for an event for up to `longestMs` because the caller asked to.
 * Meanwhile the request does not count as in flight, and its connection may be silent. The signal
 * aborts when the caller goes away.
 */
type LongPoll = <Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  longestMs: number,
  work: (gone: AbortSignal) => Promise<Result>,
) => Promise<Result>

/**
 * A connection that neither sends nor reads for this long is ended; without a request head, after
 * HEAD_TIMEOUT_MS.
 */
const SILENT_CONNECTION_MS = 60_000
/**
 * Longer than load balancers' idle timeout: theirs would send a request on a connection that we are
 * ending.
 */
const KEEP_ALIVE_MS = 72_000
const HEAD_TIMEOUT_MS = 15_000
const CHECKED_EVERY_MS = 5_000
/**
 * Pipelined requests on one connection: more than any honest client sends before it reads an
 * answer.
 */
const MOST_REQUESTS_OF_CONNECTION = 32
/** Proxies on this machine serve many callers, like those of the settings. */
const THIS_MACHINE = '127.0.0.1,::1'

export function makeServer(deps: ServerDeps): FastifyInstance {
  const { metrics, makeRequestId, trustProxy, opaquePaths } = deps
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
    // The router would answer a long name in a path with its own 414; the route decides what is too
    // long.
    routerOptions: { maxParamLength: HEADER_LIMIT_BYTES },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // While closing, Fastify would answer in its own form; watchRequests answers in ours.
    return503OnClosing: false,
    rewriteUrl: (request) => routableUrl(request, opaquePaths),
    clientErrorHandler: brokenRequests({ ...deps, connections: () => connections }),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )

  const connections: Connections = watchConnections(app.server, {
    limits: { ...deps.limits, mostRequests: MOST_REQUESTS_OF_CONNECTION },
    isManyCallers: networkList([THIS_MACHINE, trustProxy].join(',')),
    refused: metrics.connectionRefused,
  })
  app.decorate('connections', connections)
  watchRequests(app, deps)
  answerErrors(app, deps)
  return app
}

/** Counts, limits and records the requests of every route. */
function watchRequests(app: FastifyInstance, deps: ServerDeps): void {
  const { connections } = app
  app.decorateRequest('caller', undefined)
  app.decorateRequest('paymentReference', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('isWaiting', false)
  app.decorateRequest('waitedMs', 0)
  let [underWay, begun, stopping] = [0, 0, false]
  app.decorate('underWay', () => underWay)
  app.decorate('begun', () => begun)
  app.decorate('refuseRequests', () => {
    stopping = true
  })
  app.addHook('preClose', async () => app.refuseRequests())
  const reportProxy = proxyReport(deps)
  const record = requestRecord(deps)

  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    if (!connections.begin(raw.socket, raw)) {
      reply.hijack()
      return
    }
    // The route's pattern, never the path itself: what a caller puts into a path stays out of the
    // log.
    const { config, url: route = 'unknown' } = request.routeOptions
    request.isWaiting = config.isLong ?? false
    if (!request.isWaiting) underWay++
    begun++
    const startedAt = performance.now()
    // A client that disconnects during its answer is not an error of the process.
    reply.raw.on('error', () => {})
    // Also when the caller goes away before its answer.
    reply.raw.once('close', () => {
      if (!request.isWaiting) underWay--
      connections.end(raw.socket)
      if (reply.raw.headersSent)
        record(request, route, reply.statusCode, performance.now() - startedAt)
    })
    reply.header('x-request-id', request.id)
    if (deps.isHttps) reply.header('strict-transport-security', 'max-age=31536000')
    if (stopping) {
      sendGeneralError(reply, 'unavailable')
    } else if (isAmbiguous(raw)) {
      sendGeneralError(reply, 'bad_request')
    } else {
      reportProxy(raw)
      done()
    }
  })
  // While stopping, each answer closes its connection; otherwise stopping would wait for its
  // keep-alive timeout.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done(null, payload)
  })

  app.decorate('longPoll', async (request, reply, longestMs, work) => {
    const { socket } = request.raw
    const gone = new AbortController()
    const startedAt = performance.now()
    const wait = (isWaiting: boolean): void => {
      if (reply.raw.closed) return
      request.isWaiting = isWaiting
      underWay += isWaiting ? -1 : 1
      connections.mayBeSilent(socket, SILENT_CONNECTION_MS + (isWaiting ? longestMs : 0))
    }
    if (reply.raw.closed) gone.abort()
    else reply.raw.once('close', () => gone.abort())
    wait(true)
    try {
      return await work(gone.signal)
    } finally {
      request.waitedMs = performance.now() - startedAt
      wait(false)
    }
  })
}

/** Reports the first address that sends X-Forwarded-For and is not a listed proxy. */
function proxyReport({
  trustProxy,
  unlistedProxy,
}: ServerDeps): (request: IncomingMessage) => void {
  const isListedProxy = networkList(trustProxy)
  let isReported = false
  return ({ headers, socket }) => {
    if (isReported || headers['x-forwarded-for'] === undefined) return
    const address = socket.remoteAddress ?? ''
    isReported = !isListedProxy(address)
    if (isReported) unlistedProxy(address)
  }
}

type RecordRequest = (request: FastifyRequest, route: string, status: number, ms: number) => void

/** Metrics, the log line, and the count of refused keys. A long poll's waiting time is not ours. */
function requestRecord({ clock, log, metrics, answered }: ServerDeps): RecordRequest {
  const countRefusedKey = refusedKeys(clock, log)
  const logRequest = requestLog(log)
  return (request, route, status, tookMs) => {
    const { id, method, ip: address, caller, paymentReference, refusal, waitedMs } = request
    const ms = tookMs - waitedMs
    metrics.answered(route, method, status, ms / 1_000)
    const network = networkOf(address)
    if (status === 401) countRefusedKey(network)
    const recorded = { id, method, route, status, ms, address, caller, paymentReference, refusal }
    logRequest(recorded, network)
    answered?.(recorded)
  }
}

// Makes a request's URL fit for the router.

declare module 'node:http' {
  interface IncomingMessage {
    /** The name at the end of an opaque path, still encoded. */
    nameInPath?: string
  }
}

/** A path with a name that its route decodes itself: before `suffix`, which may be empty. */
export type OpaquePath = { method: string; prefix: string; suffix: string }

/**
 * The URL for the router. The name in an opaque path may have any percent-encoding. Its route
 * decodes it, after its other checks, from `nameInPath`; the router gets a placeholder. Any other
 * path that cannot be decoded is not found.
 */
export function routableUrl(request: IncomingMessage, opaquePaths: readonly OpaquePath[]): string {
  const url = originForm(request.url as string)
  const end = url.indexOf('?')
  const path = plainPath(end === -1 ? url : url.slice(0, end))
  const query = end === -1 ? '' : url.slice(end)
  const opaque = opaquePathOf(path, request.method as string, opaquePaths)
  if (opaque !== undefined) {
    const { prefix, suffix } = opaque
    request.nameInPath = path.slice(prefix.length, path.length - suffix.length)
    return `${prefix}name${suffix}${query}`
  }
  return canBeDecoded(path) ? path + query : '/undecodable'
}

/**
 * With a suffix after a name, if the method has one that fits; a suffix of another method is a part
 * of the name.
 */
function opaquePathOf(
  path: string,
  method: string,
  opaquePaths: readonly OpaquePath[],
): OpaquePath | undefined {
  const fitting = opaquePaths.filter(({ prefix }) => path.startsWith(prefix))
  const withSuffix = fitting.find(
    ({ method: of, prefix, suffix }) =>
      of === method &&
      suffix !== '' &&
      path.endsWith(suffix) &&
      path.length > prefix.length + suffix.length,
  )
  return withSuffix ?? fitting.find(({ suffix }) => suffix === '')
}

/** A request line may hold the absolute URL (RFC 9112 §3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  return url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
}

/**
 * Decodes the characters whose percent-encoded form has the same meaning: letters, digits and
 * `-._~` (RFC 3986 §2.3).
 */
function plainPath(path: string): string {
  if (!path.includes('%')) return path
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded
  })
}

function canBeDecoded(path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}
