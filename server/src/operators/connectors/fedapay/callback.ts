// FedaPay's webhooks: `X-FEDAPAY-SIGNATURE: t=<seconds>,s=<hex>`, an HMAC-SHA256 with the webhook's secret over `<t>.<body>`. Each try is
// signed anew, so an old signature is somebody's copy.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../domain/clock-and-random.ts'
import { looksLikeReference } from '../../../domain/reference.ts'
import type { CallbackRequest, ReadCallback } from '../../operator.ts'
import { asObject } from './wire.ts'

const SIGNATURE_HEADER = 'x-fedapay-signature'
const OLDEST_MS = 300_000

export function callbackReader(clock: Clock, webhookSecret: string | undefined) {
  return ({ headers, body }: CallbackRequest): ReadCallback | undefined => {
    const isSigned =
      webhookSecret !== undefined && isSignedBy(webhookSecret, String(headers[SIGNATURE_HEADER] ?? ''), body, clock)
    if (webhookSecret !== undefined && !isSigned) return undefined
    const reference = referenceIn(body)
    // One that is not answered with 200 is an error to FedaPay, which switches the webhook off after ten.
    if (reference === undefined) return isSigned ? { reference: null, isGenuine: true } : undefined
    return { reference, isGenuine: isSigned }
  }
}

function isSignedBy(secret: string, header: string, body: Buffer, clock: Clock): boolean {
  const parts = header.split(',').map((part) => part.trim().split('='))
  const seconds = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(seconds) || clock.now() - Number(seconds) * 1_000 > OLDEST_MS) return false
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
  return parts.some(([name, hex = '']) => {
    const told = name === 's' ? Buffer.from(hex, 'hex') : Buffer.alloc(0)
    return told.length === expected.length && timingSafeEqual(told, expected)
  })
}

/** Of a transaction that is ours; events about customers and payouts have none. */
function referenceIn(body: Buffer): string | undefined {
  try {
    const event = asObject(JSON.parse(body.toString('utf8')))
    const { entity } = event ?? {}
    // FedaPay's list of events has the entity as text.
    const transaction = asObject(typeof entity === 'string' ? JSON.parse(entity) : entity)
    const reference = transaction?.merchant_reference
    return typeof reference === 'string' && looksLikeReference(reference) ? reference : undefined
  } catch {
    return undefined
  }
}
