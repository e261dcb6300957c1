// The endpoints of an account as its people see them, with how much waits for each.
import type { MerchantCaller } from '../../domain/caller.ts'
import type { ListedEndpoint } from '../../domain/webhook-endpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import { countWaiting } from '../../store/webhooks/delivery-log.ts'
import { listEndpointsAfter } from '../../store/webhooks/endpoints.ts'

/** More than an account can have. */
const ALL = 100

export async function showEndpoints(
  { db }: { db: Database },
  caller: MerchantCaller,
): Promise<{ rows: (ListedEndpoint & { waiting: number })[] }> {
  const found = await listEndpointsAfter(db, caller, { createdAt: 0, endpointId: '' }, ALL)
  const rows = found.map(async (endpoint) => ({
    ...endpoint,
    waiting: await countWaiting(db, endpoint.accountId, endpoint.endpointId),
  }))
  return { rows: await Promise.all(rows) }
}
