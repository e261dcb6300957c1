// PostgreSQL sessions that are frozen or set up carelessly: no transaction is held for ever, and no acknowledged write is only in memory.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { StoreUnavailable, type Transaction } from '../../src/store/engine/database.ts'
import { takeFeedSequences } from '../../src/store/webhooks/events.ts'
import { openTestService } from '../kit/service.ts'
import { POSTGRES } from '../kit/stores.ts'

async function takeFeedSequence(tx: Transaction, accountId: string): Promise<number | undefined> {
  const [feed] = await takeFeedSequences(tx, new Map([[accountId, 1]]))
  return feed?.lastSequence
}

it('a process that is stopped inside a transaction holds up the others for some seconds and no longer', async (t) => {
  const service = await openTestService(POSTGRES)
  t.after(() => service.remove())
  const { accountId } = (await service.merchant()).accounts.sandbox
  const { promise: waking, resolve: wake } = Promise.withResolvers<void>()
  const { promise: holding, resolve: hold } = Promise.withResolvers<void>()
  const frozen = service.db.transaction(async (tx) => {
    await takeFeedSequence(tx, accountId)
    hold()
    // Stopped here, with the account's feed locked.
    await waking
    await takeFeedSequence(tx, accountId)
  })
  await holding
  assert.equal(await service.db.transaction((tx) => takeFeedSequence(tx, accountId)), 1)
  wake()
  await assert.rejects(frozen, StoreUnavailable)
  assert.equal(await service.db.transaction((tx) => takeFeedSequence(tx, accountId)), 2)
})

it('commits wait for the disk, whatever the database is set to', async (t) => {
  const service = await openTestService(POSTGRES)
  t.after(() => service.remove())
  await service.db.change(
    `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
  )
  const again = await openTestService({
    ...POSTGRES,
    makePlace: async () => ({ ...service.place, remove: async () => {} }),
  })
  t.after(() => again.remove())
  const [row] = await again.db.transaction((tx) =>
    tx.rows<{ setting: string }>(`select setting from pg_settings where name = 'synchronous_commit'`),
  )
  assert.equal(row?.setting, 'on')
})
