// How the dashboard's routes answer: JSON that is never cached, and refusals with a sentence in the
// page's language.
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SETTLED_BY_COLUMNS, type StatementFault } from '../domain/books/statement.ts'
import type { SlotRefusal } from '../domain/limits/fair-shares.ts'
import type { Refused } from '../domain/refusals/refusal.ts'
import type { Language } from '../domain/texts/language.ts'
import { sendJson } from '../http/errors.ts'
import { sentenceOf, statusOf } from '../wire/refusals.ts'
import type { ErrorBody } from './shapes.ts'

/** Errors of the routes themselves, before any action runs. The page has their sentences. */
const ROUTE_ERRORS = {
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

export type RouteError = keyof typeof ROUTE_ERRORS

/** For an account that has an export under way, and while all slots are taken. */
export const NO_EXPORT_SLOT = {
  own: 'export_under_way',
  shared: 'too_many_exports',
} as const satisfies Record<SlotRefusal, RouteError>

const RETRY_AFTER_SECONDS: Partial<Record<RouteError, number>> = {
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

export function sendRouteError(
  reply: FastifyReply,
  code: RouteError,
  facts: Pick<ErrorBody, 'param' | 'roles'> = {},
): FastifyReply {
  const retryAfter = RETRY_AFTER_SECONDS[code]
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  return sendErrorBody(reply, ROUTE_ERRORS[code], { code, ...facts })
}

export function sendRefusal(reply: FastifyReply, refusal: Refused, now: number): FastifyReply {
  const { refused: code } = refusal
  const body = refusalBody(refusal, languageOf(reply.request))
  if (!('until' in refusal)) return sendErrorBody(reply, statusOf(code), body)
  const retryAfterSeconds = Math.max(1, Math.ceil((refusal.until - now) / 1_000))
  reply.header('retry-after', String(retryAfterSeconds))
  return sendErrorBody(reply, statusOf(code), { ...body, retryAfterSeconds })
}

export const refusalBody = (refusal: Refused, language: Language): ErrorBody => ({
  code: refusal.refused,
  message: sentenceOf(refusal, language),
  ...(refusal.refused === 'statement_not_valid' && columnsToSettle(refusal.fault)),
  ...(refusal.refused === 'statement_not_valid' && orderToSay(refusal.fault)),
})

const orderToSay = (fault: StatementFault): Pick<ErrorBody, 'dateOrders'> =>
  fault.fault === 'date_order_unclear'
    ? { dateOrders: { day_first: fault.dayFirst, month_first: fault.monthFirst } }
    : {}

function columnsToSettle(fault: StatementFault): Pick<ErrorBody, 'columns'> {
  if (!SETTLED_BY_COLUMNS.includes(fault.fault)) return {}
  const wordsOf = (unknown: 'statuses_unknown' | 'types_unknown'): string[] =>
    fault.fault === unknown ? fault.words.map(({ word }) => word) : []
  return {
    columns: {
      statuses: wordsOf('statuses_unknown'),
      types: wordsOf('types_unknown'),
    },
  }
}

/** The page sends the language that it shows. */
export const languageOf = ({ headers }: FastifyRequest): Language =>
  headers['accept-language']?.startsWith('en') ? 'en' : 'fr'

function sendErrorBody(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  reply.request.refusal = body.code
  return sendJson(reply.headers(HEADERS), status, JSON.stringify(body))
}

export type SentFile = { type: string; name: string; isShown: boolean }

export function sendFile(
  reply: FastifyReply,
  { type, name, isShown }: SentFile,
  content: string | Buffer | Readable,
): FastifyReply {
  const way = isShown ? 'inline' : 'attachment'
  return reply
    .headers({
      'content-type': type,
      'content-disposition': `${way}; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, hexOf)}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .send(content)
}

/** Characters that encodeURIComponent leaves and a header must not contain. */
const hexOf = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`
