// Every try to pay a link, for whoever wants its story. They are written in payment-links.ts.
import type { FailureReason } from '../../domain/outcome.ts'
import type { LinkMethod } from '../../domain/payment-link.ts'
import type { Queries } from '../engine/database.ts'

export interface AttemptRow {
  attempt: number
  method: LinkMethod
  operator: string
  status: 'pending' | 'succeeded' | 'failed'
  failure_reason: FailureReason | null
  created_at: number
  ended_at: number | null
}

export async function listAttempts(db: Queries, accountId: string, number: number): Promise<AttemptRow[]> {
  return db.rows<AttemptRow>(
    `select attempt, method, operator, status, failure_reason, created_at, ended_at from payment_attempts
     where account_id = $1 and number = $2 order by attempt`,
    [accountId, number],
  )
}
