// Removes histories that are older than the settings keep them. A slice a round, group after group (an account, or an endpoint), each from its oldest rows to the
// first that are young enough; then all is begun anew after the interval. Several processes may do it at the same time.
import type { Clock } from '../domain/clock-and-random.ts'
import { DAY_MS } from '../domain/verdict.ts'
import type { Database, Value } from '../store/engine/database.ts'
import { findNextGroup, listPositions, type OldRows, removeOld } from '../store/retention/old-rows.ts'

export interface PruneDeps {
  db: Database
  clock: Clock
  /** How long each is kept; 0 for ever. */
  keep: readonly { rows: OldRows; days: number }[]
  /** Told how many rows a slice removed. */
  pruned(rows: OldRows, count: number): void
}

const POSITIONS_AT_ONCE = 200
/** Test events have positions below those of payments. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

interface Place {
  group: Value[]
  position: number
}

/** One round; true while there is more to look at. */
export function historyPruner({ db, clock, keep, pruned }: PruneDeps): () => Promise<boolean> {
  const rules = keep.filter(({ days }) => days > 0)
  let at = 0
  let place: Place | undefined

  return async () => {
    const rule = rules[at]
    if (rule === undefined) {
      at = 0
      return false
    }
    place = await pruneSlice(rule.rows, clock.now() - rule.days * DAY_MS, place)
    if (place === undefined) at++
    return true
  }

  /** Returns where to go on; undefined after the last group. */
  async function pruneSlice(rows: OldRows, before: number, from: Place | undefined): Promise<Place | undefined> {
    if (from === undefined)
      return nextGroup(
        rows,
        rows.group.map(() => ''),
      )
    const slice = await listPositions(db, rows, from.group, from.position, POSITIONS_AT_ONCE)
    const upTo = slice.at(-1)?.position
    // A single young one may be an old event that was sent again: the whole slice decides.
    if (upTo === undefined || slice.every(({ oldest }) => oldest >= before)) return nextGroup(rows, from.group)
    const count = await removeOld(db, rows, from.group, [from.position, upTo], before)
    if (count > 0) pruned(rows, count)
    return { ...from, position: upTo }
  }

  async function nextGroup(rows: OldRows, after: Value[]): Promise<Place | undefined> {
    const group = await findNextGroup(db, rows, after)
    return group && { group, position: BEFORE_ALL }
  }
}
