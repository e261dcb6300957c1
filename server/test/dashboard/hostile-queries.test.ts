// Lists and reads of the dashboard and of the merchant API with hostile queries, on both stores: a cursor of another account, environment or
// list, an altered one, and texts that a store cannot hold. Never another account's rows, never a 5xx.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Route } from '../../src/dashboard-api/route.ts'
import { ROUTES } from '../../src/dashboard-api/routes.ts'
import { makeOwned, type Owned } from '../flows/owned-things.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { head, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { newLink } from '../links/payer.ts'

const READS = ROUTES.filter(({ method, isLong }) => method === 'GET' && isLong === undefined)
const fieldsOf = ({ input }: Route): string[] => Object.keys((input as { shape?: object }).shape ?? {})
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
  ...['0', '-1', DIGITS, `${DIGITS}0`, '0.', '.0', `0.${'a'.repeat(64)}`, `0.${'a'.repeat(65)}`, `${DIGITS}.`],
  ...[`${DIGITS}.zzz`, `${DIGITS}.zzz.zzz.${DIGITS}.${DIGITS}`, '0.a.a.0.0', `${DIGITS}...0.0`, '1\n', '1.a\n', 'a\0b'],
  ...['latest', 'evt_0', `evt_${'a'.repeat(36)}`, 'a'.repeat(9_000)],
]

for (const store of STORES) {
  describe(`hostile queries on ${store.name}`, () => {
    let service: VirtualService
    const theirs: { own: Owned; who: SignedIn }[] = []
    let administrator: SignedIn

    before(async () => {
      service = await openVirtualService(store)
      for (const _each of [1, 2]) {
        const own = await makeOwned(service)
        for (let nth = 0; nth < 2; nth++) {
          await post(service, own.secretKey, order())
          await newLink(service, own.secretKey)
        }
        theirs.push({ own, who: await signedIn(service, { at: own.merchant.merchantId, as: 'owner' }) })
      }
      administrator = await signedIn(service, { forServiceAs: 'administrator' })
    })
    after(() => service.remove())

    interface Read {
      code: number
      text: string
      body: Record<string, unknown>
    }

    let asked = 0
    /** What is tried here is not the rate limit. */
    const nextNetwork = (): string => `2001:db8:${(++asked).toString(16)}::1`

    async function readRoute(path: string, query: string, at: number): Promise<Read> {
      const { own, who } = theirs[at] as (typeof theirs)[number]
      const reader = path.startsWith('/console/') ? administrator : who
      const filled = path.replace(':accountId', own.accountId).replace(/:\w+/, own.reference)
      const { code, body } = await ask(
        service,
        `GET ${filled}${query}` as 'GET /',
        reader,
        undefined,
        {},
        nextNetwork(),
      )
      return { code, body, text: JSON.stringify(body) }
    }

    async function readApi(path: string, query: string, at: number): Promise<Read> {
      const headers = head((theirs[at] as (typeof theirs)[number]).own.secretKey)
      const answer = await service.app.inject({ method: 'GET', url: `/api/v1${path}${query}`, headers })
      return { code: answer.statusCode, text: answer.body, body: answer.json() }
    }

    const listsOf = (): [name: string, read: (query: string, at: number) => Promise<Read>][] => [
      ...LISTS.map(({ path }): ReturnType<typeof listsOf>[number] => [path, (query, at) => readRoute(path, query, at)]),
      ...API_LISTS.map((path): ReturnType<typeof listsOf>[number] => [path, (query, at) => readApi(path, query, at)]),
    ]

    it('cursors of the other account, of every list, lead to rows of the caller’s own account only', async () => {
      const cursors = new Set(ODD_CURSORS)
      for (const [, read] of listsOf()) {
        const { body } = await read('?limit=1', 0)
        for (const next of [body.next, body.next_after]) if (next !== null && next !== undefined) cursors.add(`${next}`)
      }
      assert.ok(cursors.size > ODD_CURSORS.length + 2, 'lists give cursors')
      const { own } = theirs[0] as (typeof theirs)[number]
      const foreign = [own.accountId, own.reference, own.publicReference, own.link, own.endpointId]
      for (const [name, read] of listsOf()) {
        for (const cursor of cursors) {
          const { code, text } = await read(`?after=${encodeURIComponent(cursor)}`, 1)
          assert.ok([200, 400, 404, 422].includes(code), `${name} after=${cursor}: ${code} ${text.slice(0, 200)}`)
          if (name.startsWith('/console/')) continue
          for (const each of foreign) assert.ok(!text.includes(each), `${name} after=${cursor} shows ${each}`)
        }
      }
    })

    const inPath = (text: string): string => encodeURIComponent(text)

    it('odd texts in any field of a query are refused or find nothing', async () => {
      for (const route of READS) {
        for (const field of fieldsOf(route).filter((each) => !route.path.includes(`:${each}`))) {
          for (const query of [...ODD_TEXTS.map((text) => `${field}=${inPath(text)}`), `${field}=1&${field}=2`]) {
            const { code } = await readRoute(route.path, `?${query}`, 1)
            assert.ok(code < 500, `${route.path} ${query.slice(0, 80)}: ${code}`)
          }
        }
      }
    })

    it('odd texts in an address are refused or name nothing', async () => {
      for (const { path } of READS) {
        for (const name of path.match(/:\w+/g) ?? []) {
          for (const text of ODD_TEXTS) {
            const { code } = await readRoute(path.replace(name, inPath(text)), '', 1)
            assert.ok(code >= 400 && code < 500, `${path} ${name} ${text.slice(0, 40)}: ${code}`)
          }
        }
      }
    })

    it('NUL in any field of a body, at any depth, is refused', async () => {
      for (const route of ROUTES.filter(({ method, takes }) => method !== 'GET' && takes === undefined)) {
        for (const field of fieldsOf(route)) {
          for (const value of ['a\0b', [['\0']], { '\0': 1 }]) {
            const path = route.path.replace(':accountId', (theirs[1] as (typeof theirs)[number]).own.accountId)
            const call = `${route.method} ${path.replace(/:\w+/g, 'x')}` as 'POST /'
            const { code } = await ask(service, call, theirs[1]?.who, { [field]: value }, {}, nextNetwork())
            assert.ok(code >= 400 && code < 500, `${call} ${field}: ${code}`)
          }
        }
      }
      const deep = `{"email":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
      const headers = { ...ORIGIN, 'content-type': 'application/json' }
      const answer = await service.app.inject({ method: 'POST', url: '/dashboard/api/sign-in', headers, payload: deep })
      assert.equal(answer.statusCode, 400)
    })
  })
}
