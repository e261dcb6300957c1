// karba demo books: a month of books for the demo merchant, and its refusals. On SQLite, which a
// first start uses.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { createDemoPeopleIn, prepareDemoPeople } from '../../src/actions/people/demo-people.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { commandsOn } from '../kit/karba.ts'
import { getFrom, openTestService, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

describe('karba demo books', () => {
  const service = shared(() => openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '0' }))
  let secretKey: string
  const commands = (more: Record<string, string> = {}) =>
    commandsOn({ ...service.place.env, ...more })

  it('is refused without the demo merchant, and in production', async () => {
    const { fails } = commands()
    await fails(/no demo merchant/, 'demo', 'books')
    const merchant = await service.merchant()
    secretKey = merchant.accounts.sandbox.secretKey
    const prepared = await prepareDemoPeople(service)
    const { merchantId } = merchant
    await service.db.transaction((tx) =>
      createDemoPeopleIn(service, tx, TESTER, { merchantId, prepared }),
    )
    await commands({ KARBA_MODE: 'production', PUBLIC_URL: 'https://karba.example' }).fails(
      /only for development/,
      'demo',
      'books',
    )
  })

  it('fills the last thirty days, which karba verify finds whole', async () => {
    const { json, karba } = commands()
    const filled = await json('demo', 'books')
    const today = dayOf(service.clock.now())
    assert.deepEqual([filled.from, filled.to], [dayText(today - 30), dayText(today - 1)])
    assert.ok(
      filled.payments > 300 && filled.refunds > 5 && filled.lines > 300,
      JSON.stringify(filled),
    )
    const kinds = (await json('statement', 'differences'))
      .map(({ kind }: { kind: string }) => kind)
      .sort()
    assert.deepEqual(kinds, [
      'amount_differs',
      'duplicate_line',
      'fee_differs',
      'missing_at_network',
      'missing_here',
      'paid_although_failed',
      'settled_amount_differs',
      'withheld',
    ])
    const verified = await karba('verify')
    assert.equal(verified.code, 0, verified.stdout)
  })

  it('shows the merchant a balance and a statement of the month', async () => {
    const { body: balance } = await getFrom(service, secretKey, '/balance')
    for (const place of ['in_wallet', 'in_transit', 'in_bank', 'withheld'])
      assert.ok((balance[place] as number) > 0, JSON.stringify(balance))
    const today = dayOf(service.clock.now())
    const period = `connection=mtn_bj&from=${dayText(today - 30)}&to=${dayText(today - 1)}`
    const { body: statement } = await getFrom(service, secretKey, `/statements?${period}`)
    assert.ok(
      (statement.collected as number) > 0 && (statement.fees as number) < 0,
      JSON.stringify(statement),
    )
  })

  it('lets a payment of the month be refunded: the sandbox’s network knows it', async () => {
    const { payments } = await commands().json(
      'payment',
      'list',
      '--status',
      'succeeded',
      '--limit',
      '1',
    )
    const at = `/payments/${payments[0].reference}/refund` as const
    await postAt(service, secretKey, at)
    const status = async () => (await getFrom(service, secretKey, at)).body.status
    await until('end of the refund', async () => (await status()) !== 'pending')
    assert.equal(await status(), 'succeeded')
  })

  it('is refused a second time, and on a store with another merchant', async () => {
    const { fails } = commands()
    await fails(/statements of networks already/, 'demo', 'books')
    granted(await createMerchant(service, TESTER, { name: 'Boutique Awa', validateLive: false }))
    await fails(/other merchants/, 'demo', 'books')
  })
})
