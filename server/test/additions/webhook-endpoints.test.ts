// Webhook endpoints of the merchant API (D-217): what a key may, over HTTP, on both stores.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { makeKey } from '../../src/actions/keys/manage-keys.ts'
import { WEBHOOK_TEST_TRIES } from '../../src/domain/limits/try-limit.ts'
import { KEY_PERMISSIONS, type KeyPermission } from '../../src/domain/people/role.ts'
import { MOST_ENDPOINTS } from '../../src/domain/webhooks/webhook-event.ts'
import { OPERATIONS } from '../../src/merchant-api/contract.ts'
import { ask as askApi, type Sent } from '../contract/refusal-walk.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, signedIn } from '../kit/people.ts'
import { head, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const SHOP = 'https://shop.example.com'
const MINUTE_MS = 60_000
/** Nothing is sent in this test. */
const sender = {
  send: async () => ({
    status: 204,
    durationMs: 1,
    answer: '',
    error: null,
    retryAfterMs: null,
  }),
  close: async () => {},
}

type WebhookOperation = Extract<keyof typeof OPERATIONS, `${string}Webhook${string}`>
const WEBHOOK_OPERATIONS = Object.keys(OPERATIONS).filter((id) =>
  OPERATIONS[id as keyof typeof OPERATIONS].path.startsWith('/webhook_endpoints'),
) as WebhookOperation[]

for (const store of STORES)
  describe(`webhook endpoints of the API on ${store.name}`, async () => {
    const service = await openVirtualService(store, {}, { sender })
    after(() => service.remove())

    async function call(key: string, id: keyof typeof OPERATIONS, sent: Sent = {}) {
      const asked = { ...sent, headers: head(key) }
      const { code, text, headers } = await askApi(service, OPERATIONS[id], asked)
      return { code, body: JSON.parse(text), error: headers['svc-error-code'], headers }
    }

    const create = (key: string, body: Record<string, unknown>) =>
      call(key, 'createWebhookEndpoint', { body })

    async function keyOf(accountId: string, permissions: readonly KeyPermission[] | null) {
      const wanted = { accountId, name: 'Plugin', permissions, networks: null }
      return granted(await makeKey(service, TESTER, wanted)).key
    }

    const auditOf = (accountId: string) =>
      service.db.read<{ action: string; actor: string; detail: string }>(
        `select action, actor, detail from audit_log where account_id = :accountId
          and action like 'webhook.%' order by entry`,
        { accountId },
      )

    it('endpoints: an unrestricted key of the sandbox creates, lists, changes, rolls, tests and deletes one', async () => {
      const { accountId, secretKey: key } = (await service.merchant()).accounts.sandbox
      const made = await create(key, { url: `${SHOP}/hook` })
      assert.equal(made.code, 200, JSON.stringify(made.body))
      const { signing_secret: secret, ...endpoint } = made.body
      assert.match(secret, /^whsec_/)
      assert.deepEqual(endpoint.events, ['payment.succeeded', 'payment.failed'])
      const listed = await call(key, 'listWebhookEndpoints')
      assert.deepEqual(listed.body, { data: [endpoint] })
      const named = { reference: endpoint.id as string }
      const change = {
        url: `${SHOP}/new`,
        events: ['refund.succeeded'],
        secret_hash: 'x'.repeat(16),
      }
      const changed = await call(key, 'changeWebhookEndpoint', { ...named, body: change })
      assert.deepEqual(changed.body, { ...endpoint, url: change.url, events: change.events })
      const same = await call(key, 'changeWebhookEndpoint', { ...named, body: {} })
      assert.deepEqual(same.body, changed.body)
      const rolled = await call(key, 'rollWebhookSecret', named)
      assert.notEqual(rolled.body.signing_secret, secret)
      const tested = await call(key, 'testWebhookEndpoint', named)
      assert.deepEqual(tested.body, { delivery: `${endpoint.id}-1`, sequence: 1 })
      const deleted = await call(key, 'deleteWebhookEndpoint', named)
      assert.deepEqual(deleted.body, { id: endpoint.id, deleted: true })
      assert.deepEqual((await call(key, 'listWebhookEndpoints')).body, { data: [] })
      const audit = await auditOf(accountId)
      assert.deepEqual(
        audit.map(({ action }) => action.replace('webhook.', '')),
        ['add', 'change', 'roll-secret-hash', 'roll-secret', 'test', 'remove'],
      )
      for (const { actor, detail } of audit) {
        assert.match(actor, /^key key_/)
        assert.ok(!detail.includes('whsec_') && !detail.includes(change.secret_hash))
      }
    })

    it('endpoints: the secret of the sandbox stays readable in the dashboard, that of live does not', async () => {
      const { merchantId, accounts } = await service.merchant()
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const liveKey = await keyOf(accounts.live.accountId, ['webhooks'])
      const shown = async (accountId: string) =>
        (await ask(service, `GET /accounts/${accountId}/secrets`, owner)).body.rows.map(
          ({ secret }: { secret: string }) => secret,
        )
      const inSandbox = await create(accounts.sandbox.secretKey, { url: SHOP })
      const inLive = await create(liveKey, { url: SHOP })
      assert.deepEqual([inSandbox.code, inLive.code], [200, 200])
      assert.ok((await shown(accounts.sandbox.accountId)).includes(inSandbox.body.signing_secret))
      assert.deepEqual(await shown(accounts.live.accountId), [])
    })

    it('endpoints: in live only a key with that permission may, and it may nothing else', async () => {
      const { accountId, secretKey } = (await service.merchant()).accounts.live
      const others = KEY_PERMISSIONS.filter((each) => each !== 'webhooks')
      for (const key of [secretKey, await keyOf(accountId, others)])
        for (const id of WEBHOOK_OPERATIONS) {
          const { code, error } = await call(key, id, { reference: 'whe_x', body: { url: SHOP } })
          assert.deepEqual([code, error], [403, 'key_not_permitted'], id)
        }
      const key = await keyOf(accountId, ['webhooks'])
      const reachable = Object.values(OPERATIONS).filter(({ refusals }) =>
        (refusals as readonly string[]).includes('key_not_permitted'),
      )
      assert.ok(reachable.length > WEBHOOK_OPERATIONS.length + 10)
      for (const { id } of reachable) {
        const { error } = await call(key, id, { reference: 'x', body: {} })
        const isOwn = WEBHOOK_OPERATIONS.some((own) => own === id)
        assert.equal(error === 'key_not_permitted', !isOwn, `${id}: ${error}`)
      }
      assert.equal((await post(service, key, order())).code, 403)
    })

    it('endpoints: a key for webhooks has no other permission, and its maker manages webhooks', async () => {
      const { merchantId, accounts } = await service.merchant()
      for (const environment of ['sandbox', 'live'] as const) {
        const keys = `POST /accounts/${accounts[environment].accountId}/keys`
        const makeAs = async (as: 'owner' | 'developer' | 'accountant', permissions: string[]) => {
          const person = await signedIn(
            service,
            { at: merchantId, as },
            `${as}-${environment}-${permissions}`,
          )
          const made = await ask(service, keys, person, { name: 'Plugin', permissions })
          return made.body.code ?? made.body.key.permissions
        }
        assert.equal(await makeAs('owner', ['webhooks', 'read']), 'key_permissions_not_valid')
        assert.deepEqual(await makeAs('developer', ['webhooks']), ['webhooks'])
        assert.equal(await makeAs('accountant', ['webhooks']), 'role_not_allowed')
      }
    })

    it('endpoints: those of another account and of the other environment are not found', async () => {
      const mine = (await service.merchant()).accounts
      const theirs = (await service.merchant()).accounts
      const { id: reference } = (await create(mine.sandbox.secretKey, { url: SHOP })).body
      const strangers = [theirs.sandbox.secretKey, await keyOf(mine.live.accountId, ['webhooks'])]
      for (const key of strangers) {
        for (const id of WEBHOOK_OPERATIONS.filter((each) => OPERATIONS[each].path.includes('{'))) {
          const { code, error } = await call(key, id, { reference, body: {} })
          assert.deepEqual([code, error], [404, 'endpoint_not_found'], id)
        }
        assert.deepEqual((await call(key, 'listWebhookEndpoints')).body, { data: [] })
        assert.equal((await create(key, { url: SHOP })).code, 200)
      }
      const { data } = (await call(mine.sandbox.secretKey, 'listWebhookEndpoints')).body
      assert.deepEqual(
        data.map(({ id, status }: { id: string; status: string }) => [id, status]),
        [[reference, 'on']],
      )
    })

    it('endpoints: an address has one of them, whose id a repeated creation gets', async () => {
      const { secretKey: key } = (await service.merchant()).accounts.sandbox
      const url = `${SHOP}/hook?shop=1`
      const answers = await Promise.all([1, 2, 3].map(() => create(key, { url })))
      const made = answers.filter(({ code }) => code === 200)
      assert.equal(made.length, 1)
      const id = made[0]?.body.id
      for (const { code, body, error, headers } of answers.filter((each) => each.code !== 200)) {
        assert.deepEqual([code, error], [422, 'endpoint_url_taken'])
        assert.deepEqual(body, { status: 'failed', message: 'Webhook Endpoint Exists' })
        assert.deepEqual(
          [headers['svc-existing-reference'], headers['svc-error-param']],
          [id, 'url'],
        )
      }
      const other = (await create(key, { url: `${SHOP}/other` })).body.id
      const moved = await call(key, 'changeWebhookEndpoint', {
        reference: other,
        body: { url, status: 'off' },
      })
      assert.deepEqual(
        [moved.error, moved.headers['svc-existing-reference']],
        ['endpoint_url_taken', id],
      )
      const { data } = (await call(key, 'listWebhookEndpoints')).body
      assert.deepEqual(
        data.map(({ status }: { status: string }) => status),
        ['on', 'on'],
      )
    })

    it('endpoints: a change is all or nothing', async () => {
      const { secretKey: key } = (await service.merchant()).accounts.sandbox
      const { signing_secret: _secret, ...made } = (await create(key, { url: SHOP })).body
      const body = { url: `${SHOP}/new`, status: 'off', secret_hash: 'short' }
      const refused = await call(key, 'changeWebhookEndpoint', { reference: made.id, body })
      assert.deepEqual([refused.code, refused.error], [400, 'secret_hash_not_valid'])
      assert.deepEqual((await call(key, 'listWebhookEndpoints')).body, { data: [made] })
    })

    it('endpoints: an account has five', async () => {
      const { secretKey: key } = (await service.merchant()).accounts.sandbox
      const codes: number[] = []
      for (let nth = 0; nth <= MOST_ENDPOINTS; nth++)
        codes.push((await create(key, { url: `${SHOP}/${nth}` })).code)
      assert.deepEqual(codes, [200, 200, 200, 200, 200, 422])
      assert.equal((await create(key, { url: `${SHOP}/9` })).error, 'too_many_endpoints')
      assert.equal((await create(key, { url: `${SHOP}/0` })).error, 'endpoint_url_taken')
    })

    const WRONG: [body: Record<string, unknown>, error: string, hint: RegExp][] = [
      [{}, 'webhook_url_not_valid', /complete address/],
      [{ url: 12 }, 'webhook_url_not_valid', /complete address/],
      [{ url: 'https://10.0.0.1/' }, 'webhook_url_not_valid', /not public/],
      [{ url: 'https://[fd00::1]/' }, 'webhook_url_not_valid', /not public/],
      [{ url: 'https://169.254.169.254/latest' }, 'webhook_url_not_valid', /not public/],
      [{ url: 'https://0x0a000001/' }, 'webhook_url_not_valid', /not public/],
      [{ url: 'https://db.internal/' }, 'webhook_url_not_valid', /private network/],
      [{ url: 'https://a:b@shop.example.com/' }, 'webhook_url_not_valid', /user name/],
      [{ url: `${SHOP}/${'x'.repeat(2_048)}` }, 'webhook_url_not_valid', /2048/],
      [{ url: SHOP, events: 'payment.succeeded' }, 'event_name_not_valid', /payment\.succeeded/],
      [{ url: SHOP, events: ['payment.lost'] }, 'event_name_not_valid', /payment\.succeeded/],
      [{ url: SHOP, events: [null] }, 'event_name_not_valid', /payment\.succeeded/],
      [{ url: SHOP, secret_hash: 'short' }, 'secret_hash_not_valid', /16 to 255/],
      [
        { url: SHOP, secret_hash: `${'x'.repeat(16)}\r\nX: y` },
        'secret_hash_not_valid',
        /16 to 255/,
      ],
    ]
    it('endpoints: a private address, an unknown event and a weak Secret-Hash are refused, with a hint', async () => {
      const { secretKey: key } = (await service.merchant()).accounts.sandbox
      const { id: reference } = (await create(key, { url: `${SHOP}/changed` })).body
      for (const [body, error, hint] of WRONG) {
        const created = await create(key, body)
        assert.deepEqual([created.code, created.error], [400, error], JSON.stringify(body))
        assert.match(String(created.headers['svc-error-hint']), hint)
        if (body.url === undefined) continue
        const changed = await call(key, 'changeWebhookEndpoint', { reference, body })
        assert.deepEqual([changed.code, changed.error], [400, error], JSON.stringify(body))
      }
      assert.equal((await call(key, 'listWebhookEndpoints')).body.data.length, 1)
    })

    it('endpoints: after twenty test events an account sends one a minute, from the dashboard too', async () => {
      const { merchantId, accounts } = await service.merchant()
      const { secretKey: key, accountId } = accounts.sandbox
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const made = [(await create(key, { url: `${SHOP}/1` })).body.id]
      made.push((await create(key, { url: `${SHOP}/2` })).body.id)
      const send = (nth: number) =>
        call(key, 'testWebhookEndpoint', { reference: made[nth % 2] as string })
      for (let nth = 0; nth < WEBHOOK_TEST_TRIES.free; nth++)
        assert.equal((await send(nth)).code, 200, `test ${nth}`)
      const over = await send(0)
      assert.deepEqual(
        [over.code, over.error, over.headers['retry-after']],
        [429, 'too_many_requests', '1'],
      )
      const inDashboard = () =>
        ask(service, `POST /accounts/${accountId}/endpoints/${made[1]}/test`, owner)
      assert.equal((await inDashboard()).body.code, 'too_many_tries')
      await service.clock.sleep(MINUTE_MS + 1)
      assert.equal((await send(1)).code, 200)
      assert.equal((await send(1)).code, 429)
      const [row] = await service.db.read<{ tests: number }>(
        `select count(*) as tests from events where account_id = :accountId`,
        { accountId },
      )
      assert.equal(Number(row?.tests), WEBHOOK_TEST_TRIES.free + 1)
      const other = (await service.merchant()).accounts.sandbox.secretKey
      const { id: reference } = (await create(other, { url: SHOP })).body
      assert.equal((await call(other, 'testWebhookEndpoint', { reference })).code, 200)
    })
  })
