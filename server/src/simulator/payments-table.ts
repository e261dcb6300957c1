// The simulated network's own tables of payments and refunds. They are in our database so that every process sees the same network; only
// the simulator reads and writes them.
import type { Database, Insertion } from '../store/engine/database.ts'

export interface SimulatedPayment {
  reference: string
  msisdn: string
  amountXof: number
  requestedAt: number
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

export async function findSimulatedPayment(db: Database, reference: string): Promise<SimulatedPayment | undefined> {
  const row = await db.find<{ msisdn: string; amount_xof: number; requested_at: number }>(
    'select msisdn, amount_xof, requested_at from simulated_payments where reference = $1',
    [reference],
  )
  return row && { reference, msisdn: row.msisdn, amountXof: row.amount_xof, requestedAt: row.requested_at }
}

/** False when the refund exists already, or when the payment has another refund. */
export function insertSimulatedRefund(db: Database, refund: SimulatedRefund): Promise<boolean> {
  return db.insert(REFUNDS, [refund.refundReference, refund.reference, refund.amountXof, refund.requestedAt])
}

export async function findSimulatedRefund(db: Database, refundReference: string): Promise<SimulatedRefund | undefined> {
  const row = await db.find<{ reference: string; amount_xof: number; requested_at: number }>(
    'select reference, amount_xof, requested_at from simulated_refunds where refund_reference = $1',
    [refundReference],
  )
  return row && { refundReference, reference: row.reference, amountXof: row.amount_xof, requestedAt: row.requested_at }
}
