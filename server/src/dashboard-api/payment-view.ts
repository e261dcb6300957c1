// The fields of a payment as the dashboard gets them, by the tables of
// domain/payments/payment-fields.ts.
import type { PricedPayment } from '../actions/payments/payment-money.ts'
import type { Field } from '../domain/fields.ts'
import {
  KEPT_PAYMENT_FIELDS,
  LISTED_PAYMENT_FIELDS,
  PAYMENT_FIELDS,
} from '../domain/payments/payment-fields.ts'
import { type Place, type ShownFields, shownFields } from './shown-fields.ts'

const TABLE = { ...PAYMENT_FIELDS, ...LISTED_PAYMENT_FIELDS, ...KEPT_PAYMENT_FIELDS }

type Table = typeof TABLE
/** The fields of every row of the list, or those that only the page of a payment adds. */
export type ShownPayment<In extends Place> = ShownFields<Table, In>

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

export const shownPayment = <In extends Place>(
  place: In,
  payment: PricedPayment,
): ShownPayment<In> => shownFields(TABLE, place, payment)
