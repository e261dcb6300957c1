// The one search box, on both stores: a payment is found by anything that a person may know of it, at once and after it is indexed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readHome } from '../../src/actions/figures/read-home.ts'
import { searchPayments } from '../../src/actions/payments/list-payments.ts'
import { showPaymentPage } from '../../src/actions/payments/read-payment.ts'
import { granted, merchantKey } from '../kit/callers.ts'
import { order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS } from '../links/payer.ts'

const ORDERS = [
  { transaction_id: 'table-1', msisdn: '96 12 34 56', customer_name: 'Aïssa Maïga', amount: 1_000 },
  { transaction_id: 'table-2', msisdn: '96 12 34 56', customer_name: 'Aïssa Maïga', amount: 2_000 },
  { transaction_id: 'table-3', msisdn: SUCCEEDS, customer_name: 'Moussa Touré', amount: 3_000 },
  { transaction_id: 'table-4', msisdn: DECLINES, customer_name: 'Aminatou Touré', amount: 4_000 },
]

const FOUND: [written: string, ids: string[]][] = [
  ['table-3', ['table-3']],
  ['+227 96 12 34 56', ['table-2', 'table-1']],
  ['0022796123456', ['table-2', 'table-1']],
  ['maig', ['table-2', 'table-1']],
  ['toure', ['table-4', 'table-3']],
  ['TOURÉ ami', ['table-4']],
  [SUCCEEDS, ['table-3']],
  ['nobody', []],
  ['table-9', []],
  ['?', []],
  ['  ', ['table-4', 'table-3', 'table-2', 'table-1']],
]

for (const store of STORES) {
  describe(`search on ${store.name}`, () => {
    let service: VirtualService
    let accountId: string
    let references: { reference: string; public_reference: string }[]
    before(async () => {
      service = await openVirtualService(store)
      const account = (await service.merchant()).accounts.sandbox
      const other = (await service.merchant()).accounts.sandbox
      accountId = account.accountId
      references = []
      for (const each of ORDERS) {
        await post(service, other.secretKey, order(each))
        references.push((await post(service, account.secretKey, order(each))).body as (typeof references)[number])
        await service.clock.advance(1_000)
      }
    })
    after(() => service.remove())

    const search = async (input: Parameters<typeof searchPayments>[2]): Promise<string[]> =>
      granted(await searchPayments(service, merchantKey(accountId), input)).rows.map((row) => row.externalReference)

    for (const when of ['at once', 'once they are indexed']) {
      it(`finds payments ${when}`, async () => {
        if (when !== 'at once') await service.clock.advance(200_000)
        const [{ count = 0 } = {}] = await service.db.rows<{ count: number }>(
          'select count(*) as count from payment_search',
        )
        assert.equal(count > 0, when !== 'at once')
        for (const [written, ids] of FOUND) assert.deepEqual(await search({ search: written }), ids, written)
        for (const [at, { reference, public_reference }] of references.entries()) {
          const id = ORDERS[at]?.transaction_id
          assert.deepEqual(await search({ search: reference }), [id])
          assert.deepEqual(await search({ search: public_reference.toLowerCase() }), [id])
        }
      })
    }

    it('pages through what it found, and filters it', async () => {
      const first = granted(await searchPayments(service, merchantKey(accountId), { search: 'toure', limit: 1 }))
      assert.deepEqual([first.rows[0]?.externalReference, typeof first.next], ['table-4', 'string'])
      assert.deepEqual(await search({ search: 'toure', limit: 1, after: first.next }), ['table-3'])
      assert.deepEqual(await search({ search: 'toure', status: 'failed' }), ['table-4'])
      assert.deepEqual(await search({ minimumXof: 2_000, maximumXof: 3_000 }), ['table-3', 'table-2'])
      assert.deepEqual(await search({ search: 'maiga', minimumXof: 1_500 }), ['table-2'])
    })

    it('shows a payment with what happened to it', async () => {
      const { reference } = references[3] as (typeof references)[number]
      const page = granted(await showPaymentPage(service, merchantKey(accountId), { name: reference }))
      assert.equal(page.row.failureReason, 'declined')
      assert.deepEqual(page.story.at(-1)?.detail, { from: 'pending', to: 'failed', failureReason: 'declined' })
    })

    it('adds up the first page', async () => {
      const home = granted(await readHome(service, merchantKey(accountId), { days: 3 }))
      assert.deepEqual(home.today, { collected: 6_000, succeeded: 3, failed: 1, pending: 0 })
      assert.equal(home.days.length, 3)
      assert.deepEqual(home.days.at(-1), { ...home.days.at(-1), collected: 6_000, succeeded: 3, failed: 1 })
      assert.deepEqual(home.failures, [{ reason: 'declined', count: 1 }])
      assert.deepEqual(home.attention, [{ kind: 'no_endpoint' }])
    })
  })
}
