// The three headers of Standard Webhooks, v1 (D-27), by which a merchant's library verifies that an
// event is ours, recent and unchanged. While a secret is being rolled, events are signed with the
// old and the new one, so that a receiver with either can verify them.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { getOrMake } from '../domain/limits/get-or-make.ts'

const PREFIX = 'whsec_'
const LEAST_BYTES = 24
const MOST_BYTES = 64

export type Signed = {
  id: string
  timestampSeconds: number
  body: string
  secrets: readonly string[]
}

/** In the form that the merchant is shown and that libraries accept. */
export function makeSigningSecret(bytes: Uint8Array): string {
  checkLength(bytes)
  return PREFIX + Buffer.from(bytes).toString('base64')
}

export function signatureHeaders({
  id,
  timestampSeconds,
  body,
  secrets,
}: Signed): Record<string, string> {
  const content = `${id}.${timestampSeconds}.${body}`
  const signatures = secrets.map((secret) => {
    const key = getOrMake(keys, secret, () => createSecretKey(bytesOf(secret)))
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

/**
 * Making a key from bytes costs six times the signature itself (28 against 4 µs), so the keys in
 * use are cached.
 */
const keys = new LRUCache<string, KeyObject>({ max: 1_000 })

function bytesOf(secret: string): Buffer {
  if (!secret.startsWith(PREFIX)) throw new Error(`a signing secret must begin with ${PREFIX}`)
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  checkLength(key)
  return key
}

/**
 * The limits of Standard Webhooks. A secret that was truncated in the store must not sign with the
 * rest.
 */
function checkLength({ length }: Uint8Array): void {
  if (length < LEAST_BYTES || length > MOST_BYTES) {
    throw new RangeError(
      `a signing secret has ${LEAST_BYTES} to ${MOST_BYTES} bytes, not ${length}`,
    )
  }
}

// All headers of a webhook (D-27, D-48).

export interface Posted {
  eventId: string
  body: string
  secretHash: string
  /** The newest first. */
  signingSecrets: readonly string[]
  /** 0 for the first delivery of an event, else the number of its replay. */
  replay: number
}

const USER_AGENT = 'Karba-Webhooks/1'
const REPLAY_HEADER = 'svc-webhook-replay'

export function webhookHeaders(posted: Posted, now: number): Record<string, string> {
  const { eventId: id, body, secretHash, signingSecrets: secrets, replay } = posted
  return {
    'content-type': 'application/json',
    // Frameworks answer an error to a client that takes JSON in a few bytes, and to any other with
    // a page (D-61).
    accept: 'application/json',
    'user-agent': USER_AGENT,
    'secret-hash': secretHash,
    ...signatureHeaders({ id, timestampSeconds: Math.floor(now / 1_000), body, secrets }),
    ...(replay > 0 ? { [REPLAY_HEADER]: String(replay) } : {}),
  }
}
