// The fields of a thing as the dashboard gets them, by a table of rows such as
// domain/payments/payment-fields.ts: under the names of the rows, times in milliseconds, days as
// texts, null where there is no value.
import { dayText } from '../domain/countries/business-day.ts'
import type { Field, Fields } from '../domain/fields.ts'
import type { SubjectOf } from '../wire/fields.ts'

/** In every row of a list, or only on the page of one. */
export type Place = 'row' | 'page'

type Read<Each> = Each extends { value(subject: never): infer Value } ? Value : never

type OrNull<Value> = undefined extends Value ? Exclude<Value, undefined> | null : Value

type Shown<Each> = Each extends { is: 'texts' }
  ? Record<string, string> | null
  : Each extends { is: 'day' }
    ? string | (null extends Read<Each> ? null : never)
    : Each extends { is: 'group'; fields: infer Inner }
      ? { [Name in keyof Inner]: OrNull<Read<Inner[Name]>> } | null
      : OrNull<Read<Each>>

export type ShownFields<Table, In extends Place> = {
  [Name in keyof Table as Table[Name] extends { dashboard: In } ? Name : never]: Shown<Table[Name]>
}

export function shownFields<Table extends Fields<never>, In extends Place>(
  table: Table,
  place: In,
  subject: SubjectOf<Table>,
): ShownFields<Table, In> {
  const placed = Object.entries<Field<SubjectOf<Table>>>(table).filter(
    ([, { dashboard }]) => dashboard === place,
  )
  return Object.fromEntries(
    placed.map(([name, field]) => [name, shownValue(field, subject)]),
  ) as ShownFields<Table, In>
}

function shownValue<Subject>(field: Field<Subject>, subject: Subject): unknown {
  const value = field.value(subject) ?? null
  if (value === null) return null
  if (field.is === 'texts') return JSON.parse(value as string)
  if (field.is === 'day') return dayText(value as number)
  if (field.is !== 'group') return value
  return Object.fromEntries(
    Object.entries(field.fields).map(([name, inner]) => [name, shownValue(inner, value as never)]),
  )
}
