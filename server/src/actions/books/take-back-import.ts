// Takes the import of a statement's file back as a whole. What its lines have booked is reversed by
// entries that name the first ones, what was found in them is closed, and the lines count no more:
// a later file may add them again. In slices, each in one commit, so that it goes on after a crash.
// Anomalies that the file made stay: the network is asked about them.

import { reversalsOf, standingEntries } from '../../domain/books/closing.ts'
import type { ExceptionKind } from '../../domain/books/matching.ts'
import type { StatementFile } from '../../domain/books/statement.ts'
import type { NewEntry } from '../../domain/ledger/ledger.ts'
import {
  actorOf,
  type Caller,
  EVERY_ACCOUNT,
  isOfService,
  type ServiceItself,
} from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertEntries } from '../../store/books/entries.ts'
import { findListedFile } from '../../store/books/kept-files.ts'
import { findWithheld, postponeLine } from '../../store/books/open-lines.ts'
import {
  closeException,
  exceptionIdOf,
  findCoveredDays,
  lockSource,
  reopenException,
  reopenExplained,
  restartChecks,
} from '../../store/books/statements.ts'
import {
  beginTakeBack,
  endTakeBack,
  type FileLine,
  findTakeBack,
  listDifferencesOfLines,
  listDifferencesOfPayments,
  listEntriesOfLines,
  listLinesOfFile,
  listMissing,
  type OtherDifference,
  type OverlappingFile,
  readAgainLater,
  removeLines,
  type TakeBack,
  unmatchLine,
} from '../../store/books/take-backs.ts'
import type { Transaction } from '../../store/engine/database.ts'
import type { Deps } from '../deps.ts'
import { checkBalances, openingOf } from './check-balances.ts'
import { WINDOW_DAYS } from './exceptions.ts'
import type { UploadDeps } from './kept-files.ts'
import { explainWithheld, takeBackClosing } from './later-lines.ts'
import { bookOpening } from './openings.ts'
import { asSoleImport } from './sole-import.ts'

const RECONCILIATION: ServiceItself = { is: 'service', part: 'reconciliation' }

/** Some milliseconds of the one writer's time. */
const SLICE = 100

export interface TakeBackDeps
  extends Pick<Deps, 'db' | 'clock'>,
    Pick<UploadDeps, 'isOwnConnection'> {
  progress?(lines: number): void
  /**
   * Between slices, with the time that the last one took: resolves when requests do not need the
   * time.
   */
  pauseAfter?(tookMs: number): Promise<void>
}

export interface TakenBack {
  fileId: string
  /** By this call: none when the import had been taken back before. */
  lines: number
  entries: number
  /**
   * Imported files of the same days: each can be imported again, and adds the lines that only this
   * file gave.
   */
  again: OverlappingFile[]
}

/** For staff, and for a merchant's people about a connection of their own. */
export async function takeBackImport(
  deps: TakeBackDeps,
  caller: Caller,
  { fileId, note: written }: { fileId: string; note: string },
): Promise<
  TakenBack | RefusedAs<'statement_file_not_found' | 'note_not_valid' | 'import_under_way'>
> {
  const file = await findListedFile(deps.db, fileId)
  if (file === undefined) return { refused: 'statement_file_not_found' }
  const isAllowed = isOfService(caller) || (await deps.isOwnConnection?.(caller, file)) === true
  if (!isAllowed) return { refused: 'statement_file_not_found' }
  if (!isPlainText(written, LONGEST_NOTE))
    return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  const note = maskCardNumbers(written)
  return asSoleImport(deps, file, async (pauseAfter) => {
    const begun = await begin(deps, caller, file, note)
    return begun
      ? finishTakeBack({ ...deps, pauseAfter }, file)
      : { fileId, lines: 0, entries: 0, again: [] }
  })
}

/** False when there is nothing left to do. */
const begin = (
  { db, clock }: TakeBackDeps,
  caller: Caller,
  file: StatementFile,
  note: string,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockSource(tx, file)
    const { environment, connection, fileId, name, sha256, added: lines } = file
    const { state } = (await findListedFile(tx, fileId)) ?? file
    if (state === 'taken_back') return false
    if (state === 'taking_back') return true
    const at = clock.now()
    await beginTakeBack(tx, fileId, { at, by: actorOf(caller), note })
    const subject = `${environment}/${connection}`
    const detail = { file: fileId, name, sha256, lines, note }
    await insertAudit(tx, caller, {
      at,
      action: 'statement.take_back',
      subject,
      accountId: null,
      detail,
    })
    return true
  })

/** The caller has the connection for itself. */
export async function finishTakeBack(deps: TakeBackDeps, file: StatementFile): Promise<TakenBack> {
  const { db, clock } = deps
  const { fileId } = file
  const { by, note } = (await findTakeBack(db, fileId)) as TakeBack
  const done: TakenBack = { fileId, lines: 0, entries: 0, again: [] }
  for (;;) {
    const startedAt = clock.now()
    const slice = await takeBackSlice(deps, file, { at: startedAt, by, note })
    if (slice.lines === 0) break
    done.lines += slice.lines
    done.entries += slice.entries
    deps.progress?.(done.lines)
    await deps.pauseAfter?.(clock.now() - startedAt)
  }
  await closeNotCovered(deps, file)
  done.again = await db.transaction(async (tx) => {
    await lockSource(tx, file)
    await restartChecks(tx, file)
    const exceptionId = exceptionIdOf({
      ...file,
      kind: 'balance_does_not_add_up',
      subject: openingOf(file),
    })
    await closeException(tx, EVERY_ACCOUNT, exceptionId, byService(clock.now()))
    await endTakeBack(tx, fileId, clock.now())
    const again = await readAgainLater(tx, file)
    await bookOpening(tx, file, byService(clock.now()))
    return again
  })
  if (file.openingXof !== null) await checkBalances(deps, RECONCILIATION, file)
  return done
}

/** So that the same difference opens again when it is found again. */
const byService = (at: number): TakeBack => ({ at, by: actorOf(RECONCILIATION), note: '' })

const takeBackSlice = (
  { db }: Pick<Deps, 'db'>,
  { fileId, environment, connection }: StatementFile,
  by: TakeBack,
): Promise<{ lines: number; entries: number }> =>
  db.transaction(async (tx) => {
    await lockSource(tx, { environment, connection })
    const lines = await listLinesOfFile(tx, fileId, SLICE)
    if (lines.length === 0) return { lines: 0, entries: 0 }
    const ofClosings = await closeDifferences(tx, lines, by)
    const booked = await listEntriesOfLines(tx, lines)
    await removeLines(tx, fileId, lines, by.at)
    ofClosings.push(...(await freeOthers(tx, lines, by)))
    // What closings have booked on the lines goes with these.
    const isOfLines = new Set(booked.map(({ accountId, entry }) => `${accountId} ${entry}`))
    const reversals = new Map<string, NewEntry>()
    for (const each of ofClosings)
      if (!isOfLines.has(`${each.accountId} ${each.corrects}`))
        reversals.set(`${each.accountId} ${each.corrects}`, each)
    for (const entries of Map.groupBy(booked, lineKey).values())
      for (const each of reversalsOf(standingEntries(entries), { at: by.at, madeBy: by.by }))
        reversals.set(`${each.accountId} ${each.corrects}`, each)
    await insertEntries(tx, [...reversals.values()])
    return { lines: lines.length, entries: reversals.size }
  })

const lineKey = ({
  accountId,
  lineNumber,
}: {
  accountId: string | null
  lineNumber: number | null
}): string => `${accountId} ${lineNumber}`

/** What was found in the lines; what people have said of it is taken back. */
async function closeDifferences(
  tx: Transaction,
  lines: readonly FileLine[],
  by: TakeBack,
): Promise<NewEntry[]> {
  const takenBack: NewEntry[] = []
  for (const { exceptionId, reason, resolvedAt } of await listDifferencesOfLines(tx, lines)) {
    if (reason !== null) takenBack.push(...(await takeBackClosing(tx, exceptionId, by)))
    if (resolvedAt === null) await closeException(tx, EVERY_ACCOUNT, exceptionId, by)
  }
  return takenBack
}

/**
 * Lines of other files that may be the payment or refund, now that the lines of this file are gone.
 */
const JUDGED_AGAIN: readonly ExceptionKind[] = [
  'amount_differs',
  'duplicate_line',
  'paid_although_failed',
  'refund_without_payment',
  'too_early',
]

type RequestLine = FileLine & { accountId: string; number: number }

/** What the lines have said about lines of other files does not hold any more. */
async function freeOthers(
  tx: Transaction,
  lines: readonly FileLine[],
  by: TakeBack,
): Promise<NewEntry[]> {
  const ofRequests = lines.filter(
    (line): line is RequestLine => line.accountId !== null && line.number !== null,
  )
  const requests = [...Map.groupBy(ofRequests, requestKey).values()].map((group) => ({
    ...(group[0] as RequestLine),
    isHeld: group.some(({ type }) => type === 'withheld' || type === 'released'),
  }))
  if (requests.length === 0) return []
  const payments = [...Map.groupBy(requests, paymentKey).values()].map(
    (group) => group[0] as RequestLine,
  )
  const others = Map.groupBy(await listDifferencesOfPayments(tx, payments), paymentKey)
  for (const other of [...others.values()].flat()) await judgeOtherAgain(tx, other, by)
  const takenBack: NewEntry[] = []
  for (const request of requests.filter(({ isHeld }) => isHeld)) {
    takenBack.push(...(await explainWithheld(tx, request, by)))
    if ((await findWithheld(tx, request)) === 0) continue
    const held = others.get(paymentKey(request))?.filter(({ kind }) => kind === 'withheld') ?? []
    await reopenExplained(
      tx,
      held.map(({ exceptionId }) => exceptionId),
    )
  }
  return takenBack
}

const paymentKey = ({
  accountId,
  number,
}: {
  accountId: string | null
  number: number | null
}): string => `${accountId} ${number}`

const requestKey = (line: FileLine): string => `${paymentKey(line)} ${line.refundReference}`

async function judgeOtherAgain(
  tx: Transaction,
  other: OtherDifference,
  { at }: TakeBack,
): Promise<void> {
  const { exceptionId, kind, resolvedAt, resolvedBy, reason, isMatched, status } = other
  if (!JUDGED_AGAIN.includes(kind)) return
  const isOpen = resolvedAt === null || reason !== null
  if (isOpen) {
    if (isMatched === 0) await postponeLine(tx, exceptionId, at)
    return
  }
  // The line of late money was explained by that of its refund.
  const isOfRefund =
    kind === 'paid_although_failed' && status === 'failed' && resolvedBy?.startsWith('service:')
  if (!isOfRefund || isMatched === 0) return
  await unmatchLine(tx, other)
  await reopenException(tx, exceptionId)
  await postponeLine(tx, exceptionId, at)
}

/** Payments and refunds that no statement shows are missing on covered days alone. */
async function closeNotCovered(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  file: StatementFile,
): Promise<void> {
  const { firstDay = null, lastDay = null } = (await findCoveredDays(db, file)) ?? {}
  const isCovered = (day: number): boolean =>
    firstDay !== null && lastDay !== null && day >= firstDay && day <= lastDay - WINDOW_DAYS
  for (let after = ''; ; ) {
    const slice = await listMissing(db, file, after, SLICE)
    await db.transaction(async (tx) => {
      for (const { exceptionId, detail } of slice)
        if (!isCovered(JSON.parse(detail).day))
          await closeException(tx, EVERY_ACCOUNT, exceptionId, byService(clock.now()))
    })
    if (slice.length < SLICE) return
    after = slice.at(-1)?.exceptionId ?? ''
  }
}
