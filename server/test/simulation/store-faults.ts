// How a store fails its callers: at once, or after a silence; with nothing done, or with nobody knowing whether it was.
import { StoreContended, StoreOutcomeUnknown, StoreUnavailable } from '../../src/store/engine/database.ts'
import type { StoreFault } from '../kit/crashing-process.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'

/** A connection that went silent is given up after so long. */
const SILENT_MS = 10_000

export function storeFaultOf(
  random: SeededRandom,
  percent: number,
  during: 'read' | 'write' | 'transaction',
): StoreFault | undefined {
  if (percent === 0 || !random.percent(percent)) return undefined
  const afterMs = random.percent(20) ? random.between(1, SILENT_MS) : 0
  const away = new StoreUnavailable('the connection was refused')
  if (during === 'read') return { error: away, isDone: false, afterMs }
  const contended = new StoreContended('another transaction holds the lock')
  if (during === 'transaction') return { error: random.pick([away, contended]), isDone: false, afterMs: 0 }
  const unknown = new StoreOutcomeUnknown('the connection was lost in the middle of a write')
  const error = random.pick([away, contended, unknown, unknown])
  return { error, isDone: error === unknown && random.percent(50), afterMs }
}
