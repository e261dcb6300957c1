// What needs somebody in an account: endpoints that fail, keys that end, operators that do not answer, an account that may not collect.
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { operatorName } from '../../domain/operator-names.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { DAY_MS } from '../../domain/verdict.ts'
import type { Database } from '../../store/engine/database.ts'
import { listKeys } from '../../store/keys/api-keys.ts'
import { listHealth, listPauses } from '../../store/operators/connections.ts'
import { findAccountOfMerchant } from '../../store/people/members.ts'
import { listViewings } from '../../store/people/viewings.ts'
import { listEndpointsAfter } from '../../store/webhooks/endpoints.ts'

export type Attention =
  | { kind: 'endpoint_failing'; url: string; since: number }
  | { kind: 'key_ending'; keyId: string; at: number }
  | { kind: 'operator_down'; operator: string; name: string; since: number }
  | { kind: 'account_not_validated' }
  | { kind: 'account_suspended'; reason: string | null }
  | { kind: 'no_endpoint' }
  | { kind: 'viewed_by_service'; by: string; reason: string; at: number }

const KEY_ENDS_WITHIN_MS = 7 * DAY_MS
/** What a worker has not looked at for so long may have changed. */
const HEALTH_HOLDS_MS = 5 * 60_000
const MOST_ENDPOINTS = 100
const VIEWING_SHOWN_MS = 7 * DAY_MS
/** All of them are in the log. */
const MOST_VIEWINGS = 3

export async function listAttention(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  caller: MerchantCaller,
): Promise<{ rows: Attention[] } | RefusedAs<'account_not_found'>> {
  const account = await findAccountOfMerchant(db, caller.accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const now = clock.now()
  const rows: Attention[] = []
  if (account.status === 'unvalidated') rows.push({ kind: 'account_not_validated' })
  if (account.status === 'suspended') rows.push({ kind: 'account_suspended', reason: account.reason })
  const endpoints = await listEndpointsAfter(db, account, { createdAt: 0, endpointId: '' }, MOST_ENDPOINTS)
  if (endpoints.length === 0) rows.push({ kind: 'no_endpoint' })
  for (const { url, failingSince } of endpoints) {
    if (failingSince !== null) rows.push({ kind: 'endpoint_failing', url, since: failingSince })
  }
  for (const { keyId, expiresAt: at } of await listKeys(db, account.accountId)) {
    if (at !== null && at > now && at <= now + KEY_ENDS_WITHIN_MS) rows.push({ kind: 'key_ending', keyId, at })
  }
  rows.push(...(await operatorsDown(db, account.environment, now)))
  for (const { by, reason, beganAt: at } of await listViewings(db, account.merchantId, MOST_VIEWINGS)) {
    if (at > now - VIEWING_SHOWN_MS) rows.push({ kind: 'viewed_by_service', by, reason, at })
  }
  return { rows }
}

async function operatorsDown(db: Database, environment: string, now: number): Promise<Attention[]> {
  const down = (await listHealth(db)).filter(({ state, seenAt }) => state === 'down' && seenAt > now - HEALTH_HOLDS_MS)
  return [...down, ...(await listPauses(db))]
    .filter((each) => each.environment === environment)
    .map(({ connection, since }) => ({
      ...{ kind: 'operator_down', operator: connection, name: operatorName(connection), since },
    }))
}
