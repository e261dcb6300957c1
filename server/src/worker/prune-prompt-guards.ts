// Removes the rows that prompts to phones lock, once no limit remembers a prompt of theirs: whoever has a link can type any number, and each
// leaves a row. A slice a round, in the order of the names; then all is begun anew after the interval.
import type { Clock } from '../domain/clock-and-random.ts'
import { NUMBER_MEMORY_MS } from '../domain/prompt-limit.ts'
import type { Database } from '../store/engine/database.ts'
import { listPromptGuards, removePromptGuards } from '../store/links/prompts.ts'

const NAMES_AT_ONCE = 500

/** One round; true while there is more to look at. */
export function promptGuardPruner({ db, clock }: { db: Database; clock: Pick<Clock, 'now'> }): () => Promise<boolean> {
  let after = ''
  return async () => {
    const slice = await listPromptGuards(db, after, NAMES_AT_ONCE)
    const upTo = slice.at(-1)?.name
    const before = clock.now() - NUMBER_MEMORY_MS
    if (upTo !== undefined && slice.some(({ at }) => at < before)) await removePromptGuards(db, [after, upTo], before)
    after = slice.length < NAMES_AT_ONCE ? '' : (upTo ?? '')
    return after !== ''
  }
}
