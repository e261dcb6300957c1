// The body and headers of an error, the same for every HTTP API (spec §7, D-62, D-164), and the
// errors that belong to no operation (D-05). All texts are made at the start: a refusal costs its
// headers and nothing more.
import { getOrMake } from '../domain/limits/get-or-make.ts'

// The limits of every request of the merchant API (D-05, D-52), for the server and for the texts
// about them.

export const REQUEST_TIMEOUT_MS = 30_000
export const HEADER_LIMIT_BYTES = 16 * 1024
export const BODY_LIMIT_BYTES = 64 * 1024
/** Enough for a link order: anyone can send one from a page, without a secret key. */
export const PAGE_BODY_LIMIT_BYTES = 8 * 1024

export interface WireError {
  /** Of a closed list; sent in a header, since the body is the contract's (D-62). */
  code: string
  http: number
  message: string
  /** Present only on some application-level failures (spec §7). */
  status?: 'failed'
  /** One English sentence in ASCII that says what to do; never what a caller sent. */
  hint: string
  /** The value of the Link header: the section about this error on the service's own page. */
  help: string
}

export type UncodedError = Omit<WireError, 'code' | 'help'>

export const LONGEST_HINT = 200

/** The page of the service that has a section for each code. */
export const ERRORS_PATH = '/docs/errors'

/** The name of each error in its table is its code. */
export const withCodes = <Errors extends Readonly<Record<string, UncodedError>>>(errors: Errors) =>
  Object.fromEntries(
    Object.entries(errors).map(([code, error]) => {
      const help = `<${ERRORS_PATH}#${code}>; rel="help"`
      return [code, { ...error, code, hint: asciiOf(error.hint), help }]
    }),
  ) as { [Code in keyof Errors]: Errors[Code] & { code: Code; help: string } }

/** A header of other characters is refused by Node or garbled on the way. */
function asciiOf(sentence: string): string {
  return sentence.replaceAll('’', "'").replaceAll('…', '...')
}

export const ERROR_CODE_HEADER = 'svc-error-code'
/** The header, field or parameter that an error is about, where there is one. */
export const ERROR_PARAM_HEADER = 'svc-error-param'
/** What to do, for a developer who reads the answer. */
export const ERROR_HINT_HEADER = 'svc-error-hint'

const KIB = 1024

export const GENERAL_ERRORS = withCodes({
  bad_request: {
    http: 400,
    message: 'Bad Request',
    hint: 'Send valid HTTP with one Host header, at most one Authorization header, and a complete body.',
  },
  unauthorized: {
    http: 401,
    message: 'Unauthorized',
    hint: 'Sign the callback as the contract with the network says.',
  },
  not_found: {
    http: 404,
    message: 'Not Found',
    hint: 'Check the path: those of the API begin with /api/v1, and /docs lists them.',
  },
  method_not_allowed: {
    http: 405,
    message: 'Method Not Allowed',
    hint: 'Use a method that the Allow header lists.',
  },
  request_timeout: {
    http: 408,
    message: 'Request Timeout',
    hint: `Send the whole request within ${REQUEST_TIMEOUT_MS / 1_000} seconds.`,
  },
  payload_too_large: {
    http: 413,
    message: 'Payload Too Large',
    hint: `Send a body of at most ${BODY_LIMIT_BYTES / KIB} KiB, or ${PAGE_BODY_LIMIT_BYTES / KIB} KiB from a page.`,
  },
  too_many_requests: {
    http: 429,
    message: 'Too Many Requests',
    hint: 'Wait for the seconds in Retry-After, then send fewer requests, or one statement at a time.',
  },
  headers_too_large: {
    http: 431,
    message: 'Request Header Fields Too Large',
    hint: `Send headers of at most ${HEADER_LIMIT_BYTES / KIB} KiB together.`,
  },
  internal: {
    http: 500,
    message: 'Internal Server Error',
    hint: 'The service failed and the payment may exist: read it before you retry.',
  },
  unavailable: {
    http: 503,
    message: 'Service Unavailable',
    hint: 'Nothing was recorded: retry after the seconds in Retry-After.',
  },
} as const satisfies Record<string, UncodedError>)

export type GeneralError = keyof typeof GENERAL_ERRORS

const texts = new WeakMap<WireError, string>()

export const errorText = (error: WireError): string =>
  getOrMake(texts, error, () =>
    JSON.stringify({ ...(error.status && { status: error.status }), message: error.message }),
  )
