// How pawaPay refuses: the HTTP code and the failure code together, as its table of failure codes lists them.
import type { WireReaction } from '../network.ts'

export interface Refusal {
  http: number
  failureCode: string
  failureMessage: string
}

const HTTP: Readonly<Record<string, number>> = {
  NO_AUTHENTICATION: 401,
  AUTHENTICATION_ERROR: 403,
  AUTHORISATION_ERROR: 403,
  HTTP_SIGNATURE_ERROR: 403,
  DEPOSITS_NOT_ALLOWED: 403,
  REFUNDS_NOT_ALLOWED: 403,
  INVALID_INPUT: 400,
  MISSING_PARAMETER: 400,
  UNSUPPORTED_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  DUPLICATE_METADATA_FIELD: 400,
  UNKNOWN_ERROR: 500,
}

/** Whatever is not in the table comes with HTTP 200. */
export const refusal = (failureCode: string, failureMessage: string): Refusal => ({
  http: HTTP[failureCode] ?? 200,
  failureCode,
  failureMessage,
})

export const isRefusal = (value: object): value is Refusal => 'failureCode' in value

/** `about`: the id that the request named, where it named one. With HTTP 500 there is no status. */
export function refused({ http, failureCode, failureMessage }: Refusal, about: object = {}): WireReaction {
  const status = http === 500 ? {} : { status: 'REJECTED' }
  return { code: http, body: { ...about, ...status, failureReason: { failureCode, failureMessage } } }
}
