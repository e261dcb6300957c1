// An account's refunds, newest first, in pages: of one state or all that are open, of one payment,
// and of a period.

import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import type { ListedRefund } from '../../domain/refunds/refund.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { listAccountRefunds, type RefundFilter } from '../../store/payments/refunds.ts'
import type { Deps } from '../deps.ts'
import { readPayment } from './read-payment.ts'

/** Of a cursor: when the last refund was requested, and its reference. */
const PARTS = ['number', 'text'] as const
const LAST = 999_999_999_999_999

interface ListRefundsInput extends PageInput, Omit<RefundFilter, 'number'> {
  /** Our reference or the merchant's transaction_id. */
  payment?: string | undefined
}

/**
 * Those that the merchant asked for, of the payments' own debits. What a network gives back on its
 * own is no refund here, and neither is late money that staff send back: the statement has both.
 */
export async function listRefundsOfAccount(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  { after, limit, payment: name, ...filter }: ListRefundsInput,
): Promise<
  Page<ListedRefund> | RefusedAs<'payment_not_found' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  const read = readPage({ after, limit }, PARTS, [LAST, ''])
  if (isRefused(read)) return read
  const payment = name === undefined ? undefined : await readPayment({ db }, caller, { name })
  if (payment !== undefined && isRefused(payment)) return payment
  const [createdAt, refundReference] = read.cursor
  const wanted = { ...filter, number: payment?.number }
  const found = await listAccountRefunds(
    db,
    caller.accountId,
    wanted,
    { createdAt, refundReference },
    read.limit + 1,
  )
  return pageOf(found, read.limit, (last) => [last.createdAt, last.refundReference])
}
