// Reusable links (posters) and links without an amount (D-92): each payer gets their own payment,
// the payer types the amount on the page, and the link counts its payments. On both stores.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, getFrom, postAt } from '../kit/service.ts'
import { byPhone, DECLINES, LINK, linksOf, onPage, openShop, SUCCEEDS } from '../links/payer.ts'

const MINUTE = 60_000

describe('reusable links', async () => {
  const shop = await openShop()
  const { service, clock, postLink, newLink, read, readLink, look, send, toProvider, decide } = shop
  const key = shop.account.secretKey
  const { amount: _, ...withoutAmount } = LINK
  const create = (change: object): Promise<Answer> => postLink({ ...withoutAmount, ...change })
  const poster = async (change: object): Promise<string> => {
    const { code, body } = await create({ reusable: true, ...change })
    assert.equal(code, 200, JSON.stringify(body))
    return body.reference as string
  }
  async function payAt(link: string, form: Record<string, string>): Promise<string> {
    const { code, goTo, text } = await send(`/pay/${link}`, form)
    assert.equal(code, 303, text)
    await clock.advance(10_000)
    return /\/pay\/([^?]+)/.exec(goTo)?.[1] as string
  }

  it('each payer gets their own payment, and the link counts them', async () => {
    const link = await poster({ amount: 2_000, metadata: { stand: 'A' } })
    assert.partialDeepStrictEqual((await readLink(link)).body, {
      reusable: true,
      amount: 2_000,
      status: 'initiated',
      payments_count: 0,
      collected_amount: 0,
    })
    const [first, second] = [
      await payAt(link, byPhone(SUCCEEDS)),
      await payAt(link, byPhone(SUCCEEDS)),
    ]
    const declined = await payAt(link, byPhone(DECLINES))
    assert.equal(new Set([link, first, second, declined]).size, 4)
    const { payments_count, collected_amount, status } = (await readLink(link)).body
    assert.deepEqual([payments_count, collected_amount, status], [2, 4_000, 'initiated'])
    const payment = await read(first)
    assert.partialDeepStrictEqual(payment, {
      status: 'succeeded',
      amount: 2_000,
      metadata: { stand: 'A' },
    })
    const { events } = (await getFrom(service, key, '/events?limit=1000')).body as {
      events: { data: object }[]
    }
    const paidEvent = events.find(
      ({ data }) => (data as { reference: string }).reference === payment.reference,
    )
    assert.partialDeepStrictEqual(paidEvent?.data, { external_payment_reference: link })
    await postAt(service, key, `/payments/${payment.reference}/refund`)
    await clock.advance(20_000)
    const { body } = await readLink(link)
    assert.deepEqual([body.payments_count, body.collected_amount], [1, 2_000])
  })

  it('without an amount: the payer types or chooses one, by phone and by card', async () => {
    const link = await poster({ minimum_amount: 500, suggested_amounts: [1_000, '5000'] })
    const { amount, minimum_amount, suggested_amounts } = (await readLink(link)).body
    assert.deepEqual([amount, minimum_amount, suggested_amounts], [undefined, 500, [1_000, 5_000]])
    const amounts: [form: object, amount: number][] = [
      [{ amount: '1 500' }, 1_500],
      [{ amount: '', suggested: '5000' }, 5_000],
      [{ amount: '700', suggested: '5000' }, 700],
    ]
    for (const [typed, expected] of amounts) {
      const own = await payAt(link, { ...byPhone(SUCCEEDS), ...typed })
      assert.equal((await read(own)).amount, expected)
    }
    const provider = await toProvider(link, { ...onPage('bank_card'), amount: '2.500' })
    await decide(provider, 'approve')
    await clock.advance(10_000)
    const { payments_count, collected_amount } = (await readLink(link)).body
    assert.deepEqual([payments_count, collected_amount], [4, 9_700])
  })

  it('without an amount: the page shows an error for an invalid amount, and no payment is created', async () => {
    const link = await poster({ minimum_amount: 500, suggested_amounts: [1_000] })
    const payments = async () => (await service.db.read('select number from payments')).length
    const before = await payments()
    for (const typed of [
      '',
      '499',
      'mille',
      '-600',
      '1e4',
      '1000000000',
      '1000,00',
      '12,5',
      '1 50',
      '1,000.00',
      '٦٠٠',
    ]) {
      const { code, text } = await send(`/pay/${link}`, { ...byPhone(SUCCEEDS), amount: typed })
      assert.equal(code, 200)
      assert.match(text, /Saisissez un montant en chiffres, d’au moins 500\u00a0F\u00a0CFA/)
    }
    assert.equal(await payments(), before)
    assert.match((await look(`/pay/${link}?lang=en`)).text, /Choose an amount/)
  })

  it('a single link without an amount has the typed amount, and a new one after a failed attempt', async () => {
    const { body } = await create({ minimum_amount: 100 })
    const link = body.reference as string
    assert.equal('amount' in body, false)
    assert.equal(await payAt(link, { ...byPhone(DECLINES), amount: '300' }), link)
    const again = { ...byPhone(SUCCEEDS), attempt: '1', amount: '900' }
    assert.equal(await payAt(link, again), link)
    assert.partialDeepStrictEqual((await readLink(link)).body, { status: 'succeeded', amount: 900 })
  })

  it('the merchant closes the link, with the same answer each time, and it accepts no further payment', async () => {
    const link = await poster({ amount: 500 })
    const stranger = (await service.merchant()).accounts.sandbox.secretKey
    assert.equal((await postAt(service, stranger, `/external_payments/${link}/cancel`)).code, 404)
    const first = await postAt(service, key, `/external_payments/${link}/cancel`)
    assert.deepEqual([first.code, first.body.status], [200, 'failed'])
    assert.deepEqual(
      (await postAt(service, key, `/external_payments/${link}/cancel`)).body,
      first.body,
    )
    assert.equal(await payAt(link, byPhone(SUCCEEDS)), link, 'it shows its own page again')
    assert.equal((await readLink(link)).body.payments_count, 0)
  })

  it('a link expires when the merchant chose; a reusable one does not expire by default', async () => {
    const endless = await poster({ amount: 500 })
    const short = await poster({ amount: 500, expires_in_minutes: 5 })
    const single = await newLink({ expires_in_minutes: 60 })
    await clock.sleep(6 * MINUTE)
    await clock.advance(5_000)
    const statuses = await Promise.all(
      [endless, short, single].map(async (each) => (await readLink(each)).body.status),
    )
    assert.deepEqual(statuses, ['initiated', 'failed', 'initiated'])
  })

  it('another account cannot take the reference', async () => {
    const reference = '4f1c09ab37de82c65b1f0a9e7d3c2801'
    await poster({ amount: 500, reference })
    const other = linksOf(service, (await service.merchant()).accounts.sandbox)
    for (const change of [{}, { reusable: true }]) {
      const { code, headers } = await other.postLink({ ...LINK, reference, ...change })
      assert.deepEqual([code, headers['svc-error-code']], [422, 'link_reference_taken'])
    }
  })

  const FAULTS: [about: string, change: object, code: string, param?: string][] = [
    ['neither amount nor minimum', {}, 'link_body_incomplete', 'amount'],
    ['both', { amount: 500, minimum_amount: 100 }, 'minimum_amount_not_valid'],
    ['a minimum below ours', { minimum_amount: 49 }, 'minimum_amount_not_valid'],
    [
      'suggestions with a fixed amount',
      { amount: 500, suggested_amounts: [500] },
      'suggested_amounts_not_valid',
    ],
    [
      'five suggestions',
      { minimum_amount: 100, suggested_amounts: [100, 200, 300, 400, 500] },
      'suggested_amounts_not_valid',
    ],
    [
      'a suggestion below the minimum',
      { minimum_amount: 100, suggested_amounts: [99] },
      'suggested_amounts_not_valid',
    ],
    [
      'suggestions as a text',
      { minimum_amount: 100, suggested_amounts: '100' },
      'suggested_amounts_not_valid',
    ],
    ['reusable as a word', { amount: 500, reusable: 'true' }, 'reusable_not_valid'],
    [
      'a transaction_id for all',
      { amount: 500, reusable: true, transaction_id: 'x' },
      'reusable_not_valid',
    ],
    [
      'an order for all',
      { amount: 500, reusable: true, order_reference: 'x' },
      'reusable_not_valid',
    ],
    ['4 minutes', { amount: 500, expires_in_minutes: 4 }, 'expires_in_minutes_not_valid'],
    [
      'three months and a minute',
      { amount: 500, expires_in_minutes: 129_601 },
      'expires_in_minutes_not_valid',
    ],
    [
      'minutes and no expiry',
      { amount: 500, expires_in_minutes: 9, shouldExpire: false },
      'expires_in_minutes_not_valid',
    ],
  ]
  it('an invalid field is refused with its own error code', async () => {
    for (const [about, change, code, param] of FAULTS) {
      const { headers } = await create(change)
      assert.equal(headers['svc-error-code'], code, about)
      assert.equal(headers['svc-error-param'], param ?? code.replace('_not_valid', ''), about)
    }
  })
})
