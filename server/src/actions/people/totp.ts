// Turns TOTP on and off. A code proves that the app has the secret; turning it off needs password
// and code.
import { Secret, TOTP } from 'otpauth'
import type { Random } from '../../domain/clock-and-random.ts'
import { base32, normalised } from '../../domain/payments/reference.ts'
import type { Person } from '../../domain/people/caller.ts'
import { hashOfToken, shownEmail } from '../../domain/people/person.ts'
import { isRefused, type Refused } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import {
  type Credentials,
  findCredentials,
  replaceRecoveryCodes,
  setTotp,
  spendRecoveryCode,
  spendTotpStep,
} from '../../store/people/credentials.ts'
import { findPerson, lockPerson } from '../../store/people/people.ts'
import { accountTries, forgive, networkTries, takeTry } from '../limits/limited-tries.ts'
import { type PeopleDeps, totpPlace } from './sessions.ts'

export async function beginTotp(
  { db, random, totpSecrets }: PeopleDeps,
  { personId }: Person,
): Promise<{ secret: string; uri: string } | Refused> {
  return db.transaction(async (tx) => {
    const person = await findPerson(tx, personId)
    if (person === undefined) return { refused: 'signed_out' }
    if (person.totpSince !== null) return { refused: 'totp_is_on' }
    const secret = makeTotpSecret(random)
    const sealed = await sealForStore(tx, totpSecrets, secret, totpPlace(personId))
    await setTotp(tx, personId, { secret: sealed, since: null, step: 0 })
    return { secret, uri: totpUri(secret, shownEmail(person)) }
  })
}

export async function confirmTotp(
  deps: PeopleDeps,
  caller: Person,
  { code }: { code: string },
): Promise<{ recoveryCodes: string[] } | Refused> {
  const { db, clock, totpSecrets } = deps
  const { personId } = caller
  const tried = await tryOf(deps, caller)
  if (isRefused(tried)) return tried
  return db.transaction(async (tx): Promise<{ recoveryCodes: string[] } | Refused> => {
    await lockPerson(tx, personId)
    const credentials = await findCredentials(tx, personId)
    const { totpSecret, totpSince } = credentials as Credentials
    if (totpSince !== null) return { refused: 'totp_is_on' }
    if (totpSecret === null) return { refused: 'totp_is_off' }
    const at = clock.now()
    const step = stepOfCode(
      totpSecrets.open(totpSecret, totpPlace(personId)),
      code.replace(/\s/g, ''),
      at,
    )
    if (step === undefined) return { refused: 'totp_not_valid' }
    await tried.wasRight(tx)
    await setTotp(tx, personId, { secret: totpSecret, since: at, step })
    const recoveryCodes = await newRecoveryCodes(deps, tx, personId)
    await insertAudit(tx, caller, { at, action: 'person.totp_on', subject: personId })
    return { recoveryCodes }
  })
}

export async function renewRecoveryCodes(
  deps: PeopleDeps,
  caller: Person,
  { code }: { code: string },
): Promise<{ recoveryCodes: string[] } | Refused> {
  return withCode(deps, caller, code, async (tx, at) => {
    const recoveryCodes = await newRecoveryCodes(deps, tx, caller.personId)
    await insertAudit(tx, caller, { at, action: 'person.recovery_codes', subject: caller.personId })
    return { recoveryCodes }
  })
}

export async function removeTotp(
  deps: PeopleDeps,
  caller: Person,
  { password, code }: { password: string; code: string },
): Promise<{ removed: true } | Refused> {
  const { personId } = caller
  const credentials = await findCredentials(deps.db, personId)
  return withCode(
    deps,
    caller,
    code,
    async (tx, at) => {
      await setTotp(tx, personId, { secret: null, since: null, step: 0 })
      await replaceRecoveryCodes(tx, personId, [])
      await insertAudit(tx, caller, { at, action: 'person.totp_off', subject: personId })
      return { removed: true }
    },
    () => deps.passwords.verify(password, credentials?.passwordHash, caller.network),
  )
}

/** For a person who has just sent a code, which counts as a try until it was right. */
async function withCode<T extends object>(
  deps: PeopleDeps,
  caller: Person,
  code: string,
  work: (tx: Queries, at: number) => Promise<T>,
  isPasswordRight: () => Promise<boolean> = async () => true,
): Promise<T | Refused> {
  const tried = await tryOf(deps, caller)
  if (isRefused(tried)) return tried
  if (!(await isPasswordRight())) return { refused: 'password_wrong' }
  return deps.db.transaction(async (tx): Promise<T | Refused> => {
    await lockPerson(tx, caller.personId)
    const credentials = (await findCredentials(tx, caller.personId)) as Credentials
    if (credentials.totpSince === null) return { refused: 'totp_is_off' }
    if ((await spendCode(deps, tx, credentials, code)) === undefined)
      return { refused: 'totp_not_valid' }
    await tried.wasRight(tx)
    return work(tx, deps.clock.now())
  })
}

async function tryOf(
  deps: PeopleDeps,
  { personId, network }: Person,
): Promise<{ wasRight(tx: Queries): Promise<void> } | Refused> {
  const person = await findPerson(deps.db, personId)
  if (person === undefined) return { refused: 'signed_out' }
  const [account, from] = [accountTries(person.email), networkTries(network)]
  const mayTry = await takeTry(deps, [account, from])
  return isRefused(mayTry) ? mayTry : { wasRight: (tx) => forgive(tx, account, from) }
}

async function newRecoveryCodes(
  { random }: PeopleDeps,
  tx: Queries,
  personId: string,
): Promise<string[]> {
  const codes = makeRecoveryCodes(random)
  const hashes = codes.map((code) => hashOfRecoveryCode(code) as string)
  await replaceRecoveryCodes(tx, personId, hashes)
  return codes
}

// Codes of authenticator apps, for 30 seconds each, and recovery codes for a lost phone. Each is
// taken once.

const PERIOD_S = 30
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_LENGTH = 16
const RECOVERY_BYTES = 10

/** In the alphabet of authenticator apps. */
const makeTotpSecret = (random: Random): string =>
  new Secret({ buffer: Uint8Array.from(random.bytes(SECRET_BYTES)).buffer }).base32

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: 'Karba',
    label,
    secret: Secret.fromBase32(secret),
    period: PERIOD_S,
    digits: 6,
  })

const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString()

/**
 * The step of 30 seconds that the code is of, one before and one after now included; undefined for
 * a wrong code.
 */
function stepOfCode(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_S) + delta
}

/** 80 random bits each, too many to find from a hash. */
const makeRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const digits = base32(random.bytes(RECOVERY_BYTES), RECOVERY_LENGTH)
    return (digits.match(/.{4}/g) as string[]).join('-')
  })

/**
 * Undefined for what does not look like one. Characters that are easily mistaken are read as people
 * mean them.
 */
function hashOfRecoveryCode(typed: string): string | undefined {
  const plain = normalised(typed).toLowerCase()
  return plain.length === RECOVERY_LENGTH ? hashOfToken(plain) : undefined
}

/** How the person proved their identity; undefined for a wrong or used code. */
export async function spendCode(
  { clock, totpSecrets }: Pick<PeopleDeps, 'clock' | 'totpSecrets'>,
  tx: Queries,
  { personId, totpSecret }: Credentials,
  typed: string,
): Promise<'code' | 'recovery code' | undefined> {
  const now = clock.now()
  const code = typed.trim()
  const secret = totpSecret === null ? undefined : totpSecrets.open(totpSecret, totpPlace(personId))
  const step = secret === undefined ? undefined : stepOfCode(secret, code.replace(/\s/g, ''), now)
  if (step !== undefined) return (await spendTotpStep(tx, personId, step)) ? 'code' : undefined
  const hash = hashOfRecoveryCode(code)
  const isSpent = hash !== undefined && (await spendRecoveryCode(tx, personId, hash, now))
  return isSpent ? 'recovery code' : undefined
}
