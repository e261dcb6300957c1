// Webhook verification and signed orders of the SDK against those of the service.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { orderKeyOf } from '../../server/src/domain/people/api-key.ts'
import { makeSigningSecret, webhookHeaders } from '../../server/src/webhooks/sign.ts'
import { readSignedOrder } from '../../server/src/wire/link.ts'
import {
  Karba,
  type KarbaEvent,
  testWebhook,
  verifyWebhook,
  type WebhookSecrets,
} from '../src/karba.ts'

const SECRET_HASH = 'le mot de la boutique'
const [OLD, NEW] = [1, 2].map((byte) => makeSigningSecret(new Uint8Array(32).fill(byte))) as [
  string,
  string,
]
const EVENT = {
  id: 'evt_1',
  event: 'payment.succeeded',
  data: { reference: 'été 🛒' },
} as unknown as KarbaEvent
const BODY = JSON.stringify(EVENT)

function sent(change: { signedAt?: number; headers?: Record<string, string | undefined> } = {}) {
  const posted = {
    eventId: 'evt_1',
    body: BODY,
    secretHash: SECRET_HASH,
    signingSecrets: [NEW, OLD],
    replay: 0,
  }
  return { ...webhookHeaders(posted, change.signedAt ?? Date.now()), ...change.headers }
}

const BOTH: WebhookSecrets = { secretHash: SECRET_HASH, signingSecret: NEW }

it('SDK webhooks: a genuine one is verified by either secret or both, also while a secret is rolled', async () => {
  for (const secrets of [
    BOTH,
    { secretHash: SECRET_HASH },
    { signingSecret: NEW },
    { signingSecret: OLD },
  ]) {
    assert.deepEqual(await verifyWebhook(BODY, sent(), secrets), EVENT)
    assert.deepEqual(
      await verifyWebhook(BODY, new Headers(sent() as Record<string, string>), secrets),
      EVENT,
    )
  }
})

const MINUTE_MS = 60_000
const REFUSED: [
  what: string,
  headers: () => Record<string, string | undefined>,
  body?: string,
  secrets?: WebhookSecrets,
][] = [
  ['with another Secret-Hash', () => sent({ headers: { 'secret-hash': `${SECRET_HASH}!` } })],
  ['without a Secret-Hash', () => sent({ headers: { 'secret-hash': undefined } })],
  ['with one bit of its body changed', () => sent(), BODY.replace('evt_1', 'evt_0')],
  ['with another id', () => sent({ headers: { 'webhook-id': 'evt_2' } })],
  [
    'with a later time',
    () => sent({ headers: { 'webhook-timestamp': `${Math.ceil(Date.now() / 1_000) + 1}` } }),
  ],
  ['of ten minutes ago', () => sent({ signedAt: Date.now() - 10 * MINUTE_MS })],
  ['of ten minutes from now', () => sent({ signedAt: Date.now() + 10 * MINUTE_MS })],
  ['without a signature', () => sent({ headers: { 'webhook-signature': undefined } })],
  ['with a signature of nothing', () => sent({ headers: { 'webhook-signature': 'v1,' } })],
  ['with a signature that is no base64', () => sent({ headers: { 'webhook-signature': 'v1,é' } })],
  [
    'signed by a stranger',
    () => sent(),
    BODY,
    { signingSecret: makeSigningSecret(new Uint8Array(32)) },
  ],
]
for (const [what, headers, body = BODY, secrets = BOTH] of REFUSED)
  it(`SDK webhooks: one ${what} is refused`, async () => {
    await assert.rejects(verifyWebhook(body, headers(), secrets), {
      name: 'KarbaError',
      code: 'webhook_not_valid',
    })
  })

it('SDK webhooks: the body may be bytes, as Express and Lambda give it, and must be raw', async () => {
  const bytes = Buffer.from(BODY)
  assert.deepEqual(await verifyWebhook(bytes, sent(), BOTH), EVENT)
  assert.deepEqual(await verifyWebhook(new Uint8Array(bytes), sent(), BOTH), EVENT)
  await assert.rejects(verifyWebhook(bytes.subarray(1), sent(), BOTH), {
    code: 'webhook_not_valid',
  })
  const parsed = EVENT as unknown as string
  await assert.rejects(verifyWebhook(parsed, sent(), BOTH), {
    code: 'configuration',
    message: /the raw body/,
  })
})

it('SDK webhooks: testWebhook makes what the service sends', async () => {
  const signedAt = new Date()
  const { method, headers, body } = await testWebhook(EVENT, { ...BOTH, signedAt })
  assert.equal(method, 'POST')
  assert.partialDeepStrictEqual(JSON.parse(body), EVENT)
  const {
    accept: _accept,
    'user-agent': _agent,
    ...own
  } = webhookHeaders(
    { eventId: 'evt_1', body, secretHash: SECRET_HASH, signingSecrets: [NEW], replay: 0 },
    signedAt.getTime(),
  )
  assert.deepEqual(headers, own)
})

it('SDK webhooks: testWebhook fills in a payment, and verifyWebhook takes it until it is too old', async () => {
  const data = { external_reference: 'order-7', amount: 2_500 }
  for (const event of ['payment.succeeded', 'payment.failed', 'payment.refunded'] as const) {
    const made = await testWebhook({ event, data }, BOTH)
    const read = (await verifyWebhook(made.body, made.headers, BOTH)) as Extract<
      KarbaEvent,
      { event: typeof event }
    >
    assert.equal(read.event, event)
    assert.partialDeepStrictEqual(read.data, { ...data, status: event.split('.')[1] })
    assert.equal('failure_reason' in read.data, event === 'payment.failed')
  }
  const old = await testWebhook(
    { event: 'payment.succeeded' },
    { ...BOTH, signedAt: new Date(Date.now() - 600_000) },
  )
  await assert.rejects(verifyWebhook(old.body, old.headers, BOTH), { code: 'webhook_not_valid' })
})

it('SDK webhooks: verification needs a valid secret', async () => {
  for (const secrets of [
    {},
    { secretHash: '', signingSecret: '' },
    { signingSecret: 'whsec_' },
    { signingSecret: 'x' },
  ]) {
    await assert.rejects(verifyWebhook(BODY, sent(), secrets), { code: 'configuration' })
  }
})

it('SDK signOrder: the service accepts the order', async () => {
  const secretKey = 'sk_sandbox_0123456789'
  const karba = new Karba({ secretKey, url: 'http://127.0.0.1:9' })
  const order = {
    transaction_id: 'cmd-12/é 🛒',
    amount: 15_000,
    title: 'Été à Niamey',
    order_reference: 'o-12',
  }
  const signed = readSignedOrder(await karba.signOrder(order), [orderKeyOf(secretKey)])
  const seen = [signed?.externalReference, signed?.amount, signed?.title, signed?.orderReference]
  assert.deepEqual(seen, Object.values(order))
  assert.ok((signed?.expiresAt as number) > Date.now())
})
