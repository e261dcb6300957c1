// API keys (D-17, D-18): a change by another process takes effect within one second. The audit log:
// its entries for keys and for every manual action.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { authenticator, isNetwork, networkTest } from '../../src/actions/keys/authenticate-key.ts'
import { type KeyPair, revokeKeys, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import {
  changeAccountStatus,
  changeCheckoutSettings,
} from '../../src/actions/merchants/change-account.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { LONGEST_OVERLAP_MS } from '../../src/domain/people/api-key.ts'
import { EVERY_ACCOUNT, type Shell } from '../../src/domain/people/caller.ts'
import type { AuditEntry } from '../../src/domain/verify/audit-chain.ts'
import { deliveryName } from '../../src/domain/webhooks/webhook-event.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { listAudit } from '../../src/store/audit/audit-log.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { listKeys } from '../../src/store/keys/api-keys.ts'
import { setAccountStatus } from '../../src/store/merchants/accounts.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type Answer, openTestService, order, post, rowsByTable } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { change, newEndpoint, SECRET_HASH } from '../kit/webhooks.ts'

describe('keys', () => {
  const HOUR_MS = 3_600_000
  /** D-17: the maximum age of a cached key. */
  const NEWS_TAKE_MS = 1_000
  const SECRET_KEY = /sk_(sandbox|live)_[0-9A-Za-z]{40}/

  let now = Date.UTC(2026, 10, 15)
  const clock = { now: () => now, after: () => () => {} }
  let otherProcess: Runtime
  after(() => otherProcess.close())
  const service = shared(() => openTestService(SQLITE, {}, { clock }))
  before(async () => {
    otherProcess = await openRuntime(service.config, { clock })
  })

  const pay = (secretKey: string): Promise<Answer> => post(service, secretKey, order())
  const roll = async (accountId: string, keepOldMs: number): Promise<KeyPair> =>
    granted(await rollKeys(otherProcess, TESTER, { accountId, keepOldMs }))
  const revoke = async (which: string): Promise<number> =>
    granted(await revokeKeys(otherProcess, TESTER, { which })).revoked
  const code = async (secretKey: string): Promise<number> => (await pay(secretKey)).code

  it('a rolled key stays valid for the chosen overlap, to the millisecond', async () => {
    for (const keepOldMs of [NEWS_TAKE_MS, HOUR_MS, LONGEST_OVERLAP_MS]) {
      const { accountId, secretKey } = (await service.merchant()).accounts.live
      assert.equal(await code(secretKey), 200)
      const fresh = await roll(accountId, keepOldMs)
      assert.deepEqual([await code(secretKey), await code(fresh.secretKey)], [200, 200])
      now += keepOldMs - 1
      assert.deepEqual([await code(secretKey), await code(fresh.secretKey)], [200, 200])
      now += 1
      const { code: refused, body } = await pay(secretKey)
      assert.deepEqual([refused, body], [401, { message: 'Unauthorized: No Valid Key' }])
      assert.equal(await code(fresh.secretKey), 200)
    }
  })

  it('a key that is rolled without overlap is refused within one second', async () => {
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    assert.equal(await code(secretKey), 200)
    const fresh = await roll(accountId, 0)
    now += NEWS_TAKE_MS
    assert.deepEqual([await code(secretKey), await code(fresh.secretKey)], [401, 200])
  })

  it('a second roll does not extend the overlap of a rolled key', async () => {
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    await roll(accountId, HOUR_MS)
    await roll(accountId, 48 * HOUR_MS)
    now += HOUR_MS - 1
    assert.equal(await code(secretKey), 200)
    now += 1
    assert.equal(await code(secretKey), 401)
  })

  it('a key that is revoked by value, id or account is refused within one second', async () => {
    const ways: ((secretKey: string, accountId: string) => string | Promise<string>)[] = [
      (secretKey) => secretKey,
      (_, accountId) => accountId,
      async (_, accountId) =>
        (await listKeys(otherProcess.db, accountId)).find(({ kind }) => kind === 'secret')
          ?.keyId as string,
    ]
    for (const way of ways) {
      const { accountId, secretKey } = (await service.merchant()).accounts.live
      assert.equal(await code(secretKey), 200)
      assert.ok((await revoke(await way(secretKey, accountId))) >= 1)
      now += NEWS_TAKE_MS - 1
      // The service may use its cached key up to this moment and not after it.
      assert.ok([200, 401].includes(await code(secretKey)))
      now += 1
      assert.equal(await code(secretKey), 401)
      assert.deepEqual(await revokeKeys(otherProcess, TESTER, { which: secretKey }), {
        refused: 'key_not_found',
      })
    }
  })

  it('a key in constant use is looked up twice a second, without delay for its requests', async () => {
    const { accountId, secretKey } = (await service.merchant()).accounts.live
    const lookUps: Promise<unknown>[] = []
    const find: Database['find'] = <Row>(...asked: Parameters<Database['find']>) => {
      const found = otherProcess.db.find<Row>(...asked)
      lookUps.push(found)
      return found
    }
    const authenticate = authenticator({ ...otherProcess.db, find }, clock, otherProcess.hashKey)
    const ask = () =>
      authenticate(secretKey, {
        environment: 'live',
        permission: 'create',
        from: { ip: '127.0.0.1' },
      })
    assert.equal('refused' in (await ask()), false)
    for (const half of [1, 2, 3, 4]) {
      now += NEWS_TAKE_MS / 2
      // Not awaited: the cache answers these requests.
      assert.equal([ask(), ask(), ask()].filter((answer) => answer instanceof Promise).length, 0)
      assert.equal(lookUps.length, 1 + half)
      await lookUps.at(-1)
      await turn()
    }
    // The service records the last use in the background, without delay for the request.
    const secretOf = async () =>
      (await listKeys(otherProcess.db, accountId)).find(({ kind }) => kind === 'secret')
    await until(
      'record of the key’s last use',
      async () => typeof (await secretOf())?.lastUsedAt === 'number',
    )
  })

  it('a clock that is set back invalidates the cache, because entries may be older than they seem', async () => {
    const { secretKey } = (await service.merchant()).accounts.live
    const authenticate = authenticator(otherProcess.db, clock, otherProcess.hashKey)
    const ask = () =>
      authenticate(secretKey, {
        environment: 'live',
        permission: 'create',
        from: { ip: '127.0.0.1' },
      })
    assert.equal('refused' in (await ask()), false)
    assert.equal(ask() instanceof Promise, false)
    now -= 3_600_000
    assert.equal(ask() instanceof Promise, true)
    now += 3_600_000
  })

  it('a revoked key that is not in the cache is refused at once', async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    await revoke(secretKey)
    assert.equal(await code(secretKey), 401)
  })

  it('the keys of a suspended account get 403 until the suspension ends', async () => {
    const { merchantId, accounts } = await service.merchant()
    const { secretKey } = accounts.sandbox
    assert.equal(await code(secretKey), 200)
    const suspended = await setAccountStatus(otherProcess.db, merchantId, 'sandbox', 'suspended')
    assert.equal(suspended, accounts.sandbox.accountId)
    now += NEWS_TAKE_MS
    const { code: refused, body } = await pay(secretKey)
    assert.deepEqual([refused, body], [403, { message: 'Forbidden: Environment Not Available' }])
    assert.equal(await code(accounts.live.secretKey), 200)
    await setAccountStatus(otherProcess.db, merchantId, 'sandbox', 'validated')
    now += NEWS_TAKE_MS
    assert.equal(await code(secretKey), 200)
  })

  it('live keys work once the account is validated, sandbox keys at once', async () => {
    const { merchantId, accounts } = await service.merchant({ validateLive: false })
    assert.deepEqual(
      [await code(accounts.sandbox.secretKey), await code(accounts.live.secretKey)],
      [200, 403],
    )
    assert.equal(
      await setAccountStatus(otherProcess.db, merchantId, 'live', 'validated'),
      accounts.live.accountId,
    )
    now += NEWS_TAKE_MS
    assert.equal(await code(accounts.live.secretKey), 200)
  })

  it('a dump of the store contains no usable keys', async () => {
    const { sandbox, live } = (await service.merchant()).accounts
    const tables = await rowsByTable(otherProcess)
    const text = JSON.stringify(tables)
    assert.ok(text.includes(live.publicKey))
    assert.doesNotMatch(text, SECRET_KEY)
    for (const { secretKey } of [sandbox, live]) assert.ok(!text.includes(secretKey.slice(-35)))
    const keys = tables.api_keys as { account_id: string }[]
    const ofKeys = keys
      .filter((row) => row.account_id === live.accountId)
      .flatMap((row) => Object.values(row))
    const stored = ofKeys.filter((value): value is string => typeof value === 'string')
    // Neither a stored text nor a key built from it authenticates.
    for (const value of new Set(stored.flatMap((each) => [each, `sk_live_${each}`]))) {
      const authorization = `Bearer ${Buffer.from(value).toString('latin1')}`
      const change = { authorization, 'svc-target-environment': 'live' }
      assert.equal((await post(service, value, order(), change)).code, 401)
    }
  })
})

// Every manual action writes an entry with its actor in the same commit, and no secret.
describe('audit log', () => {
  const AWA: Shell = { ...TESTER, user: 'awa' }
  const MANY: Shell = { ...TESTER, user: 'many' }

  const service = shared(() => openTestService(SQLITE, { KARBA_ROLE: 'api' }))
  let merchant: NewMerchant
  let accountId: string
  before(async () => {
    merchant = await service.merchant()
    accountId = merchant.accounts.sandbox.accountId
  })

  const latest = (most: number, subject?: string): Promise<AuditEntry[]> =>
    listAudit(service.db, EVERY_ACCOUNT, { since: 0, subject }, Number.MAX_SAFE_INTEGER, most)
  const all = (subject?: string): Promise<AuditEntry[]> => latest(1_000, subject)
  /** Oldest first. */
  const actionsOn = async (subject: string): Promise<string[]> =>
    (await all(subject)).map(({ action }) => action).reverse()

  it('records the actions on a merchant, its keys and its offer, in order', async () => {
    const { merchantId } = merchant
    const suspended = { merchantId, environment: 'sandbox', status: 'suspended' } as const
    assert.deepEqual(await changeAccountStatus(service, AWA, suspended), { accountId })
    await changeAccountStatus(service, AWA, { ...suspended, status: 'validated' })
    const { secretKey } = granted(await rollKeys(service, AWA, { accountId, keepOldMs: 3_600_000 }))
    assert.deepEqual(await revokeKeys(service, AWA, { which: secretKey }), { revoked: 1 })
    await changeCheckoutSettings(service, AWA, { accountId, methods: ['wallet'] })
    assert.deepEqual(await actionsOn(merchantId), [
      'merchant.create',
      'merchant.status',
      'merchant.status',
    ])
    assert.deepEqual(await actionsOn(accountId), ['keys.roll', 'keys.revoke', 'account.offer'])
  })

  it('names the actor and the account', async () => {
    const named = (entries: AuditEntry[]) => [
      ...new Set(entries.map(({ actor, accountId: of }) => `${actor} ${of}`)),
    ]
    assert.deepEqual(named(await all(accountId)), [`shell awa@test ${accountId}`])
    assert.deepEqual(named(await all(merchant.merchantId)), [
      `shell awa@test ${accountId}`,
      'shell tester@test null',
    ])
    const ofOthers = { accountId: merchant.accounts.live.accountId }
    assert.deepEqual(
      await listAudit(service.db, ofOthers, { since: 0 }, Number.MAX_SAFE_INTEGER, 10),
      [],
    )
  })

  it('records the actions on an endpoint', async () => {
    const endpoint = await newEndpoint(service, accountId, 'https://shop.example.com/hook')
    const key = granted(await testEndpoint(service, AWA, endpoint))
    granted(await replayEvents(service, AWA, { delivery: deliveryName(key) }))
    await change(service, endpoint, { to: 'new signing secret', keepOldMs: 0 })
    await change(service, endpoint, { to: 'off' })
    const done = ['webhook.add', 'webhook.test', 'webhook.roll-secret', 'webhook.disable']
    assert.deepEqual(await actionsOn(endpoint.endpointId), done)
    assert.equal((await actionsOn(accountId)).at(-1), 'webhook.replay')
  })

  it('records no refused action', async () => {
    const before = await all()
    const unknownAccount = { accountId: 'acc_000000000000', keepOldMs: 0 }
    const validated = { merchantId: 'mer_none', environment: 'live', status: 'validated' } as const
    assert.deepEqual(await revokeKeys(service, AWA, { which: 'key_none' }), {
      refused: 'key_not_found',
    })
    assert.deepEqual(await rollKeys(service, AWA, unknownAccount), { refused: 'account_not_found' })
    assert.deepEqual(await changeAccountStatus(service, AWA, validated), {
      refused: 'merchant_not_found',
    })
    assert.deepEqual(await all(), before)
  })

  it('records no secret', async () => {
    const secrets = (text: string): string[] => text.match(/sk_(sandbox|live)_\w+|whsec_\S+/g) ?? []
    const text = JSON.stringify(await all())
    assert.deepEqual([secrets(text), text.includes(SECRET_HASH)], [[], false])
  })

  it('records all concurrent actions, and lists the latest', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => rollKeys(service, MANY, { accountId, keepOldMs: 0 })),
    )
    const rolls = (await all()).filter(({ actor }) => actor === 'shell many@test')
    assert.equal(rolls.length, 20)
    assert.deepEqual(await latest(5), rolls.slice(0, 5))
  })
})

it('key networks: a network is an address, or one with the number of bits that count', () => {
  for (const written of [
    '203.0.113.7',
    '203.0.113.0/24',
    '2001:db8::1',
    '2001:db8::/32',
    '0.0.0.0/0',
  ])
    assert.ok(isNetwork(written), written)
  for (const written of [
    '',
    'shop.example',
    '203.0.113.0/33',
    '203.0.113.0/24/8',
    '1.2.3',
    '::1/129',
    '10.0.0.0/-1',
  ])
    assert.ok(!isNetwork(written), written)
})

it('key networks: an address is in a network however it is written', () => {
  const isAllowed = networkTest(['203.0.113.0/24', '2001:db8::1'])
  for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:0::1'])
    assert.ok(isAllowed(address), address)
  for (const address of ['203.0.114.9', '2001:db8::2', '', 'x'])
    assert.ok(!isAllowed(address), address)
})
