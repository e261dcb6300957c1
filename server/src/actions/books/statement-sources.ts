// The connections whose statements a person may import, and how their fetches go.
import type { Caller } from '../../domain/caller.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { type FailedFetch, listFailures, listFetchSummaries } from '../../store/books/statement-fetches.ts'
import type { FetchDeps } from './fetch-statements.ts'
import { importRefusal } from './kept-files.ts'

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
  const isOf = (one: ConnectionKey) => (other: ConnectionKey) =>
    one.environment === other.environment && one.connection === other.connection
  const fetchesOf = (source: ConnectionKey): StatementSourceState['fetches'] => {
    const { fetchedAt = null, underWay = 0 } = summaries.find(isOf(source)) ?? {}
    return { fetchedAt, isUnderWay: underWay > 0, failure: failures.find(isOf(source)) }
  }
  return { rows: sources.map((each) => ({ ...each, fetches: offering.includes(each) ? fetchesOf(each) : null })) }
}
