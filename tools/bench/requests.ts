// Builds the requests of the load generator.
import { hash } from 'node:crypto'

export interface LoadOrder {
  port: number
  kind: 'create' | 'read'
  requests: number
  connections: number
  secretKey: string
  /** The prefix of this run's transaction_ids; reads use that of an earlier run. */
  prefix: string
  msisdn: string
  first: number
  /** For reads: the number of payments with this prefix, and how many of the newest to read. */
  known: number
  newest: number
  /** For reads: every second one by the reference of filled-payments.ts, not by transaction_id. */
  byReference: boolean
  /**
   * New connections opened together half-way, with one request each. The load ends when all are
   * answered.
   */
  burst: number
  /** Requests are due at this rate; 0 for as fast as they are answered. */
  perSecond: number
}

/** At the bare server, a payment whose name begins so has succeeded. */
export const SETTLED_PREFIX = 'settled-'

/**
 * A prime that divides no count of payments: reads visit every payment once, in a scattered order.
 */
const STRIDE = 7_919

/**
 * The reference of `order-n` in filled-payments.ts: with length, alphabet and order of a real one.
 */
export const filledReference = (n: number): string =>
  String(100_000_000 + n).slice(1) + hash('md5', `order-${n}`).slice(0, 16)

export function requestMaker(order: LoadOrder): () => string {
  const { kind, secretKey, prefix, msisdn, known, byReference } = order
  const newest = Math.min(order.newest, known)
  let n = order.first
  const head =
    'Host: 127.0.0.1\r\nContent-Type: application/json\r\n' +
    `Authorization: Bearer ${secretKey}\r\nSvc-Target-Environment: sandbox\r\nSvc-Payment-Type: mobile\r\n`

  function create(): string {
    const body = `{"amount":1500,"country":"NE","currency":"XOF","msisdn":"${msisdn}","transaction_id":"${prefix}${n++}","customer_name":"Awa Diallo"}`
    return `POST /api/v1/payments HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`
  }

  function read(): string {
    const which = known - newest + ((n++ * STRIDE) % newest)
    const name = byReference && n % 2 === 0 ? filledReference(which) : `${prefix}${which}`
    return `GET /api/v1/payments/${name} HTTP/1.1\r\n${head}\r\n`
  }

  return kind === 'create' ? create : read
}
