// A webhook as the service sends it, for a merchant's own tests.
import type { KarbaEvent, PaymentEvent } from './api-types.ts'
import { type WebhookSecrets, webhookHeaders } from './signatures.ts'

/** A whole event, or what matters in one about a payment: the rest is filled in. */
export type EventToTest =
  | KarbaEvent
  | (Partial<Omit<PaymentEvent, 'event' | 'data'>> &
      Pick<PaymentEvent, 'event'> & { data?: Partial<PaymentEvent['data']> })

export interface SignedWebhook {
  method: 'POST'
  headers: Record<string, string>
  body: string
}

const STATUSES = {
  'payment.succeeded': 'succeeded',
  'payment.failed': 'failed',
  'payment.refunded': 'refunded',
} as const

/**
 * Post it to your own receiver: `fetch(url, await testWebhook({ event: 'payment.succeeded', … },
 * secrets))`.
 */
export async function testWebhook(
  event: EventToTest,
  secrets: WebhookSecrets & { signedAt?: Date },
): Promise<SignedWebhook> {
  const { signedAt = new Date(), ...own } = secrets
  const whole = { ...sampleEvent(event.event, signedAt), ...event }
  if (whole.event in STATUSES)
    whole.data = { ...sampleData(whole.event as PaymentEvent['event'], signedAt), ...event.data }
  const body = JSON.stringify(whole)
  const headers = await webhookHeaders(whole.id, body, own, Math.floor(signedAt.getTime() / 1_000))
  return { method: 'POST', headers, body }
}

const sampleEvent = (event: KarbaEvent['event'], at: Date) => ({
  id: `evt_test_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`,
  created_at: at.toISOString(),
  environment: 'sandbox',
  event,
  data: {},
})

const sampleData = (event: PaymentEvent['event'], at: Date): PaymentEvent['data'] => ({
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-2026-0001',
  reference: '60dvs8n73hy897smacktapcy',
  status: STATUSES[event],
  msisdn: '+227 96 12 34 56',
  amount: 1_500,
  ...(event === 'payment.failed'
    ? { failure_reason: 'declined' }
    : { validated_at: at.toISOString() }),
})
