// Announces each morning's statements: a round does some accounts, until none is left for that morning.
import { announceStatements } from '../actions/books/announce-statements.ts'
import type { Deps } from '../actions/deps.ts'
import type { ServiceItself } from '../domain/caller.ts'
import { morningOf } from '../domain/ready-statement.ts'

const STATEMENTS: ServiceItself = { is: 'service', part: 'statements' }

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
