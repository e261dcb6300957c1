// Building blocks of most statements: a list of columns under the names that the code uses, the first row, whether one
// row changed, an insert of one row.
import type { Queries, Value } from './engine/database.ts'

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** The fields that a text names: the words, without the alias of a table before their dot. */
type Words<Text extends string> = Text extends `${infer First}${' ' | '\n'}${infer Rest}`
  ? Words<First> | Words<Rest>
  : Text extends `${string}.${infer Field}`
    ? Field
    : Exclude<Text, ''>

/** `never` where a row has a field that is neither in the text nor in `more`, or the text a word that is no field. */
type EveryField<Row, Text extends string, More> = [
  Exclude<keyof Row, Words<Text> | keyof More> | Exclude<Words<Text>, keyof Row>,
] extends [never]
  ? Text
  : never

/**
 * `columnsOf<Member>('p')('personId m.role')` is `p.person_id as "personId", m.role as "role"`: each field by its
 * column, of the given table or of its own. Columns with another name, and expressions, are in `more`. A row type
 * without its column does not compile.
 */
export const columnsOf =
  <Row>(table = '') =>
  <const Text extends string, const More extends Partial<Record<keyof Row, string>> = Record<never, never>>(
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

export const firstRow = async <Row>(db: Queries, sql: string, values: readonly Value[]): Promise<Row | undefined> =>
  (await db.rows<Row>(sql, values))[0]

export const changesOne = async (tx: Queries, sql: string, values: readonly Value[]): Promise<boolean> =>
  (await tx.change(sql, values)) === 1

/** The field `accountId` is the column account_id. */
export async function insertRow(tx: Queries, table: string, row: Readonly<Record<string, Value>>): Promise<void> {
  await tx.change(insertText(table, row), Object.values(row))
}

/** False when a unique index prevents the row. */
export const insertNew = (tx: Queries, table: string, row: Readonly<Record<string, Value>>): Promise<boolean> =>
  changesOne(tx, `${insertText(table, row)} on conflict do nothing`, Object.values(row))

function insertText(table: string, row: object): string {
  const names = Object.keys(row)
  const places = names.map((_, at) => `$${at + 1}`)
  return `insert into ${table} (${names.map(snakeCase).join(', ')}) values (${places.join(', ')})`
}
