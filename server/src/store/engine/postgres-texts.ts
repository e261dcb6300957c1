// The statements that PostgreSQL gets in place of many: inserts and look-ups that wait together become one, with an array for each column.
import type pg from 'pg'
import type { Insertion, Value } from './database.ts'
import { arraysSql, type ManyRows } from './many-rows.ts'

export function insertStatement(into: Insertion, rows: (readonly Value[])[]): pg.QueryConfig {
  const names = Object.keys(into.columns)
  const arrays = Object.values(into.columns).map((type, at) => `$${at + 1}::${type}[]`)
  const text = `insert into ${into.table} (${names.join(', ')}) select * from unnest(${arrays.join(', ')})
    on conflict do nothing returning ${into.identity} as own`
  return { name: `insert ${into.table}`, text, values: names.map((_, at) => rows.map((row) => row[at])) }
}

export function sortRows({ columns, sortedBy }: Insertion, rows: (readonly Value[])[]): (readonly Value[])[] {
  const places = sortedBy.map((column) => Object.keys(columns).indexOf(column))
  return rows.toSorted((a, b) => {
    for (const at of places) if (a[at] !== b[at]) return (a[at] as string) < (b[at] as string) ? -1 : 1
    return 0
  })
}

export function ownStatement(into: Insertion, own: string[]): pg.QueryConfig {
  return {
    text: `select ${into.identity} as own from ${into.table} where ${into.identity} = any($1::text[])`,
    values: [own],
  }
}

/** The SQL of one look-up, run for many key sets at once: each key set becomes a row, the SQL a lateral query on it. */
export function manyKeysSql(sql: string, keys: number): string {
  const names = Array.from({ length: keys }, (_, at) => `key${at + 1}`)
  const arrays = names.map((_, at) => `$${at + 1}::text[]`)
  const one = sql.replace(/\$(\d+)/g, 'lookup.key$1')
  return `select lookup.position::int, found.* from unnest(${arrays.join(', ')}) with ordinality as lookup (${names.join(', ')}, position)
    cross join lateral (${one}) as found`
}

const manyTexts = new WeakMap<ManyRows, string>()
const changedTexts = new WeakMap<ManyRows, string>()

export function manyRows(statement: ManyRows, rows: readonly (readonly Value[])[]): pg.QueryConfig {
  return onArrays(statement, rows, madeOnce(manyTexts, statement, arraysSql))
}

/** Returns the positions of the rows whose values changed something. */
export function manyRowsChanged(statement: ManyRows, rows: readonly (readonly Value[])[]): pg.QueryConfig {
  const text = madeOnce(changedTexts, statement, (each) => `${arraysSql(each)} returning given.position as position`)
  return onArrays(statement, rows, text)
}

function onArrays({ given }: ManyRows, rows: readonly (readonly Value[])[], text: string): pg.QueryConfig {
  const columns = Object.keys(given).map((_, at) => rows.map((row) => row[at]))
  return named(text, columns)
}

function madeOnce<Key extends object>(texts: WeakMap<Key, string>, key: Key, make: (key: Key) => string): string {
  let text = texts.get(key)
  if (text === undefined) {
    text = make(key)
    texts.set(key, text)
  }
  return text
}

/** A named statement is planned once per connection, not each time: it halved the time of recording outcomes. */
const names = new Map<string, string>()

export function named(text: string, values: unknown[]): pg.QueryConfig {
  let name = names.get(text)
  if (name === undefined) {
    name = `karba ${names.size}`
    names.set(text, name)
  }
  return { name, text, values }
}
