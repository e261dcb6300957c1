// A merchant's team and the activity log of its accounts.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { changeAccountStatus } from '../../src/actions/merchants/change-account.ts'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { createStaff } from '../../src/actions/people/service-people.ts'
import type { ActivityRow } from '../../src/dashboard-api/shapes.ts'
import { openService } from '../../src/service/compose.ts'
import { TESTER } from '../kit/callers.ts'
import { ask, PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService } from '../kit/service.ts'
import { SQLITE, STORES_IN_HALVES } from '../kit/stores.ts'

let addresses = 0
const newEmail = (): string => `invited-${++addresses}@example.com`
const never = (): never => assert.fail('there is one')

for (const store of STORES_IN_HALVES)
  describe(`team on ${store.name}`, async () => {
    const service = await openTestService(store, { KARBA_ROLE: 'api' })
    after(() => service.remove())

    async function newTeam() {
      const { merchantId, accounts } = await service.merchant()
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      return { merchantId, owner, account: `/accounts/${accounts.sandbox.accountId}` }
    }

    const members = async (
      account: string,
      who: SignedIn,
    ): Promise<{ personId: string; role: string }[]> =>
      (await ask(service, `GET ${account}/team`, who)).body.members

    it('team: keeps an owner, also when two leave at the same time', async () => {
      const { merchantId, owner, account } = await newTeam()
      const leave = (who: SignedIn) =>
        ask(service, `POST ${account}/team/${who.personId}/remove`, who, { password: PASSWORD })
      assert.equal((await leave(owner)).body.code, 'last_owner')
      const demoted = await ask(service, `POST ${account}/team/${owner.personId}/role`, owner, {
        role: 'viewer',
        password: PASSWORD,
      })
      assert.equal(demoted.body.code, 'last_owner')
      const second = await signedIn(service, { at: merchantId, as: 'owner' })
      const both = await Promise.all([leave(owner), leave(second)])
      assert.equal(both.filter(({ code }) => code === 200).length, 1)
    })

    const mailsTo = (email: string) =>
      service.db.read(`select 1 from mails where email = :email and kind = 'invitation'`, { email })

    it('invitations: one address gets three, from all merchants, networks and processes together; withdrawing resets nothing', async (t) => {
      const email = `victim-${store.name.toLowerCase()}@example.com`
      // SQLite has one server; on PostgreSQL half of the requests go to another.
      const other =
        store.name === 'PostgreSQL' ? await openService(service.place.config) : undefined
      t.after(() => other?.close())
      let requests = 0
      const invite = async ({ account, owner }: Awaited<ReturnType<typeof newTeam>>) => {
        const at = ++requests % 2 === 0 ? (other ?? service) : service
        const body = { email, role: 'viewer' }
        const invited = await ask(
          at,
          `POST ${account}/invitations`,
          owner,
          body,
          {},
          `198.51.100.${requests}`,
        )
        if (invited.code !== 200) return invited
        await ask(at, `POST ${account}/invitations/${invited.body.invitationId}/withdraw`, owner)
        return invited
      }
      const teams = [await newTeam(), await newTeam()]
      // Few: each waits for the same row, and on a busy machine the last of many would get the 503
      // of the lock timeout.
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) => invite(teams[at % 2] ?? never())),
      )
      const refused = answers.filter(({ code }) => code !== 200)
      const codes = refused.map(({ code, body }) => [code, body.code])
      assert.deepEqual(codes, Array(9).fill([429, 'too_many_tries']))
      assert.equal((await mailsTo(email)).length, 3)
    })

    // The other rules have one SQL text for both stores.
    if (store.name === 'PostgreSQL') return

    it('team: a new role or a removal works at once in open sessions', async () => {
      const { merchantId, owner, account } = await newTeam()
      const cashier = await signedIn(service, { at: merchantId, as: 'cashier' })
      await ask(service, `POST ${account}/team/${cashier.personId}/role`, owner, {
        role: 'owner',
        password: PASSWORD,
      })
      assert.equal((await ask(service, `GET ${account}/audit`, cashier)).code, 200)
      assert.equal((await members(account, owner)).length, 2)
      await ask(service, `POST ${account}/team/${cashier.personId}/remove`, owner, {
        password: PASSWORD,
      })
      assert.equal((await ask(service, `GET ${account}/team`, cashier)).code, 404)
    })

    it('invitations: one merchant may send 20, one network 50', async () => {
      const invite = ({ account, owner }: Awaited<ReturnType<typeof newTeam>>, from: string) =>
        ask(
          service,
          `POST ${account}/invitations`,
          owner,
          { email: newEmail(), role: 'viewer' },
          {},
          from,
        )
      const team = await newTeam()
      const codes: number[] = []
      for (let at = 0; at < 22; at++) codes.push((await invite(team, `203.0.113.${at}`)).code)
      assert.deepEqual(codes.slice(19), [200, 429, 429])
      const teams = [await newTeam(), await newTeam(), await newTeam()]
      const ofNetwork = []
      for (let at = 0; at < 52; at++)
        ofNetwork.push((await invite(teams[at % 3] ?? never(), '192.0.2.9')).code)
      assert.deepEqual(ofNetwork.slice(49), [200, 429, 429])
    })

    it('names in emails: cannot contain a web address', async () => {
      const name = 'Compte bloqué: allez sur evil．com'
      const person = { email: newEmail(), password: 'trois petits chats', language: 'fr' }
      for (const names of [
        { name, merchantName: 'Boutique' },
        { name: 'Awa', merchantName: name },
      ]) {
        const { code, body } = await ask(service, 'POST /sign-up', undefined, {
          ...person,
          ...names,
        })
        assert.deepEqual([code, body.code], [422, 'name_holds_address'])
      }
      const { owner } = await newTeam()
      const profile = await ask(service, 'PUT /profile', owner, { name, language: 'fr' })
      assert.equal(profile.body.code, 'name_holds_address')
      const made = await createMerchant(service, TESTER, { name, validateLive: false })
      assert.deepEqual(made, { refused: 'name_holds_address' })
      const input = { name, email: newEmail(), role: 'support', language: 'fr' } as const
      assert.deepEqual(await createStaff(service, TESTER, input), { refused: 'name_holds_address' })
    })

    it('team: a change is in the merchant’s audit log with person, before, after and network', async () => {
      const { merchantId, owner, account } = await newTeam()
      const cashier = await signedIn(service, { at: merchantId, as: 'cashier' })
      await ask(service, `POST ${account}/team/${cashier.personId}/role`, owner, { role: 'viewer' })
      const { body } = await ask(service, `GET ${account}/audit`, owner)
      const [{ by, action, subject, from, before, after }] = body.rows
      assert.deepEqual([action, subject, from], ['team.role', 'Awa Diallo', '127.0.0.1'])
      assert.deepEqual([before, after], [{ role: 'cashier' }, { role: 'viewer' }])
      assert.deepEqual(by, { is: 'person', name: 'Awa Diallo' })
    })
  })

const SHELL = { is: 'shell', user: 'root', host: 'server-7' } as const

describe('activity log of an account', async () => {
  const service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
  after(() => service.remove())

  async function newShop() {
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    const [sandbox, live] = [accounts.sandbox, accounts.live].map(
      ({ accountId }) => `/accounts/${accountId}`,
    )
    return { merchantId, owner, sandbox: sandbox as string, live: live as string }
  }

  const rowsOf = async (at: string, who: SignedIn, query = ''): Promise<ActivityRow[]> =>
    (await ask(service, `GET ${at}/audit${query}`, who)).body.rows
  const actionsOf = (rows: ActivityRow[]): string[] => rows.map(({ action }) => action)

  async function makeKey(at: string, who: SignedIn, name: string): Promise<string> {
    const made = await ask(service, `POST ${at}/keys`, who, {
      name,
      permissions: ['read'],
      networks: null,
    })
    return made.body.key.keyId
  }

  it('activity log: is filtered by person, action and time, and paginated', async () => {
    const { merchantId, owner, sandbox } = await newShop()
    const developer = await signedIn(service, { at: merchantId, as: 'developer' }, 'Issa Garba')
    await makeKey(sandbox, owner, 'one')
    await makeKey(sandbox, developer, 'two')
    await ask(service, `POST ${sandbox}/team/${developer.personId}/role`, owner, { role: 'viewer' })
    assert.deepEqual(actionsOf(await rowsOf(sandbox, owner)), [
      'team.role',
      'keys.make',
      'keys.make',
    ])
    assert.deepEqual(actionsOf(await rowsOf(sandbox, owner, '?action=team')), ['team.role'])
    const [own] = await rowsOf(sandbox, owner, `?actor=${developer.personId}`)
    assert.deepEqual([own?.by, own?.after?.name], [{ is: 'person', name: 'Issa Garba' }, 'two'])
    assert.deepEqual(await rowsOf(sandbox, owner, '?until=2020-01-01'), [])
    assert.equal((await rowsOf(sandbox, owner, '?since=2020-01-01&until=')).length, 3)
    const first = (await ask(service, `GET ${sandbox}/audit?limit=2`, owner)).body
    const second = (await ask(service, `GET ${sandbox}/audit?limit=2&after=${first.next}`, owner))
      .body
    assert.deepEqual([first.rows.length, second.rows.length, second.next], [2, 1, null])
  })

  it('activity log: each account has the entries of the merchant and its own', async () => {
    const { owner, sandbox, live } = await newShop()
    await ask(service, `POST ${sandbox}/invitations`, owner, {
      email: 'moussa@example.com',
      role: 'viewer',
    })
    await ask(service, `PUT ${live}/settings/brand`, owner, {
      name: 'Zinder',
      colour: null,
      phone: null,
    })
    await makeKey(sandbox, owner, 'one')
    assert.deepEqual(actionsOf(await rowsOf(sandbox, owner)), [
      'keys.make',
      'merchant.brand',
      'team.invite',
    ])
    const [brand] = await rowsOf(live, owner)
    assert.deepEqual(
      [brand?.action, brand?.before?.name, brand?.after?.name],
      ['merchant.brand', null, 'Zinder'],
    )
  })

  it('activity log: has the properties of a rolled or revoked key, never the key', async () => {
    const { owner, sandbox } = await newShop()
    const keyId = await makeKey(sandbox, owner, 'Compta')
    const rolled = await ask(service, `POST ${sandbox}/keys/${keyId}/roll`, owner, {
      keepOldHours: 1,
    })
    await ask(service, `POST ${sandbox}/keys/${rolled.body.key.keyId}/revoke`, owner)
    const [revoke, roll] = await rowsOf(sandbox, owner)
    const was = { kind: 'secret', name: 'Compta', permissions: ['read'] }
    assert.deepEqual(roll?.before, { key: keyId, ...was })
    assert.deepEqual(revoke?.before, { keys: [{ key: rolled.body.key.keyId, ...was }] })
    assert.doesNotMatch(JSON.stringify([revoke, roll]), /sk_sandbox_\w{5}/)
  })

  it('activity log: shows the reason of a suspension, not the staff’s machine or network', async () => {
    const { merchantId, owner, sandbox, live } = await newShop()
    const change = {
      merchantId,
      environment: 'sandbox',
      status: 'suspended',
      reason: 'too many complaints',
    } as const
    await changeAccountStatus(service, SHELL, change)
    const [row] = await rowsOf(sandbox, owner)
    assert.deepEqual([row?.by, row?.from, row?.subject], [{ is: 'service', name: '' }, null, null])
    assert.equal(row?.after?.reason, 'too many complaints')
    assert.deepEqual(await rowsOf(live, owner), [])
    const attention = async (at: string) =>
      (await ask(service, `GET ${at}/home?days=7`, owner)).body.attention
    const suspended = { kind: 'account_suspended', reason: 'too many complaints' }
    assert.deepEqual((await attention(sandbox))[0], suspended)
    assert.equal(JSON.stringify(await attention(live)).includes('suspended'), false)
  })

  it('activity log: is for owners, without entries of other merchants', async () => {
    const [one, other] = [await newShop(), await newShop()]
    await makeKey(one.sandbox, one.owner, 'secret of one')
    const cashier = await signedIn(service, { at: one.merchantId, as: 'cashier' })
    assert.equal((await ask(service, `GET ${one.sandbox}/audit`, cashier)).code, 403)
    assert.equal((await ask(service, `GET ${one.sandbox}/audit`, other.owner)).code, 404)
    assert.deepEqual(await rowsOf(other.sandbox, other.owner, `?actor=${one.owner.personId}`), [])
  })
})
