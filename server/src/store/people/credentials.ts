// Credentials of people: password hashes, sealed TOTP secrets, hashes of recovery codes and of reset tokens.

import { NO_TRIES, type Tries } from '../../domain/try-limit.ts'
import type { Queries } from '../engine/database.ts'
import { changesOne, columnsOf, firstRow, insertRow } from '../rows.ts'

export interface Credentials {
  personId: string
  passwordHash: string
  /** Sealed. */
  totpSecret: string | null
  totpSince: number | null
  totpStep: number
}

const CREDENTIALS = columnsOf<Credentials>()('personId passwordHash totpSecret totpSince totpStep')

export const findCredentials = (db: Queries, personId: string) =>
  firstRow<Credentials>(db, `select ${CREDENTIALS} from people where person_id = $1 and removed_at is null`, [personId])

export const findCredentialsByEmail = (db: Queries, email: string) =>
  firstRow<Credentials>(db, `select ${CREDENTIALS} from people where email = $1 and removed_at is null`, [email])

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
export const spendTotpStep = (tx: Queries, personId: string, step: number) =>
  changesOne(tx, 'update people set totp_step = $2 where person_id = $1 and totp_step < $2', [personId, step])

export async function replaceRecoveryCodes(tx: Queries, personId: string, hashes: readonly string[]): Promise<void> {
  await tx.change('delete from recovery_codes where person_id = $1', [personId])
  for (const hash of hashes) {
    await insertRow(tx, 'recovery_codes', { personId, codeHash: hash })
  }
}

/** False when there is no such code, or it was used. */
export const spendRecoveryCode = (tx: Queries, personId: string, hash: string, at: number) =>
  changesOne(tx, 'update recovery_codes set used_at = $3 where person_id = $1 and code_hash = $2 and used_at is null', [
    personId,
    hash,
    at,
  ])

export async function insertReset(
  tx: Queries,
  reset: { tokenHash: string; personId: string; endsAt: number },
): Promise<void> {
  await insertRow(tx, 'password_resets', { tokenHash: reset.tokenHash, personId: reset.personId, endsAt: reset.endsAt })
}

export async function findReset(db: Queries, tokenHash: string, now: number): Promise<string | undefined> {
  const [reset] = await db.rows<{ personId: string }>(
    'select person_id as "personId" from password_resets where token_hash = $1 and used_at is null and ends_at > $2',
    [tokenHash, now],
  )
  return reset?.personId
}

/** False when it was used, or is too old. */
export const spendReset = (tx: Queries, tokenHash: string, now: number) =>
  changesOne(tx, 'update password_resets set used_at = $2 where token_hash = $1 and used_at is null and ends_at > $2', [
    tokenHash,
    now,
  ])

export const removeEndedResets = (db: Queries, endedBefore: number, most: number) =>
  db.change(
    'delete from password_resets where token_hash in (select token_hash from password_resets where ends_at < $1 limit $2)',
    [endedBefore, most],
  )

export async function removeResets(tx: Queries, personId: string): Promise<void> {
  await tx.change('delete from password_resets where person_id = $1', [personId])
}

// Tries to sign in, by the hash of whom they are for or of where they come from.

const TRIES = columnsOf<Tries>()('failures lastAt blockedUntil')

/** Locks the row until the commit, so that concurrent tries are all counted. */
export async function lockTries(tx: Queries, name: string): Promise<Tries> {
  const [tries] = await tx.rows<Tries>(
    `insert into sign_in_tries (name, failures, last_at, blocked_until) values ($1, 0, 0, 0)
     on conflict (name) do update set name = excluded.name returning ${TRIES}`,
    [name],
  )
  return tries ?? NO_TRIES
}

/** The latest time until which one of them must wait; 0 when none must. */
export async function findBlockedUntil(db: Queries, names: readonly string[]): Promise<number> {
  const places = names.map((_, at) => `$${at + 1}`).join(', ')
  const [row] = await db.rows<{ until: number | null }>(
    `select max(blocked_until) as until from sign_in_tries where name in (${places})`,
    [...names],
  )
  return row?.until ?? 0
}

export async function setTries(tx: Queries, name: string, tries: Tries): Promise<void> {
  await tx.change('update sign_in_tries set failures = $2, last_at = $3, blocked_until = $4 where name = $1', [
    name,
    tries.failures,
    tries.lastAt,
    tries.blockedUntil,
  ])
}

/** Takes back one try, which was right. */
export async function giveBackTry(tx: Queries, name: string): Promise<void> {
  await tx.change(
    'update sign_in_tries set failures = failures - 1, blocked_until = 0 where name = $1 and failures > 0',
    [name],
  )
}

export async function clearTries(tx: Queries, name: string): Promise<void> {
  await tx.change('delete from sign_in_tries where name = $1', [name])
}

export const removeOldTries = (db: Queries, before: number, most: number) =>
  db.change(
    'delete from sign_in_tries where name in (select name from sign_in_tries where last_at < $1 order by last_at limit $2)',
    [before, most],
  )
