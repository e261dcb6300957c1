// GET /external_payments/{reference} for anybody, and the same link read with a key: exact fields at every stage, what is never told, and
// what stands in the way of those who guess (D-12, D-22, D-24, D-29).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { get } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, newLink, onPage, pay, postLink, readLink, SUCCEEDS, toProvider } from './payer.ts'

const RANDOM = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
const SECRETS = { transaction_id: 'order 77-secret', customer_name: 'Zoé Secret' }
const NOT_FOUND = { message: 'Payment Not Found' }

describe('a link', () => {
  let service: VirtualService
  let merchant: NewMerchant

  before(async () => {
    service = await openVirtualService(SQLITE)
    merchant = await service.merchant({ name: 'Secret Boutique' })
  })
  after(() => service.remove())

  const key = (): string => merchant.accounts.sandbox.secretKey

  it('tells anybody these fields alone, and the payment’s reference only once it has succeeded', async () => {
    const input = { amount: 15_000, title: 'Commande 12', description: 'Deux pagnes', ...SECRETS }
    const { body: made } = await postLink(service, key(), input)
    const { page_url: _page, ...initiated } = made
    const link = made.reference as string
    const payment = (await get(service, key(), link)).body
    const seen: string[] = []
    async function told(): Promise<Record<string, unknown>> {
      const { code, body, headers } = await readLink(service, link)
      assert.deepEqual([code, headers['cache-control']], [200, 'no-store'])
      seen.push(JSON.stringify(body))
      return body
    }
    assert.deepEqual(await told(), initiated)
    assert.deepEqual(Object.keys(initiated).sort(), [
      ...['amount', 'currency', 'description', 'expires_at', 'public_reference', 'reference', 'status', 'title'],
    ])
    await pay(service, link, byPhone('40410000006'))
    assert.deepEqual(await told(), { ...initiated, status: 'pending' })
    await service.clock.advance(5_000)
    assert.deepEqual(await told(), { ...initiated, status: 'pending' }, 'a failed attempt is nobody’s business')
    assert.equal(seen.join().includes(payment.reference as string), false)
    await pay(service, link, byPhone(SUCCEEDS, 1))
    await service.clock.advance(5_000)
    const { validated_at } = (await get(service, key(), link)).body
    const paid = { status: 'succeeded', validated_at, transaction_id: payment.reference }
    assert.deepEqual(await told(), { ...initiated, ...paid })
    for (const secret of [...Object.values(SECRETS), SUCCEEDS, '40410000006', 'Secret Boutique', 'mobile', 'airtel']) {
      assert.equal(seen.join().includes(secret), false, secret)
    }
  })

  it('that never expires has no expires_at, and one without a description none', async () => {
    const { body } = await readLink(service, await newLink(service, key(), { shouldExpire: false }))
    assert.deepEqual(Object.keys(body), ['reference', 'status', 'amount', 'currency', 'title', 'public_reference'])
  })

  it('is read with its account’s key by its own reference and by its transaction_id, and by nobody else’s', async () => {
    const link = await newLink(service, key(), { transaction_id: 'cmd 12' })
    const bare = await newLink(service, key())
    const { body } = await get(service, key(), link)
    assert.deepEqual([body.status, body.external_reference], ['initiated', 'cmd 12'])
    assert.deepEqual((await get(service, key(), 'cmd 12')).body, body)
    assert.deepEqual((await get(service, key(), body.reference as string)).body, body)
    assert.equal((await get(service, key(), bare)).body.external_reference, bare)
    const other = (await service.merchant()).accounts
    for (const stranger of [merchant.accounts.live.secretKey, other.sandbox.secretKey, other.live.secretKey]) {
      for (const name of [link, bare, 'cmd 12', body.reference as string]) {
        const { code, body: answer } = await get(service, stranger, name)
        assert.deepEqual([code, answer], [404, NOT_FOUND])
      }
    }
    assert.equal((await get(service, key(), link, { 'svc-target-environment': 'live' })).code, 401)
  })

  it('is not found by any name of its payment or of its attempts', async () => {
    const link = await newLink(service, key(), { transaction_id: RANDOM })
    const { body } = await get(service, key(), link)
    const provider = await toProvider(service, link, onPage('bank_card'))
    const names = [body.reference, body.public_reference, RANDOM, provider.split('/').at(-1), link.toUpperCase()]
    for (const name of names) {
      const { code, body: answer, headers } = await readLink(service, name as string)
      assert.deepEqual([code, answer, headers['cache-control']], [404, NOT_FOUND, 'no-store'], name as string)
    }
  })
})

describe('the public read', () => {
  let service: VirtualService
  let link: string
  let port: number

  before(async () => {
    service = await openVirtualService()
    link = await newLink(service, (await service.merchant()).accounts.sandbox.secretKey)
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    port = (service.app.server.address() as AddressInfo).port
  })
  after(() => service.remove())

  /** With the path exactly as written here. */
  async function read(rest: string, headers: Record<string, string> = {}): Promise<[number, unknown, unknown]> {
    const path = `/api/v1/external_payments/${rest}`
    const asked = request({ port, host: '127.0.0.1', path, headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return [answer.statusCode as number, JSON.parse(await text(answer)), answer.headers['cache-control']]
  }

  const PATHS: [about: string, rest: string][] = [
    ['unknown', RANDOM],
    ['empty', ''],
    ['too short', 'abc'],
    ['of 129 characters', `Ab3dEf6hIj${'x'.repeat(119)}`],
    ['of 15,000 characters', 'x'.repeat(15_000)],
    ['of few different characters', '0'.repeat(32)],
    ['that cannot be decoded', '%zz'],
    ['that decodes to no UTF-8', '%ff'.repeat(32)],
    ['that decodes to NUL', `${RANDOM}%00`],
    ['with a slash behind it', `${RANDOM}/`],
    ['with a question in it', `${RANDOM}%3F`],
  ]
  for (const [about, rest] of PATHS) {
    it(`of a reference ${about} is 404 Payment Not Found, and is never kept`, async () =>
      assert.deepEqual(await read(rest), [404, NOT_FOUND, 'no-store']))
  }

  it('looks at no header: none, wrong ones and a stranger’s key give the same answer', async () => {
    const [code, body] = await read(link)
    assert.equal(code, 200)
    const heads = [
      { authorization: 'Bearer x', 'svc-target-environment': 'nowhere', 'svc-payment-type': 'cash' },
      { 'content-type': 'text/html', accept: 'text/html', 'svc-target-environment': 'live' },
    ]
    for (const headers of heads) assert.deepEqual(await read(link, headers), [200, body, 'no-store'])
    assert.deepEqual(
      (await read(`${link.slice(0, 8)}%${link.charCodeAt(8).toString(16)}${link.slice(9)}?x=1`))[1],
      body,
    )
  })

  it('from one address is 429 with Retry-After after 500 at once, and 100 more each second; others go on', async () => {
    const from = async (remoteAddress: string): Promise<[number, unknown, unknown]> => {
      const url = `/api/v1/external_payments/${link}`
      const answer = await service.app.inject({ method: 'GET', url, remoteAddress })
      return [answer.statusCode, answer.json().message, answer.headers['retry-after']]
    }
    async function mayRead(times: number): Promise<void> {
      for (let done = 0; done < times; done++) assert.equal((await from('198.51.100.7'))[0], 200)
      assert.deepEqual(await from('198.51.100.7'), [429, 'Too Many Requests', '1'])
    }
    await mayRead(500)
    assert.equal((await from('198.51.100.8'))[0], 200)
    await service.clock.sleep(1_000)
    await mayRead(100)
    await service.clock.sleep(999)
    await mayRead(99)
  })
})
