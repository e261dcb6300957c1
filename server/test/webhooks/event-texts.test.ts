// An event's text is written once (D-26). Whatever changes afterwards, the payment's row, the code
// that writes events, the process or the place of the store: its bytes stay.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { readConfig } from '../../src/config.ts'
import { deliveryName } from '../../src/domain/webhooks/webhook-event.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { copyStore } from '../../src/service/copy-store.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { runKarba } from '../kit/karba.ts'
import { freshDatabase } from '../kit/postgres.ts'
import { openReceiver, type Receiver } from '../kit/receiver.ts'
import { head, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { deliveries, newEndpoint } from '../kit/webhooks.ts'

/**
 * As no code writes it today: another version, another field, other spaces and an escaped letter.
 */
const OF_ANOTHER_VERSION = (id: string): string =>
  `{"id":"${id}","event":"payment.succeeded","version":0, "data":{"montant":1500,"caf\\u00e9":"1.50"}}`

for (const store of STORES)
  describe(`event texts on ${store.name}`, () => {
    let service: TestService
    let receiver: Receiver
    let account: { accountId: string; secretKey: string }
    before(async () => {
      receiver = await openReceiver()
      service = await openTestService(store, { KARBA_SANDBOX_DELAY_MS: '20' })
      account = (await service.merchant()).accounts.sandbox
      await newEndpoint(service, account.accountId, receiver.url)
    })
    after(async () => {
      await service.place.remove()
      await receiver.close()
    })

    async function feedOf(running: Pick<Service, 'app'>): Promise<string> {
      const answer = await running.app.inject({
        url: '/api/v1/events?replays_after=0',
        headers: head(account.secretKey),
      })
      assert.equal(answer.statusCode, 200)
      return answer.body
    }
    const bodies = (): string[] => receiver.got.map(({ body }) => body.toString())

    it('a success has its text in the feed as the webhook has it, with the version of its shape', async () => {
      await post(
        service,
        account.secretKey,
        order({ order_reference: 'A-1', metadata: { table: '7' } }),
      )
      const { body } = await receiver.nth(1)
      const { version, data } = JSON.parse(body.toString())
      assert.deepEqual({ version, table: data.metadata.table }, { version: 1, table: '7' })
      assert.ok((await feedOf(service)).includes(`{"sequence":1,${body.toString().slice(1)}`))
    })

    it('a later change of the payment’s row does not reach its event', async () => {
      await until('recorded delivery', async () => {
        const [first] = await deliveries(service, account.accountId)
        return first?.status === 'delivered'
      })
      const feed = await feedOf(service)
      await service.db.change(
        `update payments set amount_xof = 99, operator_reference = 'CHANGED', metadata = null
         where account_id = :accountId`,
        { accountId: account.accountId },
      )
      assert.equal(await feedOf(service), feed)
      const [first] = await deliveries(service, account.accountId)
      granted(await replayEvents(service, TESTER, { delivery: deliveryName(first as never) }))
      await receiver.nth(2)
      assert.equal(bodies()[1], bodies()[0])
    })

    it('the text of another version of the code is read, replayed and restored byte for byte', async () => {
      const { id } = JSON.parse(bodies()[0] as string)
      const text = OF_ANOTHER_VERSION(id)
      await service.db.change('update events set payload = :text where account_id = :accountId', {
        accountId: account.accountId,
        text,
      })
      const [first] = await deliveries(service, account.accountId)
      granted(await replayEvents(service, TESTER, { delivery: deliveryName(first as never) }))
      await receiver.nth(3)
      assert.equal(bodies()[2], text)
      const feed = await feedOf(service)
      assert.ok(feed.includes(`"sequence":1,${text.slice(1)}`), feed)
      await until('recorded replay', async () =>
        (await deliveries(service, account.accountId)).every(
          ({ status }) => status === 'delivered',
        ),
      )
      await service.close()
      for (const again of await otherPlaces()) {
        assert.equal(await feedOf(again), feed)
        await again.close()
      }
    })

    /**
     * The same store after a restart, from a restored backup and, of SQLite, after the move to
     * PostgreSQL.
     */
    async function otherPlaces(): Promise<Service[]> {
      const { config, env } = service.place
      if (store !== SQLITE) return [await openService(config)]
      const copy = join(config.dataDir, 'copy.db')
      for (const command of [
        ['backup', copy],
        ['restore', copy],
      ]) {
        const { code, stderr } = await runKarba(command, env)
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      }
      const to = await freshDatabase({ isMigrated: false })
      await copyStore({ from: config.databaseUrl, to, progress: () => {} })
      return [
        await openService(config),
        await openService(readConfig({ ...env, DATABASE_URL: to })),
      ]
    }
  })
