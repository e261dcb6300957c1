// Payments that a line of a statement may be about, although it names none: the same number, amount
// and local day. And refunds that a line may be about which names only their payment. Only a person
// decides: the confirmation is recorded with its author and note, and the line is booked as
// matched.

import { judgeLine, numbersIn, referencesIn, refundsOfLine } from '../../domain/books/matching.ts'
import {
  type AccountCaller,
  actorOf,
  isOfService,
  type Scope,
  scopeOf,
} from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertEntries } from '../../store/books/entries.ts'
import {
  findOpenLine,
  isOpenException,
  listSuggestions,
  matchLine,
  type OpenLine,
  type Suggestion,
} from '../../store/books/open-lines.ts'
import {
  closeException,
  findCandidates,
  findRefunds,
  insertExceptions,
  lockSource,
} from '../../store/books/statements.ts'
import { listConnectionTariffs } from '../../store/books/tariffs.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { type Deps, refusable, rollBack } from '../deps.ts'
import {
  asCandidate,
  entriesOf,
  exceptionsOf,
  explainedBy,
  type JudgedLine,
} from './import-statement.ts'
import { correctionEntries } from './judge-again.ts'
import { explain } from './later-lines.ts'

/**
 * The payments that a person may confirm for the line of an exception; none for other exceptions.
 */
export async function suggestPayments(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { exceptionId }: { exceptionId: string },
): Promise<{ rows: Suggestion[] } | RefusedAs<'exception_not_found'>> {
  if (!isOfService(caller)) return { refused: 'exception_not_found' }
  if (!(await isOpenException(db, scopeOf(caller), exceptionId)))
    return { refused: 'exception_not_found' }
  const line = await findOpenLine(db, scopeOf(caller), exceptionId)
  if (line === undefined) return { rows: [] }
  return { rows: await db.transaction((tx) => suggestionsFor(tx, scopeOf(caller), line)) }
}

async function suggestionsFor(
  tx: Transaction,
  scope: Scope,
  line: OpenLine,
): Promise<Suggestion[]> {
  if (line.kind === 'missing_here' && line.type === 'collection')
    return listSuggestions(tx, scope, line, numbersIn(line))
  return line.kind === 'refund_without_payment' && line.type === 'refund'
    ? suggestedRefunds(tx, line)
    : []
}

/** Those of the named payment that succeeded, have the amount, and are confirmed by no line. */
async function suggestedRefunds(tx: Transaction, line: OpenLine): Promise<Suggestion[]> {
  const named = [...(await findCandidates(tx, line, referencesIn(line))).values()].filter(
    ({ subject: of }) => of === 'payment',
  )
  const refunds = refundsOfLine(line, await findRefunds(tx, named))
  return refunds
    .filter(({ status, isRefundConfirmed }) => status === 'succeeded' && isRefundConfirmed === 0)
    .map(({ accountId, number, reference, amountXof, endedAt }) => ({
      accountId,
      number,
      reference,
      refundReference: reference,
      requestReference: reference,
      externalReference: '',
      amountXof,
      validatedAt: endedAt ?? 0,
    }))
}

export interface ConfirmInput {
  exceptionId: string
  /** The suggested payment's, or refund's. */
  reference: string
  note: string
}

type Confirmed =
  | { exceptionId: string; reference: string }
  | RefusedAs<'exception_not_found' | 'suggestion_not_found' | 'note_not_valid'>

export async function confirmSuggestion(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  input: ConfirmInput,
): Promise<Confirmed> {
  const { exceptionId, reference } = input
  // Staff find out at the network whose money it was.
  if (!isOfService(caller)) return { refused: 'exception_not_found' }
  if (!isPlainText(input.note, LONGEST_NOTE))
    return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  const note = maskCardNumbers(input.note)
  const found = await findOpenLine(db, scopeOf(caller), exceptionId)
  if (found === undefined) return { refused: 'exception_not_found' }
  return refusable(db, async (tx): Promise<Confirmed> => {
    await lockSource(tx, found)
    const at = clock.now()
    const open = await findOpenLine(tx, scopeOf(caller), exceptionId)
    if (open === undefined) return { refused: 'exception_not_found' }
    const suggested = (await suggestionsFor(tx, scopeOf(caller), open)).find(
      (each) => each.reference === reference,
    )
    const judged = suggested && (await judgeAs(tx, open, suggested))
    if (suggested === undefined || judged?.verdict.is !== 'matched')
      return { refused: 'suggestion_not_found' }
    const by = actorOf(caller)
    const isClosed = await closeException(tx, scopeOf(caller), exceptionId, { at, by, note })
    if (isClosed === undefined || !(await matchLine(tx, open, suggested)))
      return rollBack({ refused: 'exception_not_found' })
    const takenBack = await explain(tx, suggested, explainedBy(open, judged.verdict), { at, by })
    await insertExceptions(tx, exceptionsOf({ ...open, at }, judged, open.lineNumber))
    const detail = { payment: reference, line: open.lineNumber, note }
    const { accountId } = suggested
    await insertAudit(tx, caller, {
      at,
      action: 'exception.confirm',
      subject: exceptionId,
      accountId,
      detail,
    })
    const booked =
      open.accountId === null
        ? entriesOf({ ...open, at, madeBy: by }, judged, open.lineNumber)
        : correctionEntries(judged, { at, by })
    await insertEntries(tx, [...takenBack, ...booked])
    return { exceptionId, reference }
  })
}

/** The line as if it had named the payment. */
async function judgeAs(
  tx: Transaction,
  open: OpenLine,
  { requestReference }: Suggestion,
): Promise<(JudgedLine & { open: OpenLine }) | undefined> {
  const candidate = (await findCandidates(tx, open, [requestReference])).get(requestReference)
  if (candidate === undefined) return undefined
  // Whether the source has fees in its lines is not kept with them.
  const tariffs = open.feeXof > 0 ? await listConnectionTariffs(tx, open) : []
  const verdict = judgeLine(open, asCandidate(candidate, tariffs, false))
  return {
    line: open,
    identity: '',
    networkIdentity: null,
    open,
    candidate,
    verdict,
    exception: verdict.exception,
  }
}
