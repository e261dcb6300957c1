// A payment's page without anything that the merchant added, whatever fields an order may have.
import { ADDITIONS, type Addition } from '../../src/domain/payment-fields.ts'

export const NO_ADDITIONS = Object.fromEntries(ADDITIONS.map((name) => [name, null])) as Record<
  Addition,
  null
>
