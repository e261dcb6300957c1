// Full refunds: at most one per payment that has not failed. Claimed by due time, like payments.
import type { Environment } from '../../domain/environment.ts'
import type { LinkMaker } from '../../domain/payment-link.ts'
import { columns } from '../engine/columns.ts'
import type { Database, Queries } from '../engine/database.ts'

export interface OperatorRefund {
  accountId: string
  number: number
  refundReference: string
  environment: Environment
  operator: string
  /** The payment's reference. */
  reference: string
  publicReference: string
  externalReference: string
  createdBy: LinkMaker
  clientReference: string | null
  msisdnWritten: string | null
  amountXof: number
  validatedAt: number
  polls: number
  /** How often it was claimed without word of what came of it, this claim included. */
  claims: number
  /** The reference that the operator was sent for the payment, when it was paid through a link. */
  attemptReference: string | null
}

/** False when the payment has a refund that has not failed. */
export async function insertRefund(
  tx: Queries,
  refund: { accountId: string; number: number; refundReference: string; requestedBy: string; createdAt: number },
): Promise<boolean> {
  const { accountId, number, refundReference, requestedBy, createdAt } = refund
  const changed = await tx.change(
    `insert into refunds (account_id, number, refund_reference, status, requested_by, created_at, due_at)
     values ($1, $2, $3, 'pending', $4, $5, $5) on conflict do nothing`,
    [accountId, number, refundReference, requestedBy, createdAt],
  )
  return changed === 1
}

type ClaimedRefund = Pick<OperatorRefund, 'accountId' | 'number' | 'refundReference' | 'polls' | 'claims'>

const CLAIMED = columns<ClaimedRefund>({
  accountId: 'account_id',
  number: 'number',
  refundReference: 'refund_reference',
  polls: 'asked_times',
  claims: 'claims',
})

export async function claimDueRefunds(
  db: Database,
  now: number,
  leaseMs: number,
  most: number,
): Promise<OperatorRefund[]> {
  const claimed = await db.claim<ClaimedRefund>(
    `with due as materialized (
       select refund_reference as due_reference from refunds
       where due_at <= $1 order by due_at limit $3 /* skip locked */
     )
     update refunds set due_at = $2, claims = claims + 1 from due where refund_reference = due_reference
     returning ${CLAIMED}`,
    [now, now + leaseMs, most],
  )
  return Promise.all(claimed.map((refund) => withPayment(db, refund)))
}

type RefundedPayment = Omit<OperatorRefund, keyof ClaimedRefund>

const REFUNDED_PAYMENT = columns<RefundedPayment>({
  environment: 'environment',
  operator: 'operator',
  reference: 'reference',
  publicReference: 'public_reference',
  externalReference: 'external_reference',
  createdBy: 'created_by',
  clientReference: 'client_reference',
  msisdnWritten: 'msisdn_written',
  amountXof: 'amount_xof',
  validatedAt: 'validated_at',
  attemptReference: 'attempt_reference',
})

async function withPayment(db: Database, refund: ClaimedRefund): Promise<OperatorRefund> {
  const [payment] = await db.rows<RefundedPayment>(
    `select ${REFUNDED_PAYMENT} from payments where account_id = $1 and number = $2`,
    [refund.accountId, refund.number],
  )
  return { ...(payment as RefundedPayment), ...refund }
}

/** False when the refund is no longer pending. */
export async function endRefund(
  tx: Queries,
  { accountId, refundReference }: OperatorRefund,
  status: 'succeeded' | 'failed',
  failureReason: string | null,
): Promise<boolean> {
  const changed = await tx.change(
    `update refunds set status = $3, failure_reason = $4, due_at = null
     where account_id = $1 and refund_reference = $2 and status = 'pending'`,
    [accountId, refundReference, status, failureReason],
  )
  return changed === 1
}

export async function postponeRefund(
  tx: Queries,
  { accountId, refundReference }: OperatorRefund,
  dueAt: number,
): Promise<void> {
  await tx.change(
    `update refunds set due_at = $3, asked_times = asked_times + 1
     where account_id = $1 and refund_reference = $2 and status = 'pending'`,
    [accountId, refundReference, dueAt],
  )
}

/** succeeded → refunded, guarded by the state it leaves. */
export async function moveToRefunded(tx: Queries, { accountId, number }: OperatorRefund): Promise<boolean> {
  const changed = await tx.change(
    `update payments set status = 'refunded' where account_id = $1 and number = $2 and status = 'succeeded'`,
    [accountId, number],
  )
  return changed === 1
}
