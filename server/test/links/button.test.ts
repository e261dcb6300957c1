// Links that merchants’ pages create with a public key: accepted keys, sites and bodies (D-52), the
// script (D-53), and signed orders (D-57, D-12).

import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { makeKey, revokeKeys, rollKey, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import type { KeyPermission } from '../../src/domain/people/role.ts'
import { setAccountStatus } from '../../src/store/merchants/accounts.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type Answer, get, order, post, postTo, signOrder } from '../kit/service.ts'
import { address, byPhone, LINK, openShop, SHOP, SUCCEEDS_AT_ONCE } from './payer.ts'

const { service, clock, merchant, account, postLink, newLink, readLink, pay, stateOf, settle } =
  await openShop()

describe('links from pages', async () => {
  const LOCAL = 'http://localhost:3000'
  const MISSING_KEY = 'Bad Request: Missing Authentication Key'
  const NO_VALID_KEY = 'Unauthorized: No Valid Key'
  const NOT_ALLOWED = 'Forbidden: Origin Not Allowed'
  const NOT_JSON = 'Not Acceptable: Invalid Content Type'

  type Asked = {
    key?: string
    origin?: string | undefined
    body?: unknown
    headers?: Record<string, string>
  }

  const stranger = await service.merchant({ name: 'Chez Ali' })
  await list(merchant.accounts.sandbox.accountId, [SHOP, LOCAL])
  await list(merchant.accounts.live.accountId, [SHOP])

  async function list(accountId: string, origins: string[]): Promise<void> {
    assert.ok('origins' in (await changeCheckoutSettings(service, TESTER, { accountId, origins })))
  }

  /** Each request comes from its own address, so that no rate limit applies. */
  async function ask(asked: Asked = {}): Promise<Answer> {
    const { key = merchant.accounts.sandbox.publicKey, body = LINK, headers = {} } = asked
    const origin = 'origin' in asked ? asked.origin : SHOP
    const answer = await service.app.inject({
      method: 'POST',
      url: '/checkout/links',
      remoteAddress: address(),
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
    const [row] = await service.db.read<{ links: number }>(
      'select count(*) as links from payment_links',
    )
    return Number(row?.links)
  }

  /** The answer, after a check that no link was created. */
  async function refused(asked: Asked): Promise<Answer> {
    const links = await countLinks()
    const answer = await ask(asked)
    assert.equal(await countLinks(), links)
    assert.equal(answer.headers.vary, 'Origin')
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    return answer
  }

  it('a listed site gets the answer of POST /external_payments, and CORS lets only that site read it', async () => {
    const input = {
      ...LINK,
      description: 'Deux pagnes',
      transaction_id: 'cmd-12',
      customer_name: 'Awa',
    }
    const { code, body, headers } = await ask({ body: input })
    assert.equal(code, 200)
    assert.deepEqual(Object.keys(body), [
      'reference',
      'page_url',
      'status',
      'amount',
      'currency',
      'title',
      'description',
      'expires_at',
      'public_reference',
    ])
    assert.deepEqual([body.status, body.amount, body.title], ['initiated', 15_000, 'Commande 12'])
    assert.deepEqual([headers['access-control-allow-origin'], headers.vary], [SHOP, 'Origin'])
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['access-control-allow-credentials'], undefined)
    const [row] = await service.db.read<{ origin: string }>(
      'select origin from payment_links where reference = :reference',
      { reference: body.reference as string },
    )
    assert.equal(row?.origin, SHOP)
    const payment = await get(
      service,
      merchant.accounts.sandbox.secretKey,
      body.reference as string,
    )
    assert.deepEqual(
      [payment.code, payment.body.status, payment.body.amount],
      [200, 'initiated', 15_000],
    )
  })

  it('the key selects the environment, and each account lists its own sites', async () => {
    const { publicKey, secretKey } = merchant.accounts.live
    const { code, body } = await ask({ key: publicKey, body: { amount: 25, title: 'Live' } })
    assert.equal(code, 200)
    assert.equal((await get(service, secretKey, body.reference as string)).code, 200)
    assert.equal(
      (await get(service, merchant.accounts.sandbox.secretKey, body.reference as string)).code,
      404,
    )
    const elsewhere = await refused({ key: publicKey, origin: LOCAL })
    assert.deepEqual([elsewhere.code, elsewhere.body.message], [403, NOT_ALLOWED])
  })

  it('a secret key, valid or mistyped, is refused with its own error, and gives no access', async () => {
    for (const { accounts } of [merchant, stranger])
      for (const { secretKey } of Object.values(accounts))
        for (const key of [secretKey, `${secretKey.slice(0, -1)}~`]) {
          const { code, body, headers } = await refused({ key })
          assert.equal(code, 401)
          assert.match(body.message as string, /^Unauthorized: THIS IS A SECRET KEY/)
          assert.equal(headers['access-control-allow-origin'], undefined)
        }
  })

  const HEADS: [what: string, asked: Asked, code: number, message: string][] = [
    ['no key', { headers: { authorization: '' } }, 400, MISSING_KEY],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, 400, MISSING_KEY],
    ['two spaces', { headers: { authorization: 'Bearer  pk_sandbox_x' } }, 400, MISSING_KEY],
    ['no JSON', { headers: { 'content-type': 'text/plain' } }, 406, NOT_JSON],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 406, NOT_JSON],
    ['an invented key', { key: `pk_live_${'A'.repeat(40)}` }, 401, NO_VALID_KEY],
    ...[
      undefined,
      'null',
      '',
      'https://evil.example',
      'https://www.shop.example',
      'http://shop.example',
      'https://shop.example:8443',
      'https://shop.example.evil.example',
      `${SHOP},${LOCAL}`,
      'https://SHOP.example',
    ].map((origin): (typeof HEADS)[number] => [
      `the Origin ${origin}`,
      { origin },
      403,
      NOT_ALLOWED,
    ]),
  ]
  for (const [what, asked, code, message] of HEADS)
    it(`${what}: ${code}, no link, no CORS header`, async () => {
      const answer = await refused(asked)
      assert.deepEqual([answer.code, answer.body], [code, { message }])
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    })

  it('the key of an account without listed sites creates no link', async () => {
    for (const { publicKey: key } of Object.values(stranger.accounts))
      for (const origin of [SHOP, LOCAL, '', undefined])
        assert.equal((await refused({ key, origin })).code, 403)
  })

  it('a revoked public key is refused', async () => {
    const { accounts } = await service.merchant({ name: 'Revoked' })
    const { accountId, publicKey: key } = accounts.sandbox
    await list(accountId, [SHOP])
    assert.equal((await ask({ key })).code, 200)
    granted(await revokeKeys(service, TESTER, { which: key }))
    const { code, body } = await refused({ key })
    assert.deepEqual([code, body.message], [401, NO_VALID_KEY])
  })

  it('an account that is not validated: 403 with CORS headers, before the body checks', async () => {
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
    [
      'an amount that is no number',
      { ...LINK, amount: '15 000' },
      400,
      'Bad Request: Amount Not Valid',
    ],
    ['too little', { ...LINK, amount: 49 }, 400, 'Bad Request: Amount Not Valid'],
    ['a title of two lines', { ...LINK, title: 'a\nb' }, 422, 'Title Not Valid'],
    [
      'a transaction_id that is no string',
      { ...LINK, transaction_id: 7 },
      422,
      'External Reference Not Valid',
    ],
    ['a name that is no string', { ...LINK, customer_name: {} }, 422, 'Customer Name Not Valid'],
    ...[
      'https://evil.example/',
      'https://shop.example.evil.example/',
      'https://shop.example@evil.example/',
      'javascript:alert(1)',
      'http://shop.example/',
      '/paid',
    ].flatMap((url): [string, unknown, number, string][] => [
      [
        `success leading to ${url}`,
        { ...LINK, on_success_redirection_url: url },
        422,
        'Redirection Url Not Valid',
      ],
      [
        `failure leading to ${url}`,
        { ...LINK, on_failed_redirection_url: url },
        422,
        'Redirection Url Not Valid',
      ],
    ]),
  ]
  for (const [what, body, code, message] of BODIES)
    it(`${what}: ${code} with CORS headers, no link`, async () => {
      const answer = await refused({ body })
      assert.deepEqual([answer.code, answer.body.message], [code, message])
      assert.equal(answer.headers['access-control-allow-origin'], SHOP)
    })

  it('redirection URLs may be on any listed site', async () => {
    const body = {
      ...LINK,
      on_success_redirection_url: `${SHOP}/paid?x=1`,
      on_failed_redirection_url: `${LOCAL}/no`,
    }
    assert.equal((await ask({ body })).code, 200)
  })

  it('a page cannot choose a reference or create a link that never expires', async () => {
    const reference = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
    const { code, body } = await ask({ body: { ...LINK, reference, shouldExpire: false } })
    assert.equal(code, 200)
    assert.notEqual(body.reference, reference)
    assert.equal(typeof body.expires_at, 'string')
  })

  it('a body over 8 KiB: 413', async () =>
    assert.equal((await refused({ body: { ...LINK, description: 'x'.repeat(9_000) } })).code, 413))
})

describe('checkout script', () => {
  it('a preflight has the same answer for every site, and allows no credentials', async () => {
    for (const origin of [SHOP, 'https://evil.example', 'null']) {
      const answer = await service.app.inject({
        method: 'OPTIONS',
        url: '/checkout/links',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
      assert.deepEqual([answer.statusCode, answer.body], [204, ''])
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.equal(answer.headers['access-control-allow-methods'], 'POST')
      assert.equal(answer.headers['access-control-allow-headers'], 'authorization, content-type')
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
  })

  it('another method: 405 with the allowed methods', async () => {
    const answer = await service.app.inject({ method: 'GET', url: '/checkout/links' })
    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'OPTIONS, POST'])
  })

  it('no other route has CORS headers, except the public read', async () => {
    const { accounts } = await service.merchant()
    for (const url of ['/api/v1/payments/x', '/api/v1/events', '/healthz']) {
      const authorization = `Bearer ${accounts.sandbox.secretKey}`
      const answer = await service.app.inject({ url, headers: { origin: SHOP, authorization } })
      assert.equal(answer.headers['access-control-allow-origin'], undefined, url)
    }
    const { headers } = await readLink('unknown')
    assert.equal(headers['access-control-allow-origin'], '*')
  })

  it('the script has a pinned immutable URL, with the integrity hash from the documents', async () => {
    const docs = readFileSync(new URL('../../../docs/checkout-script.md', import.meta.url), 'utf8')
    const [, path, integrity] =
      /src="[^"]*?(\/checkout-[0-9a-f]{16}\.js)"\s+integrity="([^"]+)"/.exec(docs) ?? []
    const { statusCode, headers, body } = await service.app.inject(path as string)
    assert.deepEqual(
      [statusCode, `sha384-${createHash('sha384').update(body).digest('base64')}`],
      [200, integrity],
    )
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal((await service.app.inject('/checkout.js')).body, body)
    assert.equal((await service.app.inject('/checkout-0000000000000000.js')).statusCode, 404)
  })

  it('a browser with the current script gets 304', async () => {
    const etag = String((await service.app.inject('/checkout.js')).headers.etag)
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await service.app.inject({
        url: '/checkout.js',
        headers: { 'if-none-match': known },
      })
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag])
    }
    const other = await service.app.inject({
      url: '/checkout.js',
      headers: { 'if-none-match': '"x"' },
    })
    assert.equal(other.statusCode, 200)
  })

  it('the script is small and plain ES2017, and has a short cache lifetime', async () => {
    const { statusCode, headers, body } = await service.app.inject('/checkout.js')
    assert.equal(statusCode, 200)
    assert.ok(Buffer.byteLength(body) < 4_750, `${Buffer.byteLength(body)} bytes`)
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['cache-control'], 'public, max-age=300')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    // Nothing that a site’s content policy would refuse, and nothing newer than ES2017.
    assert.doesNotMatch(
      body,
      /\beval\b|new Function|innerHTML|setAttribute\(['"]style|<style|\?\.|\?\?|\.\.\.|\/\/ /,
    )
  })

  it('30 at once from one address, then 5 a second: 429 before the request is parsed', async () => {
    const code = async (remoteAddress: string): Promise<number> =>
      (await service.app.inject({ method: 'POST', url: '/checkout/links', remoteAddress }))
        .statusCode
    for (let asked = 0; asked < 30; asked++) assert.equal(await code('10.9.9.9'), 400)
    assert.equal(await code('10.9.9.9'), 429)
    assert.equal(await code('10.9.9.8'), 400, 'another address is not limited')
    await clock.advance(200)
    assert.deepEqual([await code('10.9.9.9'), await code('10.9.9.9')], [400, 429])
  })
})

// A public key alone claims no name of the account. The page cannot change a signed order of the
// merchant.
describe('page claims', () => {
  const NOT_VALID = { message: 'Unauthorized: Order Not Valid' }

  async function newAccount(): Promise<NewAccount> {
    const { sandbox } = (await service.merchant()).accounts
    granted(
      await changeCheckoutSettings(service, TESTER, {
        accountId: sandbox.accountId,
        origins: [SHOP],
      }),
    )
    return sandbox
  }

  /** As a client that is no browser can: Origin is a header like any other. */
  const fromPage = async (body: object, key = account.publicKey): Promise<Answer> => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      origin: SHOP,
    }
    await clock.advance(200)
    return postTo(service, '/checkout/links', headers, body)
  }
  const read = (name: string) => get(service, account.secretKey, name)
  const soon = (ms = 60_000): string => new Date(clock.now() + ms).toISOString()
  const sign = (fields: object, key = account.secretKey): string =>
    signOrder(key, { amount: 15_000, title: 'Commande 12', expires_at: soon(), ...fields })

  it('amounts as text: links, pages and signed orders accept only a fraction of zero', async () => {
    const answers = async (amount: string): Promise<number[]> => {
      const made = [
        await postLink({ amount, title: 'Commande 12' }),
        await postLink({ minimum_amount: amount, title: 'Un don' }),
        await fromPage({ amount, title: 'Commande 12' }),
        await fromPage({ order: sign({ amount, transaction_id: `cmd-${amount}` }) }),
      ]
      for (const { code, body } of made.filter(({ body }) => typeof body.amount === 'number'))
        assert.deepEqual([code, body.amount], [200, 5_000])
      return made.map(({ code }) => code)
    }
    for (const amount of ['5000', '5000.0', '5000.00'])
      assert.deepEqual(await answers(amount), [200, 200, 200, 200])
    for (const amount of ['5000.50', '5000.', '5000.000', '5 000', '5000,00'])
      assert.deepEqual(await answers(amount), [400, 422, 400, 400], amount)
  })

  it('a page cannot put its own payment in the place of another link’s', async () => {
    const link = await newLink({ amount: 250_000 })
    const { body } = await fromPage({ amount: 50, title: 'x', transaction_id: link })
    await settle(body.reference as string, SUCCEEDS_AT_ONCE)
    assert.equal(await stateOf(body.reference as string), 'succeeded:0')
    const { status, amount } = (await read(link)).body
    assert.deepEqual([status, amount], ['initiated', 250_000])
  })

  it('a merchant’s own transaction_id cannot hide a link', async () => {
    const link = await newLink({ amount: 250_000, transaction_id: 'cmd-250' })
    assert.equal(
      (await post(service, account.secretKey, order({ transaction_id: link }))).code,
      200,
    )
    assert.equal((await read(link)).body.amount, 250_000)
  })

  it('a page cannot claim or exhaust the merchant’s transaction_ids', async () => {
    for (let id = 1001; id < 1033; id++)
      assert.equal(
        (await fromPage({ amount: 50, title: 'x', transaction_id: `order-${id}` })).code,
        200,
      )
    for (let id = 1001; id < 1033; id++) assert.equal((await read(`order-${id}`)).code, 404)
    assert.equal(
      (await post(service, account.secretKey, order({ transaction_id: 'order-1001' }))).code,
      200,
    )
    assert.equal((await postLink({ ...LINK, transaction_id: 'order-1002' })).code, 200)
    assert.equal((await read('order-1001')).body.amount, 1_500)
  })

  it('a page’s transaction_id appears as client_reference, in reads and in events', async () => {
    const { body } = await fromPage({ ...LINK, transaction_id: 'cmd-7' })
    const link = body.reference as string
    const expected = { external_reference: link, created_by: 'page', client_reference: 'cmd-7' }
    assert.partialDeepStrictEqual((await read(link)).body, expected)
    await settle(link, SUCCEEDS_AT_ONCE)
    const [event] = await service.db.read<{ payload: string }>(
      'select payload from events where payload like :named',
      { named: `%"external_payment_reference":"${link}"%` },
    )
    assert.partialDeepStrictEqual(JSON.parse(event?.payload as string).data, {
      ...expected,
      status: 'succeeded',
    })
    assert.deepEqual((await read('cmd-7')).code, 404)
  })

  it('a signed order sets amount, title and names, also outside ASCII, whatever the page sends', async () => {
    const name = 'cmd-100/é 🛒'
    const signed = sign({ transaction_id: name, order_reference: 'panier 7' })
    const page = {
      amount: 50,
      title: 'Autre',
      description: 'Autre',
      transaction_id: 'mine',
      order: signed,
    }
    const { code, body } = await fromPage(page)
    assert.deepEqual(
      [code, body.amount, body.title, body.description],
      [200, 15_000, 'Commande 12', undefined],
    )
    const payment = (await read(name)).body
    assert.partialDeepStrictEqual(payment, {
      amount: 15_000,
      order_reference: 'panier 7',
      status: 'initiated',
    })
    assert.equal('created_by' in payment || 'client_reference' in payment, false)
    assert.equal((await read('mine')).code, 404)
  })

  it('a signed order claims its transaction_id once, as the merchant’s own create does', async () => {
    const signed = sign({ transaction_id: 'cmd-101' })
    assert.equal((await fromPage({ order: signed })).code, 200)
    const again = await fromPage({ order: signed })
    assert.deepEqual([again.code, again.body.message], [422, 'External Reference Not Valid'])
    assert.equal(again.headers['svc-existing-reference'], undefined)
    assert.equal(
      (await post(service, account.secretKey, order({ transaction_id: 'cmd-101' }))).code,
      422,
    )
  })

  it('a signed order’s fields get the same checks as any order’s', async () => {
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

  it('a changed or expired order, or one with another key’s signature, gets 401 and creates nothing', async () => {
    const good = sign({ transaction_id: 'cmd-102' })
    const [payload, signature] = good.split('.') as [string, string]
    const cheaper = Buffer.from(
      JSON.stringify({ amount: 50, title: 'x', expires_at: soon() }),
    ).toString('base64url')
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

  it('a signed order’s expiry may be in any form of ISO 8601', async () => {
    const at = new Date(clock.now() + 60_000).toISOString().slice(0, 19)
    for (const expires_at of [`${at}Z`, `${at}+00:00`, `${at}.123456+00:00`])
      assert.equal((await fromPage({ order: sign({ expires_at }) })).code, 200, expires_at)
  })

  it('signed orders: a rolled key signs while it is valid, a revoked key does not', async () => {
    const { accountId, publicKey, secretKey } = await newAccount()
    const { secretKey: newer } = granted(
      await rollKeys(service, TESTER, { accountId, keepOldMs: 3_600_000 }),
    )
    assert.equal((await fromPage({ order: sign({}, secretKey) }, publicKey)).code, 200)
    assert.equal((await fromPage({ order: sign({}, newer) }, publicKey)).code, 200)
    granted(await revokeKeys(service, TESTER, { which: secretKey }))
    assert.equal((await fromPage({ order: sign({}, secretKey) }, publicKey)).code, 401)
    const rolled = granted(await rollKeys(service, TESTER, { accountId, keepOldMs: 0 }))
    assert.equal(
      (await fromPage({ order: sign({}, rolled.secretKey) }, rolled.publicKey)).code,
      200,
    )
  })

  it('signed orders: only a key with permission to create may sign', async () => {
    const { accountId, publicKey } = await newAccount()
    const makeOf = async (permissions: readonly KeyPermission[] | null) =>
      granted(
        await makeKey(service, TESTER, {
          accountId,
          name: 'Till',
          permissions,
          networks: ['203.0.113.7'],
        }),
      )
    for (const permissions of [['read'], ['refund'], ['read', 'refund']] as const) {
      const made = await makeOf(permissions)
      assert.equal(
        (await fromPage({ order: sign({}, made.key) }, publicKey)).code,
        401,
        permissions.join(),
      )
      const rolled = granted(await rollKey(service, TESTER, { keyId: made.keyId, keepOldMs: 0 }))
      assert.equal(
        (await fromPage({ order: sign({}, rolled.key) }, publicKey)).code,
        401,
        permissions.join(),
      )
    }
    for (const permissions of [null, ['create'], ['read', 'create']] as const) {
      const { key } = await makeOf(permissions)
      assert.equal((await fromPage({ order: sign({}, key) }, publicKey)).code, 200)
    }
  })

  it('the store holds no usable order key, and no order key that is a secret key', async () => {
    const rows = await service.db.read<{ order_key: string }>(
      'select order_key from api_keys where order_key is not null',
    )
    assert.ok(rows.length > 0)
    const orderKey = createHmac('sha256', account.secretKey).update('karba order v1').digest()
    for (const { order_key } of rows) {
      assert.doesNotMatch(order_key, /sk_/)
      for (const form of ['hex', 'base64', 'latin1'] as const)
        assert.ok(!order_key.includes(orderKey.toString(form)))
    }
  })

  it('an account with pages disabled creates no link from a page, and the switch is audited', async () => {
    const { accountId, publicKey, secretKey } = await newAccount()
    const made = (await fromPage(LINK, publicKey)).body.reference as string
    granted(await changeCheckoutSettings(service, TESTER, { accountId, pages: 'off' }))
    const { code, body } = await fromPage({ order: sign({}, secretKey) }, publicKey)
    assert.deepEqual([code, body.message], [403, 'Forbidden: Environment Not Available'])
    await pay(made, byPhone(SUCCEEDS_AT_ONCE))
    assert.equal(await stateOf(made), 'open:0')
    const audits = await service.db.read<{ earlier: string; detail: string }>(
      `select earlier, detail from audit_log where account_id = :accountId
        and action = 'account.offer' order by entry desc`,
      { accountId },
    )
    assert.match(audits[0]?.earlier as string, /"pages":"on"/)
    assert.match(audits[0]?.detail as string, /"pages":"off"/)
    granted(await changeCheckoutSettings(service, TESTER, { accountId, pages: 'on' }))
    await pay(made, byPhone(SUCCEEDS_AT_ONCE))
    assert.equal(await stateOf(made), 'waiting:1')
  })
})
