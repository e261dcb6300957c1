// Every limit of the merchant API in one table. Each number is defined where it is enforced and collected here; documents and the OpenAPI
// description quote it from this table.

import { LONGEST_CUSTOMER_NAME, LONGEST_EXTERNAL_REFERENCE } from '../domain/free-text.ts'
import { MAXIMUM_XOF, MINIMUM_XOF } from '../domain/money.ts'
import { LONGEST_MSISDN } from '../domain/msisdn.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import { METADATA_LIMITS } from '../domain/payment.ts'
import {
  LIFE_MINUTES,
  LINK_LIFE_MS,
  LINK_REFERENCE_LENGTH,
  LONGEST_DESCRIPTION,
  LONGEST_TITLE,
  MOST_SUGGESTED,
} from '../domain/payment-link.ts'
import { LONGEST_REDIRECTION_URL } from '../domain/web-address.ts'
import { FEED_LIMIT } from '../domain/webhook-event.ts'
import type { Rate } from '../http/rate-limit.ts'
import { HEADER_LIMIT_BYTES, REQUEST_TIMEOUT_MS } from '../http/server.ts'
import type { HouseError } from '../wire/error.ts'
import { LONGEST_WAIT_SECONDS } from '../wire/payment.ts'

/** D-05 */
export const BODY_LIMIT_BYTES = 64 * 1024
/** Enough for a link order: anybody can send one from a page, without a secret key (D-52). */
export const PAGE_BODY_LIMIT_BYTES = 8 * 1024
/** For each address: many payers share one, and each makes only a few links (D-52). */
export const PAGE_LINK_RATE: Rate = { perSecond: 5, burst: 30 }

interface Limit {
  what: string
  least?: number
  most: number
  unit: string
  source: string
}

const KIB = 1024

export const LIMITS = {
  amountLive: {
    what: '`amount` in live',
    least: MINIMUM_XOF.live,
    most: MAXIMUM_XOF,
    unit: 'XOF',
    source: 'spec §8, D-07',
  },
  amountSandbox: {
    what: '`amount` in sandbox',
    least: MINIMUM_XOF.sandbox,
    most: MAXIMUM_XOF,
    unit: 'XOF',
    source: 'spec §8, D-07',
  },
  msisdn: { what: '`msisdn` as it is written', most: LONGEST_MSISDN, unit: 'characters', source: 'D-09' },
  externalReference: {
    what: '`transaction_id`',
    least: 1,
    most: LONGEST_EXTERNAL_REFERENCE,
    unit: 'characters',
    source: 'D-10',
  },
  customerName: { what: '`customer_name`', least: 1, most: LONGEST_CUSTOMER_NAME, unit: 'characters', source: 'D-08' },
  orderReference: {
    what: '`order_reference`',
    least: 1,
    most: LONGEST_EXTERNAL_REFERENCE,
    unit: 'characters',
    source: 'D-90',
  },
  metadataKeys: { what: '`metadata`', most: METADATA_LIMITS.keys, unit: 'keys', source: 'D-89' },
  metadataKey: { what: 'a key of `metadata`', least: 1, most: METADATA_LIMITS.key, unit: 'characters', source: 'D-89' },
  metadataValue: { what: 'a value of `metadata`', most: METADATA_LIMITS.value, unit: 'characters', source: 'D-89' },
  title: { what: '`title` of a link', least: 1, most: LONGEST_TITLE, unit: 'characters', source: 'D-21' },
  description: { what: '`description` of a link', most: LONGEST_DESCRIPTION, unit: 'characters', source: 'D-21' },
  linkReference: {
    what: '`reference` of a link',
    least: LINK_REFERENCE_LENGTH.least,
    most: LINK_REFERENCE_LENGTH.most,
    unit: 'characters',
    source: 'D-23',
  },
  redirectionUrl: {
    what: 'an address to go back to',
    most: LONGEST_REDIRECTION_URL,
    unit: 'characters',
    source: 'D-21',
  },
  linkLife: {
    what: 'how long a link that expires can be paid',
    most: LINK_LIFE_MS / 60_000,
    unit: 'minutes',
    source: 'D-25',
  },
  linkLifeMinutes: { what: '`expires_in_minutes` of a link', ...LIFE_MINUTES, unit: 'minutes', source: 'D-92' },
  suggestedAmounts: { what: '`suggested_amounts` of a link', most: MOST_SUGGESTED, unit: 'amounts', source: 'D-92' },
  feedPage: { what: '`limit` of the feed', least: 1, most: FEED_LIMIT.most, unit: 'events', source: 'D-47' },
  wait: { what: '`wait` for an outcome', least: 0, most: LONGEST_WAIT_SECONDS, unit: 'seconds', source: 'D-91' },
  listPage: { what: '`limit` of a list', least: 1, most: PAGE_LIMIT.most, unit: 'payments', source: 'D-86' },
  body: { what: 'a body', most: BODY_LIMIT_BYTES / KIB, unit: 'KiB', source: 'D-05' },
  pageBody: {
    what: 'a body from a merchant’s page',
    most: PAGE_BODY_LIMIT_BYTES / KIB,
    unit: 'KiB',
    source: 'D-52',
  },
  pageLinks: {
    what: 'links from merchants’ pages, for an address',
    most: PAGE_LINK_RATE.perSecond,
    unit: 'a second',
    source: 'D-52',
  },
  pageLinksAtOnce: {
    what: 'the same, after a rest',
    most: PAGE_LINK_RATE.burst,
    unit: 'at once',
    source: 'D-52',
  },
  headers: { what: 'all headers together', most: HEADER_LIMIT_BYTES / KIB, unit: 'KiB', source: 'D-05' },
  request: {
    what: 'until a request has arrived',
    most: REQUEST_TIMEOUT_MS / 1_000,
    unit: 'seconds',
    source: 'D-05',
  },
} as const satisfies Record<string, Limit>

/** What to do about an error that belongs to no operation. */
export const HOUSE_ADVICE: Readonly<Record<HouseError, string>> = {
  bad_request: 'The bytes were not a request that HTTP knows.',
  unauthorized: 'A network’s callback without its signature.',
  not_found: `There is no such address. Paths begin with \`/api/v1\`.`,
  method_not_allowed: 'The address exists, this method does not. `Allow` says which do.',
  request_timeout: `The request did not arrive whole within ${LIMITS.request.most} seconds.`,
  payload_too_large: `A body has at most ${LIMITS.body.most} KiB; from a merchant’s page, ${LIMITS.pageBody.most} KiB.`,
  too_many_requests: 'This address asks too often. Try again after the seconds in `Retry-After`.',
  headers_too_large: `Headers have at most ${LIMITS.headers.most} KiB together.`,
  internal: 'A fault of ours. Nothing is known about the payment: read it back before you try again.',
  unavailable: 'Nothing was recorded. Try again after the seconds in `Retry-After`.',
}
