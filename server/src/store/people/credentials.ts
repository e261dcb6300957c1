// What people prove themselves with: password hashes, sealed TOTP secrets, hashes of recovery codes and of reset tokens.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface Credentials {
  personId: string
  passwordHash: string
  /** Sealed. */
  totpSecret: string | null
  totpSince: number | null
  totpStep: number
}

const CREDENTIALS = columns<Credentials>({
  personId: 'person_id',
  passwordHash: 'password_hash',
  totpSecret: 'totp_secret',
  totpSince: 'totp_since',
  totpStep: 'totp_step',
})

export async function findCredentials(db: Queries, personId: string): Promise<Credentials | undefined> {
  const [found] = await db.rows<Credentials>(
    `select ${CREDENTIALS} from people where person_id = $1 and removed_at is null`,
    [personId],
  )
  return found
}

export async function findCredentialsByEmail(db: Queries, email: string): Promise<Credentials | undefined> {
  const [found] = await db.rows<Credentials>(
    `select ${CREDENTIALS} from people where email = $1 and removed_at is null`,
    [email],
  )
  return found
}

export async function setPassword(
  tx: Queries,
  personId: string,
  { passwordHash, isFirst }: { passwordHash: string; isFirst: boolean },
): Promise<void> {
  await tx.change('update people set password_hash = $2, is_first_password = $3 where person_id = $1', [
    personId,
    passwordHash,
    isFirst ? 1 : 0,
  ])
}

/** Sealed; it counts from `since` on, or not yet when that is null. Null for none. */
export async function setTotp(
  tx: Queries,
  personId: string,
  { secret, since, step }: { secret: string | null; since: number | null; step: number },
): Promise<void> {
  await tx.change('update people set totp_secret = $2, totp_since = $3, totp_step = $4 where person_id = $1', [
    personId,
    secret,
    since,
    step,
  ])
}

/** False when a code of this step or a later one has been used. */
export const spendTotpStep = async (tx: Queries, personId: string, step: number): Promise<boolean> =>
  (await tx.change('update people set totp_step = $2 where person_id = $1 and totp_step < $2', [personId, step])) === 1

export async function replaceRecoveryCodes(tx: Queries, personId: string, hashes: readonly string[]): Promise<void> {
  await tx.change('delete from recovery_codes where person_id = $1', [personId])
  for (const hash of hashes) {
    await tx.change('insert into recovery_codes (person_id, code_hash) values ($1, $2)', [personId, hash])
  }
}

/** False when there is no such code, or it was used. */
export const spendRecoveryCode = async (tx: Queries, personId: string, hash: string, at: number): Promise<boolean> =>
  (await tx.change(
    'update recovery_codes set used_at = $3 where person_id = $1 and code_hash = $2 and used_at is null',
    [personId, hash, at],
  )) === 1

export async function insertReset(
  tx: Queries,
  reset: { tokenHash: string; personId: string; endsAt: number },
): Promise<void> {
  await tx.change('insert into password_resets (token_hash, person_id, ends_at) values ($1, $2, $3)', [
    reset.tokenHash,
    reset.personId,
    reset.endsAt,
  ])
}

export async function findReset(db: Queries, tokenHash: string, now: number): Promise<string | undefined> {
  const [reset] = await db.rows<{ personId: string }>(
    'select person_id as "personId" from password_resets where token_hash = $1 and used_at is null and ends_at > $2',
    [tokenHash, now],
  )
  return reset?.personId
}

/** False when it was used, or is too old. */
export const spendReset = async (tx: Queries, tokenHash: string, now: number): Promise<boolean> =>
  (await tx.change(
    'update password_resets set used_at = $2 where token_hash = $1 and used_at is null and ends_at > $2',
    [tokenHash, now],
  )) === 1

export const removeEndedResets = (db: Queries, endedBefore: number, most: number): Promise<number> =>
  db.change(
    'delete from password_resets where token_hash in (select token_hash from password_resets where ends_at < $1 limit $2)',
    [endedBefore, most],
  )

export async function removeResets(tx: Queries, personId: string): Promise<void> {
  await tx.change('delete from password_resets where person_id = $1', [personId])
}
