// A person says what a difference was, and the entry that follows is booked in the same commit. A
// reason that was wrong is corrected: its entries are taken back by others that name them. Whoever
// the wallet belongs to decides (D-170).

import {
  CLOSING_REASONS,
  type DifferenceEntries,
  entriesOfClosing,
  leftOf,
  reasonsFor,
  requestLeft,
  reversalsOf,
} from '../../domain/books/closing.ts'
import type { ClosingReason } from '../../domain/books/closing-reason.ts'
import type { ExceptionKind } from '../../domain/books/matching.ts'
import { dayOf } from '../../domain/countries/business-day.ts'
import type { NewEntry } from '../../domain/ledger/ledger.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import {
  type AccountCaller,
  actorOf,
  EVERY_ACCOUNT,
  isOfService,
  scopeOf,
} from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  type FoundDifference,
  findDifference,
  findLastClosing,
  insertClosing,
  markReversed,
  setReason,
} from '../../store/books/closings.ts'
import { insertEntries, listEntriesOf, listEntriesOfLine } from '../../store/books/entries.ts'
import { postponeLine } from '../../store/books/open-lines.ts'
import { setOpeningDue } from '../../store/books/openings.ts'
import {
  closeException,
  exceptionIdOf,
  insertExceptions,
  lockSource,
  reopenException,
} from '../../store/books/statements.ts'
import type { Queries, Transaction } from '../../store/engine/database.ts'
import { findMerchantConnection } from '../../store/operators/merchant-connections.ts'
import { type Deps, refusable, rollBack } from '../deps.ts'
import { missingException } from './exceptions.ts'
import { closingOf, explain } from './later-lines.ts'

export interface CloseInput {
  exceptionId: string
  /** None for a difference that leaves nothing to explain. */
  reason?: ClosingReason | undefined
  note: string
}

type CloseRefusal =
  | 'exception_not_found'
  | 'closing_reason_not_valid'
  | 'wallet_of_another'
  | 'note_not_valid'

type Closed = { exceptionId: string; reason: ClosingReason | null } | RefusedAs<CloseRefusal>

/** An open difference. */
export const closeDifference = (
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  input: CloseInput,
): Promise<Closed> => decide(deps, caller, input, 'close')

/** One that is closed, with another reason; or with its first, when it was closed without one. */
export const correctClosing = (
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  input: CloseInput,
): Promise<Closed> => decide(deps, caller, input, 'correct')

export interface ClosingChoice {
  reasons: ClosingReason[]
  /** Not explained yet: above 0 for money that came. */
  leftXof: number
}

/** What a person may say of a difference: of a closed one, instead of what was said. */
export async function readClosingChoice(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { exceptionId }: { exceptionId: string },
): Promise<ClosingChoice | RefusedAs<'exception_not_found' | 'wallet_of_another'>> {
  return db.transaction(async (tx) => {
    const found = await findAllowed(tx, caller, exceptionId)
    if (isRefused(found)) return found
    const entries = await entriesWithout(
      tx,
      found,
      (await closingOf(tx, found.exceptionId))?.entries ?? [],
    )
    return { reasons: reasonsFor(found, entries), leftXof: -(leftOf(found, entries)?.xof ?? 0) }
  })
}

/**
 * Whose a connection's wallet is: an account's; null for the installation's, of which its staff
 * decide.
 */
async function ownerOf(
  db: Queries,
  { environment, connection }: ConnectionKey,
): Promise<string | null> {
  const own = await findMerchantConnection(db, EVERY_ACCOUNT, connection)
  return own?.environment === environment ? own.accountId : null
}

const accountOf = (caller: AccountCaller): string | null =>
  isOfService(caller) ? null : caller.accountId

/** Whether it is for this caller to say what the money at each connection was. */
export async function walletsOf(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  connections: readonly ConnectionKey[],
): Promise<(connection: ConnectionKey) => boolean> {
  const keyOf = ({ environment, connection }: ConnectionKey): string =>
    `${environment}/${connection}`
  const owners = new Map<string, string | null>()
  for (const each of connections)
    if (!owners.has(keyOf(each))) owners.set(keyOf(each), await ownerOf(db, each))
  return (connection) => owners.get(keyOf(connection)) === accountOf(caller)
}

async function findAllowed(
  tx: Queries,
  caller: AccountCaller,
  exceptionId: string,
): Promise<FoundDifference | RefusedAs<'exception_not_found' | 'wallet_of_another'>> {
  // A person has found out at the network what happened; a program has not.
  const found =
    caller.is === 'merchant_key'
      ? undefined
      : await findDifference(tx, scopeOf(caller), exceptionId)
  if (found === undefined) return { refused: 'exception_not_found' }
  const owner = await ownerOf(tx, found)
  if (owner === accountOf(caller)) return found
  return { refused: 'wallet_of_another', whose: owner === null ? 'service' : 'merchant' }
}

function decide(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { exceptionId, reason, note: written }: CloseInput,
  act: 'close' | 'correct',
): Promise<Closed> {
  return refusable(db, async (tx): Promise<Closed> => {
    const asked = await findAllowed(tx, caller, exceptionId)
    if (isRefused(asked)) return asked
    if (!isPlainText(written, LONGEST_NOTE))
      return { refused: 'note_not_valid', longest: LONGEST_NOTE }
    const note = maskCardNumbers(written)
    // An import, or another person, may be deciding about the same line.
    await lockSource(tx, asked)
    const found = (await findDifference(tx, EVERY_ACCOUNT, exceptionId)) as FoundDifference
    if ((found.resolvedAt === null) !== (act === 'close')) return { refused: 'exception_not_found' }
    const by: Author = { at: clock.now(), by: actorOf(caller), note }
    const before = act === 'close' ? undefined : await closingOf(tx, found.exceptionId)
    const entries = await entriesWithout(tx, found, before?.entries ?? [])
    const offered = reasonsFor(found, entries)
    const isOffered =
      reason === undefined ? act === 'close' && offered.length === 0 : offered.includes(reason)
    if (!isOffered) return { refused: 'closing_reason_not_valid', offered }
    if (act === 'close' && (await closeException(tx, EVERY_ACCOUNT, exceptionId, by)) === undefined)
      return rollBack({ refused: 'exception_not_found' })
    const { accountId } = found
    const detail = {
      note,
      ...(reason !== undefined && { reason }),
      ...(found.reason && { instead_of: found.reason }),
    }
    await insertAudit(tx, caller, {
      at: by.at,
      action: act === 'close' ? 'exception.close' : 'exception.correct',
      subject: exceptionId,
      accountId,
      detail,
    })
    if (reason !== undefined) await bookReason(tx, found, { reason, before, entries }, by)
    return { exceptionId, reason: reason ?? null }
  })
}

interface Author {
  at: number
  by: string
  note: string
}

/** The payment of such a line may still turn out to be the one that it shows. */
const JUDGED_AGAIN: readonly ExceptionKind[] = ['paid_although_failed', 'too_early']

interface Said {
  reason: ClosingReason
  before: Awaited<ReturnType<typeof closingOf>>
  entries: DifferenceEntries
}

/**
 * A line with another amount is the payment, or the payment is still to come: then it is named as
 * missing.
 */
async function nameMissing(
  tx: Transaction,
  found: FoundDifference,
  { reason, entries }: Pick<Said, 'reason' | 'entries'>,
  { at, by }: Author,
): Promise<NewEntry[]> {
  const { accountId, number, refundReference } = found
  const request = found.kind === 'amount_differs' ? requestLeft(found, entries) : undefined
  if (request === undefined || accountId === null || number === null) return []
  const missing = missingException(request.first, { ...found, accountId }, at)
  if (CLOSING_REASONS[reason].books === 'receivable') {
    return explain(tx, { accountId, number, refundReference }, [missing.kind], { at, by })
  }
  await insertExceptions(tx, [missing])
  await reopenException(tx, exceptionIdOf(missing))
  return []
}

/** What was said before is taken back first. */
async function bookReason(
  tx: Transaction,
  found: FoundDifference,
  { reason, before, entries }: Said,
  { at, by, note }: Author,
): Promise<void> {
  const { exceptionId, accountId } = found
  await setReason(tx, exceptionId, { reason, resolvedAt: at, resolvedBy: by, note })
  // A line before the first balance is then no part of what the wallet had.
  const reasons = [reason, ...(before === undefined ? [] : [before.closing.reason])]
  if (reasons.some((each) => CLOSING_REASONS[each].books === 'wallet'))
    await setOpeningDue(tx, found, true)
  // Its payment may have changed since, or changes at this moment: the line is judged again.
  if (JUDGED_AGAIN.includes(found.kind)) await postponeLine(tx, exceptionId, at)
  const shown = await nameMissing(tx, found, { reason, entries }, { at, by, note })
  const takenBack = [...reversalsOf(before?.entries ?? [], { at, madeBy: by }), ...shown]
  if (before !== undefined) await markReversed(tx, before.closing, { at, by })
  const booked = entriesOfClosing(reason, found, entries, { at, today: dayOf(at), madeBy: by })
  const closing = (await findLastClosing(tx, exceptionId)) + 1
  const last = (await insertEntries(tx, [...takenBack, ...booked])).get(accountId ?? '')
  const isBooked = last !== undefined && booked.length > 0
  await insertClosing(tx, {
    exceptionId,
    closing,
    reason,
    accountId,
    firstEntry: isBooked ? last - booked.length + 1 : null,
    lastEntry: isBooked ? last : null,
    closedAt: at,
    closedBy: by,
    note,
  })
}

/** The entries behind a difference, as if those of its closing had been taken back. */
async function entriesWithout(
  tx: Queries,
  { accountId, connection, lineNumber, number }: FoundDifference,
  closing: readonly NewEntry[],
): Promise<DifferenceEntries> {
  if (accountId === null) return { ofLine: [], ofPayment: [] }
  const left = new Set(closing.map((each) => (each as { entry?: number }).entry))
  const isLeft = ({ entry }: { entry: number }): boolean => !left.has(entry)
  const ofLine =
    lineNumber === null ? [] : await listEntriesOfLine(tx, { accountId, connection, lineNumber })
  const ofPayment = number === null ? [] : await listEntriesOf(tx, accountId, [number])
  return { ofLine: ofLine.filter(isLeft), ofPayment: ofPayment.filter(isLeft) }
}
