// The writes that wait for SQLite's one writer, and how each is answered.
import { StoreOutcomeUnknown, type Value } from './database.ts'
import type { Prepared } from './sqlite-connections.ts'
import { isForThread, type WriteOrder, type WrittenOrder } from './thread-writes.ts'

export interface Write {
  /** Runs inside the group's transaction. Returns a promise only when it has several steps. */
  work(): unknown
  resolve(result: never): void
  reject(error: unknown): void
  isTransaction: boolean
  /** What `work` does, for the thread that may do it instead. */
  statement?: Statement
  resultOf?(answers: StatementAnswer[]): unknown
  named?: { name: string; items: number; given(): unknown }
  result?: unknown
}

/** One statement for some sets of values. It answers for each how many rows it changed, or the rows that it returned. */
export interface Statement {
  sql: string
  wants: 'changes' | 'rows'
  sets: readonly (readonly Value[])[]
}
export type StatementAnswer = number | object[]

export function answersOf(write: (sql: string) => Prepared, { sql, wants, sets }: Statement): StatementAnswer[] {
  const prepared = write(sql)
  return sets.map((values) => (wants === 'rows' ? prepared.all(values) : prepared.run(values)))
}

/** A transaction that is worth the thread. */
export const isLarge = ({ named }: Write): boolean => named !== undefined && isForThread(named.items)

/** What the thread is asked to commit for them. */
export const orderOf = (single: readonly Write[], { named }: Pick<Write, 'named'> = {}): WriteOrder => ({
  statements: mergeStatements(single.map(({ statement }) => statement as Statement)),
  ...(named && { named: { name: named.name, given: named.given() } }),
})

export function takeAnswers(
  { answers, result }: WrittenOrder,
  single: readonly Write[],
  named: Write | undefined,
): void {
  let at = 0
  for (const item of single) {
    const next = at + (item.statement?.sets.length ?? 0)
    item.result = item.resultOf?.(answers.slice(at, next))
    at = next
  }
  if (named !== undefined) named.result = result
}

/** Neighbours with the same text become one: it is sent to the thread once. */
function mergeStatements(statements: readonly Statement[]): Statement[] {
  const merged: (Statement & { sets: (readonly Value[])[] })[] = []
  for (const { sql, wants, sets } of statements) {
    const last = merged.at(-1)
    if (last?.sql === sql && last.wants === wants) last.sets.push(...sets)
    else merged.push({ sql, wants, sets: [...sets] })
  }
  return merged
}

/** Merchants wait for single writes. Transactions come after them, and few at a time. */
export const singleFirst = (group: readonly Write[]): Write[] => [
  ...group.filter(({ isTransaction }) => !isTransaction),
  ...group.filter(({ isTransaction }) => isTransaction),
]

/** What was committed is told only when it is on disk. */
export function answerOnce(reached: Promise<void>, done: readonly Write[]): void {
  reached.then(
    () => answerAll(done),
    (error: unknown) => failAll(done, outcomeUnknown('what was committed could not be brought to disk', error)),
  )
}

export function answerAll(group: readonly Write[]): void {
  for (const item of group) item.resolve(item.result as never)
}

export function failAll(group: readonly Write[], error: unknown): void {
  for (const item of group) item.reject(error)
}

export const outcomeUnknown = (sentence: string, cause: unknown): StoreOutcomeUnknown =>
  new StoreOutcomeUnknown(sentence, { cause })
