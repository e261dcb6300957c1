// Codes of authenticator apps: six digits for each 30 seconds, and recovery codes for those who have lost their phone. Each is taken once.
import { Secret, TOTP } from 'otpauth'
import type { Random } from '../../domain/clock-and-random.ts'
import { hashOfToken } from '../../domain/person.ts'
import { base32 } from '../../domain/reference.ts'

const PERIOD_S = 30
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_LENGTH = 16
const RECOVERY_BYTES = 10

/** In the alphabet of authenticator apps. */
export const makeTotpSecret = (random: Random): string =>
  new Secret({ buffer: Uint8Array.from(random.bytes(SECRET_BYTES)).buffer }).base32

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Karba', label, secret: Secret.fromBase32(secret), period: PERIOD_S, digits: 6 })

/** What an authenticator app reads from the QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString()

/** The step of 30 seconds that the code is of, one before and one after now included; undefined for a wrong code. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_S) + delta
}

/** 80 random bits each, so that nobody finds them from their hashes. */
export const makeRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const digits = base32(random.bytes(RECOVERY_BYTES), RECOVERY_LENGTH)
    return (digits.match(/.{4}/g) as string[]).join('-')
  })

/** Undefined for what does not look like one. Letters that are easily mistaken are read as people mean them. */
export function hashOfRecoveryCode(typed: string): string | undefined {
  const plain = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return plain.length === RECOVERY_LENGTH ? hashOfToken(plain) : undefined
}
