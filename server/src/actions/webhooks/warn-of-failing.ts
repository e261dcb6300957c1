// Queues an email to the people of each endpoint that has begun to fail. The worker calls it every minute.
import type { ServiceItself } from '../../domain/caller.ts'
import { listUnwarned, setWarned } from '../../store/webhooks/endpoints.ts'
import type { Deps } from '../deps.ts'
import { notifyMerchant } from '../people/notices.ts'

const MOST_AT_ONCE = 100

/** True when more may be failing. */
export async function warnOfFailing(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  _caller: ServiceItself,
): Promise<boolean> {
  const found = await listUnwarned(db, clock.now(), MOST_AT_ONCE)
  for (const endpoint of found) {
    await db.transaction(async (tx) => {
      const now = clock.now()
      if (!(await setWarned(tx, endpoint, now))) return
      const { accountId, endpointId } = endpoint
      await notifyMerchant(tx, now, { kind: 'endpoint_failing', about: endpointId, accountId, cause: endpointId })
    })
  }
  return found.length === MOST_AT_ONCE
}
