// A virtual clock for a service on a real database. Between two timers it waits until the service has nothing left to do: turns of the
// event loop for what happens in this process, and real time, asleep, for what the database has under way.
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/domain/clock-and-chance.ts'
import type { Database } from '../../src/store/database.ts'

export interface ToldClock extends Clock {
  /** Time passes, and every timer runs when it is due. */
  pass(ms: number): Promise<void>
  /** Time jumps: what was due meanwhile runs late, once. For hours in which nothing happens but looking. */
  sleep(ms: number): Promise<void>
  /** The same store, waited for. */
  watch(db: Database): Database
}

/** More than the hand-overs between two questions to the store. */
const QUIET_TURNS = 5

export function toldClock(startAt: number): ToldClock {
  let now = startAt
  let timers: { at: number; work: () => void }[] = []
  const underWay = new Set<Promise<unknown>>()

  function busy<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = work.then(
      () => underWay.delete(ended),
      () => underWay.delete(ended),
    )
    underWay.add(ended)
    return work
  }

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await turn()
      if (underWay.size === 0) continue
      quiet = -1
      await Promise.race(underWay)
    }
  }

  async function run(timer: (typeof timers)[number]): Promise<void> {
    timers = timers.filter((each) => each !== timer)
    timer.work()
    await settle()
  }

  /** In their order; of those due together, the one that was set first. */
  const due = (): typeof timers => timers.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
  const next = (): number => Math.min(...timers.map(({ at }) => at))

  return {
    now: () => now,
    after(ms, work) {
      const timer = { at: now + Math.max(0, ms), work }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    async pass(ms) {
      const until = now + ms
      await settle()
      while (next() <= until) {
        now = Math.max(now, next())
        await run(due()[0] as (typeof timers)[number])
      }
      now = until
    },
    async sleep(ms) {
      await settle()
      now += ms
      for (const timer of due()) if (timers.includes(timer)) await run(timer)
    },
    watch: (db) => ({
      rows: (sql, values) => busy(db.rows(sql, values)),
      change: (sql, values) => busy(db.change(sql, values)),
      insert: (into, row) => busy(db.insert(into, row)),
      find: (sql, keys) => busy(db.find(sql, keys)),
      claim: (sql, values) => busy(db.claim(sql, values)),
      transaction: (work) => busy(db.transaction(work)),
      alone: (work) => busy(db.alone(work)),
      ping: () => busy(db.ping()),
      close: () => db.close(),
    }),
  }
}
