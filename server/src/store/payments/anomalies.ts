// Anomalies: reports that no rule can decide and a person must look at. Each is recorded once, however often it is seen.
import type { Scope } from '../../domain/caller.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'

export type AnomalyKind = 'amount_mismatch' | 'success_after_failure' | 'failure_after_success'

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

export interface Anomaly {
  accountId: string
  reference: string
  kind: AnomalyKind
  detail: string
  at: number
}

const ANOMALY = columns<Anomaly>({
  accountId: 'a.account_id',
  reference: 'p.reference',
  kind: 'a.kind',
  detail: 'a.detail',
  at: 'a.at',
})

/** Newest first, before a cursor. There are few: a person looks at each. */
export const listAnomalies = (
  db: Queries,
  scope: Scope,
  before: { at: number; reference: string },
  most: number,
): Promise<Anomaly[]> =>
  db.rows<Anomaly>(
    `select ${ANOMALY} from anomalies a join payments p on p.account_id = a.account_id and p.number = a.number
     where (a.at < $1 or (a.at = $1 and p.reference < $2))${inScope(scope, 4, 'a.account_id')}
     order by a.at desc, p.reference desc limit $3`,
    [before.at, before.reference, most, ...scopeValues(scope)],
  )
