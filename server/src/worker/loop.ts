// Runs rounds of work until it is stopped: the next one at once when it is woken, after a short
// pause while there is more to do, else after the interval. A round that fails is reported to
// `failed`, and the loop continues.
import type { Clock } from '../domain/clock-and-random.ts'

export interface LoopDeps {
  clock: Clock
  everyMs: number
  /** One round; true when there may be more to do. */
  round(): Promise<boolean>
  /**
   * The pause when there may be more. Short: an emptied queue must not wait for the next portion.
   */
  soonMs?(): number
  failed(error: unknown): void
}

export const SOON_MS = 2

export function loop({ clock, everyMs, round, soonMs = () => SOON_MS, failed }: LoopDeps) {
  let stopped = false
  let isRunning = false
  let isWoken = false
  let cancel = (): void => {}
  let underWay: Promise<void> = Promise.resolve()

  function schedule(inMs: number): void {
    if (stopped) return
    cancel = clock.after(inMs, () => {
      underWay = runRound()
    })
  }

  async function runRound(): Promise<void> {
    let more = false
    isRunning = true
    isWoken = false
    try {
      more = await round()
    } catch (error) {
      failed(error)
    }
    isRunning = false
    const pauseMs = more ? soonMs() : everyMs
    schedule(isWoken ? 0 : pauseMs)
  }

  schedule(0)
  return {
    /** Runs a round now, or right after the current one. */
    wake(): void {
      if (isWoken) return
      isWoken = true
      if (isRunning || stopped) return
      cancel()
      schedule(0)
    },
    /** Resolves once the current round is done. */
    stop: async (): Promise<void> => {
      stopped = true
      cancel()
      await underWay
    },
  }
}

export const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve))
