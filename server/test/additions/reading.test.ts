// What a merchant reads beside the contract: its account, its payments in pages, refunds; and closing links. On both stores.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { writeHealth } from '../../src/store/operators/connections.ts'
import { get, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { byPhone, DECLINES, newLink, pay, SUCCEEDS, SUCCEEDS_AFTER_3_MINUTES } from '../links/payer.ts'
import { getFrom, postAt } from './requests.ts'

describe('reading payments', () => {
  let service: VirtualService
  let merchant: NewMerchant
  let key: string

  before(async () => {
    service = await openVirtualService(SQLITE)
    merchant = await service.merchant()
    key = merchant.accounts.sandbox.secretKey
  })
  after(() => service.remove())

  async function settled(msisdn: string, change: Record<string, unknown> = {}): Promise<string> {
    const { body } = await post(service, key, order({ msisdn, ...change }))
    await service.clock.advance(10_000)
    return body.reference as string
  }

  it('an account shows whose it is, its endpoints and every operator that is connected', async () => {
    const { accountId } = merchant.accounts.sandbox
    await newEndpoint(service, accountId, 'https://shop.example.com/hook')
    const { code, body } = await getFrom(service, key, '/account')
    const { operators, ...rest } = body as { operators: { operator: string; state: string }[] }
    assert.equal(code, 200)
    assert.deepEqual(rest, {
      account_id: accountId,
      merchant: 'Boutique Awa',
      environment: 'sandbox',
      status: 'validated',
      endpoints: [{ url: 'https://shop.example.com/hook', status: 'on', failing_since: null }],
    })
    assert.deepEqual(operators[0], { country: 'NE', operator: 'airtel_ne', name: 'Airtel Money', state: 'up' })
    assert.ok(operators.some(({ operator }) => operator === 'mtn_bj'))
  })

  it('an operator that does not answer is down for its account', async () => {
    const seen = { connection: 'mtn_bj', state: 'down', since: 1, why: 'silence', misconfigured: 0, seenAt: 1 }
    await writeHealth(service.db, { environment: 'sandbox', ...seen })
    const { operators } = (await getFrom(service, key, '/account')).body as { operators: Record<string, string>[] }
    assert.equal(operators.find(({ operator }) => operator === 'mtn_bj')?.state, 'down')
    await writeHealth(service.db, { environment: 'sandbox', ...seen, state: 'working' })
  })

  it('payments are listed newest first, in pages that lead on, and only those of the account', async () => {
    const own = (await service.merchant()).accounts.sandbox.secretKey
    const made: unknown[] = []
    for (let nth = 0; nth < 5; nth++) made.unshift((await post(service, own, order())).body.reference)
    const seen: unknown[] = []
    let path = '/payments?limit=2'
    for (let pages = 1; ; pages++) {
      const { code, body } = await getFrom(service, own, path)
      assert.equal(code, 200)
      const { data, next } = body as { data: { reference: string }[]; next: string | null }
      seen.push(...data.map(({ reference }) => reference))
      if (next === null) {
        assert.equal(pages, 3)
        break
      }
      path = `/payments?limit=2&after=${next}`
    }
    assert.deepEqual(seen, made)
  })

  it('a listed payment has the fields of a read, when it was recorded, and its link', async () => {
    const link = await newLink(service, key)
    const { data } = (await getFrom(service, key, '/payments?limit=1')).body as { data: Record<string, unknown>[] }
    const { created_at, external_payment_reference, ...payment } = data[0] ?? {}
    assert.deepEqual(payment, (await get(service, key, link)).body)
    assert.equal(external_payment_reference, link)
    assert.equal(created_at, new Date(service.clock.now()).toISOString())
  })

  it('a list takes a state, an operator and a time', async () => {
    const own = (await service.merchant()).accounts.sandbox.secretKey
    const count = async (query: string): Promise<number> =>
      ((await getFrom(service, own, `/payments?${query}`)).body.data as unknown[]).length
    await post(service, own, order({ msisdn: SUCCEEDS }))
    await post(service, own, order({ msisdn: DECLINES, country: 'BJ' }))
    await service.clock.advance(10_000)
    await service.clock.sleep(86_400_000)
    const today = new Date(service.clock.now()).toISOString()
    await post(service, own, order())
    assert.deepEqual(
      [
        await count('status=succeeded'),
        await count('status=failed'),
        await count('status=refunded'),
        await count('operator=mtn_bj'),
        await count(`from=${today}`),
        await count(`to=${today}`),
        await count(`from=${today.slice(0, 10)}`),
        await count(`from=${encodeURIComponent(today.replace('Z', '+01:00'))}&status=succeeded&operator=airtel_ne`),
      ],
      [1, 1, 0, 1, 1, 2, 1, 0],
    )
  })

  it('a refund is asked for once, however often, and read back until it has succeeded', async () => {
    const transactionId = 'refund-1'
    const reference = await settled(SUCCEEDS, { transaction_id: transactionId })
    assert.equal((await getFrom(service, key, `/payments/${reference}/refund`)).code, 404)
    const [first, second] = [
      await postAt(service, key, `/payments/${reference}/refund`),
      await postAt(service, key, `/payments/${transactionId}/refund`, {}),
    ]
    assert.equal(first?.code, 200)
    assert.deepEqual(second?.body, first?.body)
    assert.partialDeepStrictEqual(first?.body, { payment_reference: reference, amount: 1500, status: 'pending' })
    await service.clock.advance(20_000)
    const { body } = await getFrom(service, key, `/payments/${reference}/refund`)
    assert.partialDeepStrictEqual(body, { reference: first?.body.reference, status: 'succeeded' })
    assert.ok((body.updated_at as string) > (body.created_at as string))
    assert.equal((await get(service, key, reference)).body.status, 'refunded')
    assert.deepEqual((await postAt(service, key, `/payments/${reference}/refund`)).body, body)
    assert.equal(service.calls.refund.length, 1)
  })

  it('a payment that the operator reversed has a refund too, and is never refunded again', async () => {
    const reference = await settled('40410000117')
    assert.equal((await get(service, key, reference)).body.status, 'refunded')
    const { code, body } = await postAt(service, key, `/payments/${reference}/refund`)
    assert.equal(code, 200)
    assert.partialDeepStrictEqual(body, { reference, payment_reference: reference, status: 'succeeded' })
  })

  it('a payment that has not succeeded is not refunded', async () => {
    const reference = await settled(DECLINES)
    const { code, body, headers } = await postAt(service, key, `/payments/${reference}/refund`)
    assert.deepEqual([code, body], [422, { status: 'failed', message: 'Payment Not Refundable' }])
    assert.equal(headers['svc-error-code'], 'payment_not_refundable')
  })

  it('a transaction_id that ends like the address of a refund is still read, with its slash encoded or not', async () => {
    await post(service, key, order({ transaction_id: 'a/refund' }))
    for (const name of ['a/refund', 'a%2Frefund']) {
      const { body } = await getFrom(service, key, `/payments/${name}`)
      assert.equal(body.external_reference, 'a/refund')
    }
    assert.equal(
      (await getFrom(service, key, '/payments/a%2Frefund/refund')).headers['svc-error-code'],
      'refund_not_found',
    )
  })

  it('a link is closed by its merchant, and closing it again gets the same answer', async () => {
    const link = await newLink(service, key)
    const first = await postAt(service, key, `/external_payments/${link}/cancel`)
    assert.deepEqual([first.code, first.body.status], [200, 'failed'])
    assert.deepEqual((await postAt(service, key, `/external_payments/${link}/cancel`)).body, first.body)
    const { failure_reason } = (await get(service, key, link)).body
    assert.equal(failure_reason, 'cancelled')
  })

  it('a link that is being paid or was paid stays as it is', async () => {
    const cases = [
      [SUCCEEDS_AFTER_3_MINUTES, 'link_being_paid'],
      [SUCCEEDS, 'link_paid'],
    ] as const
    for (const [msisdn, expected] of cases) {
      const link = await newLink(service, key)
      await pay(service, link, byPhone(msisdn))
      await service.clock.advance(10_000)
      const { code, headers } = await postAt(service, key, `/external_payments/${link}/cancel`)
      assert.deepEqual([code, headers['svc-error-code']], [422, expected])
    }
  })

  it('the link of another account, or of the other environment, is not there', async () => {
    const link = await newLink(service, key)
    for (const other of [(await service.merchant()).accounts.sandbox, merchant.accounts.live]) {
      const { code, body } = await postAt(service, other.secretKey, `/external_payments/${link}/cancel`)
      assert.deepEqual([code, body], [404, { message: 'Payment Not Found' }])
    }
    assert.equal((await get(service, key, link)).body.status, 'initiated')
  })
})
