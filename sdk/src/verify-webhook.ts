// Whether a webhook is the service's, recent and unchanged: by the Secret-Hash, by the signature of Standard Webhooks, or by both.
import type { KarbaEvent } from './api-types.ts'
import { KarbaError } from './karba-error.ts'
import { type Bytes, bytesOf, fromBase64, hmacSha256, isSame, isSameText } from './web-crypto.ts'

export interface WebhookSecrets {
  /** The secret that you chose for the endpoint. */
  secretHash?: string
  /** `whsec_…`, shown when the endpoint was made. */
  signingSecret?: string
  /** How old a signed webhook may be, and how far ahead of this machine's clock; 300 by default. */
  toleranceSeconds?: number
}

/** Those of the Fetch API, or of Node's requests. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const TOLERANCE_SECONDS = 300
const PREFIX = 'whsec_'

/** Takes the body as it came, byte for byte. Checks every secret that it is given, and throws unless all of them agree. */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secrets: WebhookSecrets,
): Promise<KarbaEvent> {
  const { secretHash, signingSecret, toleranceSeconds = TOLERANCE_SECONDS } = secrets
  if (!secretHash && !signingSecret) {
    throw new KarbaError({ code: 'configuration', message: 'Give secretHash, signingSecret, or both.' })
  }
  if (secretHash) {
    if (!(await isSameText(headerOf(headers, 'secret-hash'), secretHash)))
      throw notValid('Its Secret-Hash is not yours.')
  }
  if (signingSecret) await verifySignature(body, headers, signingSecret, toleranceSeconds)
  try {
    return JSON.parse(body) as KarbaEvent
  } catch (cause) {
    throw notValid('Its body is not JSON.', cause)
  }
}

async function verifySignature(
  body: string,
  headers: WebhookHeaders,
  secret: string,
  tolerance: number,
): Promise<void> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const age = Date.now() / 1_000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > tolerance) {
    throw notValid('It was signed too long ago, or this machine’s clock is wrong.')
  }
  const expected = await hmacSha256(keyOf(secret), bytesOf(`${id}.${timestamp}.${body}`))
  // While a secret is rolled there are two.
  const given = headerOf(headers, 'webhook-signature').split(' ')
  const isSigned = given.some((each) => each.startsWith('v1,') && isSame(expected, fromBase64(each.slice(3)) ?? EMPTY))
  if (!isSigned) throw notValid('Its signature is not right.')
}

const EMPTY: Bytes = new Uint8Array()

function keyOf(secret: string): Bytes {
  const key = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined
  if (key === undefined || key.length === 0) {
    throw new KarbaError({
      code: 'configuration',
      message: `signingSecret begins with ${PREFIX}: was it copied whole?`,
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
