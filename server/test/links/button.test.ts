// The door for merchants' pages: which keys, sites and bodies make a link, what a browser may read of the answer, and that nothing is made
// when the answer is no (D-52).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { revokeKeys } from '../../src/actions/keys/manage-keys.ts'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { setAccountStatus } from '../../src/store/merchants/accounts.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type Answer, get, openTestService, type TestService } from '../kit/service.ts'
import { signOrder } from '../kit/sign-order.ts'
import { SQLITE } from '../kit/stores.ts'

const SHOP = 'https://shop.example'
const LOCAL = 'http://localhost:3000'
const ORDER = { amount: 15_000, title: 'Commande 12' }
const MISSING_KEY = 'Bad Request: Missing Authentication Key'
const NO_VALID_KEY = 'Unauthorized: No Valid Key'
const NOT_ALLOWED = 'Forbidden: Origin Not Allowed'

interface Asked {
  key?: string
  origin?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

let addresses = 0

describe('a page makes a link', () => {
  let service: TestService
  let merchant: NewMerchant
  let stranger: NewMerchant

  before(async () => {
    service = await openTestService(SQLITE)
    merchant = await service.merchant()
    stranger = await service.merchant({ name: 'Chez Ali' })
    await list(merchant.accounts.sandbox.accountId, [SHOP, LOCAL])
    await list(merchant.accounts.live.accountId, [SHOP])
  })
  after(() => service.remove())

  async function list(accountId: string, origins: string[]): Promise<void> {
    assert.ok('origins' in (await changeCheckoutSettings(service, TESTER, { accountId, origins })))
  }

  /** Each from an address of its own, so that no limit is met by accident. */
  async function ask(asked: Asked = {}): Promise<Answer> {
    const { key = merchant.accounts.sandbox.publicKey, body = ORDER, headers = {} } = asked
    const origin = 'origin' in asked ? asked.origin : SHOP
    const answer = await service.app.inject({
      method: 'POST',
      url: '/checkout/links',
      remoteAddress: `10.1.${++addresses >> 8}.${addresses & 255}`,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...(origin !== undefined && { origin }),
        ...headers,
      },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
  }

  async function countLinks(): Promise<number> {
    const [row] = await service.db.rows<{ links: number }>('select count(*) as links from payment_links')
    return Number(row?.links)
  }

  /** The answer, and that it made no link. */
  async function refused(asked: Asked): Promise<Answer> {
    const links = await countLinks()
    const answer = await ask(asked)
    assert.equal(await countLinks(), links)
    assert.equal(answer.headers.vary, 'Origin')
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    return answer
  }

  it('from a listed site: the answer is that of POST /external_payments, readable there and nowhere else', async () => {
    const input = { ...ORDER, description: 'Deux pagnes', transaction_id: 'cmd-12', customer_name: 'Awa' }
    const { code, body, headers } = await ask({ body: input })
    assert.equal(code, 200)
    assert.deepEqual(Object.keys(body), [
      ...['reference', 'page_url', 'status', 'amount', 'currency', 'title', 'description', 'expires_at'],
      'public_reference',
    ])
    assert.deepEqual([body.status, body.amount, body.title], ['initiated', 15_000, 'Commande 12'])
    assert.equal(headers['access-control-allow-origin'], SHOP)
    assert.equal(headers.vary, 'Origin')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['access-control-allow-credentials'], undefined)
    const [row] = await service.db.rows<{ origin: string }>('select origin from payment_links where reference = $1', [
      body.reference as string,
    ])
    assert.equal(row?.origin, SHOP)
    const payment = await get(service, merchant.accounts.sandbox.secretKey, body.reference as string)
    assert.deepEqual([payment.code, payment.body.status, payment.body.amount], [200, 'initiated', 15_000])
  })

  it('the key tells the environment, and each account has sites of its own', async () => {
    const { publicKey, secretKey } = merchant.accounts.live
    const { code, body } = await ask({ key: publicKey, body: { amount: 25, title: 'Live' } })
    assert.equal(code, 200)
    assert.equal((await get(service, secretKey, body.reference as string)).code, 200)
    assert.equal((await get(service, merchant.accounts.sandbox.secretKey, body.reference as string)).code, 404)
    const elsewhere = await refused({ key: publicKey, origin: LOCAL })
    assert.deepEqual([elsewhere.code, elsewhere.body.message], [403, NOT_ALLOWED])
  })

  it('a secret key is refused loudly, right or mistyped, and is no door to the account', async () => {
    for (const { accounts } of [merchant, stranger]) {
      for (const { secretKey } of Object.values(accounts)) {
        for (const key of [secretKey, `${secretKey.slice(0, -1)}~`]) {
          const { code, body, headers } = await refused({ key })
          assert.equal(code, 401)
          assert.match(body.message as string, /^Unauthorized: THIS IS A SECRET KEY/)
          assert.equal(headers['access-control-allow-origin'], undefined)
        }
      }
    }
  })

  const HEADS: [what: string, asked: Asked, code: number, message: string][] = [
    ['no key', { headers: { authorization: '' } }, 400, MISSING_KEY],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, 400, MISSING_KEY],
    ['two spaces', { headers: { authorization: 'Bearer  pk_sandbox_x' } }, 400, MISSING_KEY],
    ['no JSON', { headers: { 'content-type': 'text/plain' } }, 406, 'Not Acceptable: Invalid Content Type'],
    [
      'a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      406,
      'Not Acceptable: Invalid Content Type',
    ],
    ['an invented key', { key: `pk_live_${'A'.repeat(40)}` }, 401, NO_VALID_KEY],
    ['no Origin', { origin: undefined }, 403, NOT_ALLOWED],
    ['the Origin of a file', { origin: 'null' }, 403, NOT_ALLOWED],
    ['an empty Origin', { origin: '' }, 403, NOT_ALLOWED],
    ['a site that is not listed', { origin: 'https://evil.example' }, 403, NOT_ALLOWED],
    ['a site below', { origin: 'https://www.shop.example' }, 403, NOT_ALLOWED],
    ['another scheme of the site', { origin: 'http://shop.example' }, 403, NOT_ALLOWED],
    ['another port', { origin: 'https://shop.example:8443' }, 403, NOT_ALLOWED],
    ['the site as a beginning', { origin: 'https://shop.example.evil.example' }, 403, NOT_ALLOWED],
    ['two sites', { origin: `${SHOP},${LOCAL}` }, 403, NOT_ALLOWED],
    ['the site in capitals', { origin: 'https://SHOP.example' }, 403, NOT_ALLOWED],
  ]
  for (const [what, asked, code, message] of HEADS) {
    it(`${what}: ${code}, nothing made, nothing for a browser to read`, async () => {
      const answer = await refused(asked)
      assert.deepEqual([answer.code, answer.body], [code, { message }])
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    })
  }

  it('the key of an account that lists nothing makes no link anywhere', async () => {
    for (const { publicKey: key } of Object.values(stranger.accounts)) {
      for (const origin of [SHOP, LOCAL, '', undefined]) {
        assert.equal((await refused({ key, origin })).code, 403)
      }
    }
  })

  it('a revoked public key ends here too', async () => {
    const { accounts } = await service.merchant({ name: 'Revoked' })
    const { accountId, publicKey: key } = accounts.sandbox
    await list(accountId, [SHOP])
    assert.equal((await ask({ key })).code, 200)
    granted(await revokeKeys(service, TESTER, { which: key }))
    const { code, body } = await refused({ key })
    assert.deepEqual([code, body.message], [401, NO_VALID_KEY])
  })

  it('an account that is not validated: 403 that its page can read, before the body counts', async () => {
    const waiting = await service.merchant({ name: 'Waiting', validateLive: false })
    const { accountId, publicKey: key } = waiting.accounts.live
    await list(accountId, [SHOP])
    const { code, body, headers } = await refused({ key, body: 'no JSON' })
    assert.deepEqual([code, body.message], [403, 'Forbidden: Environment Not Available'])
    assert.equal(headers['access-control-allow-origin'], SHOP)
    await setAccountStatus(service.db, waiting.merchantId, 'live', 'validated')
    assert.equal((await ask({ key })).code, 200)
  })

  const BODIES: [what: string, body: unknown, code: number, message: string][] = [
    ['no JSON', '{', 400, 'Bad Request: Missing Body Params'],
    ['no title', { amount: 100 }, 400, 'Bad Request: Missing Body Params'],
    ['an amount that is no number', { ...ORDER, amount: '15 000' }, 400, 'Bad Request: Amount Not Valid'],
    ['too little', { ...ORDER, amount: 49 }, 400, 'Bad Request: Amount Not Valid'],
    ['a title of two lines', { ...ORDER, title: 'a\nb' }, 422, 'Title Not Valid'],
    ['a transaction_id that is no string', { ...ORDER, transaction_id: 7 }, 422, 'External Reference Not Valid'],
    ['a name that is no string', { ...ORDER, customer_name: {} }, 422, 'Customer Name Not Valid'],
    ...[
      'https://evil.example/',
      'https://shop.example.evil.example/',
      'https://shop.example@evil.example/',
      'javascript:alert(1)',
      'http://shop.example/',
      '/paid',
    ].flatMap((url): [string, unknown, number, string][] => [
      [`success leading to ${url}`, { ...ORDER, on_success_redirection_url: url }, 422, 'Redirection Url Not Valid'],
      [`failure leading to ${url}`, { ...ORDER, on_failed_redirection_url: url }, 422, 'Redirection Url Not Valid'],
    ]),
  ]
  for (const [what, body, code, message] of BODIES) {
    it(`${what}: ${code} that its page can read, nothing made`, async () => {
      const answer = await refused({ body })
      assert.deepEqual([answer.code, answer.body.message], [code, message])
      assert.equal(answer.headers['access-control-allow-origin'], SHOP)
    })
  }

  it('addresses to go back to may be on any listed site', async () => {
    const body = {
      ...ORDER,
      on_success_redirection_url: `${SHOP}/paid?x=1`,
      on_failed_redirection_url: `${LOCAL}/no`,
    }
    assert.equal((await ask({ body })).code, 200)
  })

  it('a page chooses no reference, and makes no link that never expires', async () => {
    const reference = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
    const { code, body } = await ask({ body: { ...ORDER, reference, shouldExpire: false } })
    assert.equal(code, 200)
    assert.notEqual(body.reference, reference)
    assert.equal(typeof body.expires_at, 'string')
  })

  it('the transaction_id of a signed order that is taken: 422, and no word about whose payment it is', async () => {
    const signed = signOrder(merchant.accounts.sandbox.secretKey, { ...ORDER, transaction_id: 'taken' })
    const body = { ...ORDER, order: signed }
    assert.equal((await ask({ body })).code, 200)
    const answer = await refused({ body })
    assert.deepEqual([answer.code, answer.body], [422, { status: 'failed', message: 'External Reference Not Valid' }])
    assert.equal(answer.headers['svc-existing-reference'], undefined)
  })

  it('a body over 8 KiB: 413', async () => {
    assert.equal((await refused({ body: { ...ORDER, description: 'x'.repeat(9_000) } })).code, 413)
  })
})
