// Payments as the worker holds them: claimed by pushing their due time ahead, moved only from the state they are in. A claim is
// a due time in the future and nothing more: whoever dies with it gives it back when that time comes.
import type { Environment } from '../domain/environment.ts'
import type { PaymentStatus } from '../domain/payment-status.ts'
import type { Verdict } from '../domain/verdict.ts'
import type { Database, Queries } from './database.ts'

export interface PaymentInHand {
  accountId: string
  number: number
  environment: Environment
  reference: string
  publicReference: string
  externalReference: string
  amountXof: number
  msisdnWritten: string | null
  msisdn: string
  operator: string
  createdAt: number
  handedOverAt: number | null
  askedTimes: number
}

interface Row {
  account_id: string
  number: number
  environment: Environment
  reference: string
  public_reference: string
  external_reference: string
  amount_xof: number
  msisdn_written: string | null
  msisdn: string
  operator: string
  created_at: number
  handed_over_at: number | null
  asked_times: number
}

const COLUMNS = `account_id, number, environment, reference, public_reference, external_reference, amount_xof,
  msisdn_written, msisdn, operator, created_at, handed_over_at, asked_times`

export async function claimDuePayments(
  db: Database,
  now: number,
  leaseMs: number,
  most: number,
): Promise<PaymentInHand[]> {
  const rows = await db.claim<Row>(
    `update payments set due_at = $2 where (account_id, number) in (
       select account_id, number from payments where due_at <= $1 order by due_at limit $3 /* skip locked */
     ) returning ${COLUMNS}`,
    [now, now + leaseMs, most],
  )
  return rows.map(inHand)
}

/** By our reference alone: for a callback, which knows no account. */
export async function findInHand(db: Database, reference: string): Promise<PaymentInHand | undefined> {
  const row = await db.find<Row>(`select ${COLUMNS} from payments where reference = $1`, [reference])
  return row && inHand(row)
}

export async function findStatus(tx: Queries, accountId: string, number: number): Promise<PaymentStatus | undefined> {
  const [row] = await tx.rows<{ status: PaymentStatus }>(
    'select status from payments where account_id = $1 and number = $2',
    [accountId, number],
  )
  return row?.status
}

export async function postponePayment(
  tx: Queries,
  { accountId, number }: PaymentInHand,
  { handedOverAt, dueAt }: { handedOverAt: number; dueAt: number },
): Promise<void> {
  await tx.change(
    `update payments set due_at = $3, asked_times = asked_times + 1, handed_over_at = coalesce(handed_over_at, $4)
     where account_id = $1 and number = $2 and status = 'pending'`,
    [accountId, number, dueAt, handedOverAt],
  )
}

/** False when it was pending no longer. */
export async function movePendingPayment(
  tx: Queries,
  { accountId, number }: PaymentInHand,
  verdict: Verdict & { is: 'move' },
  { handedOverAt, validatedAt }: { handedOverAt: number; validatedAt: number | null },
): Promise<boolean> {
  const failureReason = verdict.to === 'failed' ? verdict.failureReason : null
  const operatorReference = verdict.to === 'failed' ? null : verdict.operatorReference
  const changed = await tx.change(
    `update payments set status = $3, failure_reason = $4, operator_reference = $5, validated_at = $6, due_at = null,
       handed_over_at = coalesce(handed_over_at, $7)
     where account_id = $1 and number = $2 and status = 'pending'`,
    [accountId, number, verdict.to, failureReason, operatorReference, validatedAt, handedOverAt],
  )
  return changed === 1
}

function inHand(row: Row): PaymentInHand {
  return {
    accountId: row.account_id,
    number: row.number,
    environment: row.environment,
    reference: row.reference,
    publicReference: row.public_reference,
    externalReference: row.external_reference,
    amountXof: row.amount_xof,
    msisdnWritten: row.msisdn_written,
    msisdn: row.msisdn,
    operator: row.operator,
    createdAt: row.created_at,
    handedOverAt: row.handed_over_at,
    askedTimes: row.asked_times,
  }
}
