// Which events an endpoint is subscribed to, on both engines: what the migration makes of the lists that were there, who gets a delivery,
// and that nothing is left of an endpoint that is removed.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Database } from '../../src/store/engine/database.ts'
import { migrate, migrations } from '../../src/store/engine/migrate.ts'
import { queueDeliveries } from '../../src/store/webhooks/deliveries.ts'
import { findEndpoint, insertEndpoint, listEndpoints, removeEndpoint } from '../../src/store/webhooks/endpoints.ts'
import { insertEvents } from '../../src/store/webhooks/events.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'
import { openStore } from '../kit/watched-store.ts'

const SUBSCRIPTIONS = '0007_webhook_subscriptions'
const ALL = 'payment.succeeded,payment.failed,payment.refunded'

/** A list as it was stored before, and what is listed now: in the order of the life of a payment. */
const LISTS: [before: string, now: string][] = [
  ['payment.succeeded', 'payment.succeeded'],
  ['payment.failed', 'payment.failed'],
  ['payment.refunded', 'payment.refunded'],
  ['payment.succeeded,payment.failed', 'payment.succeeded,payment.failed'],
  ['payment.refunded,payment.failed', 'payment.failed,payment.refunded'],
  [ALL, ALL],
]

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

    it('are made of the lists of endpoints that were there before', async () => {
      const known = migrations()
      const before = known.slice(
        0,
        known.findIndex(({ name }) => name === SUBSCRIPTIONS),
      )
      await migrate(db, 0, before)
      await addAccount('acc')
      for (const [at, [list]] of LISTS.entries()) {
        await db.change(
          `insert into webhook_endpoints (account_id, endpoint_id, url, events, status, secret_hash, signing_secret, created_at)
           values ('acc', $1, 'https://shop.example/hook', $2, 'on', '', '', $3)`,
          [`whe_${at}`, list, at],
        )
      }
      await migrate(db, 0)
      assert.deepEqual(
        (await listEndpoints(db, { accountId: 'acc' })).map(({ events }) => events),
        LISTS.map(([, now]) => now),
      )
      for (const [at, event] of ALL.split(',').entries()) {
        const wanted = LISTS.flatMap(([list], nth) => (list.split(',').includes(event) ? [`whe_${nth}`] : []))
        assert.deepEqual(await toldOf('acc', event, at + 1), wanted, event)
      }
    })

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
