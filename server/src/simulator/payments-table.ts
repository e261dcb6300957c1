// The simulated network's own tables of payments and refunds. They are in our database so that every process sees the same network; only
// the simulator reads and writes them.
import { type Database, type Insertion, lookUpBy, type Queries } from '../store/engine/database.ts'
import type { Ending } from './scenarios.ts'

export interface SimulatedPayment {
  reference: string
  msisdn: string
  amountXof: number
  requestedAt: number
}

/** With what somebody answered on the sandbox phone. */
export interface AnsweredPayment extends SimulatedPayment {
  ending: Ending | null
  answeredAt: number | null
}

export interface SimulatedRefund {
  refundReference: string
  reference: string
  amountXof: number
  requestedAt: number
}

const PAYMENTS: Insertion = {
  table: 'simulated_payments',
  identity: 'reference',
  sortedBy: ['reference'],
  columns: { reference: 'text', msisdn: 'text', amount_xof: 'bigint', requested_at: 'bigint' },
}

const REFUNDS: Insertion = {
  table: 'simulated_refunds',
  identity: 'refund_reference',
  sortedBy: ['refund_reference'],
  columns: { refund_reference: 'text', reference: 'text', amount_xof: 'bigint', requested_at: 'bigint' },
}

/** False when the network already has this reference, its idempotency key: a request takes effect once, however often it is sent. */
export function insertSimulatedPayment(db: Database, payment: SimulatedPayment): Promise<boolean> {
  return db.insert(PAYMENTS, [payment.reference, payment.msisdn, payment.amountXof, payment.requestedAt])
}

/** Counts a repeated request. */
export async function countRequest(db: Database, reference: string): Promise<void> {
  await db.change('update simulated_payments set requests = requests + 1 where reference = $1', [reference])
}

const BY_REFERENCE = lookUpBy(
  ['sought'],
  (
    sought,
  ) => `select reference, msisdn, amount_xof as "amountXof", requested_at as "requestedAt", ending, answered_at as "answeredAt"
    from simulated_payments where reference = ${sought}`,
)

export const findSimulatedPayment = (db: Database, reference: string): Promise<AnsweredPayment | undefined> =>
  db.find<AnsweredPayment>(BY_REFERENCE, [reference])

/** False when the network has no such payment, or somebody has answered before. */
export async function answerSimulatedPayment(
  db: Database,
  reference: string,
  ending: Ending,
  answeredAt: number,
): Promise<boolean> {
  const changed = await db.change(
    'update simulated_payments set ending = $2, answered_at = $3 where reference = $1 and ending is null',
    [reference, ending, answeredAt],
  )
  return changed === 1
}

/** False when the refund exists already, or when the payment has another refund. */
export function insertSimulatedRefund(db: Database, refund: SimulatedRefund): Promise<boolean> {
  return db.insert(REFUNDS, [refund.refundReference, refund.reference, refund.amountXof, refund.requestedAt])
}

export async function findSimulatedRefund(db: Queries, refundReference: string): Promise<SimulatedRefund | undefined> {
  const [row] = await db.rows<{ reference: string; amount_xof: number; requested_at: number }>(
    'select reference, amount_xof, requested_at from simulated_refunds where refund_reference = $1',
    [refundReference],
  )
  return row && { refundReference, reference: row.reference, amountXof: row.amount_xof, requestedAt: row.requested_at }
}
