// The opening balance of a wallet: what was in it before its first statement, as the network's own
// files say. The same files give the same opening in whatever order they come (D-172).

import type { NewEntry } from '../../domain/ledger/ledger.ts'
import { beginsLate, type Opening, openingEntries } from '../../domain/ledger/opening.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { actorOf, type ServiceItself } from '../../domain/people/caller.ts'
import { insertEntries } from '../../store/books/entries.ts'
import {
  findDueOpening,
  listBookedOpenings,
  listFirstBalanced,
  setOpeningDue,
  sumLinesOf,
} from '../../store/books/openings.ts'
import { findSoleOwner } from '../../store/books/settlements.ts'
import { findCoveredDays, lockSource } from '../../store/books/statements.ts'
import type { Queries, Transaction } from '../../store/engine/database.ts'
import type { Deps } from '../deps.ts'
import type { By } from './later-lines.ts'

/**
 * Undefined while no file has a balance. It is booked on the day before the first one that files
 * cover, so that the statement of that day begins with it.
 */
async function readOpening(
  db: Queries,
  connection: ConnectionKey,
  accountId: string,
): Promise<Opening | undefined> {
  const [first, next] = await listFirstBalanced(db, connection, 2)
  const { firstDay = null } = (await findCoveredDays(db, connection)) ?? {}
  if (first === undefined || firstDay === null) return undefined
  const sumOf = (from: number, before: number): Promise<number> =>
    sumLinesOf(db, connection, accountId, { from, before })
  const isLate =
    next !== undefined && beginsLate(first, next, await sumOf(first.firstAt, next.firstAt))
  const { openingXof } = isLate ? next : first
  return { day: firstDay - 1, xof: openingXof - (await sumOf(0, first.firstAt)) }
}

/**
 * What is to be booked so that the wallet has its opening; nothing once it has it, and for a shared
 * connection. The caller holds the source, and inserts them last in its transaction.
 */
export async function missingOpening(
  db: Queries,
  connection: ConnectionKey,
  { at, by }: By,
): Promise<NewEntry[]> {
  const accountId = await findSoleOwner(db, connection)
  if (accountId === undefined) return []
  const booked = await listBookedOpenings(db, accountId, connection.connection)
  const opening = await readOpening(db, connection, accountId)
  return openingEntries(booked, opening, {
    accountId,
    connection: connection.connection,
    at,
    madeBy: by,
  })
}

/** One that is due; false when none was. */
export async function bookDueOpening(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: ServiceItself,
): Promise<boolean> {
  const connection = await findDueOpening(db)
  if (connection === undefined) return false
  const by = { at: clock.now(), by: actorOf(caller) }
  await db.transaction((tx) => bookOpening(tx, connection, by))
  return true
}

/** Call it last in a transaction. */
export async function bookOpening(
  tx: Transaction,
  connection: ConnectionKey,
  by: By,
): Promise<void> {
  await lockSource(tx, connection)
  await setOpeningDue(tx, connection, false)
  await insertEntries(tx, await missingOpening(tx, connection, by))
}
