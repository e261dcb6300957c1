// Verifies webhooks and signs orders for the button, with the WebCrypto that Node, Bun, Deno and
// edge runtimes share.
import type { KarbaEvent } from './api-types.ts'
import { KarbaError } from './karba-error.ts'

export interface WebhookSecrets {
  /** The secret that you chose for the endpoint. */
  secretHash?: string | undefined
  /** `whsec_…`, shown when the endpoint was created. */
  signingSecret?: string | undefined
  /** How old a signed webhook may be, and how far ahead of this machine's clock; 300 by default. */
  toleranceSeconds?: number | undefined
}

/** Headers of the Fetch API or of Node's requests. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>

const NO_SECRETS =
  'Neither secretHash nor signingSecret is set. Is one of them in the environment of this process?'
const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'

/**
 * Takes the raw body, as text or bytes. Checks every given secret, and throws unless all of them
 * agree.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: WebhookSecrets,
): Promise<KarbaEvent> {
  const { secretHash, signingSecret, toleranceSeconds = TOLERANCE_SECONDS } = secrets
  if (!secretHash && !signingSecret)
    throw new KarbaError({ code: 'configuration', message: NO_SECRETS })
  const bytes = typeof body === 'string' ? bytesOf(body) : body
  if (!(bytes instanceof Uint8Array)) {
    throw new KarbaError({
      code: 'configuration',
      message:
        'body is the raw body of the request, as text or bytes: take it before a framework parses it.',
    })
  }
  if (secretHash && !(await isSameText(headerOf(headers, 'secret-hash'), secretHash)))
    throw notValid('Its Secret-Hash is not yours.')
  if (signingSecret) await verifySignature(bytes, headers, signingSecret, toleranceSeconds)
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as KarbaEvent
  } catch (cause) {
    throw notValid('Its body is not JSON.', cause)
  }
}

async function verifySignature(
  body: Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  tolerance: number,
) {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const age = Date.now() / 1_000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > tolerance)
    throw notValid('It was signed too long ago, or this machine’s clock is wrong.')
  const expected = await hmacSha256(keyOf(secret), signedBytes(id, timestamp, body))
  // While a secret is rolled there are two signatures.
  const given = headerOf(headers, 'webhook-signature').split(' ')
  const isSigned = given.some(
    (each) => each.startsWith('v1,') && isSame(expected, fromBase64(each.slice(3)) ?? EMPTY),
  )
  if (!isSigned) throw notValid('Its signature is not right.')
}

/** The id, the time and the body, as Standard Webhooks v1 signs them. */
function signedBytes(id: string, timestamp: string, body: Uint8Array): Bytes {
  const head = bytesOf(`${id}.${timestamp}.`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

/** The headers of a webhook with this body, signed at this time in seconds. */
export async function webhookHeaders(
  id: string,
  body: string,
  { secretHash, signingSecret }: WebhookSecrets,
  signedAt: number,
): Promise<Record<string, string>> {
  const timestamp = String(signedAt)
  const signature =
    signingSecret === undefined
      ? undefined
      : base64(await hmacSha256(keyOf(signingSecret), signedBytes(id, timestamp, bytesOf(body))))
  return {
    'content-type': 'application/json',
    ...(secretHash !== undefined && { 'secret-hash': secretHash }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signature !== undefined && { 'webhook-signature': `v1,${signature}` }),
  }
}

const EMPTY: Bytes = new Uint8Array()

function keyOf(secret: string): Bytes {
  const key = secret.startsWith(SECRET_PREFIX)
    ? fromBase64(secret.slice(SECRET_PREFIX.length))
    : undefined
  if (key === undefined || key.length === 0) {
    throw new KarbaError({
      code: 'configuration',
      message: `signingSecret begins with ${SECRET_PREFIX}: was it copied whole?`,
    })
  }
  return key
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : ''
}

const notValid = (message: string, cause?: unknown): KarbaError =>
  new KarbaError({ code: 'webhook_not_valid', message, cause })

export interface OrderToSign {
  /** Whole francs: `5000`, `"5000"` or `"5000.00"`. */
  amount: number | string
  title: string
  /** Your reference, unique in your account. */
  transaction_id: string
  /** Your order, if it may need several payments. */
  order_reference?: string
  /** ISO 8601: until when the page may begin this payment; one hour by default. */
  expires_at?: string
}

const ORDER_KEY_PURPOSE = 'karba order v1'
const HOUR_MS = 3_600_000

/** Signs an order for the attribute `data-order` of the button. A page cannot change it. */
export async function signOrder(secretKey: string, order: OrderToSign): Promise<string> {
  const whole = { expires_at: new Date(Date.now() + HOUR_MS).toISOString(), ...order }
  const payload = base64url(bytesOf(JSON.stringify(whole)))
  const orderKey = await hmacSha256(bytesOf(secretKey), bytesOf(ORDER_KEY_PURPOSE))
  return `${payload}.${hex(await hmacSha256(orderKey, bytesOf(payload)))}`
}

type Bytes = Uint8Array<ArrayBuffer>

const bytesOf = (text: string): Bytes => new TextEncoder().encode(text) as Bytes

async function hmacSha256(key: Bytes, content: Bytes): Promise<Bytes> {
  const usable = await crypto.subtle.importKey(
    'raw',
    key,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return new Uint8Array(await crypto.subtle.sign('HMAC', usable, content))
}

/** In constant time for texts of any length. */
async function isSameText(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(bytesOf(one)), sha256(bytesOf(other))])
  return isSame(a, b)
}

function isSame(one: Bytes, other: Bytes): boolean {
  let difference = one.length ^ other.length
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
  return difference === 0
}

const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

const hex = (bytes: Bytes): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Undefined when it is not base64. */
function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const base64 = (bytes: Bytes): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

function base64url(bytes: Bytes): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export const randomHex = (byteCount: number): string =>
  hex(crypto.getRandomValues(new Uint8Array(byteCount)))
