// Adds fee, net amount and refunds to payments of one account, as they are read: two statements for
// a page.
import type { ListedPayment } from '../../domain/payments/payment.ts'
import {
  moneyOf,
  type PaymentEntry,
  type PaymentMoney,
} from '../../domain/payments/payment-money.ts'
import { isPaid } from '../../domain/payments/payment-status.ts'
import { listPaymentEntries } from '../../store/books/entries.ts'
import { listTariffsOf } from '../../store/books/tariffs.ts'
import type { Queries } from '../../store/engine/database.ts'

export type PricedPayment = ListedPayment & PaymentMoney

export async function withMoney(
  db: Queries,
  accountId: string,
  payments: readonly ListedPayment[],
): Promise<PricedPayment[]> {
  const connections = new Set(
    payments.map(({ connection }) => connection).filter((each) => each !== null),
  )
  const tariffs = connections.size === 0 ? [] : await listTariffsOf(db, [...connections])
  const numbers = payments.filter(isPaid).map(({ number }) => number)
  const entries = numbers.length === 0 ? [] : await listPaymentEntries(db, accountId, numbers)
  const entriesOf = Map.groupBy(entries, ({ number }: PaymentEntry) => number)
  return payments.map((payment) => ({
    ...payment,
    ...moneyOf(payment, entriesOf.get(payment.number) ?? [], tariffs),
  }))
}
