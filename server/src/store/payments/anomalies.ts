// What no rule can decide and a person must look at. The same thing is told once, however often it is seen.
import type { Queries } from '../engine/database.ts'

export type AnomalyKind = 'amount_mismatch' | 'success_after_failure' | 'failure_after_success'

export interface AnomalyRow {
  account_id: string
  reference: string
  kind: AnomalyKind
  detail: string
  at: number
}

export async function insertAnomaly(
  tx: Queries,
  anomaly: { accountId: string; number: number; kind: AnomalyKind; detail: object; at: number },
): Promise<boolean> {
  const { accountId, number, kind, detail, at } = anomaly
  const changed = await tx.change(
    `insert into anomalies (account_id, number, kind, detail, at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [accountId, number, kind, JSON.stringify(detail), at],
  )
  return changed === 1
}

/** For the service's operator, so across accounts. */
export async function listAnomalies(db: Queries): Promise<AnomalyRow[]> {
  return db.rows<AnomalyRow>(
    `select a.account_id, p.reference, a.kind, a.detail, a.at from anomalies a
     join payments p on p.account_id = a.account_id and p.number = a.number order by a.at desc limit 1000`,
  )
}
