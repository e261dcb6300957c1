// Fetches statements from the networks that offer them: each morning the day before, and days that
// were missed. A day is fetched in steps, and each step is recorded: a process that is killed
// leaves the rest to the next one. The file is kept and imported as an upload is, so a day that is
// fetched twice changes nothing.

import type { ImportedStatement } from '../../domain/books/matching.ts'
import {
  daysToFetch,
  type FetchFailure,
  type FetchPeriod,
  fetchFailure,
  lastReadyDay,
  lookedAtAgainAfter,
  MOST_FETCHED_DAYS,
  readyAt,
  retriedAfter,
  StatementBrokeOff,
  type StatementFetch,
} from '../../domain/books/statement-fetch.ts'
import { dayOf, dayText, startOfDay } from '../../domain/countries/business-day.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import {
  type AccountCaller,
  actorOf,
  type Caller,
  type ServiceItself,
} from '../../domain/people/caller.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { NetworkStatements } from '../../operators/connector.ts'
import { StatementRefused } from '../../statements/limits.ts'
import { unpacked } from '../../statements/statement-rows.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  claimFetch,
  endClaim,
  type FailedFetch,
  type FetchStep,
  findFirstDay,
  forgetUnfetched,
  insertFetch,
  listDueFetches,
  listFailedDays,
  listFailures,
  listFetchedConnections,
  listFetchSummaries,
  makeFetchDue,
  prolongClaim,
  putFetched,
  releaseClaim,
  removeOldFetches,
} from '../../store/books/statement-fetches.ts'
import { type ImportFileDeps, importStatementFile } from './import-file.ts'
import { contentOf, finishKept, importRefusal, keepUnfinished, removeKept } from './kept-files.ts'

export interface FetchDeps extends ImportFileDeps {
  /** Undefined where the network gives no statements by its API. */
  statementsOf(connection: ConnectionKey): NetworkStatements | undefined
}

interface Days {
  firstDay: number
  lastDay: number
}

const periodOf = ({ firstDay, lastDay }: Days): FetchPeriod => ({
  from: startOfDay(firstDay),
  to: startOfDay(lastDay + 1),
})

// What the worker does.

/** Fetches are listed for so long. */
const KEPT_DAYS = 90

/**
 * Makes the days due that are to be fetched, and forgets those of connections that were removed.
 */
export async function planFetches(
  { db, clock }: Pick<FetchDeps, 'db' | 'clock'>,
  _caller: ServiceItself,
  { connections }: { connections: readonly ConnectionKey[] },
): Promise<void> {
  const now = clock.now()
  for (const connection of connections)
    for (const day of daysToFetch(now, await findFirstDay(db, connection)))
      await insertFetch(db, connection, day, now)
  for (const fetched of await listFetchedConnections(db))
    if (!connections.some(isOf(fetched))) await forgetUnfetched(db, fetched)
  await removeOldFetches(db, dayOf(now) - KEPT_DAYS)
}

const isOf = (one: ConnectionKey) => (other: ConnectionKey) =>
  one.environment === other.environment && one.connection === other.connection

/** A claim that was not prolonged leaves the day to another process after this time. */
const LEASE_MS = 10 * 60_000
const LOOKED_AT_ONCE = 50

/** The next step of one day that is due. False when none was. */
export async function fetchDueStatement(deps: FetchDeps, caller: ServiceItself): Promise<boolean> {
  const { db, clock } = deps
  for (const due of await listDueFetches(db, clock.now(), LOOKED_AT_ONCE)) {
    const statements = deps.statementsOf(due)
    if (statements === undefined) continue
    const claimed = await claimFetch(db, due, clock.now(), clock.now() + LEASE_MS)
    if (claimed === undefined) continue
    await takeStep(deps, caller, claimed, statements)
    return true
  }
  return false
}

/** The service stops, or another process has the day: this process releases its claim. */
export class FetchStopped extends Error {
  override readonly name = 'FetchStopped'
}

async function takeStep(
  deps: FetchDeps,
  caller: ServiceItself,
  claimed: StatementFetch,
  statements: NetworkStatements,
): Promise<void> {
  const { db, clock } = deps
  const claim = { ...claimed }
  const pauseAfter = async (tookMs: number): Promise<void> => {
    await deps.pauseAfter?.(tookMs)
    const now = clock.now()
    if (now < claim.claimedUntil - LEASE_MS / 2) return
    if (!(await prolongClaim(db, claim, now + LEASE_MS)))
      throw new FetchStopped('another process has the day')
    claim.claimedUntil = now + LEASE_MS
  }
  try {
    await endClaim(db, claim, await nextStep({ ...deps, pauseAfter }, caller, claim, statements))
  } catch (error) {
    await releaseClaim(db, claim)
    if (!(error instanceof FetchStopped)) throw error
  }
}

async function nextStep(
  deps: FetchDeps,
  caller: ServiceItself,
  claim: StatementFetch,
  statements: NetworkStatements,
): Promise<FetchStep> {
  const days = { firstDay: claim.day, lastDay: claim.day }
  const { requestId, requestedAt } = claim
  const now = (): number => deps.clock.now()
  if (requestId === null || requestedAt === null) {
    const requested = await statements.request(periodOf(days))
    if (requested.is === 'failed') return failed(claim, requested, now())
    // FedaPay's search needs no time: it is read at once.
    return { is: 'requested', requestId: requested.requestId, at: now(), dueAt: now() }
  }
  const fetched = await fetchFile(deps, caller, {
    ...claim,
    ...days,
    requestId,
    isDryRun: false,
    statements,
  })
  if ('added' in fetched) {
    // Of a day that is not over, only a part was there.
    const isWhole = now() >= readyAt(claim.day) && requestedAt >= readyAt(claim.day)
    return { is: 'fetched', at: now(), dueAt: isWhole ? null : readyAt(claim.day) }
  }
  if (fetched.is === 'failed') return failed(claim, fetched, now())
  const after = fetched.is === 'busy' ? BUSY_MS : lookedAtAgainAfter(requestedAt, now())
  if (after === undefined)
    return failed(
      claim,
      { ...fetchFailure('not_made', 'it took too long'), isRequestGone: true },
      now(),
    )
  return { is: 'looked_at', dueAt: now() + after }
}

/** Another import has the connection. */
const BUSY_MS = 30_000

function failed({ failures }: StatementFetch, failure: FetchFailure, at: number): FetchStep {
  const after = retriedAfter(failures + 1)
  return { is: 'failed', at, failure, dueAt: after === undefined ? null : at + after }
}

interface WantedFile extends ConnectionKey, Days {
  requestId: string
  isDryRun: boolean
  statements: NetworkStatements
}

type FetchedFile = ImportedStatement | { is: 'not_ready' } | { is: 'busy' } | FetchFailure

/** Gets the file if it is made, and imports it as an uploaded one. */
async function fetchFile(
  deps: FetchDeps,
  caller: Caller,
  wanted: WantedFile,
): Promise<FetchedFile> {
  const { environment, connection, firstDay, lastDay, requestId, isDryRun, statements } = wanted
  const opened = await statements.open(requestId, periodOf(wanted))
  if (opened.is !== 'ready') return opened
  const fetched = { firstDay, lastDay, repeatedDays: statements.repeatedDays ?? 0 }
  const lastName = firstDay === lastDay ? '' : `-to-${dayText(lastDay)}`
  const named = {
    environment,
    connection,
    name: `${connection}-${dayText(firstDay)}${lastName}.csv`,
  }
  try {
    const begun = await keepUnfinished(deps, actorOf(caller), named, unpacked(opened.content))
    // A dry run leaves nothing: it must not find an earlier file and remove that.
    const kept = isDryRun ? begun : await finishKept(deps, begun)
    const file = { ...named, open: () => contentOf(deps, kept), isDryRun, fetched }
    const outcome = await importStatementFile(deps, caller, file)
    // An earlier file with the same bytes stays.
    const isUnused = isDryRun || (isRefused(outcome) && !isBusy(outcome))
    if (isUnused && kept.keptId === begun.keptId) await removeKept(deps.db, kept.keptId)
    return isRefused(outcome) ? failureOf(outcome) : outcome
  } catch (error) {
    if (error instanceof StatementBrokeOff) return error.failure
    if (error instanceof StatementRefused) return refusedFile(error.fault)
    throw error
  }
}

const refusedFile = (fault: StatementRefused['fault']): FetchFailure => ({
  is: 'failed',
  fault: 'statement_refused',
  why: JSON.stringify(fault),
  isRequestGone: true,
})

const isBusy = ({ refused }: Refused): boolean =>
  refused === 'import_under_way' || refused === 'too_many_statements_read'

function failureOf(refused: Refused): { is: 'busy' } | FetchFailure {
  if (isBusy(refused)) return { is: 'busy' }
  if (refused.refused === 'statement_not_valid') return refusedFile(refused.fault)
  if (refused.refused === 'statement_columns_unknown')
    return refusedFile({ fault: 'heading_not_found' })
  return fetchFailure('statement_refused', JSON.stringify({ fault: 'file_not_readable' }))
}

// What people ask for.

/** A second click within this time has nothing fetched again. */
const FETCHED_AGAIN_MS = 60_000
const MOST_FAILED_DAYS = 14

/** Has the worker fetch the last day, this day as far as it is there, and days that failed. */
export async function fetchNow(
  deps: FetchDeps,
  caller: AccountCaller,
  { environment, connection }: ConnectionKey,
): Promise<
  | { days: number }
  | RefusedAs<'caller_not_allowed' | 'connection_not_found' | 'statements_not_offered'>
> {
  const key = { environment, connection }
  const refusal = await fetchRefusal(deps, caller, key)
  if (refusal !== undefined) return refusal
  const { db, clock } = deps
  const now = clock.now()
  const days = new Set([lastReadyDay(now), dayOf(now)])
  for (const { day } of await listFailedDays(db, key, MOST_FAILED_DAYS)) days.add(day)
  await db.transaction(async (tx) => {
    for (const day of days) await makeFetchDue(tx, key, day, { now, since: now - FETCHED_AGAIN_MS })
    const subject = `${environment}/${connection}`
    const detail = { days: [...days].sort((one, other) => one - other).map(dayText) }
    await insertAudit(tx, caller, {
      at: now,
      action: 'statement.fetch',
      subject,
      accountId: null,
      detail,
    })
  })
  return { days: days.size }
}

async function fetchRefusal(
  deps: FetchDeps,
  caller: Caller,
  connection: ConnectionKey,
): Promise<
  RefusedAs<'caller_not_allowed' | 'connection_not_found' | 'statements_not_offered'> | undefined
> {
  const refusal = await importRefusal(caller, connection, deps)
  if (refusal !== undefined) return refusal
  return deps.statementsOf(connection) === undefined
    ? { refused: 'statements_not_offered' }
    : undefined
}

export interface FetchPeriodInput extends ConnectionKey, Days {
  isDryRun: boolean
}

export interface FetchPeriodDeps extends FetchDeps {
  /** Waits between two looks at a statement that is not made yet. */
  pause(ms: number): Promise<void>
}

/** In a command: a person waits for it. */
const MADE_WITHIN_MS = 15 * 60_000

/** Fetches the statement of some days at once, and waits for it. */
export async function fetchPeriod(
  deps: FetchPeriodDeps,
  caller: Caller,
  { environment, connection, firstDay, lastDay, isDryRun }: FetchPeriodInput,
): Promise<
  | ImportedStatement
  | FetchFailure
  | RefusedAs<
      | 'caller_not_allowed'
      | 'connection_not_found'
      | 'statements_not_offered'
      | 'fetch_period_not_valid'
      | 'import_under_way'
    >
> {
  const key = { environment, connection }
  const refusal = await fetchRefusal(deps, caller, key)
  if (refusal !== undefined) return refusal
  const { db, clock } = deps
  const begunAt = clock.now()
  const isPeriod =
    firstDay <= lastDay && lastDay - firstDay < MOST_FETCHED_DAYS && lastDay <= dayOf(begunAt)
  if (!isPeriod) return { refused: 'fetch_period_not_valid', most: MOST_FETCHED_DAYS }
  const statements = deps.statementsOf(key) as NetworkStatements
  const requested = await statements.request(periodOf({ firstDay, lastDay }))
  if (requested.is === 'failed') return requested
  const wanted = { ...key, firstDay, lastDay, requestId: requested.requestId, isDryRun, statements }
  for (;;) {
    const fetched = await fetchFile(deps, caller, wanted)
    if ('added' in fetched) {
      const isWhole = (day: number): boolean => begunAt >= readyAt(day)
      for (let day = firstDay; !isDryRun && day <= lastDay; day++)
        if (isWhole(day)) await putFetched(db, key, day, clock.now())
      return fetched
    }
    if (fetched.is === 'failed') return fetched
    if (fetched.is === 'busy') return { refused: 'import_under_way' }
    if (clock.now() - begunAt >= MADE_WITHIN_MS) return fetchFailure('not_made', 'it took too long')
    await deps.pause(lookedAtAgainAfter(begunAt, clock.now()) ?? BUSY_MS)
  }
}

// The connections whose statements a person may import, and how their fetches go.

export interface SourceDeps
  extends Pick<FetchDeps, 'db' | 'clock' | 'isConnected' | 'isOwnConnection' | 'statementsOf'> {
  /** The connections of the installation and of its merchants. */
  readConnections(): Promise<readonly { environment: ConnectionKey['environment']; name: string }[]>
}

export interface StatementSourceState extends ConnectionKey {
  /** Null for a network that gives no statements by its API. */
  fetches: {
    /** The last success; null before the first. */
    fetchedAt: number | null
    isUnderWay: boolean
    /** The last failure of a day that is not fetched since. */
    failure: FailedFetch | undefined
  } | null
}

export async function listStatementSources(
  deps: SourceDeps,
  caller: Caller,
): Promise<{ rows: StatementSourceState[] }> {
  const sources: ConnectionKey[] = []
  for (const { environment, name: connection } of await deps.readConnections())
    if ((await importRefusal(caller, { environment, connection }, deps)) === undefined)
      sources.push({ environment, connection })
  const offering = sources.filter((each) => deps.statementsOf(each) !== undefined)
  const names = [...new Set(offering.map(({ connection }) => connection))]
  const summaries = await listFetchSummaries(deps.db, deps.clock.now(), names)
  const failures = await listFailures(deps.db, names)
  const fetchesOf = (source: ConnectionKey): StatementSourceState['fetches'] => {
    const { fetchedAt = null, underWay = 0 } = summaries.find(isOf(source)) ?? {}
    return { fetchedAt, isUnderWay: underWay > 0, failure: failures.find(isOf(source)) }
  }
  return {
    rows: sources.map((each) => ({
      ...each,
      fetches: offering.includes(each) ? fetchesOf(each) : null,
    })),
  }
}
