// A payment to which the merchant added nothing, whatever fields an order may have.
import { ADDED_COLUMNS, ADDITIONS, type Addition } from '../../src/domain/payment-fields.ts'

/** By the columns of the payment. */
export const NOTHING_ADDED = Object.fromEntries(
  ADDED_COLUMNS.map((column) => [column, null]),
) as Record<(typeof ADDED_COLUMNS)[number], null>

/** By the names of the rows. */
export const NO_ADDITIONS = Object.fromEntries(ADDITIONS.map((name) => [name, null])) as Record<
  Addition,
  null
>
