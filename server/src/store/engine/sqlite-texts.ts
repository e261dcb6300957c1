// The SQL texts that are made for SQLite, each once.
import type { Insertion, RowsClaim } from './database.ts'
import { type ManyRows, oneRowSql } from './many-rows.ts'

const insertTexts = new WeakMap<Insertion, string>()

export function insertSql(into: Insertion): string {
  let sql = insertTexts.get(into)
  if (sql === undefined) {
    const names = Object.keys(into.columns)
    const places = names.map((_, at) => `$${at + 1}`)
    sql = `insert into ${into.table} (${names.join(', ')}) values (${places.join(', ')}) on conflict do nothing`
    insertTexts.set(into, sql)
  }
  return sql
}

const oneRowTexts = new WeakMap<ManyRows, string>()

export function oneRowText(statement: ManyRows): string {
  let sql = oneRowTexts.get(statement)
  if (sql === undefined) {
    sql = oneRowSql(statement)
    oneRowTexts.set(statement, sql)
  }
  return sql
}

/**
 * The claim gives back keys alone, and the rows are read by them on the event loop, which has the time while the one writer works: `returning`
 * all columns was half of what a claim cost it.
 */
export const claimTexts = ({ sql, table, key, columns }: RowsClaim): { keys: string; row: string } => ({
  keys: `${sql} returning ${key.join(', ')}`,
  row: `select ${columns} from ${table} where ${key.map((name, at) => `${name} = $${at + 1}`).join(' and ')}`,
})

export const TIME = `select cast(unixepoch('subsec') * 1000 as integer) as time`

/** Whether a text changes nothing, and so need not wait for the one writer. */
export const isRead = (sql: string): boolean =>
  /^\s*select\b/i.test(sql) || (/^\s*with\b/i.test(sql) && !/\b(?:insert|update|delete|replace)\b/i.test(sql))
