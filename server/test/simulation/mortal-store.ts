// A store whose process can die at any step. Before and after each statement is a step; once dead, nothing that was asked is ever
// answered, and an open transaction is undone. What had been committed is there when the file is opened again.
import { type Database, type Queries, StoreUnavailable, type StoreWatch } from '../../src/store/engine/database.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import type { WorldClock } from './world-clock.ts'

export interface Life {
  store: Database
  isOver(): boolean
  /** Resolves when it is. */
  over: Promise<void>
  /** A moment at which the process may die. */
  step(): void
  /** It will die so many steps from now. */
  endAfter(steps: number): void
  end(): void
  /** The machine lets go of what the dead process held. */
  bury(): Promise<void>
  /** Whether the disk is full just now. */
  diskIsFull: boolean
}

class Died extends Error {}

const UNWATCHED: StoreWatch = { committed: () => {} }
const never = <T>(): Promise<T> => new Promise(() => {})

export function beginLife(file: string, world: WorldClock): Life {
  const db = openSqlite(file, UNWATCHED)
  let stepsLeft = Number.POSITIVE_INFINITY
  let isOver = false
  let tellOver = (): void => {}
  const over = new Promise<void>((resolve) => {
    tellOver = resolve
  })

  function end(): void {
    isOver = true
    tellOver()
  }

  function step(): void {
    if (--stepsLeft <= 0) end()
  }

  async function asked<T>(writes: boolean, ask: () => Promise<T>): Promise<T> {
    step()
    if (isOver) return never()
    if (writes && life.diskIsFull) throw new StoreUnavailable('the disk is full')
    const [answer] = await Promise.allSettled([world.busy(ask())])
    step()
    if (isOver) return never()
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  }

  const mortalTx = (tx: Queries): Queries => {
    const inside = <T>(ask: () => Promise<T>): Promise<T> => {
      step()
      // Thrown, not held back: the engine undoes what is thrown at, as it undoes what a dead process leaves open.
      if (isOver) throw new Died('the process died')
      return ask()
    }
    return {
      rows: async (sql, values) => inside(() => tx.rows(sql, values)),
      change: async (sql, values) => inside(() => tx.change(sql, values)),
    }
  }

  const store: Database = {
    rows: (sql, values) => asked(false, () => db.rows(sql, values)),
    change: (sql, values) => asked(true, () => db.change(sql, values)),
    insert: (into, row) => asked(true, () => db.insert(into, row)),
    find: (sql, keys) => asked(false, () => db.find(sql, keys)),
    claim: (sql, values) => asked(true, () => db.claim(sql, values)),
    transaction: (work) => asked(true, () => db.transaction((tx) => work(mortalTx(tx)))),
    alone: (work) => asked(true, () => db.alone((tx, script) => work(mortalTx(tx), script))),
    ping: () => asked(false, () => db.ping()),
    close: () => (isOver ? never() : db.close()),
  }
  const life: Life = {
    store,
    isOver: () => isOver,
    over,
    step,
    endAfter: (steps) => {
      stepsLeft = steps
    },
    end,
    bury: () => db.close(),
    diskIsFull: false,
  }
  return life
}
