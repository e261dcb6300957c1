// The limits of a request's body and rate, and the advice for errors that belong to no operation (D-05, D-52).
import type { Rate } from '../http/rate-limit.ts'
import { HEADER_LIMIT_BYTES, REQUEST_TIMEOUT_MS } from '../http/server.ts'
import type { HouseError } from '../wire/error.ts'

const KIB = 1024

/** D-05 */
export const BODY_LIMIT_BYTES = 64 * KIB
/** Enough for a link order: anyone can send one from a page, without a secret key (D-52). */
export const PAGE_BODY_LIMIT_BYTES = 8 * KIB
/** For each address: many payers share one, and each creates only a few links (D-52). */
export const PAGE_LINK_RATE: Rate = { perSecond: 5, burst: 30 }

export const HOUSE_ADVICE: Readonly<Record<HouseError, string>> = {
  bad_request: 'The request is not valid HTTP.',
  unauthorized: 'A network’s callback has no valid signature.',
  not_found: 'The path does not exist. Paths begin with `/api/v1`.',
  method_not_allowed: 'The path does not have this method. `Allow` lists its methods.',
  request_timeout: `The request was not complete within ${REQUEST_TIMEOUT_MS / 1_000} seconds.`,
  payload_too_large: `A body has at most ${BODY_LIMIT_BYTES / KIB} KiB; from a merchant’s page, ${PAGE_BODY_LIMIT_BYTES / KIB} KiB.`,
  too_many_requests: 'Too many requests from this address. Retry after the seconds in `Retry-After`.',
  headers_too_large: `Headers have at most ${HEADER_LIMIT_BYTES / KIB} KiB together.`,
  internal: 'A fault of the service. The payment may exist: read it before you retry.',
  unavailable: 'Nothing was recorded. Retry after the seconds in `Retry-After`.',
}
