// Every route of the dashboard: without a session, from another site, in each role, with another
// merchant's session and ids, and with hostile queries. A new route is in the table ROUTES, so it
// is tested too.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Route } from '../../src/dashboard-api/route.ts'
import { ROUTES } from '../../src/dashboard-api/routes.ts'
import { MERCHANT_ROLES, SERVICE_ROLES } from '../../src/domain/people/role.ts'
import { digestOf, makeOwned, type Owned } from '../flows/owned-things.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { head, openTestService, order, post } from '../kit/service.ts'
import { SQLITE, STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { newLink } from '../links/payer.ts'

const ofAccounts = ROUTES.filter(({ path }) => path.startsWith('/accounts/:accountId'))
const ofConsole = ROUTES.filter(({ path }) => path.startsWith('/console/'))
const ofPeople = ROUTES.filter(({ roles }) => roles === 'person')
const ofVisitors = ROUTES.filter(({ roles }) => roles === 'visitor')
const PRIVATE = [...ofAccounts, ...ofConsole, ...ofPeople]

it('dashboard routes: each is for an account, the console, a signed-in person or a visitor', () => {
  assert.deepEqual(new Set([...PRIVATE, ...ofVisitors]), new Set(ROUTES))
  assert.equal(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`)).size, ROUTES.length)
})

const CHANGES = PRIVATE.filter(({ method }) => method !== 'GET')

it('dashboard routes: none that changes something is open to a right that only looks', () => {
  const onlyLooks = ({ right }: Route): boolean => right !== null && /^(read$|see[A-Z])/.test(right)
  assert.ok(PRIVATE.some(onlyLooks))
  assert.deepEqual(CHANGES.filter(onlyLooks).map(nameOf), [])
  const forStaff = CHANGES.filter((route) => ofAccounts.includes(route)).filter(({ roles }) =>
    (roles as readonly string[]).includes('staff'),
  )
  assert.deepEqual(forStaff.map(nameOf), [])
})

let addresses = 0
/** Each from an address of its own: the table is longer than the burst of one address. */
const askAlone: typeof ask = (service, call, who, body, headers) =>
  ask(service, call, who, body, headers, `10.3.${++addresses >> 8}.${addresses & 255}`)

/** The route's address with the account; its other parameters name nothing. */
const callOf = ({ method, path }: Route, accountId: string) =>
  `${method} ${path.replace(':accountId', accountId).replaceAll(/:\w+/g, 'none')}`

describe('dashboard routes', async () => {
  const service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
  const merchant = await service.merchant()
  const accountId = merchant.accounts.sandbox.accountId
  const other = await service.merchant()
  const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
  after(() => service.remove())

  async function refuses(
    route: Route,
    answer: string,
    ...sent: [who?: { cookie: string }, body?: object, headers?: Record<string, string>]
  ) {
    const { code, body } = await askAlone(service, callOf(route, accountId), ...sent)
    assert.equal(`${code} ${body.code}`, answer, nameOf(route))
  }

  it('dashboard routes: without a session, 401', async () => {
    for (const route of PRIVATE)
      for (const who of [undefined, { cookie: 'karba=' }, { cookie: `karba=${'A'.repeat(43)}` }])
        await refuses(route, '401 signed_out', who)
  })

  it('dashboard routes: from another site, 403', async () => {
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
    for (const route of ROUTES.filter(({ method }) => method !== 'GET'))
      for (const headers of foreign) await refuses(route, '403 cross_site', stranger, {}, headers)
  })

  it('dashboard routes: take only JSON, which a form of another site cannot send', async () => {
    for (const route of ROUTES.filter(
      ({ method, takes }) => method !== 'GET' && takes === undefined,
    ))
      await refuses(route, '415 not_json', stranger, {}, { 'content-type': 'text/plain' })
  })

  it('dashboard routes: an account is not found by another merchant’s owner or by staff', async () => {
    const support = await signedIn(service, { forServiceAs: 'administrator' })
    for (const route of ofAccounts)
      for (const who of [stranger, support]) await refuses(route, '404 account_not_found', who)
  })

  it('dashboard routes: the console is not found by a merchant’s owner', async () => {
    for (const route of ofConsole) await refuses(route, '404 not_found', stranger)
  })

  for (const [role, routes, works] of [
    ...MERCHANT_ROLES.map(
      (role) => [role, ofAccounts, { at: merchant.merchantId, as: role }] as const,
    ),
    ...SERVICE_ROLES.map((role) => [role, ofConsole, { forServiceAs: role }] as const),
  ])
    it(`dashboard routes: a person as ${role} may use exactly the routes that name the role`, async () => {
      const who = await signedIn(service, works)
      for (const route of routes) {
        const isAllowed = (route.roles as readonly string[]).includes(role)
        // A stream does not end by itself. Roles without the right are refused before it begins.
        if (route.isLong === true && isAllowed) continue
        const { body } = await askAlone(service, callOf(route, accountId), who)
        assert.equal(body.code === 'role_not_allowed', !isAllowed, nameOf(route))
      }
    })
})

describe('dashboard routes of a viewed account', async () => {
  const service = await openTestService(SQLITE, { KARBA_ROLE: 'api' })
  const { merchantId, accounts } = await service.merchant()
  const support = await signedIn(service, { forServiceAs: 'support' })
  after(() => service.remove())

  it('dashboard routes: staff who look at an account may change nothing in it', async () => {
    await ask(service, `POST /console/merchants/${merchantId}/view`, support, {
      reason: 'they called',
    })
    for (const { accountId } of Object.values(accounts)) {
      assert.equal(
        (await ask(service, `GET /accounts/${accountId}/statement-mails`, support)).code,
        200,
      )
      for (const route of CHANGES.filter(({ path }) => path.startsWith('/accounts/:accountId'))) {
        const { code, body } = await askAlone(service, callOf(route, accountId), support)
        assert.deepEqual([code, body.code], [403, 'role_not_allowed'], nameOf(route))
      }
    }
  })
})

const NAMING = ROUTES.filter(
  ({ path }) => path.startsWith('/accounts/:accountId/') && path.split(':').length > 2,
)

/** Bodies of routes that need one, so that the input is not the reason of the refusal. */
const BODIES: Record<string, object> = {
  'POST /accounts/:accountId/phone/:reference': { answer: 'approve' },
  'POST /accounts/:accountId/books/differences/:differenceId/close': { note: 'looked at' },
  'POST /accounts/:accountId/books/differences/:differenceId/correct': {
    reason: 'top_up',
    note: 'looked at',
  },
  'POST /accounts/:accountId/books/files/:fileId/take-back': { note: 'looked at' },
  'POST /accounts/:accountId/team/:personId/role': { role: 'viewer' },
  'PUT /accounts/:accountId/connections/:connectionId/credentials': { fields: {} },
  'POST /accounts/:accountId/settlements/:settlement/confirm': { amount: 1_000 },
  'POST /accounts/:accountId/books/uploads/:uploadId/finish': { parts: 1 },
  'PUT /accounts/:accountId/books/uploads/:uploadId/columns': {
    mapping: { columns: { bookedAt: 'Date' } },
  },
  'POST /accounts/:accountId/books/uploads/:uploadId/import': { dryRun: true },
}

type Theirs = {
  own: Owned
  personId: string
  invitationId: string
  documentId: string
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

function idsOf(
  { own, personId, invitationId, documentId }: Theirs,
  path: string,
): Record<string, string> {
  return {
    ':reference': path.includes('/links/') ? own.link : own.reference,
    ':keyId': own.keyId,
    ':endpointId': own.endpointId,
    ':deliveryId': own.delivery,
    ':connectionId': own.connectionId,
    ':differenceId': own.exceptionId,
    ':settlement': own.settlement,
    ':changeId': own.changeId,
    ':subject': own.keptSecret,
    ':personId': personId,
    ':invitationId': invitationId,
    ':documentId': documentId,
    // Of connections of the installation: statement-uploads.test.ts has files that exist.
    ':fileId': 'stm_0',
    ':uploadId': 'stf_0',
    ':part': '0',
  }
}

describe('ids of another merchant', async () => {
  const refused = {
    status: null,
    durationMs: 0,
    answer: '',
    error: 'the connection was refused',
    retryAfterMs: null,
  }
  const service = await openVirtualService(
    SQLITE,
    {},
    { sender: { send: async () => refused, close: async () => {} } },
  )
  const own = await makeOwned(service)
  const owner = await signedIn(service, { at: own.merchant.merchantId, as: 'owner' })
  const at = `/accounts/${own.accountId}`
  const invited = await ask(service, `POST ${at}/invitations`, owner, {
    email: 'new@example.com',
    role: 'viewer',
  })
  const uploaded = await service.app.inject({
    method: 'POST',
    url: `/dashboard/api${at}/documents?name=a.pdf`,
    payload: Buffer.from('%PDF-1.7'),
    headers: { ...ORIGIN, cookie: owner.cookie, 'content-type': 'application/octet-stream' },
  })
  const { personId } = owner
  const { invitationId } = invited.body
  const { documentId } = uploaded.json().documents[0]
  const theirs = { own, personId, invitationId, documentId }
  const other = await service.merchant()
  const strangersAccount = other.accounts.sandbox.accountId
  const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
  after(() => service.remove())

  for (const route of NAMING)
    it(`ids of another merchant: ${nameOf(route)} answers 404 and changes nothing`, async () => {
      const ids = idsOf(theirs, route.path)
      const path = route.path
        .replace(':accountId', strangersAccount)
        .replace(/:\w+/g, (name) => ids[name] ?? assert.fail(`this test does not know ${name}`))
      const before = await digestOf(service, theirs.own.accountId)
      const call = `${route.method} ${path}`
      const { code } = await ask(service, call, stranger, BODIES[nameOf(route)])
      assert.equal(code, 404)
      assert.equal(await digestOf(service, theirs.own.accountId), before)
    })

  it('ids of another merchant: no webhook is sent again', async () => {
    const { endpointId, delivery } = theirs.own
    const resend = `POST /accounts/${strangersAccount}/deliveries/resend`
    assert.equal((await ask(service, resend, stranger, { deliveryIds: [delivery] })).code, 404)
    assert.equal((await ask(service, resend, stranger, { endpointId, since: 0 })).code, 404)
  })
})

const READS = ROUTES.filter(({ method, isLong }) => method === 'GET' && isLong === undefined)
const fieldsOf = ({ input }: Route): string[] =>
  Object.keys((input as { shape?: object }).shape ?? {})
const LISTS = READS.filter((route) => fieldsOf(route).includes('after'))
const API_LISTS = ['/payments', '/events']
const DIGITS = '9'.repeat(15)
const ODD_TEXTS = [
  '\0',
  'a\0b',
  '\u2028',
  '%',
  "';--",
  '-1',
  '1.5',
  '9'.repeat(30),
  '9999-99-99',
  '__proto__',
  'a'.repeat(9_000),
]
const ODD_CURSORS = [
  '0',
  '-1',
  DIGITS,
  `${DIGITS}0`,
  '0.',
  '.0',
  `0.${'a'.repeat(64)}`,
  `0.${'a'.repeat(65)}`,
  `${DIGITS}.`,
  `${DIGITS}.zzz`,
  `${DIGITS}.zzz.zzz.${DIGITS}.${DIGITS}`,
  '0.a.a.0.0',
  `${DIGITS}...0.0`,
  '1\n',
  '1.a\n',
  'a\0b',
  'latest',
  'evt_0',
  `evt_${'a'.repeat(36)}`,
  'a'.repeat(9_000),
]

for (const store of STORES_IN_HALVES)
  describe(`hostile queries on ${store.name}`, async () => {
    const theirs: { own: Owned; who: SignedIn }[] = []
    const service = await openVirtualService(store)
    for (const _each of [1, 2]) {
      const own = await makeOwned(service)
      for (let nth = 0; nth < 2; nth++) {
        await post(service, own.secretKey, order())
        await newLink(service, own.secretKey)
      }
      theirs.push({
        own,
        who: await signedIn(service, { at: own.merchant.merchantId, as: 'owner' }),
      })
    }
    const administrator = await signedIn(service, { forServiceAs: 'administrator' })
    after(() => service.remove())

    type Read = { code: number; text: string; body: Record<string, unknown> }

    let asked = 0
    /** Below the rate limit. */
    const nextNetwork = (): string => `2001:db8:${(++asked).toString(16)}::1`

    async function readRoute(path: string, query: string, at: number): Promise<Read> {
      const { own, who } = theirs[at] as (typeof theirs)[number]
      const reader = path.startsWith('/console/') ? administrator : who
      const filled = path.replace(':accountId', own.accountId).replace(/:\w+/, own.reference)
      const call = `GET ${filled}${query}`
      const { code, body } = await ask(service, call, reader, undefined, {}, nextNetwork())
      return { code, body, text: JSON.stringify(body) }
    }

    async function readApi(path: string, query: string, at: number): Promise<Read> {
      const headers = head((theirs[at] as (typeof theirs)[number]).own.secretKey)
      const answer = await service.app.inject({
        method: 'GET',
        url: `/api/v1${path}${query}`,
        headers,
      })
      return { code: answer.statusCode, text: answer.body, body: answer.json() }
    }

    const listsOf = (): [name: string, read: (query: string, at: number) => Promise<Read>][] => [
      ...LISTS.map(({ path }): ReturnType<typeof listsOf>[number] => [
        path,
        (query, at) => readRoute(path, query, at),
      ]),
      ...API_LISTS.map((path): ReturnType<typeof listsOf>[number] => [
        path,
        (query, at) => readApi(path, query, at),
      ]),
    ]

    it('hostile queries: cursors of another account lead only to rows of the caller’s account', async () => {
      const cursors = new Set(ODD_CURSORS)
      for (const [, read] of listsOf()) {
        const { body } = await read('?limit=1', 0)
        for (const next of [body.next, body.next_after])
          if (next !== null && next !== undefined) cursors.add(`${next}`)
      }
      assert.ok(cursors.size > ODD_CURSORS.length + 2, 'lists give cursors')
      const { own } = theirs[0] as (typeof theirs)[number]
      const foreign = [own.accountId, own.reference, own.publicReference, own.link, own.endpointId]
      for (const [name, read] of listsOf())
        for (const cursor of cursors) {
          const { code, text } = await read(`?after=${encodeURIComponent(cursor)}`, 1)
          assert.ok(
            [200, 400, 404, 422].includes(code),
            `${name} after=${cursor}: ${code} ${text.slice(0, 200)}`,
          )
          if (name.startsWith('/console/')) continue
          for (const each of foreign)
            assert.ok(!text.includes(each), `${name} after=${cursor} shows ${each}`)
        }
    })

    const inPath = (text: string): string => encodeURIComponent(text)

    it('hostile queries: odd texts in a field are refused or find nothing', async () => {
      for (const route of READS)
        for (const field of fieldsOf(route).filter((each) => !route.path.includes(`:${each}`)))
          for (const query of [
            ...ODD_TEXTS.map((text) => `${field}=${inPath(text)}`),
            `${field}=1&${field}=2`,
          ]) {
            const { code } = await readRoute(route.path, `?${query}`, 1)
            assert.ok(code < 500, `${route.path} ${query.slice(0, 80)}: ${code}`)
          }
    })

    it('hostile queries: odd texts in an address are refused or name nothing', async () => {
      for (const { path } of READS)
        for (const name of path.match(/:\w+/g) ?? [])
          for (const text of ODD_TEXTS) {
            const { code } = await readRoute(path.replace(name, inPath(text)), '', 1)
            assert.ok(code >= 400 && code < 500, `${path} ${name} ${text.slice(0, 40)}: ${code}`)
          }
    })

    // Refused before any store is read.
    if (store.name === 'PostgreSQL') return
    it('hostile queries: NUL in a body is refused at any depth', async () => {
      for (const route of ROUTES.filter(
        ({ method, takes }) => method !== 'GET' && takes === undefined,
      ))
        for (const field of fieldsOf(route))
          for (const value of ['a\0b', [['\0']], { '\0': 1 }]) {
            const path = route.path.replace(
              ':accountId',
              (theirs[1] as (typeof theirs)[number]).own.accountId,
            )
            const call = `${route.method} ${path.replace(/:\w+/g, 'x')}`
            const { code } = await ask(
              service,
              call,
              theirs[1]?.who,
              { [field]: value },
              {},
              nextNetwork(),
            )
            assert.ok(code >= 400 && code < 500, `${call} ${field}: ${code}`)
          }
      const deep = `{"email":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
      const headers = { ...ORIGIN, 'content-type': 'application/json' }
      const answer = await service.app.inject({
        method: 'POST',
        url: '/dashboard/api/sign-in',
        headers,
        payload: deep,
      })
      assert.equal(answer.statusCode, 400)
    })
  })
