// Every route of the dashboard, asked by everybody: with no session, from another site, with another merchant's session, and in each role. A route
// that is new is in the table, so it is asked as well.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import type { Route } from '../../src/dashboard-api/route.ts'
import { ROUTES } from '../../src/dashboard-api/routes.ts'
import { MERCHANT_ROLES, SERVICE_ROLES } from '../../src/domain/role.ts'
import { ask as askFrom, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'

const ofAccounts = ROUTES.filter(({ path }) => path.startsWith('/accounts/:accountId'))
const ofConsole = ROUTES.filter(({ path }) => path.startsWith('/console/'))
const ofPeople = ROUTES.filter(({ roles }) => roles === 'person')
const ofVisitors = ROUTES.filter(({ roles }) => roles === 'visitor')
const PRIVATE = [...ofAccounts, ...ofConsole, ...ofPeople]

it('every route is for an account, for the console, for whoever is signed in, or for visitors', () => {
  assert.deepEqual(new Set([...PRIVATE, ...ofVisitors]), new Set(ROUTES))
  assert.equal(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`)).size, ROUTES.length)
})

let addresses = 0
/** Each from an address of its own: the table is longer than what one address may ask for at once. */
const ask: typeof askFrom = (service, call, who, body, headers) =>
  askFrom(service, call, who, body, headers, `10.3.${++addresses >> 8}.${addresses & 255}`)

/** The route's address with things of an account; what it names besides is not there. */
const callOf = ({ method, path }: Route, accountId: string) =>
  `${method} ${path.replace(':accountId', accountId).replaceAll(/:\w+/g, 'none')}` as `GET /${string}`

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

describe('the dashboard’s routes', () => {
  let service: TestService
  let merchant: NewMerchant
  let accountId: string
  let stranger: SignedIn
  before(async () => {
    service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
    merchant = await service.merchant()
    accountId = merchant.accounts.sandbox.accountId
    const other = await service.merchant()
    stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
  })
  after(() => service.remove())

  it('are closed to whoever is not signed in', async () => {
    for (const route of PRIVATE) {
      for (const who of [undefined, { cookie: 'karba=' }, { cookie: `karba=${'A'.repeat(43)}` }]) {
        const { code, body } = await ask(service, callOf(route, accountId), who)
        assert.deepEqual([code, body.code], [401, 'signed_out'], nameOf(route))
      }
    }
  })

  it('do nothing for another site', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      // DNS rebinding: the name of another site that leads to this machine.
      { origin: 'http://evil.example', host: 'evil.example' },
      { origin: 'http://127.0.0.1.evil.example', host: '127.0.0.1.evil.example' },
      { origin: '', host: 'evil.example', 'sec-fetch-site': 'same-origin' },
      { origin: 'http://localhost', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const route of ROUTES.filter(({ method }) => method !== 'GET')) {
      for (const headers of foreign) {
        const { code, body } = await ask(service, callOf(route, accountId), stranger, {}, headers)
        assert.deepEqual([code, body.code], [403, 'cross_site'], nameOf(route))
      }
    }
  })

  it('take JSON alone, which no form of another site can send', async () => {
    for (const route of ROUTES.filter(({ method, takes }) => method !== 'GET' && takes === undefined)) {
      const { code, body } = await ask(
        service,
        callOf(route, accountId),
        stranger,
        {},
        { 'content-type': 'text/plain' },
      )
      assert.deepEqual([code, body.code], [415, 'not_json'], nameOf(route))
    }
  })

  it('of an account are not there for another merchant’s owner, nor for the service’s people', async () => {
    const support = await signedIn(service, { forServiceAs: 'administrator' })
    for (const route of ofAccounts) {
      for (const who of [stranger, support]) {
        const { code, body } = await ask(service, callOf(route, accountId), who)
        assert.deepEqual([code, body.code], [404, 'account_not_found'], nameOf(route))
      }
    }
  })

  it('of the console are not there for a merchant’s owner', async () => {
    for (const route of ofConsole) {
      const { code, body } = await ask(service, callOf(route, accountId), stranger)
      assert.deepEqual([code, body.code], [404, 'not_found'], nameOf(route))
    }
  })

  for (const role of MERCHANT_ROLES) {
    it(`of an account, in the role of ${role}: only those that name it`, async () => {
      const who = await signedIn(service, { at: merchant.merchantId, as: role })
      for (const route of ofAccounts) {
        // A stream would not end by itself; those who may not are refused before it begins.
        if (route.path.endsWith('/live') && (route.roles as readonly string[]).includes(role)) continue
        const { body } = await ask(service, callOf(route, accountId), who)
        const isRefused = body.code === 'role_not_allowed'
        assert.equal(isRefused, !(route.roles as readonly string[]).includes(role), nameOf(route))
      }
    })
  }

  for (const role of SERVICE_ROLES) {
    it(`of the console, in the role of ${role}: only those that name it`, async () => {
      const who = await signedIn(service, { forServiceAs: role })
      for (const route of ofConsole) {
        const { body } = await ask(service, callOf(route, accountId), who)
        const isRefused = body.code === 'role_not_allowed'
        assert.equal(isRefused, !(route.roles as readonly string[]).includes(role), nameOf(route))
      }
    })
  }
})
