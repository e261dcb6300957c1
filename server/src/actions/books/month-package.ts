// A month of an account for its accountant, as one ZIP: the statements of all connections in every
// format, and the differences with the networks' statements. All files are made from the same
// entries, one after the other, while they are sent.
import { dayOf, daysOfMonth, startOfDay } from '../../domain/countries/business-day.ts'
import { type AccountCaller, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Language } from '../../domain/texts/language.ts'
import {
  differencesCsv,
  type ListedDifference,
  packageNames,
} from '../../statement-formats/differences.ts'
import {
  type StatementFile,
  statementFileName,
  summedStatements,
  writeSummed,
} from '../../statement-formats/write-statement.ts'
import type { Chunk } from '../../statement-formats/writing.ts'
import { type ZippedFile, zipFiles } from '../../statement-formats/zip-files.ts'
import { type Difference, listDifferences } from '../../store/books/statements.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import { nameActors } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { labelConnections } from '../operators/merchant-connections.ts'
import { openStatements, readWriting } from './read-account-statement.ts'

/** JSON is for programs, which have it from the merchant API. */
const FORMATS = ['pdf', 'csv', 'xlsx', 'camt053', 'syscohada'] as const
/** These are compressed as they are written. */
const COMPRESSED: readonly string[] = ['pdf', 'xlsx']

interface PackageQuery {
  accountId: string
  /** `2026-10` */
  month: string
  language: Language
}

export async function exportMonth(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { accountId, month, language }: PackageQuery,
): Promise<
  StatementFile | RefusedAs<'account_not_found' | 'month_not_over' | 'period_without_movements'>
> {
  const account = await findAccount(deps.db, scopeOf(caller), accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const days = daysOfMonth(month)
  if (dayOf(deps.clock.now()) <= days.lastDay) return { refused: 'month_not_over' }
  const statements = await openStatements(deps, account, {
    fromDay: days.firstDay,
    toDay: days.lastDay,
  })
  if (isRefused(statements)) {
    if (statements.refused === 'period_not_valid') throw new Error(`${month} is no month`)
    return { refused: statements.refused }
  }
  const writing = await readWriting(deps, accountId, language)
  const names = packageNames(month, language)

  async function* content(): AsyncGenerator<Chunk> {
    if (isRefused(statements)) return
    const summed = yield* summedStatements(statements, writing)
    const files = FORMATS.map(
      (format): ZippedFile => ({
        name: statementFileName({ statements: summed, isOfAll: true }, format, writing),
        isCompressed: COMPRESSED.includes(format),
        content: writeSummed(summed, format, writing),
      }),
    )
    const differences = differencesCsv(listOfMonth(deps, accountId, days), language)
    yield* zipFiles(
      [...files, { name: names.differences, isCompressed: false, content: differences }],
      writing.createdAt,
    )
  }

  return { contentType: 'application/zip', fileName: names.whole, content: content() }
}

const DIFFERENCES_AT_ONCE = 100

/**
 * About the days of a month, whenever they were found: those that are open, then those that are
 * closed.
 */
async function* listOfMonth(
  { db }: Pick<Deps, 'db'>,
  accountId: string,
  { firstDay, lastDay }: { firstDay: number; lastDay: number },
): AsyncGenerator<ListedDifference[]> {
  for (const isOpen of [true, false]) {
    // None is found before the day that it is about.
    for (let after: readonly [number, string] = [startOfDay(firstDay), '']; ; ) {
      const query = { order: 'oldest', isOpen, kind: undefined } as const
      const rows = await listDifferences(db, { accountId }, query, after, DIFFERENCES_AT_ONCE)
      const ofMonth = rows.filter((row) => dayAbout(row) >= firstDay && dayAbout(row) <= lastDay)
      const nameOf = await nameActors(
        { db },
        ofMonth.map(({ resolvedBy }) => resolvedBy),
      )
      const labelled = await labelConnections({ db }, { accountId }, ofMonth)
      yield ofMonth.map((row) => ({
        ...labelled(row),
        closedBy: nameOf(row.resolvedBy),
        day: dayAbout(row),
      }))
      const last = rows.at(-1)
      if (last === undefined || rows.length < DIFFERENCES_AT_ONCE) break
      after = [last.at, last.exceptionId]
    }
  }
}

/**
 * That of the line or of the payment; of a balance or a transfer without one, when it was found.
 */
function dayAbout({ detail, lineAt, at }: Difference): number {
  const { day } = JSON.parse(detail) as { day?: number }
  return day ?? dayOf(lineAt ?? at)
}
