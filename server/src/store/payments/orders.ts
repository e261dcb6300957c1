// Which payment an order of the merchant's has (D-90). Its row is locked first, then the payment that holds it is looked at: a payment that
// becomes paid after it had failed locks the same row, so no two payments of one order can both go on.
import type { PaymentStatus } from '../../domain/payment-status.ts'
import type { Queries } from '../engine/database.ts'

export interface OrderClaim {
  accountId: string
  orderReference: string
  /** The payment's that wants it. */
  number: number
}

/** Undefined when the order is this payment's from now on; else the reference of the payment that stands for it. */
export async function claimOrder(tx: Queries, claim: OrderClaim): Promise<string | undefined> {
  const { accountId, orderReference, number } = claim
  const holder = await lockOrder(tx, claim)
  if (holder === number) return undefined
  const standing = await findStanding(tx, accountId, holder)
  if (standing !== undefined) return standing
  await tx.change('update orders set number = $3 where account_id = $1 and order_reference = $2', [
    accountId,
    orderReference,
    number,
  ])
  return undefined
}

/** The number of the payment that holds the order, which is the given one when nobody did. */
async function lockOrder(tx: Queries, { accountId, orderReference, number }: OrderClaim): Promise<number> {
  const [row] = await tx.rows<{ number: number }>(
    `insert into orders (account_id, order_reference, number) values ($1, $2, $3)
     on conflict (account_id, order_reference) do update set number = orders.number returning number`,
    [accountId, orderReference, number],
  )
  return (row as { number: number }).number
}

/** A payment that failed stands for nothing. */
async function findStanding(tx: Queries, accountId: string, number: number): Promise<string | undefined> {
  const [payment] = await tx.rows<{ reference: string; status: PaymentStatus }>(
    'select reference, status from payments where account_id = $1 and number = $2',
    [accountId, number],
  )
  return payment === undefined || payment.status === 'failed' ? undefined : payment.reference
}
