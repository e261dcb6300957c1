// A clock that a test moves: years of waiting in milliseconds. Timers run in their order, and after each the service gets the
// turns of the event loop that it needs to finish what the timer began.
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/domain/clock-and-chance.ts'

export interface VirtualClock extends Clock {
  /** Moves on by so much, running every timer on the way. */
  advance(ms: number): Promise<void>
  /** The machine sleeps: what was due meanwhile runs late, once. Hours cost no more than seconds. */
  sleep(ms: number): Promise<void>
  /** Something is under way that takes real time, such as PostgreSQL's: the clock waits for it. */
  busy<T>(work: Promise<T>): Promise<T>
}

interface Timer {
  at: number
  work(): void
}

/** More than the longest chain of hand-overs inside the service. */
const TURNS = 25

export function virtualClock(startAt = Date.UTC(2026, 10, 15, 9, 30)): VirtualClock {
  let now = startAt
  let timers: Timer[] = []
  let underWay = 0

  async function settle(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns = underWay === 0 ? turns + 1 : 0) await turn()
  }

  async function run(timer: Timer): Promise<void> {
    timers = timers.filter((each) => each !== timer)
    timer.work()
    await settle()
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
        now = Math.max(now, next.at)
        await run(next)
      }
      now = until
    },
    async sleep(ms) {
      await settle()
      now += ms
      const due = timers.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
      for (const timer of due) if (timers.includes(timer)) await run(timer)
    },
    busy: async (work) => {
      underWay++
      try {
        return await work
      } finally {
        underWay--
      }
    },
  }
}
