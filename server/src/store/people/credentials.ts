// Credentials of people: password hashes, sealed TOTP secrets, hashes of recovery codes and of
// reset tokens.
import { NO_TRIES, type Tries } from '../../domain/limits/try-limit.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  deleteRows,
  firstRow,
  firstValue,
  insertRow,
  listOf,
  updateOne,
  updateRows,
} from '../rows.ts'

export interface Credentials {
  personId: string
  passwordHash: string
  /** Sealed. */
  totpSecret: string | null
  totpSince: number | null
  totpStep: number
}

const CREDENTIALS = columnsOf<Credentials>({
  personId: 'person_id',
  passwordHash: 'password_hash',
  totpSecret: 'totp_secret',
  totpSince: 'totp_since',
  totpStep: 'totp_step',
})

export const findCredentials = (db: Queries, personId: string) =>
  firstRow<Credentials>(
    db,
    `select ${CREDENTIALS} from people where person_id = :personId and removed_at is null`,
    { personId },
  )

export const findCredentialsByEmail = (db: Queries, email: string) =>
  firstRow<Credentials>(
    db,
    `select ${CREDENTIALS} from people where email = :email and removed_at is null`,
    { email },
  )

export const setPassword = (
  tx: Queries,
  personId: string,
  { passwordHash, isFirst }: { passwordHash: string; isFirst: boolean },
) => updateRows(tx, 'people', { personId }, { passwordHash, isFirstPassword: isFirst ? 1 : 0 })

/** Sealed; it counts from `since` on, or not yet when that is null. Null for none. */
export const setTotp = (
  tx: Queries,
  personId: string,
  { secret, since, step }: { secret: string | null; since: number | null; step: number },
) =>
  updateRows(tx, 'people', { personId }, { totpSecret: secret, totpSince: since, totpStep: step })

/** False when a code of this step or a later one has been used. */
export const spendTotpStep = (tx: Queries, personId: string, step: number) =>
  updateOne(tx, 'people', { personId }, { totpStep: step }, 'totp_step < :totpStep')

export async function replaceRecoveryCodes(
  tx: Queries,
  personId: string,
  hashes: readonly string[],
): Promise<void> {
  await deleteRows(tx, 'recovery_codes', { personId })
  for (const codeHash of hashes) await insertRow(tx, 'recovery_codes', { personId, codeHash })
}

/** False when there is no such code, or it was used. */
export const spendRecoveryCode = (tx: Queries, personId: string, hash: string, at: number) =>
  updateOne(tx, 'recovery_codes', { personId, codeHash: hash }, { usedAt: at }, 'used_at is null')

export const insertReset = (
  tx: Queries,
  reset: { tokenHash: string; personId: string; endsAt: number },
) => insertRow(tx, 'password_resets', reset)

export const findReset = (db: Queries, tokenHash: string, now: number) =>
  firstValue<string>(
    db,
    `select person_id from password_resets
     where token_hash = :tokenHash and used_at is null and ends_at > :now`,
    { tokenHash, now },
  )

/** False when it was used, or is too old. */
export const spendReset = (tx: Queries, tokenHash: string, now: number) =>
  updateOne(
    tx,
    'password_resets',
    { tokenHash },
    { usedAt: now },
    'used_at is null and ends_at > :usedAt',
  )

export const removeEndedResets = (db: Queries, endedBefore: number, most: number) =>
  db.change(
    `delete from password_resets where token_hash in (select token_hash from password_resets
     where ends_at < :endedBefore limit :most)`,
    { endedBefore, most },
  )

export const removeResets = (tx: Queries, personId: string) =>
  deleteRows(tx, 'password_resets', { personId })

// Tries to sign in, by the hash of whom they are for or of where they come from.

const TRIES = columnsOf<Tries>({
  failures: 'failures',
  lastAt: 'last_at',
  blockedUntil: 'blocked_until',
})

/** Locks the row until the commit, so that concurrent tries are all counted. */
export async function lockTries(tx: Queries, name: string): Promise<Tries> {
  const [tries] = await tx.write<Tries>(
    `insert into sign_in_tries (name, failures, last_at, blocked_until) values (:name, 0, 0, 0)
     on conflict (name) do update set name = excluded.name returning ${TRIES}`,
    { name },
  )
  return tries ?? NO_TRIES
}

/** The latest time until which one of them must wait; 0 when none must. */
export async function findBlockedUntil(db: Queries, names: readonly string[]): Promise<number> {
  const listed = listOf('name', names)
  const sql = `select max(blocked_until) as until from sign_in_tries
    where name in (${listed.places})`
  return (await firstValue<number>(db, sql, listed.values)) ?? 0
}

export const setTries = (tx: Queries, name: string, { failures, lastAt, blockedUntil }: Tries) =>
  updateRows(tx, 'sign_in_tries', { name }, { failures, lastAt, blockedUntil })

/** Takes back one try, which was right. */
export const giveBackTry = (tx: Queries, name: string) =>
  tx.change(
    `update sign_in_tries set failures = failures - 1, blocked_until = 0
     where name = :name and failures > 0`,
    { name },
  )

export const clearTries = (tx: Queries, name: string) => deleteRows(tx, 'sign_in_tries', { name })

export const removeOldTries = (db: Queries, before: number, most: number) =>
  db.change(
    `delete from sign_in_tries where name in (select name from sign_in_tries
     where last_at < :before order by last_at limit :most)`,
    { before, most },
  )
