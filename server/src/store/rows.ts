// Building blocks of most statements: columns under the names that the code uses, and simple
// inserts and updates.
import type { Scope } from '../domain/people/caller.ts'
import {
  type ColumnTypes,
  fieldOf,
  manyRows,
  type Queries,
  type SqlTexts,
  type Value,
  type Values,
} from './engine/database.ts'
import { NO_VALUES } from './engine/named-values.ts'

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** The column or expression of each field of a row: one that is left out does not compile. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: string }

/**
 * `columnsOf<Member>({ personId: 'p.person_id', role: 'm.role' })` is
 * `p.person_id as "personId", m.role as "role"`.
 */
export const columnsOf = <Row>(columns: Columns<Row>): string =>
  Object.entries<string>(columns)
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', ')

/** Columns that several statements read, under the alias that a table has in one of them. */
export const ofTable = <Row>(alias: string, columns: Columns<Row>): Columns<Row> =>
  Object.fromEntries(
    Object.entries<string>(columns).map(([field, column]) => [field, `${alias}.${column}`]),
  ) as Columns<Row>

export const firstRow = async <Row>(
  db: Queries,
  sql: string,
  values?: Values,
): Promise<Row | undefined> => (await db.read<Row>(sql, values))[0]

export const firstValue = async <Field extends Value>(db: Queries, sql: string, values?: Values) =>
  Object.values((await firstRow<Record<string, Field>>(db, sql, values)) ?? {})[0]

/** The row of a write with `returning`. */
export const firstReturned = async <Row>(
  db: Queries,
  sql: string,
  values?: Values,
): Promise<Row | undefined> => (await db.write<Row>(sql, values))[0]

export const firstReturnedValue = async <Field extends Value>(
  db: Queries,
  sql: string,
  values?: Values,
): Promise<Field | undefined> =>
  Object.values((await firstReturned<Record<string, Field>>(db, sql, values)) ?? {})[0]

export const isAnyRow = async (db: Queries, sql: string, values?: Values): Promise<boolean> =>
  (await db.read(sql, values)).length > 0

/**
 * For loops that look every second: when nothing is due, a read costs a tenth of a claim, which is
 * a write.
 */
export const isAnyDue = (
  db: Queries,
  table: 'mails' | 'payment_links' | 'rechecks',
  now: number,
): Promise<boolean> =>
  isAnyRow(db, `select 1 as due from ${table} where due_at <= :now limit 1`, { now })

export const changesOne = async (tx: Queries, sql: string, values: Values): Promise<boolean> =>
  (await tx.change(sql, values)) === 1

/** For `in (…)`: a name for each item, such as `:number0, :number1`, and their values. */
export function listOf(name: string, items: readonly Value[]): { places: string; values: Values } {
  const named = items.map((item, at) => [`${name}${at}`, item] as const)
  return {
    places: named.map(([each]) => `:${each}`).join(', '),
    values: Object.fromEntries(named),
  }
}

/**
 * As long as the next power of two: a text for every length of a list of a thousand took hundreds
 * of megabytes of a connection to PostgreSQL. The filler must add nothing to the answer: in an
 * `in`, the last one again.
 */
export function padded<Item>(items: readonly Item[], filler = items.at(-1) as Item): Item[] {
  let length = items.length === 0 ? 0 : 1
  while (length < items.length) length *= 2
  return [...items, ...Array<Item>(length - items.length).fill(filler)]
}

/**
 * What a caller may see, as part of a statement, so that rows of other accounts are not found:
 * ` and account_id = :scopeAccount` for one account, empty for all. Its value is `scopeValues`.
 */
export const inScope = ({ accountId }: Scope, column = 'account_id'): string =>
  accountId === null ? '' : ` and ${column} = :scopeAccount`

export const scopeValues = ({ accountId }: Scope): Values =>
  accountId === null ? NO_VALUES : { scopeAccount: accountId }

/** Values under the names that the code uses: the field `accountId` is the column account_id. */
type Fields = Values

export async function insertRow(tx: Queries, table: string, row: Fields): Promise<void> {
  await tx.change(insertText(table, row), row)
}

/** False when a unique index prevents the row. */
export const insertNew = (tx: Queries, table: string, row: Fields): Promise<boolean> =>
  changesOne(tx, `${insertText(table, row)} on conflict do nothing`, row)

/**
 * Inserts a row, or updates the one with these keys; `unchanged` are the fields that an update
 * keeps.
 */
export async function putRow(
  tx: Queries,
  table: string,
  keys: Fields,
  values: Fields,
  unchanged: Fields = {},
) {
  const row = { ...keys, ...unchanged, ...values }
  const set = namesOf(values).map((name) => `${name} = excluded.${name}`)
  const put = `on conflict (${namesOf(keys).join(', ')}) do update set ${set.join(', ')}`
  await tx.change(`${insertText(table, row)} ${put}`, row)
}

/** For many rows; `ending` follows them. */
export function insertTexts(table: string, columns: ColumnTypes, ending = ''): SqlTexts {
  const names = Object.keys(columns)
  const into = `insert into ${table} (${names.join(', ')})`
  const values = names.map((name) => `:${fieldOf(name)}`)
  return {
    sqlite: `${into} values (${values.join(', ')}) ${ending}`,
    postgres: `${into} select ${names.join(', ')} from ${manyRows(columns)} ${ending}`,
  }
}

/**
 * How many rows with these keys it changed; `also` is a further condition, which may name the new
 * values.
 */
export const updateRows = (
  tx: Queries,
  table: string,
  keys: Fields,
  values: Fields,
  also = '',
): Promise<number> =>
  tx.change(
    `update ${table} set ${equals(values, fieldOf).join(', ')}
     where ${equals(keys, keyOf).join(' and ')}${also && ` and ${also}`}`,
    { ...values, ...keyValues(keys) },
  )

export const updateOne = async (...update: Parameters<typeof updateRows>): Promise<boolean> =>
  (await updateRows(...update)) === 1

export const deleteRows = (tx: Queries, table: string, keys: Fields): Promise<number> =>
  tx.change(`delete from ${table} where ${equals(keys, fieldOf).join(' and ')}`, keys)

const namesOf = (fields: object): string[] => Object.keys(fields).map(snakeCase)
const equals = (fields: Fields, nameOf: (column: string) => string): string[] =>
  namesOf(fields).map((column) => `${column} = :${nameOf(column)}`)

/** A column may be a key and have a new value: a key's value has a name of its own. */
const keyOf = (column: string): string => fieldOf(`key_${column}`)
const keyValues = (keys: Fields): Values =>
  Object.fromEntries(Object.entries(keys).map(([field, value]) => [keyOf(snakeCase(field)), value]))

const insertText = (table: string, row: Fields): string => {
  const fields = Object.keys(row)
  const values = fields.map((field) => `:${field}`)
  return `insert into ${table} (${namesOf(row).join(', ')}) values (${values.join(', ')})`
}
