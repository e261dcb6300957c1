// The fields of a payment as the dashboard gets them, by the tables of
// domain/payments/payment-fields.ts: under the names of the rows, times in milliseconds, null where
// there is no value.
import type { PricedPayment } from '../actions/payments/payment-money.ts'
import type { Field } from '../domain/fields.ts'
import {
  KEPT_PAYMENT_FIELDS,
  LISTED_PAYMENT_FIELDS,
  PAYMENT_FIELDS,
} from '../domain/payments/payment-fields.ts'

const TABLE = { ...PAYMENT_FIELDS, ...LISTED_PAYMENT_FIELDS, ...KEPT_PAYMENT_FIELDS }

type Table = typeof TABLE
type Place = 'row' | 'page'

type Read<Each> = Each extends { value(subject: never): infer Value } ? Value : never

type OrNull<Value> = undefined extends Value ? Exclude<Value, undefined> | null : Value

type Shown<Each> = Each extends { is: 'texts' }
  ? Record<string, string> | null
  : Each extends { is: 'group'; fields: infer Inner }
    ? { [Name in keyof Inner]: OrNull<Read<Inner[Name]>> } | null
    : OrNull<Read<Each>>

/** The fields of every row of the list, or those that only the page of a payment adds. */
export type ShownPayment<In extends Place> = {
  [Name in keyof Table as Table[Name] extends { dashboard: In } ? Name : never]: Shown<Table[Name]>
}

/** These have places of their own on the page, and forms that are not their plain text. */
const PLACED = ['msisdn', 'payerName', 'linkReference', 'linkTitle'] as const

type Detail = Exclude<
  {
    [Name in keyof Table]: Table[Name] extends { is: 'text'; words: object } ? Name : never
  }[keyof Table],
  (typeof PLACED)[number]
>

/** The texts that the page of a payment lists under their names, in this order. */
export const PAYMENT_DETAILS = (Object.keys(TABLE) as Detail[]).flatMap((name) => {
  const { is, words }: Field<never> = TABLE[name]
  const isDetail = is === 'text' && !(PLACED as readonly string[]).includes(name)
  return isDetail && words !== undefined ? [{ name, words }] : []
})

export function shownPayment<In extends Place>(
  place: In,
  payment: PricedPayment,
): ShownPayment<In> {
  const placed = Object.entries<Field<PricedPayment>>(TABLE).filter(
    ([, { dashboard }]) => dashboard === place,
  )
  return Object.fromEntries(
    placed.map(([name, field]) => [name, shownValue(field, payment)]),
  ) as ShownPayment<In>
}

function shownValue<Subject>(field: Field<Subject>, subject: Subject): unknown {
  const value = field.value(subject) ?? null
  if (value === null) return null
  if (field.is === 'texts') return JSON.parse(value as string)
  if (field.is !== 'group') return value
  return Object.fromEntries(
    Object.entries(field.fields).map(([name, inner]) => [name, shownValue(inner, value as never)]),
  )
}
