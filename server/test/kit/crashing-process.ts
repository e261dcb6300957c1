// A process that can crash or freeze at any step, as the service in it sees the world: its store, its clock, and its calls to others.
// Before and after each statement and each call is a step. Once it has crashed, nothing that it asked is ever answered, no timer of its
// runs, and an open transaction is undone. While it is frozen, answers and timers wait; then it goes on with what it held.
import type { MachineClock } from '../../src/domain/clock-and-random.ts'
import { type Database, StoreUnavailable, type Transaction } from '../../src/store/engine/database.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface CrashingProcess {
  store: Database
  /** Of the machine that it runs on. */
  clock: MachineClock
  hasCrashed(): boolean
  /** Resolves when it has. */
  crashed: Promise<void>
  crash(): void
  /** It will crash so many steps from now. */
  crashAfter(steps: number): void
  /** It will freeze so many steps from now, for so long. */
  freezeAfter(steps: number, ms: number): void
  /** It will freeze when it has next claimed something from this table or inserted a row, before it learns of it. */
  freezeAtClaim(table: string, ms: number): void
  isFrozen(): boolean
  /** A call to another process: made while this one lives, and answered if it still does. `heldMs`: how long a freeze kept it back. */
  call<T>(make: (heldMs: number) => Promise<T>): Promise<T>
  /** Whether the disk is full just now. */
  diskIsFull: boolean
  /** Asked about each call to the store. */
  storeFault(during: 'read' | 'write' | 'transaction'): StoreFault | undefined
  /** The machine takes back what the process held. */
  close(): Promise<void>
}

/** A call to the store that fails, after a silence, before or after the store has done what was asked. */
export interface StoreFault {
  error: Error
  isDone: boolean
  afterMs: number
}

/** How far the clock of a machine has been set ahead of the true time; every process on that machine follows. */
export interface Wall {
  aheadMs: number
}

class Crashed extends Error {}

const never = <T>(): Promise<T> => new Promise(() => {})

export function crashingProcess(db: Database, time: VirtualClock, wall: Wall): CrashingProcess {
  const stops = stopping(time)
  const { hasCrashed, isFrozen, step, pass, clock } = { ...stops, clock: clockOf(time, wall, stops) }

  async function call<T>(make: (heldMs: number) => Promise<T>): Promise<T> {
    const heldMs = await pass()
    if (hasCrashed()) return never()
    const [made] = await Promise.allSettled([make(heldMs)])
    await pass()
    if (hasCrashed()) return never()
    if (made.status === 'rejected') throw made.reason
    return made.value
  }

  const reach = <T>(during: 'read' | 'write', make: () => Promise<T>): Promise<T> =>
    call(async () => {
      const fault = self.storeFault(during)
      if (fault === undefined) return make()
      if (fault.afterMs > 0) await new Promise<void>((resolve) => time.after(fault.afterMs, resolve))
      if (fault.isDone) await make()
      throw fault.error
    })

  const write = <T>(make: () => Promise<T>): Promise<T> =>
    reach('write', async () => {
      if (self.diskIsFull) throw new StoreUnavailable('the disk is full')
      return make()
    })

  /** The table of which a statement claims rows, as `with due … update` does. */
  const claimedTable = (sql: string): string | undefined =>
    /^\s*(?:with due|update)\b/.test(sql) ? /update (\w+)/.exec(sql)?.[1] : undefined

  const claimed = <Row>(table: string, make: () => Promise<Row[]>): Promise<Row[]> =>
    write(async () => {
      const rows = await make()
      if (rows.length > 0) stops.hasClaimed(table)
      return rows
    })

  const inTransaction = (tx: Transaction, claims: Set<string>): Transaction => {
    const inside = <T>(make: () => Promise<T>): Promise<T> => {
      step()
      // Thrown, not left unanswered: the engine undoes what is thrown at, as it undoes what a crashed process leaves open. A frozen process
      // keeps no lock for long either: the database ends its transaction, and it learns of that when it goes on.
      if (hasCrashed()) throw new Crashed('the process crashed')
      if (isFrozen()) throw new StoreUnavailable('the transaction was idle for too long')
      const fault = self.storeFault('transaction')
      if (fault !== undefined) throw fault.error
      return make()
    }
    return {
      rows: async (sql, values) =>
        inside(async () => {
          const rows = await tx.rows<never>(sql, values)
          const table = claimedTable(sql)
          if (table !== undefined && rows.length > 0) claims.add(table)
          return rows
        }),
      change: async (sql, values) => inside(() => tx.change(sql, values)),
      many: async (statement, rows) => inside(() => tx.many(statement, rows)),
      changeEach: async (statement, rows) => inside(() => tx.changeEach(statement, rows)),
    }
  }

  const store: Database = {
    skipLocked: db.skipLocked,
    rows: (sql, values) => {
      const table = claimedTable(sql)
      const make = (): Promise<never[]> => db.rows<never>(sql, values)
      return table === undefined ? reach('read', make) : claimed(table, make)
    },
    change: (sql, values) => write(() => db.change(sql, values)),
    insert: (into, row) =>
      write(async () => {
        const isNew = await db.insert(into, row)
        if (isNew) stops.hasClaimed(into.table)
        return isNew
      }),
    find: (sql, keys) => reach('read', () => db.find(sql, keys)),
    transaction: (work) =>
      write(async () => {
        const claims = new Set<string>()
        const result = await db.transaction((tx) => work(inTransaction(tx, claims)))
        for (const table of claims) stops.hasClaimed(table)
        return result
      }),
    alone: (work) => write(() => db.alone((tx, script) => work(inTransaction(tx, new Set()), script))),
    ping: () => reach('read', () => db.ping()),
    time: () => reach('read', () => db.time()),
    close: () => (hasCrashed() ? never() : db.close()),
  }
  const self: CrashingProcess = {
    ...stops,
    store,
    clock,
    call,
    diskIsFull: false,
    storeFault: () => undefined,
    close: () => {
      stops.crash()
      return db.close()
    },
  }
  return self
}

interface Stopping extends Pick<CrashingProcess, 'hasCrashed' | 'crashed' | 'crash' | 'crashAfter'> {
  freezeAfter: CrashingProcess['freezeAfter']
  freezeAtClaim: CrashingProcess['freezeAtClaim']
  hasClaimed(table: string | undefined): void
  isFrozen(): boolean
  /** One step: the process may crash or freeze over it. */
  step(): void
  /** One step, and the wait until the process is awake; resolves with how long that was. */
  pass(): Promise<number>
  /** The timers of the process that are set, and what is to be done when it wakes. */
  timers: Set<() => void>
  late: Set<() => void>
}

function stopping(time: VirtualClock): Stopping {
  const [timers, late] = [new Set<() => void>(), new Set<() => void>()]
  let stepsLeft = Number.POSITIVE_INFINITY
  let stepsUntilFreeze = Number.POSITIVE_INFINITY
  let freezeMs = 0
  let freezesAtClaim: string | undefined
  let hasCrashed = false
  let frozen: Promise<void> | undefined
  let resolveCrashed = (): void => {}
  const crashed = new Promise<void>((resolve) => {
    resolveCrashed = resolve
  })

  function crash(): void {
    hasCrashed = true
    for (const cancel of timers) cancel()
    timers.clear()
    late.clear()
    resolveCrashed()
  }

  function freeze(): void {
    frozen = new Promise((resolve) => {
      time.after(freezeMs, () => {
        frozen = undefined
        // As in an event loop: the timers that are due run before any answer is read.
        for (const work of late) work()
        late.clear()
        resolve()
      })
    })
  }

  function step(): void {
    if (--stepsLeft <= 0) crash()
    if (--stepsUntilFreeze > 0) return
    stepsUntilFreeze = Number.POSITIVE_INFINITY
    if (!hasCrashed && frozen === undefined) freeze()
  }

  return {
    timers,
    late,
    hasCrashed: () => hasCrashed,
    crashed,
    crash,
    crashAfter: (steps) => {
      stepsLeft = steps
    },
    freezeAfter: (steps, ms) => {
      stepsUntilFreeze = steps
      freezeMs = ms
      freezesAtClaim = undefined
    },
    freezeAtClaim: (table, ms) => {
      freezesAtClaim = table
      freezeMs = ms
    },
    hasClaimed: (table) => {
      if (freezesAtClaim === undefined || table !== freezesAtClaim) return
      freezesAtClaim = undefined
      if (!hasCrashed && frozen === undefined) freeze()
    },
    isFrozen: () => frozen !== undefined,
    step,
    pass: async () => {
      step()
      const from = time.now()
      while (frozen !== undefined && !hasCrashed) await frozen
      return time.now() - from
    },
  }
}

function clockOf(time: VirtualClock, wall: Wall, { timers, late, hasCrashed, isFrozen }: Stopping): MachineClock {
  return {
    now: () => time.now() + wall.aheadMs,
    monotonic: time.monotonic,
    after(ms, work) {
      let isCancelled = false
      const run = (): void => {
        if (!isCancelled && !hasCrashed()) work()
      }
      const cancel = time.after(ms, () => {
        timers.delete(cancel)
        if (isFrozen()) late.add(run)
        else run()
      })
      timers.add(cancel)
      return () => {
        isCancelled = true
        timers.delete(cancel)
        cancel()
      }
    },
  }
}
