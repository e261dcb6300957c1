// The time of a simulated world. Timers run on time that only moves forward; the service's clock on the wall can be set forward
// and back beside it, as a machine's can, while the network keeps the true time. Whoever dies takes his timers with him.
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/domain/clock-and-chance.ts'

export interface WorldClock {
  /** The true time. */
  now(): number
  /** A clock on a wall of this world; `isSet` ones follow when clocks are set. */
  clockOf(owner: object, isSet: boolean): Clock
  setWalls(byMs: number): void
  forget(owner: object): void
  /** Time passes, and every timer runs when it is due. */
  pass(ms: number): Promise<void>
  /** The machine sleeps: time passes, and what was due meanwhile runs late, once. */
  sleep(ms: number): Promise<void>
  /** Waits until nobody in the world has anything to do before the next timer. */
  settle(): Promise<void>
  /** Something is under way that needs no timer. */
  busy<T>(work: Promise<T>): Promise<T>
}

interface Timer {
  at: number
  owner: object
  work(): void
}

/** Hand-overs inside the service take a turn of the event loop each; this many quiet ones mean that there is none left. */
const QUIET_TURNS = 4

export function worldClock(startAt: number): WorldClock {
  let now = startAt
  let wallsAhead = 0
  let timers: Timer[] = []
  let underWay = 0

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await turn()
      quiet = underWay === 0 ? quiet + 1 : 0
    }
  }

  async function run(timer: Timer): Promise<void> {
    timers.splice(timers.indexOf(timer), 1)
    timer.work()
    await settle()
  }

  /** The earliest that is due; of those due together, the one that was set first. */
  function earliest(until: number): Timer | undefined {
    let found: Timer | undefined
    for (const timer of timers) if (timer.at <= until && (found === undefined || timer.at < found.at)) found = timer
    return found
  }

  return {
    now: () => now,
    clockOf: (owner, isSet) => ({
      now: () => now + (isSet ? wallsAhead : 0),
      after(ms, work) {
        const timer = { at: now + Math.max(0, ms), owner, work }
        timers.push(timer)
        return () => {
          timers = timers.filter((each) => each !== timer)
        }
      },
    }),
    setWalls: (byMs) => {
      wallsAhead += byMs
    },
    forget: (owner) => {
      timers = timers.filter((timer) => timer.owner !== owner)
    },
    async pass(ms) {
      const until = now + ms
      await settle()
      for (let timer = earliest(until); timer !== undefined; timer = earliest(until)) {
        now = Math.max(now, timer.at)
        await run(timer)
      }
      now = until
    },
    async sleep(ms) {
      await settle()
      now += ms
      const due = timers.filter((timer) => timer.at <= now).sort((a, b) => a.at - b.at)
      for (const timer of due) if (timers.includes(timer)) await run(timer)
    },
    settle,
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
