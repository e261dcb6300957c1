// The Standard Webhooks trio of headers, v1 (D-27): a merchant's library proves with it that an event is ours, fresh and whole.
// Several secrets sign side by side while one is being rolled, so that no event fails at a receiver that has not changed yet.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { boundedCache } from '../domain/bounded-cache.ts'

const PREFIX = 'whsec_'
const LEAST_BYTES = 24
const MOST_BYTES = 64

export interface Signed {
  id: string
  timestampSeconds: number
  body: string
  secrets: readonly string[]
}

/** What the merchant is shown, and what its library takes as it is. */
export function makeSigningSecret(bytes: Uint8Array): string {
  checkLength(bytes)
  return PREFIX + Buffer.from(bytes).toString('base64')
}

export function signatureHeaders({ id, timestampSeconds, body, secrets }: Signed): Record<string, string> {
  const content = `${id}.${timestampSeconds}.${body}`
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

/** Making a key of bytes costs six times the signature itself (28 against 4 µs), so those in use are kept. */
const MOST_KEYS = 1_000
const keys = boundedCache<KeyObject>(MOST_KEYS)

function keyOf(secret: string): KeyObject {
  let key = keys.get(secret)
  if (key === undefined) {
    key = createSecretKey(bytesOf(secret))
    keys.set(secret, key)
  }
  return key
}

function bytesOf(secret: string): Buffer {
  if (!secret.startsWith(PREFIX)) throw new Error(`a signing secret must begin with ${PREFIX}`)
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  checkLength(key)
  return key
}

/** The limits of Standard Webhooks. A secret cut short in the store must not sign with what is left of it. */
function checkLength({ length }: Uint8Array): void {
  if (length < LEAST_BYTES || length > MOST_BYTES) {
    throw new RangeError(`a signing secret has ${LEAST_BYTES} to ${MOST_BYTES} bytes, not ${length}`)
  }
}
