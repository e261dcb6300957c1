// The errors of every request in our own form: exceptions, unknown paths and methods, and bytes
// that are not HTTP.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../domain/clock-and-random.ts'
import { lookUp } from '../domain/texts/free-text.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'
import {
  ERROR_CODE_HEADER,
  ERROR_HINT_HEADER,
  ERROR_PARAM_HEADER,
  errorText,
  GENERAL_ERRORS,
  type GeneralError,
  type WireError,
} from '../wire/error.ts'
import type { Connections } from './connections.ts'
import { type Page, sendPage } from './html.ts'

export function sendError(reply: FastifyReply, error: WireError, param?: string): FastifyReply {
  reply.request.refusal = error.code
  reply.header(ERROR_CODE_HEADER, error.code)
  reply.header(ERROR_HINT_HEADER, error.hint)
  reply.header('link', error.help)
  if (param !== undefined) reply.header(ERROR_PARAM_HEADER, param)
  if (error.http === 503 || error.http === 429) reply.header('retry-after', '1')
  return sendJson(reply, error.http, errorText(error))
}

/** An error that belongs to no operation (D-05). */
export const sendGeneralError = (reply: FastifyReply, error: GeneralError): FastifyReply =>
  sendError(reply, GENERAL_ERRORS[error])

/** Takes serialized JSON, so that Fastify's serializer is skipped. */
export function sendJson(reply: FastifyReply, code: number, text: string): FastifyReply {
  return reply.code(code).header('content-type', 'application/json').send(text)
}

/**
 * For pages: the message of both errors does not say whether the action was done, and links to the
 * current state.
 */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof StoreOutcomeUnknown

export interface AnswerErrorsDeps {
  log: Logger
  /** Called for each request that the store could not serve: its own log line has its 503. */
  storeUnavailable(error: Error): void
  missingPage(acceptLanguage: string): Page
}

export function answerErrors(
  app: FastifyInstance,
  { log, storeUnavailable, missingPage }: AnswerErrorsDeps,
): void {
  app.setErrorHandler((error: FastifyError, { id, headers }, reply) => {
    if (error instanceof StoreOutcomeUnknown) {
      // It may have been committed, so no answer is true: the merchant reads it back before a retry
      // (spec §8, D-31).
      log.error(
        { request: id, err: error },
        'the outcome of a write is unknown: cutting the connection',
      )
      reply.hijack()
      reply.raw.destroy()
      return
    }
    if (error instanceof StoreUnavailable) {
      storeUnavailable(error)
      return sendGeneralError(reply, 'unavailable')
    }
    const known = asGeneralError(error)
    if (known === GENERAL_ERRORS.internal) log.error({ request: id, err: error }, 'a bug')
    // Node then reads the rest and drops it. Closing at once resets the connection, and nginx
    // answers 502 for us.
    if (
      known === GENERAL_ERRORS.payload_too_large &&
      Number(headers['content-length']) <= MOST_DROPPED_BYTES
    ) {
      reply.removeHeader('connection')
    }
    return sendError(reply, known)
  })

  const methodsByPath = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), ...[method].flat()])
  })
  app.setNotFoundHandler((request, reply) => {
    // As it was sent: the router's own form of it has lost what follows a name.
    const allowed =
      methodsAt(methodsByPath, request.originalUrl) ?? methodsAt(methodsByPath, request.url)
    if (allowed === undefined) {
      if (!asksForPage(request)) return sendGeneralError(reply, 'not_found')
      return sendPage(reply, 404, missingPage(request.headers['accept-language'] ?? ''))
    }
    return sendGeneralError(reply.header('allow', allowed.join(', ')), 'method_not_allowed')
  })
}

/**
 * An unknown address is a page, except for programs: those that ask for JSON, send it or say
 * nothing, and below /api.
 */
function asksForPage({ method, originalUrl, headers }: FastifyRequest): boolean {
  if (
    !(method === 'GET' || method === 'HEAD') ||
    /^\/(?:api|dashboard\/api)(?:\/|$)/.test(originalUrl)
  )
    return false
  const { accept = '', 'content-type': sent = '' } = headers
  return (
    accept.includes('text/html') ||
    (accept.includes('*/*') && !accept.includes('json') && !sent.includes('json'))
  )
}

/** Of a refused body that is read to its end, so that its sender reads the answer. */
const MOST_DROPPED_BYTES = 1_048_576

/**
 * For the Allow header of a 405. Like the router, prefers a pattern of the whole path to one with a
 * wildcard.
 */
function methodsAt(
  methodsByPath: ReadonlyMap<string, string[]>,
  url: string,
): string[] | undefined {
  const path = url.split('?', 1)[0] as string
  const patterns = [...methodsByPath.keys()]
  const found =
    patterns.find((pattern) => !pattern.endsWith('*') && isOfPattern(path, pattern)) ??
    patterns.find((pattern) => pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
  return found === undefined ? undefined : methodsByPath.get(found)
}

/** `:name` matches anything between two slashes. */
function isOfPattern(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')]
  return (
    given.length === wanted.length &&
    wanted.every((part, at) => part === given[at] || part.startsWith(':'))
  )
}

/**
 * Without Host, or with two of a header that may come once: a proxy in front of us may have read
 * the other one.
 */
export function isAmbiguous({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined && httpVersion === '1.1') return true
  let [hosts, keys] = [0, 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') keys++
  }
  return hosts > 1 || keys > 1
}

/**
 * Fastify's own errors about a request, and Node's about a caller that left, in our form; any other
 * error is a bug.
 */
function asGeneralError(error: FastifyError): WireError {
  if (error.statusCode === 413) return GENERAL_ERRORS.payload_too_large
  const { code = '', statusCode = 500 } = error
  const aboutRequest = (code.startsWith('FST_ERR_') && statusCode < 500) || code === 'ECONNRESET'
  return aboutRequest ? GENERAL_ERRORS.bad_request : GENERAL_ERRORS.internal
}

interface BrokenRequestsDeps {
  clock: Pick<Clock, 'after'>
  makeRequestId(): string
  connections(): Pick<Connections, 'endAfterAnswers'>
}

/**
 * A malformed request's connection stays open, unread, for this long and up to 20 steps: jitter
 * against a crowd.
 */
const LINGERS_MS = 10_000
const LINGER_STEP_MS = 1_000
const LINGER_STEPS = 20

/**
 * Answers on the socket when there is no request: not HTTP, too long headers, too slow. The
 * connection lingers, so that the caller can read the answer and does not reconnect at once: a
 * hundred with endless headers took a quarter of the process. A complete request before it gets
 * only its own answer: it may be recorded, and would seem refused.
 */
export function brokenRequests({ clock, makeRequestId, connections }: BrokenRequestsDeps) {
  let count = 0
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!connections().endAfterAnswers(socket) && !answerOnSocket(error, socket, makeRequestId()))
      return
    socket.pause()
    count++
    clock.after(LINGERS_MS + (count % LINGER_STEPS) * LINGER_STEP_MS, () => socket.destroy())
  }
}

const ERRORS_OF_NODE: Readonly<Record<string, GeneralError>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** False when the caller has left. */
function answerOnSocket(
  error: Error & { code?: string },
  socket: Socket,
  requestId: string,
): boolean {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return false
  }
  const answer = GENERAL_ERRORS[lookUp(ERRORS_OF_NODE, error.code ?? '') ?? 'bad_request']
  const text = errorText(answer)
  socket.end(
    `HTTP/1.1 ${answer.http} ${answer.message}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
      `${ERROR_CODE_HEADER}: ${answer.code}\r\n${ERROR_HINT_HEADER}: ${answer.hint}\r\nlink: ${answer.help}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
  return true
}
