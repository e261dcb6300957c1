// The writes that wait for SQLite's one writer, and how each is answered.
import { StoreOutcomeUnknown, type Value } from './database.ts'

export interface Write {
  /** Runs inside the group's transaction. Returns a promise only when it has several steps. */
  work(): unknown
  resolve(result: never): void
  reject(error: unknown): void
  isTransaction: boolean
  /** Of an insert: what `work` does, for the thread that may do it instead. */
  insert: { sql: string; row: readonly Value[] } | undefined
  result?: unknown
}

/** Merchants wait for single writes. Transactions come after them, and few at a time. */
export const singleFirst = (group: readonly Write[]): Write[] => [
  ...group.filter(({ isTransaction }) => !isTransaction),
  ...group.filter(({ isTransaction }) => isTransaction),
]

/** What was committed is told only when it is on disk. */
export function answerOnce(reached: Promise<void>, done: readonly Write[]): void {
  reached.then(
    () => {
      for (const item of done) item.resolve(item.result as never)
    },
    (error: unknown) => failAll(done, outcomeUnknown('what was committed could not be brought to disk', error)),
  )
}

export function failAll(group: readonly Write[], error: unknown): void {
  for (const item of group) item.reject(error)
}

export const outcomeUnknown = (sentence: string, cause: unknown): StoreOutcomeUnknown =>
  new StoreOutcomeUnknown(sentence, { cause })
