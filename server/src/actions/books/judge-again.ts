// Judges lines again that came before their payment or refund had ended, and lines of late money
// that a person has accepted. What explains them now is booked as a correction: nothing that was
// booked is changed.

import { correctionsOf } from '../../domain/books/matching.ts'
import type { NewEntry } from '../../domain/ledger/ledger.ts'
import { actorOf, EVERY_ACCOUNT, type ServiceItself } from '../../domain/people/caller.ts'
import { insertEntries } from '../../store/books/entries.ts'
import {
  findDueConnection,
  listDueLines,
  matchLine,
  type OpenLine,
  postponeLine,
} from '../../store/books/open-lines.ts'
import { closeException, insertExceptions, lockSource } from '../../store/books/statements.ts'
import { listConnectionTariffs } from '../../store/books/tariffs.ts'
import type { Transaction } from '../../store/engine/database.ts'
import type { Deps } from '../deps.ts'
import { recordContradictions } from './exceptions.ts'
import {
  exceptionsOf,
  explainRequest,
  JUDGED_AGAIN_AFTER_MS,
  type JudgedLine,
  judgeLines,
} from './import-statement.ts'
import { type By, takeBackClosing } from './later-lines.ts'

/** Some milliseconds of the one writer's time. */
const SLICE = 100
const DAY_MS = 86_400_000
/** A payment that is undecided for so long is looked at once a day. */
const WINDOW_MS = 2 * DAY_MS

/** A slice of one connection's lines that are due; false when none was. */
export async function judgeDueLines(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: ServiceItself,
): Promise<boolean> {
  const { db, clock } = deps
  const connection = await findDueConnection(db, clock.now())
  if (connection === undefined) return false
  const tariffs = await listConnectionTariffs(db, connection)
  await db.transaction(async (tx) => {
    await lockSource(tx, connection)
    const at = clock.now()
    const due = await listDueLines(tx, connection, at, SLICE)
    const judged = await judgeLines(
      tx,
      // Whether the source has fees in its lines is not kept with them.
      { ...connection, tariffs, hasFeeColumn: false },
      openFirst(due).map((open) => ({ line: open, identity: '', networkIdentity: null, open })),
    )
    const by = { at, by: actorOf(caller) }
    const changed = []
    const takenBack: NewEntry[] = []
    for (const each of judged) {
      const settled = await settleLine(tx, each, by)
      if (settled === undefined) continue
      changed.push(each)
      takenBack.push(...settled)
    }
    takenBack.push(...(await recordContradictions(tx, connection, changed.map(witnessed), by)))
    await insertEntries(tx, [
      ...takenBack,
      ...changed.flatMap((each) => correctionEntries(each, by)),
    ])
  })
  return true
}

type JudgedAgain = JudgedLine & { open: OpenLine }

/** Of two lines that may be one payment, a person has said of one that it was something else. */
const openFirst = (due: readonly OpenLine[]): OpenLine[] => [
  ...due.filter(({ reason }) => reason === null),
  ...due.filter(({ reason }) => reason !== null),
]

/**
 * The entries that take a person's closing back; undefined when nothing is known that was not known
 * before.
 */
async function settleLine(
  tx: Transaction,
  judged: JudgedAgain,
  by: By,
): Promise<NewEntry[] | undefined> {
  const { at } = by
  const { open, candidate, verdict, exception } = judged
  const { exceptionId, bookedAt } = open
  if (exception === 'too_early') {
    const isYoung = at - bookedAt < WINDOW_MS
    await postponeLine(tx, exceptionId, at + (isYoung ? JUDGED_AGAIN_AFTER_MS : DAY_MS))
    return undefined
  }
  await postponeLine(tx, exceptionId, null)
  // What a person has said holds until the line is the payment or refund itself.
  const isSaid = open.reason !== null && verdict.is !== 'matched'
  if (exception === open.kind || candidate === undefined || isSaid) return undefined
  const takenBack = await takeBackClosing(tx, exceptionId, by)
  await closeException(tx, EVERY_ACCOUNT, exceptionId, { ...by, note: '' })
  await insertExceptions(tx, exceptionsOf({ ...open, at }, judged, open.lineNumber))
  if (verdict.is !== 'matched') return takenBack
  await matchLine(tx, open, candidate)
  return [...takenBack, ...(await explainRequest(tx, candidate, judged, by))]
}

const witnessed = (judged: JudgedAgain) => ({ ...judged, witness: judged.open.witness })

/** With the day of the line, so that the unexplained amount of that day goes. */
export function correctionEntries(
  { open, candidate, verdict }: JudgedAgain,
  { at, by }: By,
): NewEntry[] {
  if (candidate === undefined) return []
  const { accountId, number, refundReference } = candidate
  const { connection, day, lineNumber } = open
  return correctionsOf(verdict).map((booking) => ({
    accountId,
    connection,
    bookedAt: at,
    day,
    ...booking,
    number,
    refundReference,
    lineNumber,
    madeBy: by,
  }))
}
