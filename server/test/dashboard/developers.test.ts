// The developers' pages: API keys with limited permissions, webhooks, the event feed, the log of
// API requests.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { MOST_KEYS, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import type { KeyRow } from '../../src/dashboard-api/shapes.ts'
import type { MerchantRole } from '../../src/domain/people/role.ts'
import { OLD_REQUESTS } from '../../src/store/retention/old-rows.ts'
import { historyPruner } from '../../src/worker/prune.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, PASSWORD, signedIn } from '../kit/people.ts'
import { head, order, post, get as readPayment } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const DAY_MS = 86_400_000

describe('developers in the dashboard', async () => {
  const receiver = { status: 200 }
  const send = async () => ({
    status: receiver.status,
    durationMs: 7,
    answer: 'thank you',
    error: null,
    retryAfterMs: null,
  })
  const sender = { send, close: async () => {} }
  const service = await openVirtualService(SQLITE, { KARBA_REQUEST_LOG_RATE: '3' }, { sender })
  const merchant = await service.merchant()
  const developer = await signedIn(service, { at: merchant.merchantId, as: 'developer' })
  const at = `/accounts/${merchant.accounts.sandbox.accountId}`
  after(() => service.remove())

  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    ask(service, `${method} ${at}${path}`, developer, body)
  const make = async (change: object) =>
    (await call('POST', '/keys', { name: 'Till', ...change })).body

  it('keys: have only their permissions', async () => {
    const reads = await make({ permissions: ['read'] })
    assert.deepEqual(
      [reads.key.permissions, reads.key.name, reads.key.kind],
      [['read'], 'Till', 'secret'],
    )
    const refused = await post(service, reads.secret, order())
    assert.deepEqual([refused.code, refused.body.message], [403, 'Forbidden: Key Not Permitted'])
    assert.equal(refused.headers['svc-error-code'], 'key_not_permitted')
    const creates = await make({ permissions: ['create'] })
    const made = await post(service, creates.secret, order())
    assert.equal(made.code, 200)
    assert.equal(
      (await readPayment(service, creates.secret, made.body.reference as string)).code,
      403,
    )
    assert.equal(
      (await readPayment(service, reads.secret, made.body.reference as string)).code,
      200,
    )
  })

  it('keys: a public key is made in the dashboard too, and shows in full', async () => {
    const made = await make({ kind: 'public', permissions: ['refund'], networks: ['203.0.113.7'] })
    assert.match(made.secret, /^pk_sandbox_\w+$/)
    assert.deepEqual(
      [made.key.kind, made.key.shownAs, made.key.permissions],
      ['public', made.secret, null],
    )
    assert.equal((await post(service, made.secret, order())).code, 401)
  })

  it('keys: work only from their listed networks', async () => {
    const { secret } = await make({ networks: ['203.0.113.0/24', '2001:db8::1'] })
    const from = async (remoteAddress: string): Promise<number> => {
      const sent = {
        method: 'POST',
        url: '/api/v1/payments',
        headers: head(secret),
        remoteAddress,
      } as const
      return (await service.app.inject({ ...sent, payload: JSON.stringify(order()) })).statusCode
    }
    assert.deepEqual(
      [await from('203.0.113.7'), await from('2001:db8::1'), await from('203.0.114.1')],
      [200, 200, 403],
    )
    assert.equal((await make({ networks: ['shop.example'] })).code, 'key_network_not_valid')
    assert.equal((await make({ name: '' })).code, 'key_name_not_valid')
    assert.equal((await make({ permissions: [] })).code, 'input_not_valid')
  })

  it('keys: one is rolled with an overlap and keeps its permissions, then revoked; the others stay', async () => {
    const first = await make({ name: 'Rolled', permissions: ['create'] })
    const rolled = (await call('POST', `/keys/${first.key.keyId}/roll`, { keepOldMs: 5_000 })).body
    assert.deepEqual([rolled.key.name, rolled.key.permissions], ['Rolled', ['create']])
    assert.equal((await post(service, first.secret, order())).code, 200)
    await service.clock.advance(6_000)
    assert.equal((await post(service, first.secret, order())).code, 401)
    assert.equal((await post(service, rolled.secret, order())).code, 200)
    assert.equal(
      (await post(service, merchant.accounts.sandbox.secretKey, order())).code,
      200,
      'the others stay',
    )
    await call('POST', `/keys/${rolled.key.keyId}/revoke`)
    await service.clock.advance(1_000)
    assert.equal((await post(service, rolled.secret, order())).code, 401)
    for (const which of [merchant.accounts.sandbox.accountId, merchant.accounts.sandbox.secretKey])
      assert.equal((await call('POST', `/keys/${which}/revoke`)).body.code, 'key_not_found')
  })

  it('keys: a new one may read and create by default', async () => {
    assert.deepEqual((await make({})).key.permissions, ['read', 'create'])
    const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
    const made = await ask(service, `POST ${at}/keys`, owner, { name: 'All', permissions: null })
    assert.equal(made.body.key.permissions, null)
  })

  it('keys: a person cannot create or roll a key with a right that they lack', async () => {
    const { merchantId, accounts } = await service.merchant()
    const as = async (role: MerchantRole) => signedIn(service, { at: merchantId, as: role }, role)
    const who = {
      owner: await as('owner'),
      developer: await as('developer'),
      cashier: await as('cashier'),
    }
    for (const environment of ['sandbox', 'live'] as const) {
      const keys = `/accounts/${accounts[environment].accountId}/keys`
      const makeAs = (role: keyof typeof who, permissions: unknown) =>
        ask(service, `POST ${keys}`, who[role], { name: 'Till', permissions })
      for (const permissions of [
        null,
        ['refund'],
        ['read', 'refund'],
        ['read', 'create', 'refund'],
      ]) {
        const { code, body } = await makeAs('developer', permissions)
        assert.deepEqual(
          [code, body.code],
          [403, 'key_right_not_held'],
          JSON.stringify(permissions),
        )
        assert.equal((await makeAs('cashier', permissions)).body.code, 'role_not_allowed')
      }
      for (const permissions of [['read'], ['create'], ['read', 'create']])
        assert.equal((await makeAs('developer', permissions)).code, 200)
      const refunds = (await makeAs('owner', ['read', 'refund'])).body.key.keyId
      const rows: KeyRow[] = (await ask(service, `GET ${keys}`, who.developer)).body.rows
      const everything = rows.find(
        ({ kind, permissions }) => kind === 'secret' && permissions === null,
      ) as KeyRow
      const page = rows.find(({ kind }) => kind === 'public') as KeyRow
      for (const keyId of [refunds, everything.keyId]) {
        const { code, body } = await ask(service, `POST ${keys}/${keyId}/roll`, who.developer)
        assert.deepEqual([code, body.code], [403, 'key_right_not_held'])
        assert.equal((await ask(service, `POST ${keys}/${keyId}/roll`, who.owner)).code, 200)
      }
      assert.equal((await ask(service, `POST ${keys}/${page.keyId}/roll`, who.developer)).code, 200)
    }
  })

  it('keys: the list names their makers, and says which of them no longer have the key’s rights', async () => {
    const { merchantId, accounts } = await service.merchant()
    const keys = `/accounts/${accounts.live.accountId}/keys`
    const owner = await signedIn(service, { at: merchantId, as: 'owner' }, 'Awa')
    const second = await signedIn(service, { at: merchantId, as: 'owner' }, 'Moussa')
    const left = await signedIn(service, { at: merchantId, as: 'developer' }, 'Ibrahim')
    await ask(service, `POST ${keys}`, owner, { name: 'one', permissions: null })
    await ask(service, `POST ${keys}`, second, { name: 'two', permissions: ['refund'] })
    await ask(service, `POST ${keys}`, second, { name: 'three' })
    await ask(service, `POST ${keys}`, left, { name: 'four' })
    const team = `/accounts/${accounts.live.accountId}/team`
    assert.equal(
      (
        await ask(service, `POST ${team}/${second.personId}/role`, owner, {
          role: 'developer',
          password: PASSWORD,
        })
      ).code,
      200,
    )
    assert.equal((await ask(service, `POST ${team}/${left.personId}/remove`, owner)).code, 200)
    const rows: KeyRow[] = (await ask(service, `GET ${keys}`, owner)).body.rows
    const makers = new Map(rows.map(({ name, madeBy }) => [name, madeBy]))
    assert.deepEqual(Object.fromEntries(makers), {
      null: null,
      one: { name: 'Awa', hasRights: true },
      two: { name: 'Moussa', hasRights: false },
      three: { name: 'Moussa', hasRights: true },
      four: { name: 'Ibrahim', hasRights: false },
    })
  })

  it('keys: rolling counts against the limit of valid keys, also for many requests at once', async () => {
    const { merchantId, accounts } = await service.merchant()
    const keys = `/accounts/${accounts.sandbox.accountId}/keys`
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    const first = (await ask(service, `POST ${keys}`, owner, { name: 'first' })).body.key.keyId
    const atOnce = await Promise.all(
      Array.from({ length: 12 }, () =>
        ask(service, `POST ${keys}/${first}/roll`, owner, { keepOldMs: 60_000 }),
      ),
    )
    assert.deepEqual(
      atOnce.map(({ code }) => code).toSorted(),
      [200, ...Array(11).fill(409)],
      'one roll of one key',
    )
    assert.equal(atOnce.find(({ code }) => code === 409)?.body.code, 'key_already_rolled')
    const validNow = async (): Promise<KeyRow[]> =>
      (await ask(service, `GET ${keys}`, owner)).body.rows.filter(
        ({ expiresAt }: KeyRow) => expiresAt === null || expiresAt > service.clock.now(),
      )
    while ((await validNow()).length < MOST_KEYS - 3)
      await ask(service, `POST ${keys}`, owner, { name: 'more' })
    const whole = (await validNow()).filter(({ expiresAt }) => expiresAt === null)
    const rolls = await Promise.all(
      whole.map(({ keyId }) =>
        ask(service, `POST ${keys}/${keyId}/roll`, owner, { keepOldMs: 60_000 }),
      ),
    )
    assert.equal(rolls.filter(({ code }) => code === 200).length, 3)
    assert.ok(rolls.every(({ code, body }) => code === 200 || body.code === 'too_many_keys'))
    assert.equal((await validNow()).length, MOST_KEYS)
    const [next] = (await validNow()).filter(({ expiresAt }) => expiresAt === null)
    const replaced = await ask(service, `POST ${keys}/${next?.keyId}/roll`, owner, { keepOldMs: 0 })
    assert.equal(replaced.code, 200, 'without an overlap the number stays the same')
    assert.equal((await validNow()).length, MOST_KEYS)
    const pair = { accountId: accounts.sandbox.accountId, keepOldMs: 60_000 }
    assert.deepEqual(await rollKeys(service, TESTER, pair), {
      refused: 'too_many_keys',
      most: MOST_KEYS,
    })
    granted(await rollKeys(service, TESTER, { ...pair, keepOldMs: 0 }))
    assert.equal((await validNow()).length, 2)
  })

  it('keys: the list has the time of the last use and no secret', async () => {
    const { rows } = (await call('GET', '/keys')).body
    assert.ok(rows.some((row: { lastUsedAt: number | null }) => row.lastUsedAt !== null))
    assert.doesNotMatch(JSON.stringify(rows), /sk_sandbox_[0-9A-Za-z]{10}/)
  })

  it('webhooks: endpoints are added, tested and changed; deliveries have request and answer', async () => {
    const added = (
      await call('POST', '/endpoints', { url: 'https://shop.example.com/hook', events: [] })
    ).body
    const { endpointId } = added.endpoint
    assert.match(added.signingSecret, /^whsec_/)
    assert.deepEqual([added.endpoint.state, added.endpoint.waiting], ['working', 0])
    const test = (await call('POST', `/endpoints/${endpointId}/test`)).body
    const seen = [test.event, test.state, JSON.parse(test.requestBody).event]
    assert.deepEqual(seen, ['webhook.test', 'waiting', 'webhook.test'])
    await service.clock.advance(2_000)
    const delivered = (await call('GET', `/deliveries/${test.deliveryId}`)).body
    assert.deepEqual([delivered.state, delivered.lastStatus], ['delivered', 200])
    const answers = delivered.tries.map((each: { answer: string }) => each.answer)
    assert.deepEqual(answers, ['thank you'])
    const change = {
      url: 'https://shop.example.com/new',
      events: ['payment.refunded'],
      state: 'paused',
    }
    const changed = (await call('PATCH', `/endpoints/${endpointId}`, change)).body
    assert.deepEqual(
      [changed.url, changed.events, changed.state],
      [change.url, change.events, 'paused'],
    )
    assert.equal(
      (await call('PATCH', `/endpoints/${endpointId}`, { url: 'http://10.0.0.1/' })).code,
      400,
    )
    await call('PATCH', `/endpoints/${endpointId}`, { state: 'working', events: [] })
  })

  it('webhooks: deliveries are sent again: one, many, or all failed since a time', async () => {
    receiver.status = 500
    const { body } = await post(
      service,
      merchant.accounts.sandbox.secretKey,
      order({ msisdn: SUCCEEDS }),
    )
    await service.clock.advance(10_000)
    // As after days of attempts.
    await service.db.change(
      "update webhook_deliveries set status = 'failed', due_at = null where status = 'waiting'",
    )
    const [failed] = (await call('GET', '/deliveries?state=failed')).body.rows
    assert.deepEqual([failed.paymentReference, failed.lastStatus], [body.reference, 500])
    receiver.status = 200
    await call('PATCH', `/endpoints/${failed.endpointId}`, { state: 'working' })
    const since = { endpointId: failed.endpointId, since: 0 }
    assert.equal((await call('POST', '/deliveries/resend', since)).body.resent, 1)
    assert.equal(
      (await call('POST', '/deliveries/resend', { deliveryIds: [failed.deliveryId] })).body.resent,
      1,
    )
    await service.clock.advance(10_000)
    const again = (await call('GET', '/deliveries?state=delivered')).body.rows
    assert.equal(
      again.filter((row: { paymentReference: string }) => row.paymentReference === body.reference)
        .length,
      2,
    )
    const [event] = (await call('GET', '/events?limit=1')).body.rows
    assert.deepEqual([event.type, event.paymentReference], ['payment.succeeded', body.reference])
    await call('DELETE', `/endpoints/${failed.endpointId}`)
    assert.deepEqual((await call('GET', '/endpoints')).body.rows, [])
  })

  it('request log: has the newest requests, and drops successes before refusals', async () => {
    const { secretKey } = merchant.accounts.sandbox
    for (let count = 0; count < 5; count++) await post(service, secretKey, order())
    await post(service, secretKey, order({ country: 'FR' }))
    await service.clock.advance(2_000)
    const { rows } = (await call('GET', '/requests?limit=4')).body
    assert.deepEqual(rows.map((row: { status: number }) => row.status).sort(), [200, 200, 200, 400])
    const [refused] = (await call('GET', '/requests?status=4xx&limit=1')).body.rows
    assert.deepEqual([refused.errorCode, refused.path], ['country_not_allowed', '/api/v1/payments'])
    assert.equal(refused.hint, 'Le pays est NE ou BJ.')
    const { text } = await service.app
      .inject({ url: '/metrics' })
      .then(({ body }) => ({ text: body }))
    assert.match(text, /karba_request_log_dropped_total [1-9]/)
    const later = { ...service.clock, now: () => service.clock.now() + 7 * DAY_MS + 1 }
    const keep = [{ rows: OLD_REQUESTS, days: 7 }]
    const prune = historyPruner({ db: service.db, clock: later, keep, pruned: () => {} })
    while (await prune());
    assert.deepEqual((await call('GET', '/requests')).body.rows, [])
  })
})
