// Secrets of the sandbox: owners and developers can read them until one says that they have it. A
// live one is shown once.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openEverySecret, rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import { masterKeyOf, useOf } from '../../src/service/master-key.ts'
import { realRandom } from '../../src/service/runtime.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { dumped, openTestService, order, post, type TestService } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'

const HOOK = 'https://shop.example.com/hook'
const KEY = { name: 'Site', permissions: null, networks: null }

interface Secret {
  subject: string
  of: string
  name: string | null
  secret: string
}

let signUps = 0

for (const store of STORES_IN_HALVES)
  describe(`sandbox secrets, on ${store.name}`, () => {
    let service: TestService
    let owner: { cookie: string }
    let merchantId: string
    let sandbox: string
    let live: string

    before(async () => {
      service = await openTestService(store, {})
    })
    after(() => service.remove())

    async function signUp(): Promise<void> {
      const email = `awa-${++signUps}@example.com`
      const input = {
        name: 'Awa',
        email,
        password: 'trois petits chats',
        merchantName: 'Boutique',
        language: 'fr',
      }
      const answer = await ask(
        service,
        'POST /sign-up',
        undefined,
        input,
        {},
        `198.51.100.${signUps}`,
      )
      const [merchant] = answer.body.merchants
      merchantId = merchant.merchantId
      sandbox = merchant.accounts[0].accountId
      live = merchant.accounts[1].accountId
      owner = { cookie: String(answer.headers['set-cookie']).split(';')[0] as string }
    }

    const call = (who: { cookie: string }, request: string, body?: object, accountId = sandbox) =>
      ask(service, request.replace(' ', ` /accounts/${accountId}`), who, body)
    const secrets = async (who: { cookie: string } = owner): Promise<Secret[]> =>
      (await call(who, 'GET /secrets')).body.rows
    const have = (who: { cookie: string }, subject: string) =>
      call(who, `POST /secrets/${subject}/have`)
    const member = (
      as: 'developer' | 'cashier' | 'accountant' | 'viewer' | 'owner',
    ): Promise<SignedIn> => signedIn(service, { at: merchantId, as })

    it('the first secret key stays readable and works until a person says that they have it', async () => {
      await signUp()
      const developer = await member('developer')
      const [first, ...others] = await secrets()
      assert.deepEqual(others, [])
      assert.deepEqual([first?.of, first?.name], ['key', null])
      assert.match(first?.secret ?? '', /^sk_sandbox_\w+$/)
      assert.equal((await post(service, first?.secret ?? '', order())).code, 200)
      assert.deepEqual(await secrets(developer), [first])
      assert.ok(!(await dumped(service)).includes(first?.secret ?? ''))
      assert.equal((await have(developer, first?.subject ?? '')).code, 200)
      assert.deepEqual(await secrets(), [])
      assert.deepEqual((await have(owner, first?.subject ?? '')).body.code, 'secret_not_found')
    })

    it('only owners and developers of the merchant read and acknowledge them', async () => {
      await signUp()
      const [first] = await secrets()
      for (const role of ['cashier', 'accountant', 'viewer'] as const) {
        const who = await member(role)
        const answer = await call(who, 'GET /secrets')
        assert.deepEqual(
          [answer.code, answer.body],
          [403, { code: 'role_not_allowed', roles: ['owner', 'developer'] }],
        )
        assert.equal((await have(who, first?.subject ?? '')).code, 403)
      }
      const other = await service.merchant()
      const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
      assert.equal((await call(stranger, 'GET /secrets')).code, 404)
      assert.equal((await have(stranger, first?.subject ?? '')).code, 404)
      const own = `POST /secrets/${first?.subject}/have`
      assert.equal(
        (await call(stranger, own, {}, other.accounts.sandbox.accountId)).body.code,
        'secret_not_found',
      )
      assert.deepEqual(await secrets(), [first])
    })

    it('new and rolled keys and signing secrets of the sandbox are kept, sealed, also after a rotation of the master key', async () => {
      await signUp()
      const [first] = await secrets()
      const made = (await call(owner, 'POST /keys', KEY)).body
      const rolled = (await call(owner, `POST /keys/${made.key.keyId}/roll`, { keepOldMs: 0 })).body
      const endpoint = (await call(owner, 'POST /endpoints', { url: HOOK })).body
      await call(owner, 'POST /keys', { ...KEY, kind: 'public' })
      const kept = await secrets()
      assert.deepEqual(
        kept.map(({ name, secret }) => [name, secret]).sort(),
        [
          [null, first?.secret],
          ['Site', rolled.secret],
          [HOOK, endpoint.signingSecret],
        ].sort(),
      )
      const dump = await dumped(service)
      for (const { secret } of kept) assert.ok(!dump.includes(secret))
      const from = useOf(service.master, realRandom)
      const next = useOf(masterKeyOf('cd'.repeat(32)), realRandom)
      granted(await rotateMasterKey(service, TESTER, { from, to: next }))
      assert.deepEqual((await openEverySecret(service.db, next)).unopened, [])
      granted(await rotateMasterKey(service, TESTER, { from: next, to: from }))
      assert.deepEqual(await secrets(), kept)
    })

    it('the secret of a revoked key or a removed endpoint is gone from the store', async () => {
      await signUp()
      const [first] = await secrets()
      const { endpoint } = (await call(owner, 'POST /endpoints', { url: HOOK })).body
      assert.equal((await call(owner, `POST /keys/${first?.subject}/revoke`)).code, 200)
      assert.equal((await call(owner, `DELETE /endpoints/${endpoint.endpointId}`)).code, 200)
      assert.deepEqual(await secrets(), [])
      const left = 'select 1 as one from kept_secrets where account_id = :sandbox'
      assert.deepEqual(await service.db.read(left, { sandbox }), [])
    })

    it('a live secret is never kept', async () => {
      const merchant = await service.merchant()
      const who = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      live = merchant.accounts.live.accountId
      assert.equal((await call(who, 'POST /keys', KEY, live)).code, 200)
      assert.equal((await call(who, 'POST /endpoints', { url: HOOK }, live)).code, 200)
      assert.deepEqual((await call(who, 'GET /secrets', undefined, live)).body.rows, [])
      assert.deepEqual(
        await service.db.read('select 1 as one from kept_secrets where account_id = :live', {
          live,
        }),
        [],
      )
    })
  })
