// Each morning's work on statements: fetches those of networks, announces those of merchants.
import { announceStatements } from '../actions/books/announce-statements.ts'
import {
  type FetchDeps,
  FetchStopped,
  fetchDueStatement,
  planFetches,
} from '../actions/books/fetch-statements.ts'
import { type ResumeDeps, resumeImport } from '../actions/books/resume-imports.ts'
import type { Deps } from '../actions/deps.ts'
import { morningOf } from '../domain/books/account-statement.ts'
import { lastReadyDay } from '../domain/books/statement-fetch.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import type { ServiceItself } from '../domain/people/caller.ts'

// Fetches the statements of the networks that offer them: plans the days of a morning once, then
// one step a round.

const STATEMENTS: ServiceItself = { is: 'service', part: 'statements' }

export interface StatementFetcherDeps extends FetchDeps {
  /** Those whose networks give statements by their API. */
  offering(): readonly ConnectionKey[]
}

export function statementFetcher(deps: StatementFetcherDeps) {
  let planned = ''
  let isStopped = false
  const pauseAfter = async (tookMs: number): Promise<void> => {
    await deps.pauseAfter?.(tookMs)
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
      return fetchDueStatement({ ...deps, pauseAfter }, STATEMENTS)
    },
    /** Gives the day back that is being imported. */
    stop: async (): Promise<void> => {
      isStopped = true
    },
  }
}

// Goes on with imports that a crash cut off.

const RECONCILIATION: ServiceItself = { is: 'service', part: 'reconciliation' }

export function importResumer(deps: ResumeDeps) {
  let isStopped = false
  const pauseAfter = async (tookMs: number): Promise<void> => {
    await deps.pauseAfter?.(tookMs)
    if (isStopped) throw new FetchStopped('the service stops')
  }
  return {
    /** True when there may be more. */
    round: async (): Promise<boolean> => {
      try {
        return await resumeImport({ ...deps, pauseAfter }, RECONCILIATION)
      } catch (error) {
        if (error instanceof FetchStopped) return false
        throw error
      }
    },
    /** The next process goes on. */
    stop: async (): Promise<void> => {
      isStopped = true
    },
  }
}

// Announces each morning's statements: a round does some accounts, until none is left for that
// morning.

/** One round; true when there may be more. `announced` is called after each commit. */
export function statementAnnouncer(
  deps: Pick<Deps, 'db' | 'clock' | 'random'>,
  announced: () => void,
): () => Promise<boolean> {
  let doneMorning: number | undefined
  return async () => {
    const morning = morningOf(deps.clock.now())
    if (morning === doneMorning) return false
    if ((await announceStatements(deps, STATEMENTS)) > 0) {
      announced()
      return true
    }
    doneMorning = morning
    return false
  }
}
