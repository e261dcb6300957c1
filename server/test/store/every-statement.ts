// Every statement that src/store can send, without a list by hand: calls each exported function
// with a store that only records, and with arguments that stand for anything. Conditions that a
// function adds for an argument are tried one by one. The statements are explained and never run.
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Database, SqlTexts, Values } from '../../src/store/engine/database.ts'
import { NO_VALUES, numberNames } from '../../src/store/engine/named-values.ts'
import { within } from '../kit/waiting.ts'

const STORE = fileURLToPath(new URL('../../src/store/', import.meta.url))

/** A file of a noun and one of its exported functions: `webhooks/events.ts eventsOfPayment`. */
export type StoreFunction = string

export interface StoreStatement {
  of: StoreFunction
  texts: SqlTexts
  /** Its values are not those that its texts name. */
  isMisnamed: boolean
  /** It is sent as a read and writes, or the other way round. */
  isMissent: boolean
}

/** Calls that need real names: of a table, a column, an order. */
export type CallByHand = (db: Database) => unknown

/**
 * What an argument and its fields are, by their names; a field without an entry is anything too.
 */
type Argument = (name: string) => 'anything' | undefined | null

const MOST_ARGUMENTS = 6

/** Callable, iterable, equal to 1 in a text, and with every field. */
function anything(given: Argument, seen: Set<string>): unknown {
  const any: unknown = new Proxy(() => {}, {
    get(_target, name) {
      if (name === Symbol.toPrimitive) return () => 1
      if (name === Symbol.iterator) return () => [any].values()
      if (typeof name === 'symbol' || name === 'then') return undefined
      if (name === 'length') return 1
      if (name in Array.prototype) {
        const method = ([any] as unknown as Record<string, (...values: unknown[]) => unknown>)[name]
        return (...values: unknown[]) => method?.apply([any], values)
      }
      seen.add(name)
      const value = given(name)
      return value === 'anything' ? any : value
    },
    has: () => true,
    apply: () => any,
  })
  return any
}

type Kind = 'read' | 'write'
type Note = (kind: Kind, texts: SqlTexts, values: Values) => void

/** By words that no read has: no column of ours is named so. */
const kindOf = (sql: string): Kind =>
  /\b(?:insert into|update \w+ set|delete from)\b/.test(sql.replace(/\s+/g, ' ')) ? 'write' : 'read'

/** Whether the values are those that both texts name; their types are anything's. */
function areNamed({ sqlite, postgres }: SqlTexts, values: Values): boolean {
  // Anything stands for all values.
  if (typeof values === 'function') return true
  const given = Object.keys(values).sort().join()
  return [sqlite, postgres].every((sql) => numberNames(sql, '$').names.toSorted().join() === given)
}

/**
 * Answers each statement with one row of anything, so that a function goes on to its next
 * statement.
 */
function recordingStore(note: Note, row: unknown): Database {
  const send = (kind: Kind, sql: string | SqlTexts, values: Values = NO_VALUES): void =>
    note(
      kind,
      typeof sql === 'string' ? { sqlite: sql.replace(SKIP_LOCKED, ''), postgres: sql } : sql,
      values,
    )
  const queries = {
    read: async (sql: string | SqlTexts, values?: Values) => {
      send('read', sql, values)
      return [row]
    },
    write: async (sql: string, values?: Values) => {
      send('write', sql, values)
      return [row]
    },
    change: async (sql: string, values?: Values) => {
      send('write', sql, values)
      return 1
    },
    many: async (texts: SqlTexts, rows: readonly Values[]) => {
      if (rows.length > 0) send(kindOf(texts.sqlite), texts, rows[0])
      return [row]
    },
    changeEach: async (texts: SqlTexts, rows: readonly Values[]) => {
      if (rows.length > 0) send('write', texts, rows[0])
      return [true]
    },
  }
  const db = {
    ...queries,
    insert: async ({ table }: { table: string }) => {
      send('write', `insert into ${table} default values`)
      return true
    },
    find: async (texts: SqlTexts, keys: Values) => {
      send('read', texts, keys)
      return row
    },
    skipLocked: SKIP_LOCKED,
    transaction: (work: (tx: unknown) => unknown) => work(queries),
    alone: (work: (tx: unknown, script: () => Promise<void>) => unknown) =>
      work(queries, async () => {}),
    ping: async () => {},
    time: async () => 1,
    close: async () => {},
  }
  return db as unknown as Database
}

const SKIP_LOCKED = 'for update skip locked'

/** A generator is read to its third item: it may have no end. */
async function finish(returned: unknown): Promise<void> {
  const generator = returned as Partial<AsyncGenerator> | undefined
  if (
    typeof returned !== 'object' ||
    returned === null ||
    generator?.[Symbol.asyncIterator] === undefined
  ) {
    await within('a call', Promise.resolve(returned), 1_000)
    return
  }
  let items = 0
  for await (const _ of returned as AsyncGenerator) if (++items === 3) break
}

/** The functions of src/store, and the different statements that they sent. */
export async function everyStatement(
  byHand: Readonly<Record<StoreFunction, readonly CallByHand[]>>,
) {
  const statements = new Map<string, StoreStatement>()
  const functions: StoreFunction[] = []
  const files = globSync('*/*.ts', {
    cwd: STORE,
    exclude: (name) => name.startsWith('engine') || name.endsWith('.test.ts'),
  })
  for (const file of files.sort()) {
    const exported = Object.entries((await import(`${STORE}${file}`)) as Record<string, unknown>)
    for (const [name, value] of exported) {
      if (typeof value !== 'function') continue
      const of = `${file} ${name}`
      functions.push(of)
      const note: Note = (kind, texts, values) => {
        const isMisnamed = !areNamed(texts, values)
        const isMissent = [texts.sqlite, texts.postgres].some((sql) => kindOf(sql) !== kind)
        statements.set(`${of} ${texts.sqlite}`, { of, texts, isMisnamed, isMissent })
      }
      await callWithAnything(value as (...values: unknown[]) => unknown, note)
      for (const call of byHand[of] ?? [])
        await call(
          recordingStore(
            note,
            anything(() => 'anything', new Set()),
          ),
        )
    }
  }
  return { functions, statements: [...statements.values()] }
}

/** With every field, then without each one, with it alone, and with it as null. */
async function callWithAnything(call: (...values: unknown[]) => unknown, note: Note) {
  const seen = new Set<string>()
  const tryWith = async (given: Argument, length: number): Promise<void> => {
    const values = Array.from({ length }, () => anything(given, seen))
    const store = recordingStore(
      note,
      anything(() => 'anything', new Set()),
    )
    try {
      await finish(call(store, ...values))
    } catch {
      // Anything is not what it expected; what it sent before that counts.
    }
  }
  for (let length = 0; length <= MOST_ARGUMENTS; length++) await tryWith(() => 'anything', length)
  for (const name of [...seen]) {
    await tryWith((each) => (each === name ? undefined : 'anything'), MOST_ARGUMENTS)
    await tryWith((each) => (each === name ? null : 'anything'), MOST_ARGUMENTS)
    await tryWith((each) => (each === name ? 'anything' : undefined), MOST_ARGUMENTS)
    await tryWith(
      (each) => (each === name || each === 'accountId' ? 'anything' : undefined),
      MOST_ARGUMENTS,
    )
  }
}
