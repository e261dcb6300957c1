// Airtel's callbacks. The address is set in the portal, one for all payments, so the payment is named in the body; the hash is there when
// callback authentication is on.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { lookUp } from '../../../domain/look-up.ts'
import { looksLikeReference } from '../../../domain/reference.ts'
import type { CallbackRequest, ReadCallback } from '../../operator.ts'
import type { AirtelOptions } from './options.ts'
import { isObject } from './wire.ts'

/** What Airtel's documents show as the partner's answer. */
const ANSWER = '{"code":200,"status":"SUCCESS"}'

export function readCallback(
  { headers, body }: CallbackRequest,
  { callbackKey, callbackHashHeader }: AirtelOptions,
): ReadCallback | undefined {
  const message = parse(body)
  const { transaction, hash } = isObject(message) ? message : {}
  if (!isObject(transaction) || typeof transaction.id !== 'string' || !looksLikeReference(transaction.id))
    return undefined
  const given = callbackHashHeader === undefined ? hash : lookUp(headers, callbackHashHeader.toLowerCase())
  if (callbackKey !== undefined && !isHash(given, transaction, callbackKey)) return undefined
  return { reference: transaction.id, isGenuine: callbackKey !== undefined, answer: ANSWER }
}

/** The documents do not say which bytes are hashed; clients in use take `transaction` as compact JSON, in the order in which it came. */
function isHash(given: unknown, transaction: object, key: string): boolean {
  const expected = createHmac('sha256', key).update(JSON.stringify(transaction)).digest()
  const hash = Buffer.from(typeof given === 'string' ? given : '', 'base64')
  return hash.length === expected.length && timingSafeEqual(hash, expected)
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
