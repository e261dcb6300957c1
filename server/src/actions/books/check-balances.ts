// Whether the balances of a connection's files follow from each other: what one file closes with,
// and the lines until the next one opens. A difference means that a file is missing, or that a
// network has changed its figures.

import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { actorOf, EVERY_ACCOUNT, type ServiceItself } from '../../domain/people/caller.ts'
import {
  type BalancedFile,
  closeException,
  exceptionIdOf,
  findBalancedFile,
  hasBalance,
  insertExceptions,
  listWrongOpenings,
  type NewException,
  reopenExplained,
  sumLinesBetween,
} from '../../store/books/statements.ts'
import type { Deps } from '../deps.ts'

/** Compares a file with the one before it and the one after it. Returns how many do not follow. */
export async function checkBalances(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: ServiceItself,
  file: ConnectionKey & { firstAt: number },
): Promise<number> {
  const [before, own, after] = [
    await findBalancedFile(deps.db, file, 'before', file.firstAt),
    await findBalancedFile(deps.db, file, 'at', file.firstAt),
    await findBalancedFile(deps.db, file, 'after', file.firstAt),
  ]
  // Without a file at this time, one was taken back.
  const pairs =
    own === undefined
      ? [[before, after]]
      : [
          [before, own],
          [own, after],
        ]
  let found = 0
  for (const [first, second] of pairs)
    if (
      first !== undefined &&
      second !== undefined &&
      !(await checkPair(deps, caller, first, second))
    )
      found++
  await closeFollowed(deps, caller, file)
  return found
}

/** This file may have the lines that others lacked. */
async function closeFollowed(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: ServiceItself,
  connection: ConnectionKey,
): Promise<void> {
  for (const { exceptionId, openingXof } of await listWrongOpenings(db, connection))
    if (await hasBalance(db, connection, openingXof))
      await closeException(db, EVERY_ACCOUNT, exceptionId, {
        at: clock.now(),
        by: actorOf(caller),
        note: '',
      })
}

/** What the difference of a file that does not follow is about. */
export const openingOf = ({ fileId }: { fileId: string }): string => `opening of ${fileId}`

async function checkPair(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: ServiceItself,
  first: BalancedFile,
  second: BalancedFile,
): Promise<boolean> {
  const { environment, connection } = second
  const subject = openingOf(second)
  const at = clock.now()
  const expectedXof = await expectedOpening(db, first, second)
  // A line that came late, with the time of its payment, makes a file seem to begin before the one
  // that it follows.
  if (expectedXof === second.openingXof || (await hasBalance(db, second, second.openingXof))) {
    const exceptionId = exceptionIdOf({
      environment,
      connection,
      kind: 'balance_does_not_add_up',
      subject,
    })
    await closeException(db, EVERY_ACCOUNT, exceptionId, { at, by: actorOf(caller), note: '' })
    return true
  }
  const detail = {
    closing: first.closingXof,
    expected: expectedXof,
    opening: second.openingXof,
    day: second.firstDay,
  }
  const amountXof = Math.abs(second.openingXof - expectedXof)
  const exception: NewException = {
    environment,
    connection,
    kind: 'balance_does_not_add_up',
    accountId: null,
    number: null,
    lineNumber: null,
    amountXof,
    detail: JSON.stringify({ ...detail, file: second.fileId }),
    at,
    subject,
  }
  await db.transaction(async (tx) => {
    await insertExceptions(tx, [exception])
    await reopenExplained(tx, [exceptionIdOf(exception)])
  })
  return false
}

/** Files follow each other, leave out lines that other files have, or overlap. */
async function expectedOpening(
  db: Deps['db'],
  first: BalancedFile,
  second: BalancedFile,
): Promise<number> {
  if (first.closingXof === second.openingXof) return first.closingXof
  const from =
    first.lastAt <= second.firstAt
      ? { balanceXof: first.closingXof, after: first.lastAt }
      : { balanceXof: first.openingXof, after: first.firstAt - 1 }
  return from.balanceXof + (await sumLinesBetween(db, first, from.after, second.firstAt))
}
