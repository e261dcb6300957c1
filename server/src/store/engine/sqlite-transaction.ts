// The steps of a transaction in SQLite, each done before the next is asked for; and several transactions in one commit.
import type { Transaction, Value } from './database.ts'
import type { ManyRows } from './many-rows.ts'
import type { Prepared } from './sqlite-connections.ts'
import { oneRowText } from './sqlite-texts.ts'

/** `step` prepares a statement that is run so many times. */
export const transactionOn = (step: (sql: string, times?: number) => Prepared): Transaction => ({
  rows: async <Row>(sql: string, values: readonly Value[] = []) => step(sql).all(values) as Row[],
  change: async (sql, values = []) => step(sql).run(values),
  many: async <Row>(statement: ManyRows, rows: readonly (readonly Value[])[]) => {
    const one = step(oneRowText(statement), rows.length)
    return rows.flatMap((row) => one.all(row) as Row[])
  },
  changeEach: async (statement, rows) => {
    const one = step(oneRowText(statement), rows.length)
    return rows.map((row) => one.run(row) > 0)
  },
})

/** A transaction beside others in one commit: when it fails, the others stay. */
export const savepointOn =
  (write: (sql: string) => Prepared, isInTransaction: () => boolean) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    write('savepoint one').run()
    try {
      const result = await work()
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
