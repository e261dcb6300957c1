// What an account collected, by day, operator and outcome. The worker adds to it; nothing else writes it.
import { columns } from '../engine/columns.ts'
import type { Queries, SqlTexts, Transaction } from '../engine/database.ts'

export type FigureOutcome = 'succeeded' | 'failed' | 'refunded'

export interface Figure {
  day: number
  /** Empty for a link that nobody tried to pay. */
  operator: string
  outcome: FigureOutcome
  /** Empty unless it failed. */
  reason: string
  payments: number
  amountXof: number
}

const ADDED = `on conflict (account_id, day, operator, outcome, reason) do update set
  payments = daily_figures.payments + excluded.payments, amount_xof = daily_figures.amount_xof + excluded.amount_xof`

const ADD: SqlTexts = {
  sqlite: `insert into daily_figures (account_id, day, operator, outcome, reason, payments, amount_xof)
    values ($1, $2, $3, $4, $5, $6, $7) ${ADDED}`,
  postgres: `insert into daily_figures (account_id, day, operator, outcome, reason, payments, amount_xof)
    select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) ${ADDED}`,
}

/** Each day, operator, outcome and reason once at most. */
export async function addFigures(tx: Transaction, accountId: string, figures: readonly Figure[]): Promise<void> {
  const rows = figures.map(({ day, operator, outcome, reason, payments, amountXof }) => [
    accountId,
    day,
    operator,
    outcome,
    reason,
    payments,
    amountXof,
  ])
  await tx.many(ADD, rows)
}

const FIGURE = columns<Figure>({
  day: 'day',
  operator: 'operator',
  outcome: 'outcome',
  reason: 'reason',
  payments: 'payments',
  amountXof: 'amount_xof',
})

/** From a day on, the oldest first. */
export const listFigures = (db: Queries, accountId: string, fromDay: number): Promise<Figure[]> =>
  db.rows<Figure>(`select ${FIGURE} from daily_figures where account_id = $1 and day >= $2 order by day`, [
    accountId,
    fromDay,
  ])
