// Several merchants on one live connection of the installation, in production: who is counted, and
// the warning in `karba doctor`.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import type { MerchantConnectionState } from '../../src/domain/merchants/merchant-connection.ts'
import { findSharedConnections } from '../../src/service/connections.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { insertMerchantConnection } from '../../src/store/operators/merchant-connections.ts'
import { runKarba } from '../kit/karba.ts'
import { newMerchant } from '../kit/service.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'

for (const store of STORES) {
  describe(`shared connections on ${store.name}`, () => {
    let folder: string
    let place: StorePlace
    let runtime: Runtime
    let merchants: NewMerchant[]

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'karba-shared-'))
      const [file, secret] = [join(folder, 'operators.json'), { file: join(folder, 'secret') }]
      writeFileSync(secret.file, 'a-secret')
      const options = { subscriptionKey: secret, apiUser: secret, apiKey: secret }
      const live = {
        connections: [
          { name: 'mtn-benin', connector: 'mtn-momo', options },
          { name: 'cards', connector: 'fedapay', options: { secretKey: secret } },
          { name: 'old', connector: 'pawapay', takes: false, options: { apiToken: secret } },
        ],
        routes: [
          { operator: 'mtn_bj', connection: 'mtn-benin' },
          { method: 'bank_card', connection: 'cards' },
          { operator: 'moov_bj', connection: 'old' },
        ],
      }
      writeFileSync(file, JSON.stringify({ live }))
      place = await store.makePlace({ KARBA_MODE: 'production', KARBA_OPERATORS_FILE: file })
      runtime = await openRuntime(place.config)
      merchants = [await newMerchant(runtime), await newMerchant(runtime, { validateLive: false })]
    })
    after(async () => {
      await runtime.close()
      await place.remove()
      rmSync(folder, { recursive: true })
    })

    const shared = () => findSharedConnections(place.config, runtime.db)

    async function own(nth: number, serves: string, state: MerchantConnectionState): Promise<void> {
      const { accountId } = (merchants[nth] as NewMerchant).accounts.live
      const at = runtime.clock.now()
      await insertMerchantConnection(runtime.db, {
        accountId,
        connectionId: `con_${serves}_${state}`,
        environment: 'live',
        connector: 'fedapay',
        label: 'x',
        serves,
        credentials: '',
        credentialsAt: at,
        state,
        createdAt: at,
        createdBy: 'tester',
      })
    }

    it('one validated merchant shares with no other', async () =>
      assert.deepEqual(await shared(), []))

    it('several validated merchants share every live connection that takes payments', async () => {
      merchants.push(await newMerchant(runtime))
      assert.deepEqual(await shared(), [
        { name: 'mtn-benin', merchants: 2 },
        { name: 'cards', merchants: 2 },
      ])
      const { stdout } = await runKarba(['doctor', '--json'], place.env)
      const found = JSON.parse(stdout).find(
        ({ name }: { name: string }) => name === 'shared_connections',
      )
      assert.equal(found.is, 'warning')
      assert.match(found.sentence, /live\/mtn-benin: 2 merchants, live\/cards: 2 merchants/)
    })

    it('in development nothing is shared', async () =>
      assert.deepEqual(
        await findSharedConnections({ ...place.config, mode: 'development' }, runtime.db),
        [],
      ))

    it('a merchant with a connection of their own does not share, also while it is suspended', async () => {
      await own(0, 'mtn_bj', 'removed')
      assert.equal((await shared()).length, 2)
      await own(0, 'mtn_bj', 'suspended')
      assert.deepEqual(await shared(), [{ name: 'cards', merchants: 2 }])
      await own(2, 'bank_card', 'active')
      assert.deepEqual(await shared(), [])
    })
  })
}
