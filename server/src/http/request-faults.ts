// What can be wrong with a request whatever its route: it is ambiguous, it is no HTTP, or Fastify refuses it. Each gets an error of our own form.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import type { Clock } from '../domain/clock-and-random.ts'
import { ERROR_CODE_HEADER, errorText, HOUSE_ERRORS, type WireError } from '../wire/error.ts'
import type { Connections } from './connections.ts'

/** Without Host, or with two of a header that there must be one of: a proxy before us may have read the other one. */
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

/** Fastify's own errors about a request, and Node's about a caller who left, in our form; any other error is a bug. */
export function asHouseError(error: FastifyError): WireError {
  if (error.statusCode === 413) return HOUSE_ERRORS.payload_too_large
  const { code = '', statusCode = 500 } = error
  const aboutRequest = (code.startsWith('FST_ERR_') && statusCode < 500) || code === 'ECONNRESET'
  return aboutRequest ? HOUSE_ERRORS.bad_request : HOUSE_ERRORS.internal
}

interface BrokenRequestsDeps {
  clock: Pick<Clock, 'after'>
  makeRequestId(): string
  connections(): Pick<Connections, 'endAfterAnswers'>
}

/**
 * So long a connection with a broken request is kept after its answer, and not read from: each of so many in turn a step longer, so that a
 * crowd of them that came together does not come back together.
 */
const LINGERS_MS = 10_000
const LINGER_STEP_MS = 1_000
const LINGER_STEPS = 20

/**
 * For bytes that are not HTTP, headers that are too long, or a request that is too slow: there is only a socket to answer on. The caller can
 * read the answer, which a connection that is cut at once would take away; and one that sends headers without end waits, instead of coming
 * back at once: a hundred of those took a quarter of the process. A request that came whole before it is answered first, and alone: it would
 * seem refused, and may be recorded.
 */
export function brokenRequests({ clock, makeRequestId, connections }: BrokenRequestsDeps) {
  let count = 0
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!connections().endAfterAnswers(socket) && !answerOnSocket(error, socket, makeRequestId())) return
    socket.pause()
    count++
    clock.after(LINGERS_MS + (count % LINGER_STEPS) * LINGER_STEP_MS, () => socket.destroy())
  }
}

/** False when there is nobody to answer any more. */
function answerOnSocket(error: Error & { code?: string }, socket: Socket, requestId: string): boolean {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return false
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? HOUSE_ERRORS.headers_too_large
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? HOUSE_ERRORS.request_timeout
        : HOUSE_ERRORS.bad_request
  const text = errorText(answer)
  socket.end(
    `HTTP/1.1 ${answer.http} ${answer.message}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n${ERROR_CODE_HEADER}: ${answer.code}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
  return true
}
