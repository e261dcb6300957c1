// What the network's statement and the ledger do not agree on: payments and refunds that the
// statement should have by now, and the list that a person works through.

import type { BookException, ExceptionKind } from '../../domain/books/matching.ts'
import type { StatementLine, Witness } from '../../domain/books/statement.ts'
import type { NewEntry } from '../../domain/ledger/ledger.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { type AccountCaller, type ServiceItself, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  type CheckPlace,
  countOpenExceptions,
  type Difference,
  type DifferenceOrder,
  type ExpectedEntry,
  exceptionIdOf,
  type FoundCandidate,
  findCoveredDays,
  insertExceptions,
  listChecks,
  listExpected,
  listOpenExceptions,
  moveCheck,
  type NewException,
  listDifferences as readDifferences,
  reopenExplained,
} from '../../store/books/statements.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertRequestAnomaly } from '../../store/payments/anomalies.ts'
import { askAgain } from '../../store/payments/payment-moves.ts'
import type { Deps } from '../deps.ts'
import { type By, explainWithheld } from './later-lines.ts'

/**
 * A line may come days after its payment: a network's day ends at another hour, and files are made
 * by hand.
 */
export const WINDOW_DAYS = 2
const SLICE = 500
const ACCOUNTS_AT_ONCE = 100

interface MissingDeps extends Pick<Deps, 'db' | 'clock'> {
  /**
   * Between slices, with the time that the last one took: resolves when requests do not need the
   * time.
   */
  pauseAfter?(tookMs: number): Promise<void>
}

/**
 * Payments and refunds without a line on covered days. Each is looked at once; a later line closes
 * its exception.
 */
export async function findMissing(
  deps: MissingDeps,
  _caller: ServiceItself,
  connection: ConnectionKey,
): Promise<number> {
  const covered = await findCoveredDays(deps.db, connection)
  if (covered?.firstDay == null || covered.lastDay == null) return 0
  const days = { first: covered.firstDay, last: covered.lastDay - WINDOW_DAYS }
  let found = 0
  for (let after = ''; ; ) {
    const places = await listChecks(deps.db, connection, after, ACCOUNTS_AT_ONCE)
    for (const place of places) found += await checkAccount(deps, place, days)
    after = places.at(-1)?.accountId ?? ''
    if (places.length < ACCOUNTS_AT_ONCE) return found
  }
}

interface Days {
  first: number
  last: number
}

async function checkAccount(
  { db, clock, pauseAfter }: MissingDeps,
  place: CheckPlace,
  days: Days,
): Promise<number> {
  let found = 0
  for (let from = place; ; ) {
    const startedAt = clock.now()
    const entries = await listExpected(db, from, SLICE)
    const young = entries.findIndex(({ day }) => day > days.last)
    const due = young === -1 ? entries : entries.slice(0, young)
    const last = due.at(-1)
    if (last === undefined) return found
    const missing = due.flatMap((entry) => missingOf(entry, from, days, clock.now()))
    const isMoved = await db.transaction(async (tx) => {
      if (!(await moveCheck(tx, from, last.entry))) return false
      await insertExceptions(tx, missing)
      await reopenExplained(tx, missing.map(exceptionIdOf))
      return true
    })
    if (!isMoved) return found
    found += missing.length
    if (due.length < SLICE) return found
    from = { ...from, checkedEntry: last.entry }
    await pauseAfter?.(clock.now() - startedAt)
  }
}

function missingOf(
  entry: ExpectedEntry,
  place: CheckPlace,
  days: Days,
  at: number,
): NewException[] {
  const isExpected =
    entry.kind === 'payment' || entry.kind === 'refund' || entry.kind === 'reversal'
  if (
    !isExpected ||
    entry.connection !== place.connection ||
    entry.isShown === 1 ||
    entry.day < days.first
  )
    return []
  return [missingException(entry, place, at)]
}

/** A payment or refund, by its entry, that the network's statement does not show. */
export const missingException = (
  {
    entry,
    kind,
    number,
    refundReference,
    amountXof,
    day,
  }: Omit<ExpectedEntry, 'connection' | 'isShown'>,
  {
    environment,
    connection,
    accountId,
  }: Pick<CheckPlace, 'environment' | 'connection' | 'accountId'>,
  at: number,
): NewException => ({
  environment,
  connection,
  kind: kind === 'payment' ? 'missing_at_network' : 'refund_missing',
  accountId,
  number,
  refundReference,
  lineNumber: null,
  amountXof,
  detail: JSON.stringify({ day, entry }),
  at,
  subject: `${accountId} entry ${entry}`,
})

/** A person works through them: the rest appear when some are closed. */
const MOST_LISTED = 1_000

export const listExceptions = async (
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
): Promise<{ rows: BookException[] }> => ({
  rows: await listOpenExceptions(db, scopeOf(caller), MOST_LISTED),
})

export interface ListDifferencesInput extends PageInput {
  order?: DifferenceOrder | undefined
  isOpen?: boolean | undefined
  kind?: ExceptionKind | undefined
}

/**
 * By age or amount, each with its evidence from both sides; closed ones with who closed them and
 * the note.
 */
export async function listDifferences(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { order = 'oldest', isOpen = true, kind, after, limit }: ListDifferencesInput,
): Promise<Page<Difference> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage({ after, limit }, ['number', 'text'], [0, ''])
  if (isRefused(wanted)) return wanted
  const [value, id] = wanted.cursor
  const isFirst = after === undefined
  // Cursors have no sign.
  const rank = order === 'oldest' ? value : -value
  const place = [isFirst ? Number.MIN_SAFE_INTEGER : rank, id] as const
  const found = await readDifferences(
    db,
    scopeOf(caller),
    { order, isOpen, kind },
    place,
    wanted.limit + 1,
  )
  return pageOf(found, wanted.limit, (row) => [
    order === 'largest' ? row.amountXof : row.at,
    row.exceptionId,
  ])
}

const MOST_COUNTED = 1_000

/** Counted up to a thousand: more are as urgent. */
export const countDifferences = async (
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
): Promise<{ open: number }> => ({
  open: await countOpenExceptions(db, scopeOf(caller), MOST_COUNTED),
})

// What follows at once from the lines of a statement for other lists: a contradiction becomes an
// anomaly, which a person resolves there, and released money closes its exception. No money is
// moved but what a person's closing had moved. A file that a merchant uploads only makes the
// service ask the network again: the staff's list has no line of it (D-185).

interface Judged {
  witness: Witness
  line: StatementLine
  candidate: FoundCandidate | undefined
  exception: ExceptionKind | null
}

export async function recordContradictions(
  tx: Queries,
  connection: ConnectionKey,
  judged: readonly Judged[],
  by: By,
): Promise<NewEntry[]> {
  const { at } = by
  const takenBack: NewEntry[] = []
  for (const { line, candidate, exception, witness } of judged) {
    if (candidate === undefined) continue
    const isContradiction =
      exception === 'paid_although_failed' || exception === 'not_paid_although_succeeded'
    if (isContradiction && witness !== 'merchant_file') {
      const request = { environment: connection.environment, ...requestOf(candidate) }
      await insertRequestAnomaly(tx, request, { ...anomalyOf(candidate, line), at, witness })
    }
    // The network's own answer makes the anomaly, if there is one.
    if (isContradiction && witness === 'merchant_file' && candidate.subject === 'payment')
      await askAgain(tx, connection, candidate, at)
    const isHeld = line.type === 'withheld' || line.type === 'released'
    if (isHeld) takenBack.push(...(await explainWithheld(tx, candidate, by)))
  }
  return takenBack
}

const requestOf = ({ operator, reference, accountId, number }: FoundCandidate) => ({
  operator,
  requestReference: reference,
  accountId,
  number,
})

/** As the network's own report would make it, so that a report and a line are one anomaly. */
function anomalyOf(candidate: FoundCandidate, line: StatementLine) {
  const { status, amountXof, refundReference } = candidate
  if (line.type === 'not_made') {
    const refund = refundReference === null ? {} : { refund: refundReference }
    return {
      kind: 'failure_after_success',
      detail: { recorded: status, reported: 'failed', ...refund },
    } as const
  }
  // Accepting it would book another amount than was paid.
  if (line.amountXof !== amountXof)
    return {
      kind: 'amount_mismatch',
      detail: { recorded: status, amount: amountXof, reported: line.amountXof },
    } as const
  const reported = { reported: 'succeeded', operatorReference: line.networkReference }
  return { kind: 'success_after_failure', detail: { recorded: status, ...reported } } as const
}
