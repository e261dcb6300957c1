// The limits of every request of the merchant API (D-05, D-52), for the server and for the texts about them.

export const REQUEST_TIMEOUT_MS = 30_000
export const HEADER_LIMIT_BYTES = 16 * 1024
export const BODY_LIMIT_BYTES = 64 * 1024
/** Enough for a link order: anyone can send one from a page, without a secret key. */
export const PAGE_BODY_LIMIT_BYTES = 8 * 1024
