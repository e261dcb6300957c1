// Anomalies, newest first: reports that no rule can decide and a person must look at.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { type Anomaly, listAnomalies } from '../../store/payments/anomalies.ts'

export async function listLatestAnomalies(
  { db }: { db: Database },
  caller: AccountCaller,
  input: PageInput,
): Promise<Page<Anomaly> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(input, ['number', 'text'], [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const [at, reference] = wanted.cursor
  const found = await listAnomalies(db, scopeOf(caller), { at, reference }, wanted.limit + 1)
  return pageOf(found, wanted.limit, (anomaly) => [anomaly.at, anomaly.reference])
}
