// The tables of fields on the wire: from a row the value in a body. Their schemas are in
// field-schemas.ts.
import { dayText } from '../domain/countries/business-day.ts'
import type { Field, Fields } from '../domain/fields.ts'
import type { BodyOf } from './field-schemas.ts'
import { isoTime } from './json.ts'

/** The body, in the order of the table. A field without a value is left out of its JSON. */
export function bodyOf<Table extends Fields<never>>(
  table: Table,
  subject: SubjectOf<Table>,
): BodyOf<Table> {
  const body: Record<string, unknown> = {}
  for (const field of Object.values<Field<SubjectOf<Table>>>(table))
    body[field.wire] = valueOn(field, subject)
  return body as BodyOf<Table>
}

/** What the values of a table are read from. */
export type SubjectOf<Table extends Fields<never>> = Table[keyof Table]['value'] extends (
  subject: infer Subject,
) => unknown
  ? Subject
  : never

function valueOn<Subject>(field: Field<Subject>, subject: Subject): unknown {
  const value = field.value(subject) ?? undefined
  if (value === undefined) return undefined
  switch (field.is) {
    case 'time':
      return isoTime(value as number)
    case 'day':
      return dayText(value as number)
    case 'texts':
      return JSON.parse(value as string)
    case 'group':
      return bodyOf(field.fields, value as never)
    default:
      return value
  }
}
