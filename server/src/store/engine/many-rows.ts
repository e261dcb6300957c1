// One statement for many rows of values. Its text reads them from `given`, as if that were a table. PostgreSQL gets all rows as arrays, in one
// statement. SQLite runs the statement once for each row, with the values as parameters: without round trips that is the fastest way.

export interface ManyRows {
  /** The columns of `given`. */
  given: Readonly<Record<string, 'text' | 'bigint'>>
  /** Names `given` once as a table: by `from given`, or after others by `, given`. */
  sql: string
}

const AS_TABLE = /(\bfrom|,) given\b(?!\.)/

/** For arrays of values, one for each column. `given.position` counts the rows from 1. */
export function arraysSql({ given, sql }: ManyRows): string {
  const arrays = Object.values(given).map((type, at) => `$${at + 1}::${type}[]`)
  const names = [...Object.keys(given), 'position']
  const table = `unnest(${arrays.join(', ')}) with ordinality as given (${names.join(', ')})`
  return sql.replace(AS_TABLE, (_, before: string) => `${before} ${table}`)
}

/** An insert of what is given and nothing else. `where true` only keeps SQLite from reading `on conflict` as a part of the select. */
const INSERT_GIVEN = /^(insert into \w+ \([^)]*\))\s+select (.*?)\s+from given\b(?: where true)?/s

/**
 * For the values of one row. Inserts get them by `values`: for a select that reads from the table that it inserts into, SQLite makes a
 * temporary table, which doubled the cost of a line of a story.
 */
export function oneRowSql({ given, sql }: ManyRows): string {
  const names = Object.keys(given)
  const text = sql.replace(INSERT_GIVEN, '$1 values ($2)')
  return text.replace(AS_TABLE, '').replace(/\bgiven\.(\w+)/g, (_, name: string) => `$${names.indexOf(name) + 1}`)
}
