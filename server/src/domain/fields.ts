// How a field that merchants see is described: one row of a table such as payment-fields.ts. Bodies
// of the API and of events, their OpenAPI schemas, the columns of the CSV export and the
// dashboard's bodies are loops over such tables. Pure.
import type { Language } from './texts/language.ts'

interface Description {
  /** Its name in bodies of the API. */
  wire: string
  /** For the API reference and the SDK. */
  about: string
  /** The original contract does not have it. */
  isAddition?: true
  /** Some have no value: the API then leaves the field out, and the dashboard gets null. */
  isOptional?: true
  /** In the dashboard: in every row of a list, or only on the page of one. */
  dashboard?: 'row' | 'page'
  /** Its name on the dashboard's page, and the heading of its column in the CSV export. */
  words?: Readonly<Record<Language, string>>
  /** The CSV export has a column of it. */
  isInCsv?: true
  /** What is done with it when a payer's personal data are erased. */
  personal?: 'masked' | 'removed'
}

interface Holding<Subject, Value> extends Description {
  value(subject: Subject): Value | null | undefined
}

/** `most`: of characters, where a merchant gives the text. */
interface TextField<Subject> extends Holding<Subject, string> {
  is: 'text'
  most?: number
}

/** A name from a closed list. */
interface ChoiceField<Subject> extends Holding<Subject, string> {
  is: 'choice'
  of: readonly string[]
}

/** Whole francs; `least` where the sign is always the same. */
interface FrancsField<Subject> extends Holding<Subject, number> {
  is: 'francs'
  least?: 0 | 1
}

/** A position in a list that only grows, from 1. */
interface CountField<Subject> extends Holding<Subject, number> {
  is: 'count'
}

/** Days since 1970; ISO 8601 in the API. */
interface DayField<Subject> extends Holding<Subject, number> {
  is: 'day'
}

/** Milliseconds since 1970; ISO 8601 in the API. */
interface TimeField<Subject> extends Holding<Subject, number> {
  is: 'time'
}

/** Texts under names of the merchant's: an object in the API, kept as its JSON. */
interface TextsField<Subject> extends Holding<Subject, string> {
  is: 'texts'
}

/** Fields together in an object of their own; no object where `value` is null. */
interface GroupField<Subject> extends Holding<Subject, object> {
  is: 'group'
  fields: Fields<never>
}

export type Field<Subject> =
  | TextField<Subject>
  | ChoiceField<Subject>
  | FrancsField<Subject>
  | CountField<Subject>
  | DayField<Subject>
  | TimeField<Subject>
  | TextsField<Subject>
  | GroupField<Subject>

/** In the order of the bodies. */
export type Fields<Subject> = Readonly<Record<string, Field<Subject>>>
