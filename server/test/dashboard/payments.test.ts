// A merchant's first page and its payments through the dashboard's door, on both stores.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { dayText } from '../../src/domain/business-day.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS } from '../links/payer.ts'

describe('payments in the dashboard', () => {
  let service: VirtualService
  let merchant: NewMerchant
  let owner: SignedIn
  let at: string
  const references: string[] = []

  before(async () => {
    service = await openVirtualService(SQLITE)
    merchant = await service.merchant()
    owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
    const { accountId, secretKey } = merchant.accounts.sandbox
    at = `/accounts/${accountId}`
    const payers = [
      { msisdn: SUCCEEDS, customer_name: 'Aïssa; "Maïga"' },
      { msisdn: DECLINES, customer_name: '=cmd()' },
    ]
    for (const [index, payer] of payers.entries()) {
      const body = order({ ...payer, amount: 1_000 + index, transaction_id: `order-${index}` })
      references.push((await post(service, secretKey, body)).body.reference as string)
      await service.clock.advance(5_000)
    }
  })
  after(() => service.remove())

  const get = (path: string) => ask(service, `GET ${at}${path}` as 'GET /', owner)

  it('the first page has a row for each day that was asked for', async () => {
    const { code, body } = await get('/home?days=7')
    assert.equal(code, 200)
    assert.deepEqual(body.today, { collected: 1_000, succeeded: 1, failed: 1, pending: 0 })
    assert.equal(body.days.length, 7)
    assert.equal(body.operators[0].name, 'Airtel Money')
    assert.equal((await get('/home?days=0')).body.code, 'input_not_valid')
  })

  it('payments are listed, searched and filtered', async () => {
    const ids = async (query: string) =>
      (await get(`/payments?${query}`)).body.rows.map((row: { transactionId: string }) => row.transactionId)
    assert.deepEqual(await ids(''), ['order-1', 'order-0'])
    assert.deepEqual(await ids('search=aissa'), ['order-0'])
    assert.deepEqual(await ids('status=failed&search='), ['order-1'])
    assert.deepEqual(await ids('minimum=1001'), ['order-1'])
    const today = dayText(Math.floor((service.clock.now() + 3_600_000) / 86_400_000))
    assert.deepEqual(await ids(`from=${today}&to=${today}`), ['order-1', 'order-0'])
    assert.deepEqual(await ids('to=2000-01-01'), [])
    assert.equal((await get('/payments?status=paid')).body.param, 'status')
    const first = (await get('/payments?limit=1')).body
    assert.deepEqual(await ids(`limit=1&after=${first.next}`), ['order-0'])
  })

  it('a payment that failed says in the list when it did, as its own page does', async () => {
    const [row] = (await get('/payments?status=failed')).body.rows
    assert.ok(row.finalAt > row.createdAt)
    assert.equal(row.finalAt, (await get(`/payments/${row.reference}`)).body.finalAt)
  })

  it('a pending payment says that the payer is asked on the phone', async () => {
    const { merchantId, accounts } = await service.merchant()
    const { accountId, secretKey } = accounts.sandbox
    const viewer = await signedIn(service, { at: merchantId, as: 'viewer' })
    const { reference } = (await post(service, secretKey, order({ msisdn: '40410000127' }))).body
    await service.clock.advance(1_000)
    const { body } = await ask(service, `GET /accounts/${accountId}/payments/${reference}`, viewer)
    const { status, timeline } = body
    const kinds = timeline.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual([status, kinds], ['pending', ['recorded', 'request', 'payer_asked']])
  })

  it('a file has them all, as a spreadsheet reads it and without formulas', async () => {
    const { body, headers } = await get('/payments.csv')
    assert.match(String(headers['content-type']), /^text\/csv/)
    assert.match(String(headers['content-disposition']), /^attachment/)
    const lines = (body as string).split('\r\n')
    assert.match(lines[0] as string, /^\ufeffDate;Référence client;/)
    assert.match(lines[1] as string, /;order-1;Échoué;1001;.*;'=cmd\(\);/)
    assert.match(lines[2] as string, /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d;.*;Réussi;1000;.*;"Aïssa; ""Maïga""";/)
    assert.equal(lines.length, 4)
    assert.match((await get('/payments.csv?language=en&status=failed')).body, /^\ufeffDate;Customer/)
  })

  it('a payment has its timeline, and its owner may refund it once', async () => {
    const [succeeded, failed] = references as [string, string]
    const { body } = await get(`/payments/${succeeded}`)
    assert.equal(body.timeline[0].kind, 'recorded')
    assert.deepEqual(body.timeline.at(-1).facts, { from: 'pending', to: 'succeeded' })
    assert.equal(body.mayRefund, true)
    assert.equal((await get(`/payments/${failed}`)).body.mayRefund, false)
    const refunded = await ask(service, `POST ${at}/payments/${succeeded}/refund` as 'POST /', owner)
    assert.deepEqual([refunded.code, refunded.body.status, refunded.body.amount], [200, 'pending', 1_000])
    const again = await ask(service, `POST ${at}/payments/${succeeded}/refund` as 'POST /', owner)
    assert.deepEqual([again.code, again.body.code], [409, 'refund_exists'])
    await service.clock.advance(20_000)
    const after = (await get(`/payments/${succeeded}`)).body
    assert.deepEqual([after.status, after.refund.status, after.mayRefund], ['refunded', 'succeeded', false])
  })

  it('a live refund above the limit waits for a second person', async () => {
    const { accountId, secretKey } = merchant.accounts.live
    const body = order({ amount: 500_001, msisdn: '96123456' })
    const { reference } = (await post(service, secretKey, body)).body
    await service.clock.advance(5_000)
    const payment = `/accounts/${accountId}/payments/${reference}`
    const asked = await ask(service, `POST ${payment}/refund` as 'POST /', owner)
    assert.deepEqual([asked.code, asked.body.status, asked.body.approval.state], [200, 'waiting', 'waiting'])
    const shown = (await ask(service, `GET ${payment}` as 'GET /', owner)).body
    assert.deepEqual([shown.status, shown.refund.approval.askedBy, shown.mayRefund], ['succeeded', 'Awa Diallo', false])
  })

  it('a cashier may not refund, and sees that', async () => {
    const cashier = await signedIn(service, { at: merchant.merchantId, as: 'cashier' })
    const [reference] = references
    const { code, body } = await ask(service, `POST ${at}/payments/${reference}/refund` as 'POST /', cashier)
    assert.deepEqual([code, body.code], [403, 'role_not_allowed'])
  })
})
