// What a merchant's developers do in the dashboard, on both stores: keys that may do little, webhooks, the feed, the log of requests.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { OLD_REQUESTS } from '../../src/store/retention/old-rows.ts'
import { historyPruner } from '../../src/worker/prune-history.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { head, order, post, get as readPayment } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const DAY_MS = 86_400_000

for (const store of STORES) {
  describe(`developers in the dashboard on ${store.name}`, () => {
    let service: VirtualService
    let merchant: NewMerchant
    let developer: SignedIn
    let at: string
    /** What the receiver answers with. */
    const receiver = { status: 200 }
    before(async () => {
      const send = async () => ({
        ...{ status: receiver.status, durationMs: 7, answer: 'thank you', error: null, retryAfterMs: null },
      })
      service = await openVirtualService(
        store,
        { KARBA_REQUEST_LOG_RATE: '3' },
        { sender: { send, close: async () => {} } },
      )
      merchant = await service.merchant()
      developer = await signedIn(service, { at: merchant.merchantId, as: 'developer' })
      at = `/accounts/${merchant.accounts.sandbox.accountId}`
    })
    after(() => service.remove())

    const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      ask(service, `${method} ${at}${path}` as 'GET /', developer, body)
    const make = async (change: object) => (await call('POST', '/keys', { name: 'Till', ...change })).body

    it('a key may do what it is allowed, and nothing else', async () => {
      const reads = await make({ permissions: ['read'] })
      assert.deepEqual([reads.key.permissions, reads.key.name, reads.key.kind], [['read'], 'Till', 'secret'])
      const refused = await post(service, reads.secret, order())
      assert.deepEqual([refused.code, refused.body.message], [403, 'Forbidden: Key Not Permitted'])
      assert.equal(refused.headers['svc-error-code'], 'key_not_permitted')
      const creates = await make({ permissions: ['create'] })
      const made = await post(service, creates.secret, order())
      assert.equal(made.code, 200)
      assert.equal((await readPayment(service, creates.secret, made.body.reference as string)).code, 403)
      assert.equal((await readPayment(service, reads.secret, made.body.reference as string)).code, 200)
    })

    it('a key works from the addresses that it lists', async () => {
      const { secret } = await make({ networks: ['203.0.113.0/24', '2001:db8::1'] })
      const from = async (remoteAddress: string) =>
        (
          await service.app.inject({
            ...{ method: 'POST', url: '/api/v1/payments', headers: head(secret), remoteAddress },
            payload: JSON.stringify(order()),
          })
        ).statusCode
      assert.deepEqual(
        [await from('203.0.113.7'), await from('2001:db8::1'), await from('203.0.114.1')],
        [200, 200, 403],
      )
      assert.equal((await make({ networks: ['shop.example'] })).code, 'key_network_not_valid')
      assert.equal((await make({ name: '' })).code, 'key_name_not_valid')
      assert.equal((await make({ permissions: [] })).code, 'input_not_valid')
    })

    it('a key is rolled with an overlap, alone, and keeps what it may do; and it is revoked', async () => {
      const first = await make({ name: 'Rolled', permissions: ['create'] })
      const rolled = (await call('POST', `/keys/${first.key.keyId}/roll`, { keepOldMs: 5_000 })).body
      assert.deepEqual([rolled.key.name, rolled.key.permissions], ['Rolled', ['create']])
      assert.equal((await post(service, first.secret, order())).code, 200)
      await service.clock.advance(6_000)
      assert.equal((await post(service, first.secret, order())).code, 401)
      assert.equal((await post(service, rolled.secret, order())).code, 200)
      assert.equal((await post(service, merchant.accounts.sandbox.secretKey, order())).code, 200, 'the others stay')
      await call('POST', `/keys/${rolled.key.keyId}/revoke`)
      await service.clock.advance(1_000)
      assert.equal((await post(service, rolled.secret, order())).code, 401)
      for (const which of [merchant.accounts.sandbox.accountId, merchant.accounts.sandbox.secretKey]) {
        assert.equal((await call('POST', `/keys/${which}/revoke`)).body.code, 'key_not_found')
      }
    })

    it('the list of keys says when each was last used, and holds no secret', async () => {
      const { rows } = (await call('GET', '/keys')).body
      assert.ok(rows.some((row: { lastUsedAt: number | null }) => row.lastUsedAt !== null))
      assert.doesNotMatch(JSON.stringify(rows), /sk_sandbox_[0-9A-Za-z]{10}/)
    })

    it('webhooks are added, tested, changed, and their log has request and answer', async () => {
      const added = (await call('POST', '/endpoints', { url: 'https://shop.example.com/hook', events: [] })).body
      const { endpointId } = added.endpoint
      assert.match(added.signingSecret, /^whsec_/)
      assert.deepEqual([added.endpoint.state, added.endpoint.waiting], ['working', 0])
      const test = (await call('POST', `/endpoints/${endpointId}/test`)).body
      assert.deepEqual(
        [test.event, test.state, JSON.parse(test.requestBody).event],
        ['webhook.test', 'waiting', 'webhook.test'],
      )
      await service.clock.advance(2_000)
      const delivered = (await call('GET', `/deliveries/${test.deliveryId}`)).body
      assert.deepEqual([delivered.state, delivered.lastStatus], ['delivered', 200])
      assert.deepEqual(
        delivered.tries.map((each: { answer: string }) => each.answer),
        ['thank you'],
      )
      const change = { url: 'https://shop.example.com/new', events: ['payment.refunded'], state: 'paused' }
      const changed = (await call('PATCH', `/endpoints/${endpointId}`, change)).body
      assert.deepEqual([changed.url, changed.events, changed.state], [change.url, change.events, 'paused'])
      assert.equal((await call('PATCH', `/endpoints/${endpointId}`, { url: 'http://10.0.0.1/' })).code, 422)
      await call('PATCH', `/endpoints/${endpointId}`, { state: 'working', events: [] })
    })

    it('what was delivered or failed is sent again: one, many, or all since', async () => {
      receiver.status = 500
      const { body } = await post(service, merchant.accounts.sandbox.secretKey, order({ msisdn: SUCCEEDS }))
      await service.clock.advance(10_000)
      // As after days of attempts.
      await service.db.change("update webhook_deliveries set status = 'failed', due_at = null where status = 'waiting'")
      const [failed] = (await call('GET', '/deliveries?state=failed')).body.rows
      assert.deepEqual([failed.paymentReference, failed.lastStatus], [body.reference, 500])
      receiver.status = 200
      await call('PATCH', `/endpoints/${failed.endpointId}`, { state: 'working' })
      const since = { endpointId: failed.endpointId, since: 0 }
      assert.equal((await call('POST', '/deliveries/resend', since)).body.resent, 1)
      assert.equal((await call('POST', '/deliveries/resend', { deliveryIds: [failed.deliveryId] })).body.resent, 1)
      await service.clock.advance(10_000)
      const again = (await call('GET', '/deliveries?state=delivered')).body.rows
      assert.equal(
        again.filter((row: { paymentReference: string }) => row.paymentReference === body.reference).length,
        2,
      )
      const [event] = (await call('GET', '/events?limit=1')).body.rows
      assert.deepEqual([event.type, event.paymentReference], ['payment.succeeded', body.reference])
      await call('DELETE', `/endpoints/${failed.endpointId}`)
      assert.deepEqual((await call('GET', '/endpoints')).body.rows, [])
    })

    it('the log of requests has the latest, and leaves out successes before refusals', async () => {
      const { secretKey } = merchant.accounts.sandbox
      for (let count = 0; count < 5; count++) await post(service, secretKey, order())
      await post(service, secretKey, order({ country: 'FR' }))
      await service.clock.advance(2_000)
      const { rows } = (await call('GET', '/requests?limit=4')).body
      assert.deepEqual(rows.map((row: { status: number }) => row.status).sort(), [200, 200, 200, 400])
      const [refused] = (await call('GET', '/requests?status=4xx&limit=1')).body.rows
      assert.deepEqual([refused.errorCode, refused.path], ['country_not_allowed', '/api/v1/payments'])
      const { text } = await service.app.inject({ url: '/metrics' }).then(({ body }) => ({ text: body }))
      assert.match(text, /karba_request_log_dropped_total [1-9]/)
      const later = { ...service.clock, now: () => service.clock.now() + 7 * DAY_MS + 1 }
      const keep = [{ rows: OLD_REQUESTS, days: 7 }]
      const prune = historyPruner({ db: service.db, clock: later, keep, pruned: () => {} })
      while (await prune());
      assert.deepEqual((await call('GET', '/requests')).body.rows, [])
    })
  })
}
