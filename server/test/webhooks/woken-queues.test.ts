// An event that is written while a worker is about to leave its queue, on PostgreSQL, where both happen at once: the queue stays due.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  claimEndpointQueues,
  type EndpointQueue,
  leaveEndpointQueue,
  renewEndpointQueue,
  wakeEndpoints,
} from '../../src/store/webhooks/endpoints.ts'
import { openTestService } from '../kit/service.ts'
import { POSTGRES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { newEndpoint } from '../kit/webhooks.ts'

it('a queue that an event has woken already is woken by the next one too, before that is committed', async () => {
  // Its own workers would work the queue.
  const service = await openTestService(POSTGRES, { KARBA_ROLE: 'api' })
  const { db, clock } = service
  const { accountId } = (await service.merchant()).accounts.sandbox
  await newEndpoint(service, accountId, 'https://shop.example.com/hook')
  await wakeEndpoints(db, accountId, clock.now())
  const [queue] = (await claimEndpointQueues(db, clock.now(), clock.now() + 60_000, 1)) as [EndpointQueue]
  await wakeEndpoints(db, accountId, clock.now())

  const commit = Promise.withResolvers<void>()
  const woken = Promise.withResolvers<void>()
  const writing = db.transaction(async (tx) => {
    await wakeEndpoints(tx, accountId, clock.now())
    woken.resolve()
    await commit.promise
  })
  await woken.promise
  let isLeft: boolean | undefined
  const leaving = (async () => {
    const claimedUntil = queue.claimedUntil + 1
    assert.ok(await renewEndpointQueue(db, queue, claimedUntil))
    // Here a worker reads what is due, and finds nothing that is not committed.
    isLeft = await leaveEndpointQueue(db, { ...queue, claimedUntil }, null)
  })()
  const isHeldBack = async (): Promise<boolean> => {
    const waiting = await db.rows(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return waiting.length > 0
  }
  await until('worker that waits for the event, or has left', async () => isLeft !== undefined || (await isHeldBack()))
  const hadLeft = isLeft
  commit.resolve()
  await Promise.all([writing, leaving])
  assert.equal(hadLeft, undefined)
  await service.remove()
})
