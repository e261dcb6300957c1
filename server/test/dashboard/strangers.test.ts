// Every route of an account that names something, asked by another merchant's owner, in their own account and with the ids of this one, on both
// stores: always 404, and nothing changes. routes.test.ts asks with this account's id.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Route } from '../../src/dashboard-api/route.ts'
import { ROUTES } from '../../src/dashboard-api/routes.ts'
import { digestOf, makeOwned, type Owned } from '../flows/owned-things.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const NAMING = ROUTES.filter(({ path }) => path.startsWith('/accounts/:accountId/') && path.split(':').length > 2)

/** What a route is asked for besides, so that it is not the input that is refused. */
const BODIES: Record<string, object> = {
  'POST /accounts/:accountId/phone/:reference': { answer: 'approve' },
  'POST /accounts/:accountId/team/:personId/role': { role: 'viewer' },
}

interface Theirs {
  own: Owned
  personId: string
  invitationId: string
  documentId: string
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

function idsOf({ own, personId, invitationId, documentId }: Theirs, path: string): Record<string, string> {
  return {
    ':reference': path.includes('/links/') ? own.link : own.reference,
    ':keyId': own.keyId,
    ':endpointId': own.endpointId,
    ':deliveryId': own.delivery,
    ...{ ':personId': personId, ':invitationId': invitationId, ':documentId': documentId },
  }
}

for (const store of STORES) {
  describe(`another merchant on ${store.name}`, () => {
    let service: VirtualService
    let theirs: Theirs
    let stranger: SignedIn
    let strangersAccount: string
    before(async () => {
      const refused = {
        status: null,
        durationMs: 0,
        answer: '',
        error: 'the connection was refused',
        retryAfterMs: null,
      }
      service = await openVirtualService(store, {}, { sender: { send: async () => refused, close: async () => {} } })
      const own = await makeOwned(service)
      const owner = await signedIn(service, { at: own.merchant.merchantId, as: 'owner' })
      const at = `/accounts/${own.accountId}`
      const invited = await ask(service, `POST ${at}/invitations` as 'POST /', owner, {
        email: 'new@example.com',
        role: 'viewer',
      })
      const uploaded = await service.app.inject({
        ...{ method: 'POST', url: `/dashboard/api${at}/documents?name=a.pdf`, payload: Buffer.from('%PDF-1.7') },
        headers: { ...ORIGIN, cookie: owner.cookie, 'content-type': 'application/octet-stream' },
      })
      const { personId } = owner
      const { invitationId } = invited.body
      const { documentId } = uploaded.json().documents[0]
      theirs = { own, personId, invitationId, documentId }
      const other = await service.merchant()
      strangersAccount = other.accounts.sandbox.accountId
      stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
    })
    after(() => service.remove())

    for (const route of NAMING) {
      it(`${nameOf(route)} is not found`, async () => {
        const ids = idsOf(theirs, route.path)
        const path = route.path
          .replace(':accountId', strangersAccount)
          .replace(/:\w+/g, (name) => ids[name] ?? assert.fail(`this test does not know ${name}`))
        const before = await digestOf(service, theirs.own.accountId)
        const call = `${route.method} ${path}` as 'GET /'
        const { code } = await ask(service, call, stranger, BODIES[nameOf(route)])
        assert.equal(code, 404)
        assert.equal(await digestOf(service, theirs.own.accountId), before)
      })
    }

    it('sends none of their webhooks again', async () => {
      const { endpointId, delivery } = theirs.own
      const resend = `POST /accounts/${strangersAccount}/deliveries/resend` as const
      assert.equal((await ask(service, resend, stranger, { deliveryIds: [delivery] })).code, 404)
      assert.equal((await ask(service, resend, stranger, { endpointId, since: 0 })).code, 404)
    })
  })
}
