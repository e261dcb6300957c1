// The simulated network's own tables of payments and refunds. They are in our database so that
// every process sees the same network; only the simulator reads and writes them.
import type { HostedMethodName } from '../domain/methods/methods.ts'
import { type Database, type Insertion, lookUpBy, type Queries } from '../store/engine/database.ts'
import { columnsOf, firstRow, firstValue, insertNew, updateOne } from '../store/rows.ts'
import type { Ending } from './scenarios.ts'

export type SimulatedPayment = {
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
  columns: {
    refund_reference: 'text',
    reference: 'text',
    amount_xof: 'bigint',
    requested_at: 'bigint',
  },
}

/** False when the network has this reference, its idempotency key: a request takes effect once. */
export function insertSimulatedPayment(db: Database, payment: SimulatedPayment): Promise<boolean> {
  return db.insert(PAYMENTS, {
    reference: payment.reference,
    msisdn: payment.msisdn,
    amountXof: payment.amountXof,
    requestedAt: payment.requestedAt,
  })
}

export const countRequest = (db: Database, reference: string) =>
  db.change('update simulated_payments set requests = requests + 1 where reference = :reference', {
    reference,
  })

const PAYMENT = columnsOf<AnsweredPayment>({
  reference: 'reference',
  msisdn: 'msisdn',
  amountXof: 'amount_xof',
  requestedAt: 'requested_at',
  ending: 'ending',
  answeredAt: 'answered_at',
})
const BY_REFERENCE = lookUpBy(
  ['sought'],
  (sought) => `select ${PAYMENT} from simulated_payments where reference = ${sought}`,
)

export const findSimulatedPayment = (
  db: Database,
  reference: string,
): Promise<AnsweredPayment | undefined> =>
  db.find<AnsweredPayment>(BY_REFERENCE, { sought: reference })

/** False when the network has no such payment, or the prompt was answered before. */
export const answerSimulatedPayment = (
  db: Database,
  reference: string,
  ending: Ending,
  answeredAt: number,
) => updateOne(db, 'simulated_payments', { reference }, { ending, answeredAt }, 'ending is null')

/** False when the refund exists already. */
export function insertSimulatedRefund(db: Database, refund: SimulatedRefund): Promise<boolean> {
  return db.insert(REFUNDS, {
    refundReference: refund.refundReference,
    reference: refund.reference,
    amountXof: refund.amountXof,
    requestedAt: refund.requestedAt,
  })
}

/** What the refunds of a payment give back. */
export const sumSimulatedRefunds = async (db: Queries, reference: string): Promise<number> =>
  (await firstValue<number>(
    db,
    `select cast(coalesce(sum(amount_xof), 0) as bigint) as sum from simulated_refunds
     where reference = :reference`,
    { reference },
  )) ?? 0

const REFUND = columnsOf<SimulatedRefund>({
  refundReference: 'refund_reference',
  reference: 'reference',
  amountXof: 'amount_xof',
  requestedAt: 'requested_at',
})

export const findSimulatedRefund = (db: Queries, refundReference: string) =>
  firstRow<SimulatedRefund>(
    db,
    `select ${REFUND} from simulated_refunds where refund_reference = :refundReference`,
    { refundReference },
  )

// The simulated provider's own table of sessions: a page opened for a payer, and the payer's
// decision.

export type SimulatedDecision = 'approve' | 'decline' | 'cancel'

export interface SimulatedSession {
  reference: string
  method: HostedMethodName
  amountXof: number
  merchantName: string
  title: string
  returnUrl: string
  requestedAt: number
  decision: SimulatedDecision | null
}

/** Does nothing when the session exists: opening it is idempotent. */
export function insertSession(
  db: Database,
  session: Omit<SimulatedSession, 'decision'>,
): Promise<boolean> {
  const {
    reference,
    method,
    amountXof,
    merchantName: merchant,
    title,
    returnUrl,
    requestedAt,
  } = session
  return insertNew(db, 'simulated_sessions', {
    reference,
    method,
    amountXof,
    merchant,
    title,
    returnUrl,
    requestedAt,
  })
}

const SESSION = columnsOf<SimulatedSession>({
  reference: 'reference',
  method: 'method',
  amountXof: 'amount_xof',
  title: 'title',
  returnUrl: 'return_url',
  requestedAt: 'requested_at',
  decision: 'decision',
  merchantName: 'merchant',
})

export const findSession = (db: Queries, reference: string) =>
  firstRow<SimulatedSession>(
    db,
    `select ${SESSION} from simulated_sessions where reference = :reference`,
    { reference },
  )

/** False when there is a decision already: the first one counts. */
export const decideSession = (db: Database, reference: string, decision: SimulatedDecision) =>
  updateOne(db, 'simulated_sessions', { reference }, { decision }, 'decision is null')
