// A clock that a test moves: years of waiting in milliseconds. Timers run in their order, and after each the service gets the
// turns of the event loop that it needs to finish what the timer began.
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/domain/clock-and-chance.ts'

export interface VirtualClock extends Clock {
  /** Moves on by so much, running every timer on the way. */
  advance(ms: number): Promise<void>
}

/** More than the longest chain of hand-overs inside the service. */
const TURNS = 25

export function virtualClock(startAt = Date.UTC(2026, 10, 15, 9, 30)): VirtualClock {
  let now = startAt
  let timers: { at: number; work: () => void }[] = []

  async function settle(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) await turn()
  }

  return {
    now: () => now,
    after(ms, work) {
      const timer = { at: now + Math.max(0, ms), work }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((each) => each !== next)
        now = Math.max(now, next.at)
        next.work()
        await settle()
      }
      now = until
    },
  }
}
