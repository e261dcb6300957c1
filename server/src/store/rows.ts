// Building blocks of most statements: columns under the names that the code uses, and simple
// inserts and updates.
import type { Scope } from '../domain/caller.ts'
import type { Given, Queries, SqlTexts, Value } from './engine/database.ts'

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** The fields that a text names: the words, without the alias of a table before their dot. */
type Words<Text extends string> = Text extends `${infer First}${' ' | '\n'}${infer Rest}`
  ? Words<First> | Words<Rest>
  : Text extends `${string}.${infer Field}`
    ? Field
    : Exclude<Text, ''>

/**
 * `never` where a row has a field that is neither in the text nor in `more`, or the text a word
 * that is no field.
 */
type EveryField<Row, Text extends string, More> = [
  Exclude<keyof Row, Words<Text> | keyof More> | Exclude<Words<Text>, keyof Row>,
] extends [never]
  ? Text
  : never

/**
 * `columnsOf<Member>('p')('personId m.role')` is `p.person_id as "personId", m.role as "role"`:
 * each field by its column, of the given table or of its own. Columns with another name, and
 * expressions, are in `more`. A row type without its column does not compile.
 */
export const columnsOf =
  <Row>(table = '') =>
  <
    const Text extends string,
    const More extends Partial<Record<keyof Row, string>> = Record<never, never>,
  >(
    fields: Text & EveryField<Row, Text, More>,
    more?: More,
  ): string => {
    const plain = (fields.match(/\S+/g) ?? []).map((word) => {
      const [field = '', of = table] = word.split('.').reverse()
      return [field, `${of && `${of}.`}${snakeCase(field)}`]
    })
    const all = [...plain, ...Object.entries<string>((more ?? {}) as Record<string, string>)]
    return all.map(([field, column]) => `${column} as "${field}"`).join(', ')
  }

export const firstRow = async <Row>(
  db: Queries,
  sql: string,
  values?: Given,
): Promise<Row | undefined> => (await db.rows<Row>(sql, values))[0]

export const firstValue = async <Field extends Value>(db: Queries, sql: string, values?: Given) =>
  Object.values((await firstRow<Record<string, Field>>(db, sql, values)) ?? {})[0]

export const isAnyRow = async (db: Queries, sql: string, values?: Given): Promise<boolean> =>
  (await db.rows(sql, values)).length > 0

/**
 * For loops that look every second: when nothing is due, a read costs a tenth of a claim, which is
 * a write.
 */
export const isAnyDue = (
  db: Queries,
  table: 'mails' | 'payment_links' | 'rechecks',
  now: number,
): Promise<boolean> =>
  isAnyRow(db, `select 1 as due from ${table} where due_at <= $1 limit 1`, [now])

export const changesOne = async (tx: Queries, sql: string, values: Given): Promise<boolean> =>
  (await tx.change(sql, values)) === 1

/** `$1, $2, $3`: a place for each item. */
export const placesOf = (items: readonly unknown[], first = 1): string =>
  items.map((_, at) => `$${first + at}`).join(', ')

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
 * What a caller may see, as part of a statement, so that rows of other accounts are not found: `
 * and account_id = $3` for one account, empty for all. `place` is that of the parameter of
 * `scopeValues`.
 */
export const inScope = ({ accountId }: Scope, place: number, column = 'account_id'): string =>
  accountId === null ? '' : ` and ${column} = $${place}`

export const scopeValues = ({ accountId }: Scope): string[] =>
  accountId === null ? [] : [accountId]

/** Values under the names that the code uses: the field `accountId` is the column account_id. */
type Fields = Readonly<Record<string, Value>>

export async function insertRow(tx: Queries, table: string, row: Fields): Promise<void> {
  await tx.change(insertText(table, row), Object.values(row))
}

/** False when a unique index prevents the row. */
export const insertNew = (tx: Queries, table: string, row: Fields): Promise<boolean> =>
  changesOne(tx, `${insertText(table, row)} on conflict do nothing`, Object.values(row))

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
  await tx.change(`${insertText(table, row)} ${put}`, Object.values(row))
}

/**
 * For many rows: `columns` are written as in a table, such as `account_id text, entry bigint`;
 * `ending` follows them.
 */
export function insertTexts(table: string, columns: string, ending = ''): SqlTexts {
  const typed = columns.split(',').map((column) => column.trim().split(' '))
  const into = `insert into ${table} (${typed.map(([name]) => name).join(', ')})`
  const arrays = typed.map(([, type], at) => `$${at + 1}::${type}[]`)
  return {
    sqlite: `${into} values (${placesOf(typed)}) ${ending}`,
    postgres: `${into} select * from unnest(${arrays.join(', ')}) ${ending}`,
  }
}

/**
 * How many rows with these keys it changed; `also` is a further condition, in which $1 is the first
 * value.
 */
export const updateRows = (
  tx: Queries,
  table: string,
  keys: Fields,
  values: Fields,
  also = '',
): Promise<number> =>
  tx.change(
    `update ${table} set ${equals(values).join(', ')}
     where ${equals(keys, namesOf(values).length).join(' and ')}${also && ` and ${also}`}`,
    [...Object.values(values), ...Object.values(keys)],
  )

export const updateOne = async (...update: Parameters<typeof updateRows>): Promise<boolean> =>
  (await updateRows(...update)) === 1

export const deleteRows = (tx: Queries, table: string, keys: Fields): Promise<number> =>
  tx.change(`delete from ${table} where ${equals(keys).join(' and ')}`, Object.values(keys))

const namesOf = (fields: object): string[] => Object.keys(fields).map(snakeCase)
const equals = (fields: Fields, before = 0): string[] =>
  namesOf(fields).map((name, at) => `${name} = $${before + at + 1}`)

const insertText = (table: string, row: Fields): string =>
  `insert into ${table} (${namesOf(row).join(', ')}) values (${placesOf(Object.keys(row))})`
