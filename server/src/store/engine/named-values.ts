// Statements name their values: `:amountXof` in the text is the field amountXof of the values. A
// text is read once, then the values are taken from their fields in the order of its places.
import { getOrMake } from '../../domain/limits/get-or-make.ts'

export type Value = string | number | null

/** The values of one statement, by the names in its text. */
export type Values = Readonly<Record<string, Value>>

/** A text whose names are numbered places, as the engine wants them. */
export interface NumberedText {
  sql: string
  /** The name at each place. */
  names: readonly string[]
}

/** A name has one colon before it; two are a cast of PostgreSQL. */
const NAME = /(?<![:\w]):([a-z]\w*)/gi

/** A name that appears twice has one place. */
export function numberNames(text: string, sign: '$' | '?'): NumberedText {
  const places = new Map<string, number>()
  const sql = text.replace(NAME, (_, name: string) => {
    const place = getOrMake(places, name, () => places.size + 1)
    return `${sign}${place}`
  })
  return { sql, names: [...places.keys()] }
}

export const NO_VALUES: Values = {}

/** Throws where a value is missing or the text has no place for it: both are bugs. */
export function valuesInOrder({ sql, names }: NumberedText, values: Values): Value[] {
  const ordered = new Array<Value>(names.length)
  for (let at = 0; at < names.length; at++) ordered[at] = values[names[at] as string] as Value
  if (Object.keys(values).length !== names.length || ordered.includes(undefined as never))
    throw new TypeError(`${faultOf(names, values)}: ${sql}`)
  return ordered
}

function faultOf(names: readonly string[], values: Values): string {
  const missing = names.filter((name) => values[name] === undefined)
  const extra = Object.keys(values).filter((name) => !names.includes(name))
  return `this statement lacks the values [${missing.join(', ')}] and has no place for [${extra.join(', ')}]`
}
