// Whether a file writes the day or the month first, where every date can be read in both ways. The
// payments that its lines name say which days they are of; where they do not, and no reading is in
// the future, a person says it.

import type { ColumnMapping, StatementLine } from '../../domain/books/statement.ts'
import { dayOf, dayText } from '../../domain/countries/business-day.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { StatementRefused } from '../../statements/limits.ts'
import type { ParsingTurn } from '../../statements/statement-parser.ts'
import type { StatementSource } from '../../statements/statement-rows.ts'
import type { FoundCandidate } from '../../store/books/statements.ts'
import type { Deps } from '../deps.ts'
import { findSubjects, inSlices } from './import-statement.ts'

const SLICE = 200
/** More payments say no more. */
const MOST_PAYMENTS = 1_000
/** A line may come some days after its payment. */
const NEAR_DAYS = 2
/** Of ten lines, one may be about another day. */
const CLEAR_TIMES = 10
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Collects the times of lines, as long as each may be of another month: those of an order that is
 * in doubt.
 */
export function doubtfulTimes({ dateOrder, utcOffsetMinutes }: ColumnMapping): {
  add(line: StatementLine): void
  /** Undefined where the order is certain. */
  times(): readonly number[] | undefined
} {
  let times: number[] | undefined = dateOrder === 'year_first' ? undefined : []
  return {
    add({ bookedAt }) {
      if (times === undefined) return
      const isDoubtful = new Date(bookedAt + utcOffsetMinutes * MINUTE_MS).getUTCDate() <= 12
      if (isDoubtful) times.push(bookedAt)
      else times = undefined
    },
    times: () => times,
  }
}

interface ReadFile extends ConnectionKey {
  open(): StatementSource
}

/**
 * The order in which the file is right, which may be the other one. Throws `StatementRefused` where
 * nothing decides.
 */
export async function dateOrderOf(
  { db, clock, statementParser }: Pick<Deps, 'db' | 'clock' | 'statementParser'>,
  file: ReadFile,
  mapping: ColumnMapping,
  times: readonly number[],
  turn: ParsingTurn,
): Promise<ColumnMapping['dateOrder']> {
  const { dateOrder } = mapping
  const other = dateOrder === 'day_first' ? 'month_first' : 'day_first'
  const own: Reading = { near: 0, lastAt: 0 }
  const swapped: Reading = { near: 0, lastAt: 0 }
  let [at, payments] = [0, 0]
  let doubtful: { line: number; own: number; swapped: number } | undefined
  try {
    const lines = statementParser.lines(file.open(), { ...mapping, dateOrder: other }, turn)
    for await (const slice of inSlices(lines, SLICE)) {
      const both = slice.map((line) => ({ line, ownAt: times[at++] ?? line.bookedAt }))
      const differing = both.filter(({ line, ownAt }) => line.bookedAt !== ownAt)
      for (const { line, ownAt } of differing) {
        doubtful ??= { line: line.line, own: ownAt, swapped: line.bookedAt }
        own.lastAt = Math.max(own.lastAt, ownAt)
        swapped.lastAt = Math.max(swapped.lastAt, line.bookedAt)
      }
      if (differing.length === 0 || payments >= MOST_PAYMENTS) continue
      payments += await db.transaction(async (tx) => {
        const subjectOf = await findSubjects(tx, file, differing)
        return countNear(differing, subjectOf, own, swapped)
      })
    }
  } catch (error) {
    // Only the first order reads every date.
    if (error instanceof StatementRefused && error.fault.fault === 'date_not_valid')
      return dateOrder
    throw error
  }
  if (doubtful === undefined) return dateOrder
  const tomorrow = clock.now() + DAY_MS
  if (own.near > 0 && own.near >= CLEAR_TIMES * swapped.near) return dateOrder
  if (swapped.near > 0 && swapped.near >= CLEAR_TIMES * own.near) return other
  if (own.lastAt <= tomorrow && swapped.lastAt > tomorrow) return dateOrder
  if (swapped.lastAt <= tomorrow && own.lastAt > tomorrow) return other
  const [first, second] = [dayText(dayOf(doubtful.own)), dayText(dayOf(doubtful.swapped))]
  const [dayFirst, monthFirst] = dateOrder === 'day_first' ? [first, second] : [second, first]
  throw new StatementRefused({
    fault: 'date_order_unclear',
    line: doubtful.line,
    dayFirst,
    monthFirst,
  })
}

interface Reading {
  /** Lines whose payments or refunds ended near their day. */
  near: number
  /** The last of its times. */
  lastAt: number
}

/** Returns how many payments and refunds the lines name. */
function countNear(
  lines: readonly { line: StatementLine; ownAt: number }[],
  subjectOf: (line: StatementLine) => FoundCandidate | undefined,
  own: Reading,
  swapped: Reading,
): number {
  let found = 0
  for (const { line, ownAt } of lines) {
    const candidate = subjectOf(line)
    const endedAt = candidate?.endedAt ?? candidate?.validatedAt
    if (endedAt == null) continue
    found++
    const isNear = (bookedAt: number): boolean =>
      Math.abs(dayOf(bookedAt) - dayOf(endedAt)) <= NEAR_DAYS
    if (isNear(ownAt)) own.near++
    if (isNear(line.bookedAt)) swapped.near++
  }
  return found
}
