// A merchant's team on both stores: an owner always remains, and another merchant's people and invitations are not there.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'

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
