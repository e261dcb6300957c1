// Anomalies, newest first: reports that no rule can decide and a person must look at.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { type Anomaly, listAnomalies } from '../../store/payments/anomalies.ts'

export interface ListAnomaliesInput extends PageInput {
  /** Without those that a person has dealt with. */
  openOnly?: boolean | undefined
}

export async function listLatestAnomalies(
  { db }: { db: Database },
  caller: AccountCaller,
  { openOnly = false, ...pageInput }: ListAnomaliesInput,
): Promise<Page<Anomaly> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(pageInput, ['number', 'text'], [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const [at, anomalyId] = wanted.cursor
  const found = await listAnomalies(db, scopeOf(caller), { openOnly }, { at, anomalyId }, wanted.limit + 1)
  return pageOf(found, wanted.limit, (anomaly) => [anomaly.at, anomaly.anomalyId])
}
