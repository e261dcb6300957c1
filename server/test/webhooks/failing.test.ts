// A failing endpoint: after three failed attempts in a row or ten minutes, with the last answer, in
// every list and on the merchant's home. The number of waiting deliveries is exact up to its limit.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { EndpointRow } from '../../src/dashboard-api/shapes.ts'
import { ask, signedIn } from '../kit/people.ts'
import { HOST, openWebhookService, type ReceiverAnswer } from '../kit/receiver.ts'
import { head } from '../kit/service.ts'
import { SQLITE, STORES_IN_HALVES } from '../kit/stores.ts'
import { change, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const MINUTE_MS = 60_000

for (const store of STORES_IN_HALVES) {
  describe(`failing endpoints on ${store.name}`, async () => {
    const service = await openWebhookService(store)
    after(() => service.remove())

    async function shop(answer: () => ReceiverAnswer) {
      const { merchantId, accounts } = await service.merchant()
      const { accountId, secretKey } = accounts.sandbox
      const endpoint = await newEndpoint(service, accountId, `${HOST}/${accountId}`)
      service.receivers.answer = ({ url }) => (url.endsWith(accountId) ? answer() : 200)
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const read = async (path: string) =>
        (await ask(service, `GET /accounts/${accountId}/${path}`, owner)).body
      const row = async (): Promise<EndpointRow> => (await read('endpoints')).rows[0]
      const stateOf = async () => {
        const { state, lastStatus } = await row()
        const account = await service.app.inject({
          url: '/api/v1/account',
          headers: head(secretKey),
        })
        const isListed = account.json().endpoints[0].failing_since !== null
        const attention: { kind: string }[] = (await read('home')).attention
        return [
          state,
          lastStatus,
          isListed,
          attention.some(({ kind }) => kind === 'endpoint_failing'),
        ]
      }
      const events = async (numbers: number[]): Promise<void> => {
        await writeEvents(service, accountId, numbers)
        await service.clock.advance(500)
      }
      return { accountId, endpoint, row, stateOf, events, read }
    }

    const ANSWERS: [ReceiverAnswer, number | null][] = [
      [401, 401],
      [500, 500],
      ['refused', null],
    ]
    for (const [answer, lastStatus] of ANSWERS)
      it(`failing endpoints: ${answer} three times in a row is failing, and a success ends it`, async () => {
        let now: ReceiverAnswer = answer
        const { stateOf, events, row } = await shop(() => now)
        const startedAt = service.clock.now()
        await events([1, 2])
        assert.deepEqual(await stateOf(), ['working', lastStatus, false, false])
        await events([3])
        assert.deepEqual(await stateOf(), ['failing', lastStatus, true, true])
        assert.ok(((await row()).failingSince ?? 0) - startedAt <= 500)
        now = 200
        await service.clock.advance(MINUTE_MS)
        await events([4])
        assert.deepEqual(await stateOf(), ['working', null, false, false])
      })

    // Ten minutes of polls take PostgreSQL 14 s; the statement that decides is the same.
    if (store === SQLITE)
      it('failing endpoints: a single failure is failing after ten minutes without a success', async () => {
        const { stateOf, events } = await shop(() => ({ status: 503, retryAfterMs: 3_600_000 }))
        await events([1])
        await service.clock.advance(9 * MINUTE_MS)
        assert.deepEqual((await stateOf())[0], 'working')
        await service.clock.advance(MINUTE_MS)
        assert.deepEqual(await stateOf(), ['failing', 503, true, true])
      })

    it('failing endpoints: one that answers some deliveries and refuses others is working', async () => {
      let sent = 0
      const { stateOf, events } = await shop(() => (++sent % 3 === 0 ? 200 : 401))
      for (const number of upTo(12)) await events([number])
      await events([13, 14, 15])
      assert.equal((await stateOf())[0], 'working')
    })

    it('failing endpoints: a new address and turning on again start without failures', async () => {
      const { stateOf, events, endpoint } = await shop(() => 401)
      await events([1, 2, 3])
      assert.equal((await stateOf())[0], 'failing')
      await change(service, endpoint, { to: 'new target', url: `${HOST}/new`, events: [] })
      assert.equal((await stateOf())[0], 'working')
    })

    it('failing endpoints: waiting deliveries are counted exactly, and wait for the one before', async () => {
      const { row, events, read } = await shop(() => 'refused')
      await events(upTo(2_345))
      const { waiting, isMore } = await row()
      assert.deepEqual([waiting, isMore], [2_345, false])
      await service.clock.advance(MINUTE_MS)
      const { rows } = await read('deliveries')
      const isPast = ({ nextAttemptAt }: { nextAttemptAt: number }) =>
        nextAttemptAt <= service.clock.now()
      assert.ok(rows.some(isPast), 'due, and not sent while the breaker is open')
    })
  })
}
