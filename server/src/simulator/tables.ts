// The simulated network's own tables of payments and refunds. They are in our database so that every process sees the
// same network; only the simulator reads and writes them.
import { type Database, type Insertion, lookUpBy, type Queries } from '../store/engine/database.ts'
import type { Ending } from './scenarios.ts'

export interface SimulatedPayment {
  reference: string
  msisdn: string
  amountXof: number
  requestedAt: number
}

/** The person's answer on the sandbox phone. */
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

/** False when the network has this reference, its idempotency key: a request takes effect once. */
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

/** False when the network has no such payment, or the prompt was answered before. */
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

// The simulated card and wallet provider's own table of sessions: a page opened for a payer, and the payer's decision.
// Only the simulator reads and writes it.

export type SimulatedDecision = 'approve' | 'decline' | 'cancel'

export interface SimulatedSession {
  reference: string
  method: 'bank_card' | 'wallet'
  amountXof: number
  merchantName: string
  title: string
  returnUrl: string
  requestedAt: number
  decision: SimulatedDecision | null
}

/** Does nothing when the session exists: opening it is idempotent. */
export async function insertSession(db: Database, session: Omit<SimulatedSession, 'decision'>): Promise<void> {
  const { reference, method, amountXof, merchantName, title, returnUrl, requestedAt } = session
  await db.change(
    `insert into simulated_sessions (reference, method, amount_xof, merchant, title, return_url, requested_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [reference, method, amountXof, merchantName, title, returnUrl, requestedAt],
  )
}

interface Row {
  method: 'bank_card' | 'wallet'
  amount_xof: number
  merchant: string
  title: string
  return_url: string
  requested_at: number
  decision: SimulatedDecision | null
}

export async function findSession(db: Queries, reference: string): Promise<SimulatedSession | undefined> {
  const [row] = await db.rows<Row>(
    `select method, amount_xof, merchant, title, return_url, requested_at, decision from simulated_sessions
     where reference = $1`,
    [reference],
  )
  return (
    row && {
      reference,
      method: row.method,
      amountXof: row.amount_xof,
      merchantName: row.merchant,
      title: row.title,
      returnUrl: row.return_url,
      requestedAt: row.requested_at,
      decision: row.decision,
    }
  )
}

/** False when there is a decision already: the first one counts. */
export async function decideSession(db: Database, reference: string, decision: SimulatedDecision): Promise<boolean> {
  const changed = await db.change(
    'update simulated_sessions set decision = $2 where reference = $1 and decision is null',
    [reference, decision],
  )
  return changed === 1
}
