// Repeats a piece of work for ever: again at once while there is more to do or when it is woken, else after a while. A round that
// fails is told and tried again.
import type { Clock } from '../domain/clock-and-random.ts'

export interface LoopDeps {
  clock: Clock
  everyMs: number
  /** One round; true when there may be more at once. */
  round(): Promise<boolean>
  failed(error: unknown): void
}

export interface Loop {
  /** There is something to do now. */
  wake(): void
  /** Resolves once the round under way is done. */
  stop(): Promise<void>
}

const SOON_MS = 10

export function loop({ clock, everyMs, round, failed }: LoopDeps): Loop {
  let stopped = false
  let isRunning = false
  let isCalled = false
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
    isRunning = true
    isCalled = false
    try {
      more = await round()
    } catch (error) {
      failed(error)
    }
    isRunning = false
    next(isCalled ? 0 : more ? SOON_MS : everyMs)
  }

  next(0)
  return {
    wake() {
      if (isCalled) return
      isCalled = true
      if (isRunning || stopped) return
      cancel()
      next(0)
    },
    stop: async () => {
      stopped = true
      cancel()
      await underWay
    },
  }
}
