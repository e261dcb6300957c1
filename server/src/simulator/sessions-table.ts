// The simulated card and wallet provider's own table of sessions: a page opened for a payer, and the payer's decision. Only the simulator
// reads and writes it.
import type { Database, Queries } from '../store/engine/database.ts'

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
