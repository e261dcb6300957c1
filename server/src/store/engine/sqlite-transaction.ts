// The steps of a transaction in SQLite, each done before the next is asked for; and several transactions in one commit.
import { StoreUnavailable, type Transaction, type Value } from './database.ts'
import type { ManyRows } from './many-rows.ts'
import type { Prepared } from './sqlite-connections.ts'
import { oneRowText } from './sqlite-texts.ts'

/** `step` prepares a statement that is run so many times. */
export function transactionOn(
  step: (sql: string, times?: number) => Prepared,
  isInTransaction: () => boolean,
): Transaction {
  function next(sql: string, times?: number): Prepared {
    requireTransaction(isInTransaction)
    return step(sql, times)
  }
  return {
    rows: async <Row>(sql: string, values: readonly Value[] = []) => next(sql).all(values) as Row[],
    change: async (sql, values = []) => next(sql).run(values),
    many: async <Row>(statement: ManyRows, rows: readonly (readonly Value[])[]) => {
      const one = next(oneRowText(statement), rows.length)
      return rows.flatMap((row) => one.all(row) as Row[])
    },
    changeEach: async (statement, rows) => {
      const one = next(oneRowText(statement), rows.length)
      return rows.map((row) => one.run(row) > 0)
    },
  }
}

/**
 * A full disk, a failed read or too little memory end the whole transaction, not only the statement. Steps that were begun together would go on
 * without one, and each would be committed by itself.
 */
function requireTransaction(isInTransaction: () => boolean): void {
  if (!isInTransaction()) throw new StoreUnavailable('SQLite has ended the transaction')
}

/** A transaction beside others in one commit: when it fails, the others stay. */
export const savepointOn =
  (write: (sql: string) => Prepared, isInTransaction: () => boolean) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    write('savepoint one').run()
    try {
      const result = await work()
      requireTransaction(isInTransaction)
      write('release one').run()
      return result
    } catch (error) {
      // Some faults have ended the whole transaction.
      if (isInTransaction()) {
        write('rollback to one').run()
        write('release one').run()
      }
      throw error
    }
  }
