// What an account's payments add up to, by status, with what was given back of them.
import type { PaymentEvidence } from '../../domain/evidence.ts'
import { type PaymentStatus, STATUSES } from '../../domain/payment-status.ts'

export interface Sum {
  count: number
  amountXof: number
}

export interface AccountSums {
  accountId: string
  byStatus: Record<PaymentStatus, Sum>
  /** Refunds that the merchant asked for and that succeeded; the others of `refunded` the operator gave back by itself. */
  refunds: Sum
}

const nothing = (): Sum => ({ count: 0, amountXof: 0 })

export function addTo(sums: Map<string, AccountSums>, payment: PaymentEvidence): void {
  const { accountId, status, amountXof, refundsSucceeded } = payment
  let account = sums.get(accountId)
  if (account === undefined) {
    const byStatus = Object.fromEntries(STATUSES.map((each) => [each, nothing()])) as Record<PaymentStatus, Sum>
    account = { accountId, byStatus, refunds: nothing() }
    sums.set(accountId, account)
  }
  add(account.byStatus[status], amountXof, 1)
  add(account.refunds, amountXof, refundsSucceeded)
}

function add(sum: Sum, amountXof: number, times: number): void {
  sum.count += times
  sum.amountXof += amountXof * times
}
