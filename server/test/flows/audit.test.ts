// The audit log on both stores: whatever is done by hand leaves a row with who did it, in the same commit, and nothing secret.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { revokeKeys } from '../../src/actions/keys/revoke-keys.ts'
import { rollKeys } from '../../src/actions/keys/roll-keys.ts'
import { changeAccountStatus } from '../../src/actions/merchants/change-account-status.ts'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-checkout-settings.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { replayEvents } from '../../src/actions/webhooks/replay-events.ts'
import { testEndpoint } from '../../src/actions/webhooks/test-endpoint.ts'
import { listAudit } from '../../src/store/audit/audit-log.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { add, change, SECRET_HASH } from '../webhooks/manage.ts'

const ALL = { since: 0, most: 1_000 }

for (const store of STORES) {
  describe(`the audit log on ${store.name}`, () => {
    let service: TestService
    let merchant: NewMerchant
    let accountId: string
    before(async () => {
      service = await openTestService(store, { KARBA_ROLE: 'api' })
      merchant = await service.merchant()
      accountId = merchant.accounts.sandbox.accountId
    })
    after(() => service.remove())

    const actionsOn = async (subject: string): Promise<string[]> =>
      (await listAudit(service.db, { ...ALL, subject })).map(({ action }) => action)

    it('has what was done to a merchant, its keys and its offer, in order', async () => {
      const { merchantId } = merchant
      const suspended = { environment: 'sandbox', status: 'suspended' } as const
      assert.equal(await changeAccountStatus(service, merchantId, suspended, 'awa'), true)
      await changeAccountStatus(service, merchantId, { ...suspended, status: 'validated' }, 'awa')
      const pair = await rollKeys(service, accountId, 3_600_000, 'awa')
      assert.equal(await revokeKeys(service, pair?.secretKey as string, 'awa'), 1)
      await changeCheckoutSettings(service, accountId, { methods: ['wallet'] }, 'awa')
      assert.deepEqual(await actionsOn(merchantId), ['merchant.create', 'merchant.status', 'merchant.status'])
      assert.deepEqual(await actionsOn(accountId), ['keys.roll', 'keys.revoke', 'account.offer'])
    })

    it('has what was done to an endpoint', async () => {
      const endpoint = await add(service, accountId, 'https://shop.example.com/hook')
      const key = await testEndpoint(service, endpoint, 'awa')
      assert.ok('sequence' in key)
      await replayEvents(service, { delivery: key }, 'awa')
      await change(service, endpoint, { to: 'new signing secret', keepOldMs: 0 })
      await change(service, endpoint, { to: 'off' })
      const done = ['webhook.add', 'webhook.test', 'webhook.roll-secret', 'webhook.disable']
      assert.deepEqual(await actionsOn(endpoint.endpointId), done)
      assert.equal((await actionsOn(accountId)).at(-1), 'webhook.replay')
    })

    it('has nothing of what was refused', async () => {
      const before = await listAudit(service.db, ALL)
      assert.equal(await revokeKeys(service, 'key_none', 'awa'), 0)
      assert.equal(await rollKeys(service, 'acc_000000000000', 0, 'awa'), undefined)
      const validated = { environment: 'live', status: 'validated' } as const
      assert.equal(await changeAccountStatus(service, 'mer_none', validated, 'awa'), false)
      assert.deepEqual(await listAudit(service.db, ALL), before)
    })

    it('keeps no secret', async () => {
      const secrets = (text: string): string[] => text.match(/sk_(sandbox|live)_\w+|whsec_\S+/g) ?? []
      const text = JSON.stringify(await listAudit(service.db, ALL))
      assert.deepEqual([secrets(text), text.includes(SECRET_HASH)], [[], false])
    })

    it('has everything that is done at the same time, and shows the latest of it', async () => {
      await Promise.all(Array.from({ length: 20 }, () => rollKeys(service, accountId, 0, 'many')))
      const all = await listAudit(service.db, ALL)
      const rolls = all.filter(({ actor }) => actor === 'many')
      assert.equal(rolls.length, 20)
      const latest = await listAudit(service.db, { since: 0, most: 5 })
      assert.deepEqual(latest, rolls.slice(-5))
    })
  })
}
