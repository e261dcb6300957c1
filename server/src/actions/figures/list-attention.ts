// What needs somebody in an account: endpoints that fail, keys that end, operators that do not answer, an account that may not collect.
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { operatorName } from '../../domain/operator-names.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { DAY_MS } from '../../domain/verdict.ts'
import type { Database } from '../../store/engine/database.ts'
import { listKeys } from '../../store/keys/api-keys.ts'
import { listHealth } from '../../store/operators/connection-health.ts'
import { listPauses } from '../../store/operators/connection-pauses.ts'
import { listEndpointsAfter } from '../../store/webhooks/endpoints.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export type Attention =
  | { kind: 'endpoint_failing'; url: string; since: number }
  | { kind: 'key_ending'; keyId: string; at: number }
  | { kind: 'operator_down'; operator: string; name: string; since: number }
  | { kind: 'account_not_validated' }
  | { kind: 'account_suspended'; reason: string | null }
  | { kind: 'no_endpoint' }

const KEY_ENDS_WITHIN_MS = 7 * DAY_MS
/** What a worker has not looked at for so long may have changed. */
const HEALTH_HOLDS_MS = 5 * 60_000
const MOST_ENDPOINTS = 100

export async function listAttention(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  caller: MerchantCaller,
): Promise<{ rows: Attention[] } | RefusedAs<'account_not_found'>> {
  const account = await findActingAccount(db, caller)
  if (isRefused(account)) return account
  const now = clock.now()
  const rows: Attention[] = []
  if (account.status === 'unvalidated') rows.push({ kind: 'account_not_validated' })
  if (account.status === 'suspended') rows.push({ kind: 'account_suspended', reason: null })
  const endpoints = await listEndpointsAfter(db, account, { createdAt: 0, endpointId: '' }, MOST_ENDPOINTS)
  if (endpoints.length === 0) rows.push({ kind: 'no_endpoint' })
  for (const { url, failingSince } of endpoints) {
    if (failingSince !== null) rows.push({ kind: 'endpoint_failing', url, since: failingSince })
  }
  for (const { keyId, expiresAt: at } of await listKeys(db, account.accountId)) {
    if (at !== null && at > now && at <= now + KEY_ENDS_WITHIN_MS) rows.push({ kind: 'key_ending', keyId, at })
  }
  return { rows: [...rows, ...(await operatorsDown(db, account.environment, now))] }
}

async function operatorsDown(db: Database, environment: string, now: number): Promise<Attention[]> {
  const down = (await listHealth(db)).filter(({ state, seenAt }) => state === 'down' && seenAt > now - HEALTH_HOLDS_MS)
  return [...down, ...(await listPauses(db))]
    .filter((each) => each.environment === environment)
    .map(({ connection, since }) => ({
      ...{ kind: 'operator_down', operator: connection, name: operatorName(connection), since },
    }))
}
