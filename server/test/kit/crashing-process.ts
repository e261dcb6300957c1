// A process that can crash at any step, as the service in it sees the world: its store, its clock, and its calls to others. Before and
// after each statement and each call is a step. Once it has crashed, nothing that it asked is ever answered, no timer of its runs, and an
// open transaction is undone. What had been committed is there when the file is opened again.
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { type Database, type Queries, StoreUnavailable } from '../../src/store/engine/database.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { openWatchedFile } from './watched-store.ts'

export interface CrashingProcess {
  store: Database
  clock: Clock
  hasCrashed(): boolean
  /** Resolves when it has. */
  crashed: Promise<void>
  crash(): void
  /** It will crash so many steps from now. */
  crashAfter(steps: number): void
  /** A call to another process: made while this one lives, and answered if it still does. */
  call<T>(make: () => Promise<T>): Promise<T>
  /** Whether the disk is full just now. */
  diskIsFull: boolean
  /** The machine takes back what the process held. */
  close(): Promise<void>
}

/** How far the clocks on the walls have been set ahead of the true time; every process of the service follows. */
export interface Wall {
  aheadMs: number
}

class Crashed extends Error {}

const never = <T>(): Promise<T> => new Promise(() => {})

export function crashingProcess(file: string, time: VirtualClock, wall: Wall): CrashingProcess {
  const db = openWatchedFile(file, time)
  const timers = new Set<() => void>()
  let stepsLeft = Number.POSITIVE_INFINITY
  let hasCrashed = false
  let resolveCrashed = (): void => {}
  const crashed = new Promise<void>((resolve) => {
    resolveCrashed = resolve
  })

  function endTimers(): void {
    for (const cancel of timers) cancel()
    timers.clear()
  }

  function crash(): void {
    hasCrashed = true
    endTimers()
    resolveCrashed()
  }

  function step(): void {
    if (--stepsLeft <= 0) crash()
  }

  async function call<T>(make: () => Promise<T>): Promise<T> {
    step()
    if (hasCrashed) return never()
    const [made] = await Promise.allSettled([make()])
    step()
    if (hasCrashed) return never()
    if (made.status === 'rejected') throw made.reason
    return made.value
  }

  const write = <T>(make: () => Promise<T>): Promise<T> =>
    call(async () => {
      if (self.diskIsFull) throw new StoreUnavailable('the disk is full')
      return make()
    })

  const inTransaction = (tx: Queries): Queries => {
    const inside = <T>(make: () => Promise<T>): Promise<T> => {
      step()
      // Thrown, not left unanswered: the engine undoes what is thrown at, as it undoes what a crashed process leaves open.
      if (hasCrashed) throw new Crashed('the process crashed')
      return make()
    }
    return {
      rows: async (sql, values) => inside(() => tx.rows(sql, values)),
      change: async (sql, values) => inside(() => tx.change(sql, values)),
    }
  }

  const store: Database = {
    rows: (sql, values) => call(() => db.rows(sql, values)),
    change: (sql, values) => write(() => db.change(sql, values)),
    insert: (into, row) => write(() => db.insert(into, row)),
    find: (sql, keys) => call(() => db.find(sql, keys)),
    claim: (sql, values) => write(() => db.claim(sql, values)),
    claimEach: (sql, sets) => write(() => db.claimEach(sql, sets)),
    transaction: (work) => write(() => db.transaction((tx) => work(inTransaction(tx)))),
    alone: (work) => write(() => db.alone((tx, script) => work(inTransaction(tx), script))),
    ping: () => call(() => db.ping()),
    time: () => call(() => db.time()),
    close: () => (hasCrashed ? never() : db.close()),
  }
  const clock: Clock = {
    now: () => time.now() + wall.aheadMs,
    after(ms, work) {
      const cancel = time.after(ms, () => {
        timers.delete(cancel)
        if (!hasCrashed) work()
      })
      timers.add(cancel)
      return () => {
        timers.delete(cancel)
        cancel()
      }
    },
  }
  const self: CrashingProcess = {
    store,
    clock,
    hasCrashed: () => hasCrashed,
    crashed,
    crash,
    crashAfter: (steps) => {
      stepsLeft = steps
    },
    call,
    diskIsFull: false,
    close: () => {
      crash()
      return db.close()
    },
  }
  return self
}
