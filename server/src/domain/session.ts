// How long somebody stays signed in: so long without doing anything, and so long at the most. Those who run the service see every merchant, so
// theirs end sooner (D-95).
import { hash } from 'node:crypto'
import type { ServiceRole } from './role.ts'

const HOUR_MS = 3_600_000

interface SessionLife {
  idleMs: number
  mostMs: number
}

const OF_MERCHANT: SessionLife = { idleMs: 12 * HOUR_MS, mostMs: 7 * 24 * HOUR_MS }
const OF_SERVICE: SessionLife = { idleMs: HOUR_MS, mostMs: 12 * HOUR_MS }

export const sessionLife = (serviceRole: ServiceRole | null): SessionLife =>
  serviceRole === null ? OF_MERCHANT : OF_SERVICE

/** That somebody was there is written down once in so long, and not for each request. */
export const SEEN_EVERY_MS = 60_000

/** Random bytes of what a browser, a letter or an invitation holds. Guessing 256 bits needs no slow hash. */
export const TOKEN_BYTES = 32

export const makeToken = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** What is kept of a token. */
export const hashOfToken = (token: string): string => hash('sha256', token)
