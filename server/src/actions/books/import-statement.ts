// Imports a network's statement: each line is booked once, in the commit that stores it, whatever
// files repeat it. The caller has read the whole file before, so that a broken one leaves nothing
// (ADR-0019).

import { hash } from 'node:crypto'
import { contentIdentity, networkIdentity } from '../../domain/books/line-identity.ts'
import {
  type Candidate,
  differenceXof,
  type ExceptionKind,
  type ImportedStatement,
  judgeLine,
  type LineVerdict,
  referencesIn,
  refundsOfLine,
} from '../../domain/books/matching.ts'
import {
  createHashCounter,
  type StatementFile,
  type StatementLine,
  type StatementTotals,
  type Witness,
} from '../../domain/books/statement.ts'
import { dayOf } from '../../domain/countries/business-day.ts'
import type { NewEntry } from '../../domain/ledger/ledger.ts'
import { expectedFee, type KeptTariff, tariffOn } from '../../domain/ledger/tariff.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { base32 } from '../../domain/payments/reference.ts'
import {
  actorOf,
  type Caller,
  isOfService,
  type ServiceItself,
} from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertEntries } from '../../store/books/entries.ts'
import { settleContradictions } from '../../store/books/open-lines.ts'
import { findSoleOwner } from '../../store/books/settlements.ts'
import {
  beginAgain,
  endFile,
  type FoundCandidate,
  findCandidates,
  findCoveredDays,
  findFile,
  findRefunds,
  insertExceptions,
  insertFile,
  insertLines,
  listKnownIdentities,
  listKnownReferences,
  lockSource,
  type NewException,
  restartChecks,
} from '../../store/books/statements.ts'
import { listConnectionTariffs } from '../../store/books/tariffs.ts'
import type { Transaction } from '../../store/engine/database.ts'
import type { Deps } from '../deps.ts'
import { checkBalances } from './check-balances.ts'
import { findMissing, recordContradictions } from './exceptions.ts'
import { importRefusal, type UploadDeps } from './kept-files.ts'
import { type By, explain } from './later-lines.ts'
import { bookOpening } from './openings.ts'

const RECONCILIATION: ServiceItself = { is: 'service', part: 'reconciliation' }
/** The author of what a later line closes. */
const MATCHED = actorOf(RECONCILIATION)

/** Some milliseconds of the one writer's time. */
const SLICE = 200

/** A line may come before its payment has ended (judge-again.ts). */
export const JUDGED_AGAIN_AFTER_MS = 5 * 60_000

/**
 * What a line closes, of its payment or refund. A payment with another amount is not missing; its
 * fee shows nothing.
 */
export function explainedBy({ type }: StatementLine, { is }: LineVerdict): ExceptionKind[] {
  if (type !== 'collection' && type !== 'refund') return []
  const shown = type === 'refund' ? 'refund_missing' : 'missing_at_network'
  return is === 'matched' ? [shown, 'not_paid_although_succeeded'] : [shown]
}

export interface StatementToImport extends ConnectionKey {
  name: string
  sha256: string
  bytes: number
  totals: StatementTotals & Pick<StatementFile, 'firstDay' | 'lastDay' | 'firstAt' | 'lastAt'>
  /** A hash of the columns by which they are read. */
  readBy?: string
  /** The lines of a file that was read to its end without a fault. */
  lines: AsyncIterable<StatementLine>
  /**
   * False where the source has no fees in the lines of payments: they are lines of their own, or it
   * does not show them.
   */
  hasFeeColumn?: boolean
  /** The service asked the network for it. */
  isFetched?: boolean
  /** Shows what an import would do, and stores nothing. */
  isDryRun: boolean
}

export interface ImportDeps
  extends Pick<Deps, 'db' | 'clock' | 'random'>,
    Pick<UploadDeps, 'isConnected' | 'isOwnConnection'> {
  progress?(lines: number): void
  /**
   * Between slices, with the time that the last one took: resolves when requests do not need the
   * time.
   */
  pauseAfter?(tookMs: number): Promise<void>
}

export async function importStatement(
  deps: ImportDeps,
  caller: Caller,
  statement: StatementToImport,
): Promise<ImportedStatement | RefusedAs<'caller_not_allowed' | 'connection_not_found'>> {
  const refusal = await importRefusal(caller, statement, deps)
  if (refusal !== undefined) return refusal
  const { db, clock } = deps
  const result: ImportedStatement = {
    lines: 0,
    added: 0,
    matched: 0,
    exceptions: {},
    missing: 0,
    isRepeated: false,
  }
  const found = await findFile(db, statement, statement.sha256)
  const isReadAlike = found?.readBy === (statement.readBy ?? null)
  if (found?.state === 'imported' && isReadAlike)
    return { ...result, lines: found.lines, isRepeated: true }
  const fileId = statement.isDryRun
    ? (found?.fileId ?? '')
    : await beginFile(deps, caller, statement, found)
  const tariffs = await listConnectionTariffs(db, statement)
  const ownerId = (await findSoleOwner(db, statement)) ?? null
  const batch: Batch = {
    ...statement,
    fileId,
    ownerId,
    tariffs,
    witness:
      found === undefined ? witnessOf(caller, statement) : (found.witness ?? 'merchant_file'),
    madeBy: actorOf(caller),
    at: clock.now(),
  }
  if (statement.isDryRun) batch.booked = hashedSet(statement.totals.lines)
  for await (const slice of inSlices(numbered(statement), SLICE)) {
    const startedAt = clock.now()
    const part = await importSlice(deps, batch, slice)
    result.lines += slice.length
    result.added += part.length
    for (const { exception } of part) {
      if (exception === null) result.matched++
      else result.exceptions[exception] = (result.exceptions[exception] ?? 0) + 1
    }
    deps.progress?.(result.lines)
    await deps.pauseAfter?.(clock.now() - startedAt)
  }
  if (statement.isDryRun) return result
  await end(deps, statement, fileId)
  if (await hasWrongOpenings(deps, statement)) result.exceptions.balance_does_not_add_up = 1
  return { ...result, missing: await findMissing(deps, RECONCILIATION, statement) }
}

function witnessOf(
  caller: Caller,
  { isFetched = false }: Pick<StatementToImport, 'isFetched'>,
): Witness {
  if (isFetched) return 'network'
  return isOfService(caller) ? 'staff_file' : 'merchant_file'
}

/**
 * Payments before the first day that files covered were passed over. A file of earlier days has
 * them looked at again.
 */
const end = (
  { db, clock }: ImportDeps,
  { totals, ...statement }: StatementToImport,
  fileId: string,
): Promise<void> =>
  db.transaction(async (tx) => {
    await lockSource(tx, statement)
    const { firstDay = null } = (await findCoveredDays(tx, statement)) ?? {}
    await endFile(tx, fileId)
    if (firstDay !== null && totals.lines > 0 && totals.firstDay < firstDay)
      await restartChecks(tx, statement)
    await bookOpening(tx, statement, { at: clock.now(), by: MATCHED })
  })

async function hasWrongOpenings(
  deps: ImportDeps,
  { totals, ...statement }: StatementToImport,
): Promise<boolean> {
  const { openingXof, firstAt } = totals
  if (openingXof === null) return false
  return (await checkBalances(deps, RECONCILIATION, { ...statement, firstAt })) > 0
}

/**
 * A file that was begun before goes on; one that is read by other columns than before is read
 * again.
 */
async function beginFile(
  deps: ImportDeps,
  caller: Caller,
  statement: StatementToImport,
  found: StatementFile | undefined,
): Promise<string> {
  const { environment, connection, name, sha256, bytes, totals, readBy = null } = statement
  if (found?.state === 'importing' && found.readBy === readBy) return found.fileId
  const fileId = found?.fileId ?? `stm_${base32(deps.random.bytes(10), 16)}`
  const at = deps.clock.now()
  const file: StatementFile = {
    environment,
    connection,
    fileId,
    sha256,
    name,
    bytes,
    readBy,
    ...totals,
    state: 'importing',
    added: 0,
    importedAt: at,
    importedBy: actorOf(caller),
    witness: witnessOf(caller, statement),
  }
  await deps.db.transaction(async (tx) => {
    if (found !== undefined) await beginAgain(tx, file)
    else if (!(await insertFile(tx, file)))
      throw new Error('another import of the same file has begun')
    const subject = `${environment}/${connection}`
    const detail = {
      file: fileId,
      name,
      sha256,
      lines: totals.lines,
      ...(found !== undefined && { again: true }),
    }
    await insertAudit(tx, caller, {
      at,
      action: 'statement.import',
      subject,
      accountId: null,
      detail,
    })
  })
  return fileId
}

interface NumberedLine {
  line: StatementLine
  identity: string
  /** Null without a reference of the network. */
  networkIdentity: string | null
}

/** Equal lines of a file are numbered, so that a repeated line is kept as a second line. */
async function* numbered({
  lines,
  totals,
}: Pick<StatementToImport, 'lines' | 'totals'>): AsyncGenerator<NumberedLine> {
  const seen = createHashCounter(totals.lines)
  const seenReferences = createHashCounter(totals.lines)
  for await (const line of lines) {
    const said = contentIdentity(line)
    const named = networkIdentity(line)
    yield {
      line,
      // The time first: lines of one file are then near each other in the store's index.
      identity: `${line.bookedAt} ${said} ${seen.add(firstBits(said))}`,
      networkIdentity: named === undefined ? null : `${named} ${seenReferences.add(hashOf(named))}`,
    }
  }
}

const hashOf = (text: string): number => firstBits(hash('sha256', text, 'hex'))
const firstBits = (hexadecimal: string): number => Number.parseInt(hexadecimal.slice(0, 13), 16)

/** A set of texts that keeps 52 bits of each. */
function hashedSet(most: number): Booked {
  const counter = createHashCounter(most)
  return { has: (text) => counter.has(hashOf(text)), add: (text) => counter.add(hashOf(text)) }
}

export async function* inSlices<Item>(
  items: AsyncIterable<Item>,
  most: number,
): AsyncGenerator<Item[]> {
  let slice: Item[] = []
  for await (const item of items) {
    slice.push(item)
    if (slice.length < most) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

/** The payments and refunds that lines have booked. */
interface Booked {
  has(key: string): boolean
  add(key: string): unknown
}

interface Batch extends ConnectionKey {
  /** By earlier slices, in a dry run. */
  booked?: Booked
  fileId: string
  /** Whose books have the lines that name no payment; null for a shared connection. */
  ownerId: string | null
  tariffs: readonly KeptTariff[]
  hasFeeColumn?: boolean
  witness: Witness
  madeBy: string
  at: number
  isDryRun: boolean
}

export interface JudgedLine extends NumberedLine {
  candidate: FoundCandidate | undefined
  verdict: LineVerdict
  exception: ExceptionKind | null
}

const importSlice = (
  deps: ImportDeps,
  batch: Batch,
  slice: readonly NumberedLine[],
): Promise<JudgedLine[]> =>
  deps.db.transaction(async (tx) => {
    const lastLine = batch.isDryRun ? 0 : await lockSource(tx, batch)
    const unknown = await withoutKnown(tx, batch, slice)
    const judged = (await judgeLines(tx, batch, unknown)).filter(isKept)
    if (batch.isDryRun) return judged
    const numberOf = (index: number): number => lastLine + 1 + index
    await insertLines(
      tx,
      batch,
      judged.map(({ line, identity, networkIdentity: byReference, candidate, verdict }, index) => ({
        lineNumber: numberOf(index),
        identity,
        networkIdentity: byReference,
        line,
        about: candidate ?? null,
        accountId: candidate?.accountId ?? batch.ownerId,
        isMatched: verdict.is === 'matched',
      })),
    )
    await insertExceptions(
      tx,
      judged.flatMap((each, index) => exceptionsOf(batch, each, numberOf(index))),
    )
    const newlyOpen = new Set(
      judged.map(({ candidate, exception }) => exception && candidate && paymentKey(candidate)),
    )
    const by = { at: batch.at, by: MATCHED }
    const takenBack: NewEntry[] = []
    for (const { line, verdict, candidate } of judged)
      if (
        candidate !== undefined &&
        (candidate.hasOpen === 1 || newlyOpen.has(paymentKey(candidate)))
      )
        takenBack.push(...(await explainRequest(tx, candidate, { line, verdict }, by)))
    const witnessed = judged.map((each) => ({ ...each, witness: batch.witness }))
    takenBack.push(...(await recordContradictions(tx, batch, witnessed, by)))
    await insertEntries(tx, [
      ...judged.flatMap((each, index) => entriesOf(batch, each, numberOf(index))),
      ...takenBack,
    ])
    return judged
  })

/** An older server has stored what lines say, and no identities by their references. */
async function withoutKnown(
  tx: Transaction,
  connection: ConnectionKey,
  slice: readonly NumberedLine[],
): Promise<NumberedLine[]> {
  const said = await listKnownIdentities(
    tx,
    connection,
    slice.map(({ identity }) => identity),
  )
  const others = slice.filter(({ identity }) => !said.has(identity))
  const references = others.flatMap(({ networkIdentity: byReference }) => byReference ?? [])
  const named = await listKnownReferences(tx, connection, references)
  return others.filter(
    ({ networkIdentity: byReference }) => byReference === null || !named.has(byReference),
  )
}

/** What a line says about its payment or refund for the other differences of it. */
export async function explainRequest(
  tx: Transaction,
  candidate: FoundCandidate,
  { line, verdict }: Pick<JudgedLine, 'line' | 'verdict'>,
  by: By,
): Promise<NewEntry[]> {
  // The line of its collection is explained by this one.
  if (verdict.is === 'matched' && candidate.isOfLateMoney === 1)
    await settleContradictions(tx, candidate, { dueAt: by.at })
  return explain(tx, candidate, explainedBy(line, verdict), by)
}

/** A failed payment that the network lists as failed says nothing about the wallet. */
const isKept = ({ line, exception }: JudgedLine): boolean =>
  line.type !== 'not_made' || exception !== null

export async function judgeLines<Line extends NumberedLine>(
  tx: Transaction,
  batch: Pick<Batch, 'environment' | 'connection' | 'tariffs' | 'hasFeeColumn' | 'booked'>,
  lines: readonly Line[],
): Promise<(Line & JudgedLine)[]> {
  const subjectOf = await findSubjects(tx, batch, lines)
  /** Booked by earlier lines of the same slice. */
  const booked: Booked = batch.booked ?? new Set<string>()
  return lines.map((each) => {
    const { line } = each
    const candidate = subjectOf(line)
    const key = `${line.type} ${candidate?.accountId} ${candidate?.number} ${candidate?.refundReference}`
    const hasFee = line.type !== 'collection' || batch.hasFeeColumn !== false || line.feeXof > 0
    const verdict = judgeLine(
      line,
      candidate && asCandidate(candidate, hasFee ? batch.tariffs : [], booked.has(key)),
    )
    if (verdict.is === 'matched' && candidate !== undefined) booked.add(key)
    return { ...each, candidate, verdict, exception: verdict.exception }
  })
}

type LineSubject = FoundCandidate & { hasSeveralRefunds?: boolean }

/**
 * What a line is about. One that gives money back and names only the payment is about the refund
 * that fits.
 */
export async function findSubjects(
  tx: Transaction,
  connection: ConnectionKey,
  lines: readonly Pick<NumberedLine, 'line'>[],
): Promise<(line: StatementLine) => LineSubject | undefined> {
  const references = new Map(lines.map(({ line }) => [line, referencesIn(line)]))
  const found = await findCandidates(tx, connection, [...new Set([...references.values()].flat())])
  const namedBy = (line: StatementLine) =>
    references.get(line)?.flatMap((reference) => found.get(reference) ?? [])[0]
  const refunded = new Map(
    lines
      .map(({ line }) => ({ line, payment: namedBy(line) }))
      .filter(({ line, payment }) => line.type === 'refund' && payment?.subject === 'payment')
      .map(({ payment }) => [paymentKey(payment as FoundCandidate), payment as FoundCandidate]),
  )
  const refunds = Map.groupBy(await findRefunds(tx, [...refunded.values()]), paymentKey)
  return (line) => {
    const named = namedBy(line)
    if (line.type !== 'refund' || named?.subject !== 'payment') return named
    const ofLine = refundsOfLine(line, refunds.get(paymentKey(named)) ?? [])
    return ofLine.length > 1 ? { ...named, hasSeveralRefunds: true } : (ofLine[0] ?? named)
  }
}

/** Of a payment with its refunds. */
const paymentKey = ({ accountId, number }: Pick<FoundCandidate, 'accountId' | 'number'>): string =>
  `${accountId} ${number}`

export function asCandidate(
  found: LineSubject,
  tariffs: readonly KeptTariff[],
  isBooked: boolean,
): Candidate {
  const tariff =
    found.validatedAt === null ? undefined : tariffOn(tariffs, dayOf(found.validatedAt))
  const endedAt = found.subject === 'refund' ? found.endedAt : found.validatedAt
  return {
    ...found,
    days: endedAt === null ? undefined : { created: dayOf(found.createdAt), ended: dayOf(endedAt) },
    expectedFeeXof: tariff === undefined ? null : expectedFee(found.amountXof, tariff),
    isOfLateMoney: found.isOfLateMoney === 1,
    isGivenBack: found.isGivenBack === 1,
    isCollected: isBooked || found.isCollected === 1,
    isRefundConfirmed: isBooked || found.isRefundConfirmed === 1,
  }
}

type WithOwner = { ownerId?: string | null }

export function exceptionsOf(
  {
    environment,
    connection,
    at,
    ownerId = null,
  }: Pick<Batch, 'environment' | 'connection' | 'at'> & WithOwner,
  { line, candidate, exception, verdict: { expectedFeeXof: expectedFee } }: JudgedLine,
  lineNumber: number,
): NewException[] {
  if (exception === null) return []
  const { type, amountXof: amount, feeXof: fee, day } = line
  const difference = differenceXof(exception, line, { candidate, expectedFeeXof: expectedFee })
  const detail = JSON.stringify({ type, amount, fee, day, expectedFee, difference })
  const about = {
    accountId: candidate?.accountId ?? ownerId,
    number: candidate?.number ?? null,
    lineNumber,
  }
  const whole = type === 'not_made' ? (candidate?.amountXof ?? 0) : amount
  const amountXof = Math.abs(difference ?? whole)
  const dueAt = exception === 'too_early' ? at + JUDGED_AGAIN_AFTER_MS : null
  const refundReference = candidate?.refundReference ?? null
  const named = { environment, connection, kind: exception, subject: `line ${lineNumber}` }
  return [{ ...named, ...about, refundReference, amountXof, detail, at, dueAt }]
}

/** A line of a shared connection that names no payment of ours is in no account's books. */
export function entriesOf(
  {
    connection,
    at,
    madeBy,
    ownerId = null,
  }: Pick<Batch, 'connection' | 'at' | 'madeBy'> & WithOwner,
  { line, candidate, verdict }: JudgedLine,
  lineNumber: number,
): NewEntry[] {
  const accountId = candidate?.accountId ?? ownerId
  if (accountId === null) return []
  const { number = null, refundReference = null } = candidate ?? {}
  return verdict.bookings.map((booking) => ({
    accountId,
    connection,
    bookedAt: at,
    day: line.day,
    ...booking,
    number,
    refundReference,
    lineNumber,
    madeBy,
  }))
}
