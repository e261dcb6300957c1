// Repeats a piece of work for ever: again at once while there is more to do, else after a while. A round that fails is told
// and tried again.
import type { Clock } from '../domain/clock-and-chance.ts'

export interface LoopNeeds {
  clock: Clock
  everyMs: number
  /** One round; true when there may be more at once. */
  round(): Promise<boolean>
  failed(error: unknown): void
}

const SOON_MS = 10

/** Gives back what stops it, once the round under way is done. */
export function loop({ clock, everyMs, round, failed }: LoopNeeds): () => Promise<void> {
  let stopped = false
  let cancel = (): void => {}
  let underWay: Promise<void> = Promise.resolve()

  function next(inMs: number): void {
    if (stopped) return
    cancel = clock.after(inMs, () => {
      underWay = turn()
    })
  }

  async function turn(): Promise<void> {
    let more = false
    try {
      more = await round()
    } catch (error) {
      failed(error)
    }
    next(more ? SOON_MS : everyMs)
  }

  next(0)
  return async () => {
    stopped = true
    cancel()
    await underWay
  }
}
