// Fetches the statements of the networks that offer them: plans the days of a morning once, then one step a round.
import { type FetchDeps, FetchStopped, fetchDueStatement, planFetches } from '../actions/books/fetch-statements.ts'
import type { ServiceItself } from '../domain/caller.ts'
import type { ConnectionKey } from '../domain/operator-report.ts'
import { lastReadyDay } from '../domain/statement-fetch.ts'

const STATEMENTS: ServiceItself = { is: 'service', part: 'statements' }

export interface StatementFetcherDeps extends FetchDeps {
  /** Those whose networks give statements by their API. */
  offering(): readonly ConnectionKey[]
}

export function statementFetcher(deps: StatementFetcherDeps) {
  let planned = ''
  let isStopped = false
  const rest = async (tookMs: number): Promise<void> => {
    await deps.rest?.(tookMs)
    if (isStopped) throw new FetchStopped('the service stops')
  }
  return {
    /** True when there may be more. */
    round: async (): Promise<boolean> => {
      const connections = deps.offering()
      const names = connections.map(({ environment, connection }) => `${environment}/${connection}`)
      const plan = [lastReadyDay(deps.clock.now()), ...names].join(' ')
      if (plan !== planned) await planFetches(deps, STATEMENTS, { connections })
      planned = plan
      return fetchDueStatement({ ...deps, rest }, STATEMENTS)
    },
    /** Gives the day back that is being imported. */
    stop: async (): Promise<void> => {
      isStopped = true
    },
  }
}
