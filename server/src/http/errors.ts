// Sends the errors of wire/error.ts, and JSON that is already serialized.
import type { FastifyReply } from 'fastify'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'
import {
  ERROR_CODE_HEADER,
  ERROR_PARAM_HEADER,
  errorText,
  HOUSE_ERRORS,
  type HouseError,
  type WireError,
} from '../wire/error.ts'

export function sendError(reply: FastifyReply, error: WireError, param?: string): FastifyReply {
  reply.header(ERROR_CODE_HEADER, error.code)
  if (param !== undefined) reply.header(ERROR_PARAM_HEADER, param)
  if (error.http === 503 || error.http === 429) reply.header('retry-after', '1')
  return sendJson(reply, error.http, errorText(error))
}

/** An error that belongs to no operation (D-05). */
export const sendHouseError = (reply: FastifyReply, error: HouseError): FastifyReply =>
  sendError(reply, HOUSE_ERRORS[error])

/** Takes serialized JSON, so that Fastify's serializer is skipped. */
export function sendJson(reply: FastifyReply, code: number, text: string): FastifyReply {
  return reply.code(code).header('content-type', 'application/json').send(text)
}

/** For pages: both errors get a message that claims nothing about what was done, with a link that shows the current state. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof StoreOutcomeUnknown
