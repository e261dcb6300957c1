// Tries to sign in, by the hash of whom they are for or of where they come from.
import { NO_TRIES, type Tries } from '../../domain/try-limit.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

const TRIES = columns<Tries>({ failures: 'failures', lastAt: 'last_at', blockedUntil: 'blocked_until' })

/** Locks the row until the commit, so that of many who try at the same time each counts. */
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

/** One try went right after all. */
export async function giveBackTry(tx: Queries, name: string): Promise<void> {
  await tx.change(
    'update sign_in_tries set failures = failures - 1, blocked_until = 0 where name = $1 and failures > 0',
    [name],
  )
}

export async function clearTries(tx: Queries, name: string): Promise<void> {
  await tx.change('delete from sign_in_tries where name = $1', [name])
}

export const removeOldTries = (db: Queries, before: number, most: number): Promise<number> =>
  db.change(
    'delete from sign_in_tries where name in (select name from sign_in_tries where last_at < $1 order by last_at limit $2)',
    [before, most],
  )
