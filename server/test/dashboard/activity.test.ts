// What was done to an account, as its owners read it: filtered, page by page, and nothing of another merchant or of the service's own notes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeAccountStatus } from '../../src/actions/merchants/change-account.ts'
import type { ActivityRow } from '../../src/dashboard-api/shapes.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'

const SHELL = { is: 'shell', user: 'root', host: 'server-7' } as const

describe('the activity of an account', () => {
  let service: TestService
  before(async () => {
    service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
  })
  after(() => service.remove())

  async function newShop() {
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    const [sandbox, live] = [accounts.sandbox, accounts.live].map(({ accountId }) => `/accounts/${accountId}` as const)
    return { merchantId, owner, sandbox: sandbox as '/accounts/a', live: live as '/accounts/a' }
  }

  const rowsOf = async (at: `/accounts/${string}`, who: SignedIn, query = ''): Promise<ActivityRow[]> =>
    (await ask(service, `GET ${at}/audit${query}`, who)).body.rows
  const actionsOf = (rows: ActivityRow[]): string[] => rows.map(({ action }) => action)

  async function makeKey(at: `/accounts/${string}`, who: SignedIn, name: string): Promise<string> {
    const made = await ask(service, `POST ${at}/keys`, who, { name, permissions: ['read'], networks: null })
    return made.body.key.keyId
  }

  it('is filtered by who, what and when, and comes page by page', async () => {
    const { merchantId, owner, sandbox } = await newShop()
    const developer = await signedIn(service, { at: merchantId, as: 'developer' }, 'Issa Garba')
    await makeKey(sandbox, owner, 'one')
    await makeKey(sandbox, developer, 'two')
    await ask(service, `POST ${sandbox}/team/${developer.personId}/role`, owner, { role: 'viewer' })
    assert.deepEqual(actionsOf(await rowsOf(sandbox, owner)), ['team.role', 'keys.make', 'keys.make'])
    assert.deepEqual(actionsOf(await rowsOf(sandbox, owner, '?action=team')), ['team.role'])
    const [own] = await rowsOf(sandbox, owner, `?actor=${developer.personId}`)
    assert.deepEqual([own?.by, own?.after?.name], [{ is: 'person', name: 'Issa Garba' }, 'two'])
    assert.deepEqual(await rowsOf(sandbox, owner, '?until=2020-01-01'), [])
    assert.equal((await rowsOf(sandbox, owner, '?since=2020-01-01&until=')).length, 3)
    const first = (await ask(service, `GET ${sandbox}/audit?limit=2`, owner)).body
    const second = (await ask(service, `GET ${sandbox}/audit?limit=2&after=${first.next}`, owner)).body
    assert.deepEqual([first.rows.length, second.rows.length, second.next], [2, 1, null])
  })

  it('has what concerns the whole merchant in each account, and the rest in its own', async () => {
    const { owner, sandbox, live } = await newShop()
    await ask(service, `POST ${sandbox}/invitations`, owner, { email: 'moussa@example.com', role: 'viewer' })
    await ask(service, `PUT ${live}/settings/brand`, owner, { name: 'Zinder', colour: null, phone: null })
    await makeKey(sandbox, owner, 'one')
    assert.deepEqual(actionsOf(await rowsOf(sandbox, owner)), ['keys.make', 'merchant.brand', 'team.invite'])
    const [brand] = await rowsOf(live, owner)
    assert.equal(brand?.action, 'merchant.brand')
    assert.deepEqual([brand?.before?.name, brand?.after?.name], [null, 'Zinder'])
  })

  it('says what a key was before it was rolled or revoked, and never the key', async () => {
    const { owner, sandbox } = await newShop()
    const keyId = await makeKey(sandbox, owner, 'Compta')
    const rolled = await ask(service, `POST ${sandbox}/keys/${keyId}/roll`, owner, { keepOldHours: 1 })
    await ask(service, `POST ${sandbox}/keys/${rolled.body.key.keyId}/revoke`, owner)
    const [revoke, roll] = await rowsOf(sandbox, owner)
    const was = { kind: 'secret', name: 'Compta', permissions: ['read'] }
    assert.deepEqual(roll?.before, { key: keyId, ...was })
    assert.deepEqual(revoke?.before, { keys: [{ key: rolled.body.key.keyId, ...was }] })
    assert.equal(JSON.stringify([revoke, roll]).includes('sk_'), false)
  })

  it('tells why the service suspended it, and neither where from nor by which machine', async () => {
    const { merchantId, owner, sandbox, live } = await newShop()
    const change = { merchantId, environment: 'sandbox', status: 'suspended', reason: 'too many complaints' } as const
    await changeAccountStatus(service, SHELL, change)
    const [row] = await rowsOf(sandbox, owner)
    assert.deepEqual([row?.by, row?.from, row?.subject], [{ is: 'service', name: '' }, null, null])
    assert.equal(row?.after?.reason, 'too many complaints')
    assert.deepEqual(await rowsOf(live, owner), [])
    const attention = async (at: `/accounts/${string}`) =>
      (await ask(service, `GET ${at}/home?days=7`, owner)).body.attention
    const suspended = { kind: 'account_suspended', reason: 'too many complaints' }
    assert.deepEqual((await attention(sandbox))[0], suspended)
    assert.equal(JSON.stringify(await attention(live)).includes('suspended'), false)
  })

  it('is for owners, and says nothing of another merchant', async () => {
    const [one, other] = [await newShop(), await newShop()]
    await makeKey(one.sandbox, one.owner, 'secret of one')
    const cashier = await signedIn(service, { at: one.merchantId, as: 'cashier' })
    assert.equal((await ask(service, `GET ${one.sandbox}/audit`, cashier)).code, 403)
    assert.equal((await ask(service, `GET ${one.sandbox}/audit`, other.owner)).code, 404)
    assert.deepEqual(await rowsOf(other.sandbox, other.owner, `?actor=${one.owner.personId}`), [])
  })
})
