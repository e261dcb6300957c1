// Sends the errors of wire/error.ts, and JSON that is text already.
import type { FastifyReply } from 'fastify'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'
import { errorText, HOUSE_ERRORS, type HouseError, type WireError } from '../wire/error.ts'

export function sendError(reply: FastifyReply, error: WireError): FastifyReply {
  if (error.http === 503 || error.http === 429) reply.header('retry-after', '1')
  return sendJson(reply, error.http, errorText(error))
}

/** An answer that belongs to no operation (D-05). */
export const sendHouseError = (reply: FastifyReply, error: HouseError): FastifyReply =>
  sendError(reply, HOUSE_ERRORS[error])

/** The framework's serializer has nothing left to do. */
export function sendJson(reply: FastifyReply, code: number, text: string): FastifyReply {
  return reply.code(code).header('content-type', 'application/json').send(text)
}

/** For doors that answer people: a page that claims nothing about what was done, and leads back to how things stand. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof StoreOutcomeUnknown
