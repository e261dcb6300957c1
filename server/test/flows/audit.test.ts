// The audit log on both stores: whatever is done by hand leaves a row with who did it, in the same commit, and nothing secret.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { revokeKeys, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { changeAccountStatus, changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import type { AuditEntry } from '../../src/domain/audit-chain.ts'
import { EVERY_ACCOUNT, type Shell } from '../../src/domain/caller.ts'
import { deliveryName } from '../../src/domain/webhook-event.ts'
import { listAudit } from '../../src/store/audit/audit-log.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { change, newEndpoint, SECRET_HASH } from '../kit/webhooks.ts'

const AWA: Shell = { ...TESTER, user: 'awa' }
const MANY: Shell = { ...TESTER, user: 'many' }

describe('the audit log', () => {
  let service: TestService
  let merchant: NewMerchant
  let accountId: string
  before(async () => {
    service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
    merchant = await service.merchant()
    accountId = merchant.accounts.sandbox.accountId
  })
  after(() => service.remove())

  const latest = (most: number, subject?: string): Promise<AuditEntry[]> =>
    listAudit(service.db, EVERY_ACCOUNT, { since: 0, subject }, Number.MAX_SAFE_INTEGER, most)
  const all = (subject?: string): Promise<AuditEntry[]> => latest(1_000, subject)
  /** The earliest first. */
  const actionsOn = async (subject: string): Promise<string[]> =>
    (await all(subject)).map(({ action }) => action).reverse()

  it('has what was done to a merchant, its keys and its offer, in order', async () => {
    const { merchantId } = merchant
    const suspended = { merchantId, environment: 'sandbox', status: 'suspended' } as const
    assert.deepEqual(await changeAccountStatus(service, AWA, suspended), { accountId })
    await changeAccountStatus(service, AWA, { ...suspended, status: 'validated' })
    const { secretKey } = granted(await rollKeys(service, AWA, { accountId, keepOldMs: 3_600_000 }))
    assert.deepEqual(await revokeKeys(service, AWA, { which: secretKey }), { revoked: 1 })
    await changeCheckoutSettings(service, AWA, { accountId, methods: ['wallet'] })
    assert.deepEqual(await actionsOn(merchantId), ['merchant.create', 'merchant.status', 'merchant.status'])
    assert.deepEqual(await actionsOn(accountId), ['keys.roll', 'keys.revoke', 'account.offer'])
  })

  it('names who did it, and whose account it was done to', async () => {
    const named = (entries: AuditEntry[]) => [...new Set(entries.map(({ actor, accountId: of }) => `${actor} ${of}`))]
    assert.deepEqual(named(await all(accountId)), [`shell awa@test ${accountId}`])
    assert.deepEqual(named(await all(merchant.merchantId)), [`shell awa@test ${accountId}`, 'shell tester@test null'])
    const ofOthers = { accountId: merchant.accounts.live.accountId }
    assert.deepEqual(await listAudit(service.db, ofOthers, { since: 0 }, Number.MAX_SAFE_INTEGER, 10), [])
  })

  it('has what was done to an endpoint', async () => {
    const endpoint = await newEndpoint(service, accountId, 'https://shop.example.com/hook')
    const key = granted(await testEndpoint(service, AWA, endpoint))
    granted(await replayEvents(service, AWA, { delivery: deliveryName(key) }))
    await change(service, endpoint, { to: 'new signing secret', keepOldMs: 0 })
    await change(service, endpoint, { to: 'off' })
    const done = ['webhook.add', 'webhook.test', 'webhook.roll-secret', 'webhook.disable']
    assert.deepEqual(await actionsOn(endpoint.endpointId), done)
    assert.equal((await actionsOn(accountId)).at(-1), 'webhook.replay')
  })

  it('has nothing of what was refused', async () => {
    const before = await all()
    const nobody = { accountId: 'acc_000000000000', keepOldMs: 0 }
    const validated = { merchantId: 'mer_none', environment: 'live', status: 'validated' } as const
    assert.deepEqual(await revokeKeys(service, AWA, { which: 'key_none' }), { refused: 'key_not_found' })
    assert.deepEqual(await rollKeys(service, AWA, nobody), { refused: 'account_not_found' })
    assert.deepEqual(await changeAccountStatus(service, AWA, validated), { refused: 'merchant_not_found' })
    assert.deepEqual(await all(), before)
  })

  it('keeps no secret', async () => {
    const secrets = (text: string): string[] => text.match(/sk_(sandbox|live)_\w+|whsec_\S+/g) ?? []
    const text = JSON.stringify(await all())
    assert.deepEqual([secrets(text), text.includes(SECRET_HASH)], [[], false])
  })

  it('has everything that is done at the same time, and shows the latest of it', async () => {
    await Promise.all(Array.from({ length: 20 }, () => rollKeys(service, MANY, { accountId, keepOldMs: 0 })))
    const rolls = (await all()).filter(({ actor }) => actor === 'shell many@test')
    assert.equal(rolls.length, 20)
    assert.deepEqual(await latest(5), rolls.slice(0, 5))
  })
})
