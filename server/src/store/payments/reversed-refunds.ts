// What becomes of our refund of a payment whose network gives the money back by itself: both together would give it back twice.
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Queries } from '../engine/database.ts'

/** The payment's own refund. What gives late money back is about another debit. */
const IS_OWN_PENDING = `account_id = $1 and number = $2 and status = 'pending' and request_reference is null`

/**
 * Ends the refund of a succeeded payment as made by the network, when we surely did not send it or a person was to make it. Before the move
 * of the payment, because every transaction locks the refund first: two with different orders could deadlock.
 */
export async function endUnsentRefund(
  tx: Queries,
  { accountId, number, attemptReference }: OperatorPayment,
  at: number,
): Promise<void> {
  await tx.change(
    `update refunds set status = 'succeeded', due_at = null, ended_at = $3
     where ${IS_OWN_PENDING} and (claims = 0 or by_hand_since is not null) and exists (
       select 1 from payments p where p.account_id = $1 and p.number = $2 and p.status = 'succeeded'
         and coalesce(p.attempt_reference, '') = coalesce(cast($4 as text), ''))`,
    [accountId, number, at, attemptReference],
  )
}

/** One that the operator may have been sent; undefined when there is none. */
export async function findSentRefund(
  tx: Queries,
  { accountId, number }: OperatorPayment,
): Promise<{ refundReference: string } | undefined> {
  const [refund] = await tx.rows<{ refundReference: string }>(
    `select refund_reference as "refundReference" from refunds where ${IS_OWN_PENDING}`,
    [accountId, number],
  )
  return refund
}
