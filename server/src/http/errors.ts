// The one shape of an error on the wire (spec §7), and the answers that belong to no operation (D-05).
import type { FastifyReply } from 'fastify'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'

export interface WireError {
  http: number
  message: string
  /** Present only on some application-level failures (spec §7). */
  status?: 'failed'
  source: string
}

export const HOUSE_ERRORS = {
  bad_request: { http: 400, message: 'Bad Request', source: 'D-05' },
  unauthorized: { http: 401, message: 'Unauthorized', source: 'D-05' },
  not_found: { http: 404, message: 'Not Found', source: 'D-05' },
  method_not_allowed: { http: 405, message: 'Method Not Allowed', source: 'D-05' },
  request_timeout: { http: 408, message: 'Request Timeout', source: 'D-05' },
  payload_too_large: { http: 413, message: 'Payload Too Large', source: 'D-05' },
  too_many_requests: { http: 429, message: 'Too Many Requests', source: 'D-29' },
  headers_too_large: { http: 431, message: 'Request Header Fields Too Large', source: 'D-05' },
  internal: { http: 500, message: 'Internal Server Error', source: 'D-05' },
  unavailable: { http: 503, message: 'Service Unavailable', source: 'D-05' },
} as const satisfies Record<string, WireError>

const texts = new WeakMap<WireError, string>()

export function errorText(error: WireError): string {
  let text = texts.get(error)
  if (text === undefined) {
    text = JSON.stringify({ ...(error.status && { status: error.status }), message: error.message })
    texts.set(error, text)
  }
  return text
}

export function sendError(reply: FastifyReply, error: WireError): FastifyReply {
  if (error.http === 503 || error.http === 429) reply.header('retry-after', '1')
  return sendJson(reply, error.http, errorText(error))
}

/** JSON that is text already: the framework's serializer has nothing left to do. */
export function sendJson(reply: FastifyReply, code: number, text: string): FastifyReply {
  return reply.code(code).header('content-type', 'application/json').send(text)
}

/** For doors that answer people: a page that claims nothing about what was done, and leads back to how things stand. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof StoreOutcomeUnknown
