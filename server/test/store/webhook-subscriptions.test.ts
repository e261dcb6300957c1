// Webhook subscriptions on both engines: which endpoints get a delivery of an event, and that a removed endpoint leaves none.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Database } from '../../src/store/engine/database.ts'
import { migrate } from '../../src/store/engine/migrate.ts'
import { findEndpoint, insertEndpoint, removeEndpoint } from '../../src/store/webhooks/endpoints.ts'
import { insertEvents, queueDeliveries } from '../../src/store/webhooks/events.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'
import { openStore } from '../kit/watched-store.ts'

const ALL = 'payment.succeeded,payment.failed,payment.refunded'

for (const store of STORES) {
  describe(`webhook subscriptions on ${store.name}`, () => {
    let place: StorePlace
    let db: Database

    beforeEach(async () => {
      place = await store.makePlace()
      db = openStore(place.config)
    })
    afterEach(async () => {
      await db.close()
      await place.remove()
    })

    async function addAccount(accountId: string): Promise<void> {
      await db.change(`insert into merchants (merchant_id, name, created_at) values ('of ${accountId}', 'Awa', 0)`)
      await db.change(
        `insert into accounts (account_id, merchant_id, environment, status, created_at)
         values ($1, $2, 'sandbox', 'validated', 0)`,
        [accountId, `of ${accountId}`],
      )
    }

    const add = (accountId: string, endpointId: string, events: string): Promise<void> =>
      db.transaction((tx) =>
        insertEndpoint(tx, {
          accountId,
          endpointId,
          url: 'https://shop.example/hook',
          events,
          secretHash: '',
          signingSecret: '',
          createdAt: 0,
        }),
      )

    /** Who gets a delivery of such an event. */
    async function toldOf(accountId: string, event: string, sequence: number): Promise<string[]> {
      const eventId = `${accountId} ${sequence}`
      const queuedFor = await db.transaction(async (tx) => {
        await insertEvents(tx, [{ accountId, sequence, eventId, event, number: 1, payload: '', createdAt: 0 }])
        return queueDeliveries(tx, [{ accountId, firstSequence: sequence, lastSequence: sequence }])
      })
      const rows = await db.rows<{ endpoint_id: string }>(
        'select endpoint_id from webhook_deliveries where account_id = $1 and sequence = $2 order by endpoint_id',
        [accountId, sequence],
      )
      assert.deepEqual(queuedFor, rows.length === 0 ? [] : [accountId])
      return rows.map((row) => row.endpoint_id)
    }

    it('decide who gets a delivery: the very event, of the very account', async () => {
      await migrate(db, 0)
      for (const account of ['acc', 'other']) await addAccount(account)
      await add('acc', 'whe_all', ALL)
      await add('acc', 'whe_one', 'payment.failed')
      await add('other', 'whe_other', ALL)
      const EVENTS: [event: string, told: string[]][] = [
        ['payment.succeeded', ['whe_all']],
        ['payment.failed', ['whe_all', 'whe_one']],
        // Parts and patterns of a name, which a search in a text would find.
        ['payment', []],
        ['failed', []],
        ['payment_failed', []],
        ['payment.%', []],
        [',', []],
        ['', []],
      ]
      for (const [at, [event, told]] of EVENTS.entries()) {
        assert.deepEqual(await toldOf('acc', event, at + 1), told, event)
      }
    })

    it('end with their endpoint, and leave those of others', async () => {
      await migrate(db, 0)
      await addAccount('acc')
      await add('acc', 'whe_1', ALL)
      await add('acc', 'whe_2', 'payment.refunded,payment.succeeded')
      assert.equal(await removeEndpoint(db, 'acc', 'whe_1'), true)
      assert.deepEqual(
        (await db.rows<{ endpoint_id: string }>('select endpoint_id from webhook_subscriptions')).map((row) => ({
          ...row,
        })),
        [{ endpoint_id: 'whe_2' }, { endpoint_id: 'whe_2' }],
      )
      assert.equal(
        (await findEndpoint(db, { accountId: 'acc' }, 'whe_2'))?.events,
        'payment.succeeded,payment.refunded',
      )
      assert.deepEqual(await toldOf('acc', 'payment.succeeded', 1), ['whe_2'])
    })
  })
}
