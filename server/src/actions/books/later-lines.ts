// What a later line of a statement explains: open differences are closed, and what a person had
// said meanwhile is taken back, so that the books are the same in whatever order lines, acceptances
// and closings come. Steps of other actions.
import { CLOSING_REASONS, reversalsOf } from '../../domain/books/closing.ts'
import type { Candidate, ExceptionKind } from '../../domain/books/matching.ts'
import type { LedgerEntry, NewEntry } from '../../domain/ledger/ledger.ts'
import {
  type Closing,
  findClosing,
  listExplained,
  markReversed,
  setReason,
} from '../../store/books/closings.ts'
import { listEntriesBetween } from '../../store/books/entries.ts'
import { findWithheld } from '../../store/books/open-lines.ts'
import { setOpeningDueFor } from '../../store/books/openings.ts'
import { closeExplained, reopenException } from '../../store/books/statements.ts'
import type { Queries } from '../../store/engine/database.ts'

/** The time and the author. */
export interface By {
  at: number
  by: string
}

/** The closing of a difference that counts, with its entries; undefined for none. */
export async function closingOf(
  tx: Queries,
  exceptionId: string,
): Promise<{ closing: Closing; entries: LedgerEntry[] } | undefined> {
  const closing = await findClosing(tx, exceptionId)
  if (closing === undefined) return undefined
  const { accountId, firstEntry, lastEntry } = closing
  const isBooked = accountId !== null && firstEntry !== null && lastEntry !== null
  return {
    closing,
    entries: isBooked ? await listEntriesBetween(tx, accountId, firstEntry, lastEntry) : [],
  }
}

/**
 * The entries that take a person's closing back. The caller inserts them, last in its transaction.
 */
export async function takeBackClosing(
  tx: Queries,
  exceptionId: string,
  { at, by }: By,
): Promise<NewEntry[]> {
  const before = await closingOf(tx, exceptionId)
  if (before === undefined) return []
  await setReason(tx, exceptionId, { reason: null, resolvedAt: at, resolvedBy: by, note: '' })
  await markReversed(tx, before.closing, { at, by })
  if (CLOSING_REASONS[before.closing.reason].books === 'wallet')
    await setOpeningDueFor(tx, exceptionId)
  return reversalsOf(before.entries, { at, madeBy: by })
}

type Request = Pick<Candidate, 'accountId' | 'number' | 'refundReference'>

/** A line has shown a payment or refund: what was said about its absence does not hold any more. */
export async function explain(
  tx: Queries,
  request: Request,
  kinds: readonly ExceptionKind[],
  by: By,
): Promise<NewEntry[]> {
  await closeExplained(tx, request, kinds, by)
  const takenBack: NewEntry[] = []
  for (const exceptionId of await listExplained(tx, request, kinds))
    takenBack.push(...(await takeBackClosing(tx, exceptionId, by)))
  return takenBack
}

/**
 * A line that withholds or releases money of a payment: all of it is free again, or the difference
 * is open.
 */
export async function explainWithheld(tx: Queries, request: Request, by: By): Promise<NewEntry[]> {
  const isFree = (await findWithheld(tx, request)) === 0
  const said = await listExplained(tx, request, ['withheld'])
  if (isFree) return explain(tx, request, ['withheld'], by)
  const takenBack: NewEntry[] = []
  for (const exceptionId of said) {
    takenBack.push(...(await takeBackClosing(tx, exceptionId, by)))
    await reopenException(tx, exceptionId)
  }
  return takenBack
}
