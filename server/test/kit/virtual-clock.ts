// A clock that a test moves: years of waiting in milliseconds. Timers run in order. After each, the
// clock waits until the service is idle: by turns of the event loop for work in this process, and
// in real time for a store's work.
import { setTimeout as pause } from 'node:timers/promises'
import { type MachineClock, NO_JUMP, type ServiceClock } from '../../src/domain/clock-and-random.ts'
import { within } from './waiting.ts'

export interface VirtualClock extends MachineClock, ServiceClock {
  /** Time passes, and every timer runs when it is due. */
  advance(ms: number): Promise<void>
  /** The machine sleeps: timers due meanwhile run late, once. Hours cost no more than seconds. */
  sleep(ms: number): Promise<void>
  /** Time passes until the work, which waits for the clock itself, is done. */
  advanceUntil<T>(what: string, work: Promise<T>): Promise<T>
  /** Waits until nothing is left to do before the next timer. */
  settle(): Promise<void>
  /** Work that needs no timer: the clock waits for it. */
  busy<T>(work: Promise<T>): Promise<T>
}

interface Timer {
  at: number
  work(): void
}

/**
 * A hand-over inside the service takes one turn of the event loop; this many quiet turns mean that
 * none is left.
 */
const QUIET_TURNS = 5
/** Timers that set one another without letting time pass would run for ever. */
const MOST_AT_ONE_TIME = 100_000
const MINUTE_MS = 60_000
const LONGEST_ADVANCE_MS = 3_600_000

export function virtualClock(startAt = Date.UTC(2026, 10, 15, 9, 30)): VirtualClock {
  let now = startAt
  let timers: Timer[] = []
  let underWay = 0
  let ended = Promise.withResolvers<void>()

  function end(): void {
    underWay--
    ended.resolve()
    ended = Promise.withResolvers()
  }

  /**
   * Without a promise for each turn: Node's runner follows every promise of a test, which costs
   * more than the turn.
   */
  const settle = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let quiet = 0
      const look = (): void => {
        quiet++
        if (underWay > 0) within('answer of the store', ended.promise).then(start, reject)
        else if (quiet < QUIET_TURNS) setImmediate(look)
        else resolve()
      }
      const start = (): void => {
        quiet = 0
        setImmediate(look)
      }
      start()
    })

  async function run(timer: Timer): Promise<void> {
    timers.splice(timers.indexOf(timer), 1)
    timer.work()
    await settle()
  }

  /** The earliest due timer; of several, the one that was set first. */
  function earliest(until: number): Timer | undefined {
    let found: Timer | undefined
    for (const timer of timers)
      if (timer.at <= until && (found === undefined || timer.at < found.at)) found = timer
    return found
  }

  async function advance(ms: number): Promise<void> {
    const until = now + ms
    await settle()
    let atOneTime = 0
    for (let timer = earliest(until); timer !== undefined; timer = earliest(until)) {
      atOneTime = timer.at > now ? 0 : atOneTime + 1
      if (atOneTime > MOST_AT_ONE_TIME)
        throw new Error('timers set one another, and time does not pass')
      now = Math.max(now, timer.at)
      await run(timer)
    }
    now = until
  }

  return {
    now: () => now,
    monotonic: () => now,
    isRight: () => true,
    lastJump: () => NO_JUMP,
    after(ms, work) {
      const timer = { at: now + Math.max(0, ms), work }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    advance,
    async sleep(ms) {
      await settle()
      now += ms
      const due = timers.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
      for (const timer of due) if (timers.includes(timer)) await run(timer)
    },
    async advanceUntil(what, work) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      done.catch(() => {})
      const began = now
      for (; !isDone; await advance(1_000)) {
        if (now - began > LONGEST_ADVANCE_MS)
          throw new Error(`an hour of the clock passed, and there was still no ${what}`)
        // Work that takes so long waits for the machine and not for this clock: an hour of it
        // passes in no time.
        if (now - began > MINUTE_MS) await pause(5)
      }
      return done
    },
    settle,
    busy(work) {
      underWay++
      work.then(end, end)
      return work
    },
  }
}
