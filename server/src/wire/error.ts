// The body of an error, the same for every HTTP API (spec §7), and the errors that belong to no operation (D-05).

import { getOrMake } from '../domain/bounded-cache.ts'

export interface WireError {
  /** Of a closed list; sent in a header, since the body is the contract's (D-62). */
  code: string
  http: number
  message: string
  /** Present only on some application-level failures (spec §7). */
  status?: 'failed'
}

export type UncodedError = Omit<WireError, 'code'>

/** The name of each error in its table is its code. */
const withCodes = <Errors extends Readonly<Record<string, UncodedError>>>(errors: Errors) =>
  Object.fromEntries(Object.entries(errors).map(([code, error]) => [code, { ...error, code }])) as {
    [Code in keyof Errors]: Errors[Code] & { code: Code }
  }

export const ERROR_CODE_HEADER = 'svc-error-code'
/** The header, field or parameter that an error is about, where there is one. */
export const ERROR_PARAM_HEADER = 'svc-error-param'

export const GENERAL_ERRORS = withCodes({
  bad_request: { http: 400, message: 'Bad Request' },
  unauthorized: { http: 401, message: 'Unauthorized' },
  not_found: { http: 404, message: 'Not Found' },
  method_not_allowed: { http: 405, message: 'Method Not Allowed' },
  request_timeout: { http: 408, message: 'Request Timeout' },
  payload_too_large: { http: 413, message: 'Payload Too Large' },
  too_many_requests: { http: 429, message: 'Too Many Requests' },
  headers_too_large: { http: 431, message: 'Request Header Fields Too Large' },
  internal: { http: 500, message: 'Internal Server Error' },
  unavailable: { http: 503, message: 'Service Unavailable' },
} as const satisfies Record<string, UncodedError>)

export type GeneralError = keyof typeof GENERAL_ERRORS

const texts = new WeakMap<WireError, string>()

export const errorText = (error: WireError): string =>
  getOrMake(texts, error, () =>
    JSON.stringify({ ...(error.status && { status: error.status }), message: error.message }),
  )
