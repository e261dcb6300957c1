// How the dashboard's routes answer: JSON that nobody may keep or show in a frame, and refusals by their name. The page has the sentences.
import type { FastifyReply } from 'fastify'
import type { RefusalFacts, Refused } from '../domain/refusal.ts'
import { sendJson } from '../http/errors.ts'
import type { ErrorBody } from './shapes.ts'

/** What the door itself refuses, before any action is asked. */
const DOOR_ERRORS = {
  signed_out: 401,
  cross_site: 403,
  role_not_allowed: 403,
  email_unconfirmed: 403,
  must_set_up_totp: 403,
  must_change_password: 403,
  not_found: 404,
  not_json: 415,
  input_not_valid: 400,
  too_many_requests: 429,
  too_many_streams: 429,
  export_under_way: 429,
  too_many_exports: 429,
  unavailable: 503,
} as const

export type DoorError = keyof typeof DOOR_ERRORS

const RETRY_AFTER_SECONDS: Partial<Record<DoorError, number>> = {
  too_many_requests: 1,
  unavailable: 1,
  too_many_streams: 30,
  export_under_way: 5,
  too_many_exports: 5,
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

export function sendBody(reply: FastifyReply, body: object): FastifyReply {
  return sendJson(reply.headers(HEADERS), 200, JSON.stringify(body))
}

export function sendDoorError(reply: FastifyReply, code: DoorError, param?: string): FastifyReply {
  const retryAfter = RETRY_AFTER_SECONDS[code]
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  return sendErrorBody(reply, DOOR_ERRORS[code], { code, ...(param !== undefined && { param }) })
}

export function sendRefusal(reply: FastifyReply, refusal: Refused, now: number): FastifyReply {
  const { refused: code } = refusal
  if (!('until' in refusal)) {
    const param = 'fault' in refusal && typeof refusal.fault === 'string' ? { param: refusal.fault } : {}
    return sendErrorBody(reply, statusOf(code), { code, ...param })
  }
  const retryAfterSeconds = Math.max(1, Math.ceil((refusal.until - now) / 1_000))
  reply.header('retry-after', String(retryAfterSeconds))
  return sendErrorBody(reply, 429, { code, retryAfterSeconds })
}

function sendErrorBody(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  reply.request.refusal = body.code
  return sendJson(reply.headers(HEADERS), status, JSON.stringify(body))
}

const STATUSES: Partial<Record<keyof RefusalFacts, number>> = {
  signed_out: 401,
  sign_in_not_valid: 401,
  totp_needed: 401,
  totp_not_valid: 401,
  caller_not_allowed: 403,
  second_person_needed: 403,
  key_right_not_held: 403,
  key_already_rolled: 409,
}

/** What is not there is 404, what somebody else was first with is 409, and whatever else is wrong with a request 422. */
function statusOf(name: keyof RefusalFacts): number {
  if (name.endsWith('_not_found')) return 404
  if (name.endsWith('_taken') || name.endsWith('_exists')) return 409
  return STATUSES[name] ?? 422
}
