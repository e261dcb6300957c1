// The SQL texts that are made for SQLite, each once.
import type { Insertion } from './database.ts'
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

export const TIME = `select cast(unixepoch('subsec') * 1000 as integer) as time`

/** Whether a text changes nothing, and so need not wait for the one writer. */
export const isRead = (sql: string): boolean =>
  /^\s*select\b/i.test(sql) || (/^\s*with\b/i.test(sql) && !/\b(?:insert|update|delete|replace)\b/i.test(sql))
