// What somebody with nothing but a public key can claim: no name of the account's, no place before another payment. What the merchant's
// server has signed is the merchant's order, and the page cannot change it (D-57, D-12).
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { makeKey, revokeKeys, rollKey, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import type { KeyPermission } from '../../src/domain/role.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type Answer, get, order, post, postTo } from '../kit/service.ts'
import { signOrder } from '../kit/sign-order.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, LINK, newLink, pay, postLink, SUCCEEDS_AT_ONCE, stateOf } from './payer.ts'

const SHOP = 'https://shop.example'
const NOT_VALID = { message: 'Unauthorized: Order Not Valid' }

describe('with a public key', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = await newAccount()
  })
  after(() => service.remove())

  async function newAccount(): Promise<NewAccount> {
    const { sandbox } = (await service.merchant()).accounts
    granted(await changeCheckoutSettings(service, TESTER, { accountId: sandbox.accountId, origins: [SHOP] }))
    return sandbox
  }

  /** As anybody can with a tool that is no browser: the Origin is a header like any other. */
  const fromPage = async (body: object, key = account.publicKey): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, origin: SHOP }
    await service.clock.advance(200)
    return postTo(service, '/checkout/links', headers, body)
  }
  const read = (name: string) => get(service, account.secretKey, name)
  const soon = (ms = 60_000): string => new Date(service.clock.now() + ms).toISOString()
  const sign = (fields: object, key = account.secretKey): string =>
    signOrder(key, { amount: 15_000, title: 'Commande 12', expires_at: soon(), ...fields })

  it('amounts as text: links, pages and signed orders take a fraction of zero, and no other', async () => {
    const answers = async (amount: string): Promise<number[]> => {
      const made = [
        await postLink(service, account.secretKey, { amount, title: 'Commande 12' }),
        await postLink(service, account.secretKey, { minimum_amount: amount, title: 'Un don' }),
        await fromPage({ amount, title: 'Commande 12' }),
        await fromPage({ order: sign({ amount, transaction_id: `cmd-${amount}` }) }),
      ]
      for (const { code, body } of made.filter(({ body }) => typeof body.amount === 'number')) {
        assert.deepEqual([code, body.amount], [200, 5_000])
      }
      return made.map(({ code }) => code)
    }
    for (const amount of ['5000', '5000.0', '5000.00']) assert.deepEqual(await answers(amount), [200, 200, 200, 200])
    for (const amount of ['5000.50', '5000.', '5000.000', '5 000', '5000,00']) {
      assert.deepEqual(await answers(amount), [400, 422, 400, 400], amount)
    }
  })

  it('nobody can put a payment of theirs in the place of another link’s', async () => {
    const link = await newLink(service, account.secretKey, { amount: 250_000 })
    const { body } = await fromPage({ amount: 50, title: 'x', transaction_id: link })
    await pay(service, body.reference as string, byPhone(SUCCEEDS_AT_ONCE))
    await service.clock.advance(5_000)
    assert.equal(await stateOf(service, body.reference as string), 'succeeded:0')
    const { status, amount } = (await read(link)).body
    assert.deepEqual([status, amount], ['initiated', 250_000])
  })

  it('nor can a transaction_id of the merchant’s own stand before a link', async () => {
    const link = await newLink(service, account.secretKey, { amount: 250_000, transaction_id: 'cmd-250' })
    assert.equal((await post(service, account.secretKey, order({ transaction_id: link }))).code, 200)
    assert.equal((await read(link)).body.amount, 250_000)
  })

  it('nobody can take the name of an order, or use up those to come', async () => {
    for (let id = 1001; id < 1033; id++) {
      assert.equal((await fromPage({ amount: 50, title: 'x', transaction_id: `order-${id}` })).code, 200)
    }
    for (let id = 1001; id < 1033; id++) assert.equal((await read(`order-${id}`)).code, 404)
    assert.equal((await post(service, account.secretKey, order({ transaction_id: 'order-1001' }))).code, 200)
    assert.equal((await postLink(service, account.secretKey, { ...LINK, transaction_id: 'order-1002' })).code, 200)
    assert.equal((await read('order-1001')).body.amount, 1_500)
  })

  it('what a page calls its order is told as the page’s word, in reads and in events', async () => {
    const { body } = await fromPage({ ...LINK, transaction_id: 'cmd-7' })
    const link = body.reference as string
    const told = { external_reference: link, created_by: 'page', client_reference: 'cmd-7' }
    assert.partialDeepStrictEqual((await read(link)).body, told)
    await pay(service, link, byPhone(SUCCEEDS_AT_ONCE))
    await service.clock.advance(5_000)
    const [event] = await service.db.rows<{ payload: string }>('select payload from events where payload like $1', [
      `%"external_payment_reference":"${link}"%`,
    ])
    assert.partialDeepStrictEqual(JSON.parse(event?.payload as string).data, { ...told, status: 'succeeded' })
    assert.deepEqual((await read('cmd-7')).code, 404)
  })

  it('a signed order is the merchant’s: its amount, title and names, whatever the page says', async () => {
    const signed = sign({ transaction_id: 'cmd-100', order_reference: 'panier 7' })
    const page = { amount: 50, title: 'Autre', description: 'Autre', transaction_id: 'mine', order: signed }
    const { code, body } = await fromPage(page)
    assert.deepEqual([code, body.amount, body.title, body.description], [200, 15_000, 'Commande 12', undefined])
    const payment = (await read('cmd-100')).body
    assert.partialDeepStrictEqual(payment, { amount: 15_000, order_reference: 'panier 7', status: 'initiated' })
    assert.equal('created_by' in payment || 'client_reference' in payment, false)
    assert.equal((await read('mine')).code, 404)
  })

  it('a signed order claims its name as the merchant’s own create does: once', async () => {
    const signed = sign({ transaction_id: 'cmd-101' })
    assert.equal((await fromPage({ order: signed })).code, 200)
    const again = await fromPage({ order: signed })
    assert.deepEqual([again.code, again.body.message], [422, 'External Reference Not Valid'])
    assert.equal(again.headers['svc-existing-reference'], undefined)
    assert.equal((await post(service, account.secretKey, order({ transaction_id: 'cmd-101' }))).code, 422)
  })

  it('a signed order’s fields are checked like any order’s', async () => {
    const CHECKED: [fields: object, answer: string][] = [
      [{ amount: 49 }, '400 Bad Request: Amount Not Valid'],
      [{ title: null }, '400 Bad Request: Missing Body Params'],
      [{ title: 'Total \u202e05' }, '422 Title Not Valid'],
      [{ transaction_id: 12 }, '422 External Reference Not Valid'],
      [{ order_reference: '' }, '422 Order Reference Not Valid'],
    ]
    for (const [fields, answer] of CHECKED) {
      const { code, body } = await fromPage({ ...LINK, order: sign(fields) })
      assert.equal(`${code} ${body.message}`, answer)
    }
  })

  it('an order that was changed, has expired or was signed with another key is 401, and makes nothing', async () => {
    const good = sign({ transaction_id: 'cmd-102' })
    const [payload, signature] = good.split('.') as [string, string]
    const cheaper = Buffer.from(JSON.stringify({ amount: 50, title: 'x', expires_at: soon() })).toString('base64url')
    const withSecret = createHmac('sha256', account.secretKey).update(payload).digest('hex')
    const BAD: unknown[] = [
      `${cheaper}.${signature}`,
      `${payload}.${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`,
      `${payload}.${withSecret}`,
      payload,
      `${payload}.`,
      `.${signature}`,
      `${good}.`,
      `${good}\n`,
      '',
      12,
      {},
      sign({}, (await newAccount()).secretKey),
      sign({}, account.publicKey),
      sign({ expires_at: soon(0) }),
      sign({ expires_at: soon(-1) }),
      sign({ expires_at: undefined }),
      sign({ expires_at: Date.now() }),
      sign({ expires_at: 'tomorrow' }),
      sign({ expires_at: '2026-99-99T00:00:00Z' }),
    ]
    for (const bad of BAD) {
      const { code, body, headers } = await fromPage({ ...LINK, order: bad })
      assert.deepEqual([code, body], [401, NOT_VALID], JSON.stringify(bad))
      assert.equal(headers['access-control-allow-origin'], SHOP)
    }
    assert.equal((await read('cmd-102')).code, 404)
    assert.equal((await fromPage({ order: good })).code, 200)
  })

  it('an order says when it expires in any form of ISO 8601', async () => {
    const at = new Date(service.clock.now() + 60_000).toISOString().slice(0, 19)
    for (const expires_at of [`${at}Z`, `${at}+00:00`, `${at}.123456+00:00`]) {
      assert.equal((await fromPage({ order: sign({ expires_at }) })).code, 200, expires_at)
    }
  })

  it('signed orders: a rolled key signs for as long as it is valid, a revoked one no more', async () => {
    const { accountId, publicKey, secretKey } = await newAccount()
    const { secretKey: newer } = granted(await rollKeys(service, TESTER, { accountId, keepOldMs: 3_600_000 }))
    assert.equal((await fromPage({ order: sign({}, secretKey) }, publicKey)).code, 200)
    assert.equal((await fromPage({ order: sign({}, newer) }, publicKey)).code, 200)
    granted(await revokeKeys(service, TESTER, { which: secretKey }))
    assert.equal((await fromPage({ order: sign({}, secretKey) }, publicKey)).code, 401)
    const rolled = granted(await rollKeys(service, TESTER, { accountId, keepOldMs: 0 }))
    assert.equal((await fromPage({ order: sign({}, rolled.secretKey) }, rolled.publicKey)).code, 200)
  })

  it('signed orders: only a key that may create signs them', async () => {
    const { accountId, publicKey } = await newAccount()
    const makeOf = async (permissions: readonly KeyPermission[] | null) =>
      granted(await makeKey(service, TESTER, { accountId, name: 'Till', permissions, networks: ['203.0.113.7'] }))
    for (const permissions of [['read'], ['refund'], ['read', 'refund']] as const) {
      const made = await makeOf(permissions)
      assert.equal((await fromPage({ order: sign({}, made.key) }, publicKey)).code, 401, permissions.join())
      const rolled = granted(await rollKey(service, TESTER, { keyId: made.keyId, keepOldMs: 0 }))
      assert.equal((await fromPage({ order: sign({}, rolled.key) }, publicKey)).code, 401, permissions.join())
    }
    for (const permissions of [null, ['create'], ['read', 'create']] as const) {
      const { key } = await makeOf(permissions)
      assert.equal((await fromPage({ order: sign({}, key) }, publicKey)).code, 200)
    }
  })

  it('the SQLITE holds no order key that could be used, and none that is a secret key', async () => {
    const rows = await service.db.rows<{ order_key: string }>(
      'select order_key from api_keys where order_key is not null',
    )
    assert.ok(rows.length > 0)
    const orderKey = createHmac('sha256', account.secretKey).update('karba order v1').digest()
    for (const { order_key } of rows) {
      assert.doesNotMatch(order_key, /sk_/)
      for (const form of ['hex', 'base64', 'latin1'] as const) assert.ok(!order_key.includes(orderKey.toString(form)))
    }
  })

  it('an account whose pages are off makes no link, and the switch is audited', async () => {
    const { accountId, publicKey, secretKey } = await newAccount()
    const made = (await fromPage(LINK, publicKey)).body.reference as string
    granted(await changeCheckoutSettings(service, TESTER, { accountId, pages: 'off' }))
    const { code, body } = await fromPage({ order: sign({}, secretKey) }, publicKey)
    assert.deepEqual([code, body.message], [403, 'Forbidden: Environment Not Available'])
    await pay(service, made, byPhone(SUCCEEDS_AT_ONCE))
    assert.equal(await stateOf(service, made), 'open:0')
    const audits = await service.db.rows<{ earlier: string; detail: string }>(
      "select earlier, detail from audit_log where account_id = $1 and action = 'account.offer' order by entry desc",
      [accountId],
    )
    assert.match(audits[0]?.earlier as string, /"pages":"on"/)
    assert.match(audits[0]?.detail as string, /"pages":"off"/)
    granted(await changeCheckoutSettings(service, TESTER, { accountId, pages: 'on' }))
    await pay(service, made, byPhone(SUCCEEDS_AT_ONCE))
    assert.equal(await stateOf(service, made), 'waiting:1')
  })
})
