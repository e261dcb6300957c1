// A merchant's team on both stores: an owner always remains, and another merchant's people and invitations are not there.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { createServicePerson } from '../../src/actions/people/service-people.ts'
import { openService } from '../../src/service/compose.ts'
import { TESTER } from '../kit/callers.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'

let addresses = 0
const newEmail = (): string => `invited-${++addresses}@example.com`
const never = (): never => assert.fail('there is one')

for (const store of STORES) {
  describe(`a team on ${store.name}`, () => {
    let service: TestService
    before(async () => {
      service = await openTestService(store, { KARBA_ROLE: 'api' })
    })
    after(() => service.remove())

    async function newTeam() {
      const { merchantId, accounts } = await service.merchant()
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      return { merchantId, owner, account: `/accounts/${accounts.sandbox.accountId}` as const }
    }

    const members = async (account: `/${string}`, who: SignedIn): Promise<{ personId: string; role: string }[]> =>
      (await ask(service, `GET ${account}/team`, who)).body.members

    it('keeps an owner, also when two leave at the same time', async () => {
      const { merchantId, owner, account } = await newTeam()
      const leave = (who: SignedIn) => ask(service, `POST ${account}/team/${who.personId}/remove`, who)
      assert.equal((await leave(owner)).body.code, 'last_owner')
      const demoted = await ask(service, `POST ${account}/team/${owner.personId}/role`, owner, { role: 'viewer' })
      assert.equal(demoted.body.code, 'last_owner')
      const second = await signedIn(service, { at: merchantId, as: 'owner' })
      const both = await Promise.all([leave(owner), leave(second)])
      assert.equal(both.filter(({ code }) => code === 200).length, 1)
    })

    it('takes a role or a removal at once, whatever sessions there are', async () => {
      const { merchantId, owner, account } = await newTeam()
      const cashier = await signedIn(service, { at: merchantId, as: 'cashier' })
      await ask(service, `POST ${account}/team/${cashier.personId}/role`, owner, { role: 'owner' })
      assert.equal((await ask(service, `GET ${account}/audit`, cashier)).code, 200)
      assert.equal((await members(account, owner)).length, 2)
      await ask(service, `POST ${account}/team/${cashier.personId}/remove`, owner)
      assert.equal((await ask(service, `GET ${account}/team`, cashier)).code, 404)
    })

    it('is no business of another merchant’s owner', async () => {
      const [one, other] = [await newTeam(), await newTeam()]
      const cashier = await signedIn(service, { at: one.merchantId, as: 'cashier' })
      const invited = await ask(service, `POST ${one.account}/invitations`, one.owner, {
        email: 'moussa@example.com',
        role: 'viewer',
      })
      const { invitationId } = invited.body
      const before = await members(one.account, one.owner)
      for (const call of [
        `POST ${other.account}/team/${cashier.personId}/role`,
        `POST ${other.account}/team/${cashier.personId}/remove`,
        `POST ${other.account}/invitations/${invitationId}/withdraw`,
      ] as const) {
        assert.equal((await ask(service, call, other.owner, { role: 'owner' })).code, 404, call)
      }
      assert.deepEqual(await members(one.account, one.owner), before)
      const withdrawn = await ask(service, `POST ${one.account}/invitations/${invitationId}/withdraw`, one.owner)
      assert.equal(withdrawn.code, 200)
    })

    const mailsTo = (email: string) =>
      service.db.rows(`select 1 from mails where email = $1 and kind = 'invitation'`, [email])

    it('invitations: one address gets three, from all merchants, networks and processes together; withdrawing resets nothing', async () => {
      const email = `victim-${store.name.toLowerCase()}@example.com`
      // SQLite has one server; on PostgreSQL half of the requests go to another.
      const other = store.name === 'PostgreSQL' ? await openService(service.place.config) : undefined
      let requests = 0
      const invite = async ({ account, owner }: Awaited<ReturnType<typeof newTeam>>) => {
        const at = ++requests % 2 === 0 ? (other ?? service) : service
        const body = { email, role: 'viewer' }
        const invited = await ask(at, `POST ${account}/invitations`, owner, body, {}, `198.51.100.${requests}`)
        if (invited.code !== 200) return invited
        await ask(at, `POST ${account}/invitations/${invited.body.invitationId}/withdraw`, owner)
        return invited
      }
      const teams = [await newTeam(), await newTeam()]
      const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => invite(teams[at % 2] ?? never())))
      const refused = answers.filter(({ code }) => code === 429)
      assert.equal(refused.length, 37)
      assert.equal(refused[0]?.body.code, 'too_many_tries')
      assert.equal((await mailsTo(email)).length, 3)
      await other?.close()
    })

    it('invitations: one merchant and one network may send so many at once', async () => {
      const invite = ({ account, owner }: Awaited<ReturnType<typeof newTeam>>, from: string) =>
        ask(service, `POST ${account}/invitations`, owner, { email: newEmail(), role: 'viewer' }, {}, from)
      const team = await newTeam()
      const codes: number[] = []
      for (let at = 0; at < 22; at++) codes.push((await invite(team, `203.0.113.${at}`)).code)
      assert.deepEqual(codes.slice(19), [200, 429, 429])
      const teams = [await newTeam(), await newTeam(), await newTeam()]
      const ofNetwork = []
      for (let at = 0; at < 52; at++) ofNetwork.push((await invite(teams[at % 3] ?? never(), '192.0.2.9')).code)
      assert.deepEqual(ofNetwork.slice(49), [200, 429, 429])
    })

    it('names that go into emails: hold no web address, whichever way they come in', async () => {
      const name = 'Compte bloqué: allez sur evil．com'
      const person = { email: newEmail(), password: 'trois petits chats', language: 'fr' }
      for (const names of [
        { name, merchantName: 'Boutique' },
        { name: 'Awa', merchantName: name },
      ]) {
        const { code, body } = await ask(service, 'POST /sign-up', undefined, { ...person, ...names })
        assert.deepEqual([code, body.code], [422, 'name_holds_address'])
      }
      const { owner } = await newTeam()
      const profile = await ask(service, 'PUT /profile', owner, { name, language: 'fr' })
      assert.equal(profile.body.code, 'name_holds_address')
      const made = await createMerchant(service, TESTER, { name, validateLive: false })
      assert.deepEqual(made, { refused: 'name_holds_address' })
      const input = { name, email: newEmail(), role: 'support', language: 'fr' } as const
      assert.deepEqual(await createServicePerson(service, TESTER, input), { refused: 'name_holds_address' })
    })

    it('leaves who did what, before, after and from where in the merchant’s audit log', async () => {
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
}
