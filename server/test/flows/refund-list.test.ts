// The list of an account's refunds on both stores, over HTTP: by state, time and payment, page by
// page. And one payment read alone with its fee.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const DAY_MS = 86_400_000

type Row = Record<string, unknown>
type List = { data: Row[]; next: string | null }

for (const store of STORES_IN_HALVES) {
  describe(`refund list on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    let cashier: SignedIn
    /**
     * Our references of the payments: one refunded, one with a part that is pending, and one whose
     * refund failed.
     */
    let [whole, part, failed] = ['', '', '']
    before(async () => {
      shop = await openShopBooks(service)
      whole = await shop.settled(SUCCEEDS, 5_000)
      part = await shop.settled(SUCCEEDS, 3_000)
      failed = await shop.settled(SUCCEEDS, 2_000)
      await postAt(service, shop.secretKey, `/payments/${whole}/refund`, {})
      await service.clock.advance(6_000)
      await postAt(service, shop.secretKey, `/payments/${failed}/refund`, { refund_id: 'retour-2' })
      await service.clock.sleep(DAY_MS)
      await service.db.change(
        `update refunds set status = 'failed', failure_reason = 'declined'
         where refund_id = 'retour-2'`,
      )
      await postAt(service, shop.secretKey, `/payments/${part}/refund`, {
        amount: 1_000,
        refund_id: 'retour-1',
      })
      // After the day has passed: a session ends.
      cashier = await signedIn(service, { at: shop.merchantId, as: 'cashier' })
    })

    const list = async (query = '', key = shop.secretKey): Promise<List> =>
      (await getFrom(service, key, `/refunds${query}`)).body as unknown as List
    const paymentsOf = async (query: string): Promise<unknown[]> =>
      (await list(query)).data.map(({ payment_reference }) => payment_reference)

    it('every refund is listed, the newest first, with the references of its payment', async () => {
      const { data, next } = await list()
      assert.deepEqual(
        data.map(({ payment_reference, amount, status, reason, refund_id }) => [
          payment_reference,
          amount,
          status,
          reason,
          refund_id,
        ]),
        [
          [part, 1_000, 'pending', undefined, 'retour-1'],
          [failed, 2_000, 'failed', 'declined', 'retour-2'],
          [whole, 5_000, 'succeeded', undefined, undefined],
        ],
      )
      assert.equal(next, null)
      const { body: payment } = await getFrom(service, shop.secretKey, `/payments/${part}`)
      assert.deepEqual(
        [data[0]?.external_reference, data[0]?.public_reference],
        [payment.external_reference, payment.public_reference],
      )
    })

    it('filters narrow the list: state, open, day and payment', async () => {
      assert.deepEqual(await paymentsOf('?status=open'), [part])
      assert.deepEqual(await paymentsOf('?status=pending'), [part])
      assert.deepEqual(await paymentsOf('?status=failed'), [failed])
      assert.deepEqual(await paymentsOf('?status=succeeded'), [whole])
      assert.deepEqual(await paymentsOf('?status=by_hand'), [])
      assert.deepEqual(await paymentsOf(`?payment=${whole}`), [whole])
      assert.deepEqual(await paymentsOf(`?payment=${whole}&status=open`), [])
      const today = new Date(service.clock.now()).toISOString().slice(0, 19)
      assert.deepEqual(await paymentsOf(`?from=${today}Z`), [part])
      assert.deepEqual(await paymentsOf(`?to=${today}Z`), [failed, whole])
    })

    it('a refund that waits for a person or for an approval is open too', async () => {
      const change = (columns: string) =>
        service.db.change(`update refunds set ${columns} where refund_id = 'retour-1'`)
      for (const [columns, state] of [
        ['by_hand_since = 1', 'by_hand'],
        ['by_hand_since = null, approval_since = 1', 'waiting_for_approval'],
      ] as const) {
        await change(columns)
        const { data } = await list('?status=open')
        assert.deepEqual(
          data.map(({ status }) => status),
          [state],
        )
        assert.deepEqual(await paymentsOf(`?status=${state}`), [part])
        assert.deepEqual(await paymentsOf('?status=pending'), [])
      }
      await change('approval_since = null')
    })

    it('pages of one refund are the whole list', async () => {
      const found: unknown[] = []
      let after: string | null = ''
      while (after !== null) {
        const page: List = await list(`?limit=1${after && `&after=${after}`}`)
        assert.equal(page.data.length, 1)
        found.push(page.data[0]?.reference)
        after = page.next
      }
      assert.deepEqual(
        found,
        (await list()).data.map(({ reference }) => reference),
      )
    })

    it('another account sees none of them, and cannot name their payments', async () => {
      const other = (await service.merchant()).accounts.sandbox.secretKey
      assert.deepEqual(await list('', other), { data: [], next: null })
      const named = await getFrom(service, other, `/refunds?payment=${whole}`)
      assert.deepEqual([named.code, named.headers['svc-error-code']], [404, 'payment_not_found'])
    })

    it('the dashboard lists them for a cashier, open ones by one filter', async () => {
      const path = `/accounts/${shop.accountId}/refunds`
      const { rows } = (await ask(service, `GET ${path}`, cashier)).body
      assert.deepEqual(
        rows.map(({ paymentReference }: Row) => paymentReference),
        [part, failed, whole],
      )
      const open = (await ask(service, `GET ${path}?status=open`, cashier)).body
      assert.deepEqual(
        open.rows.map(({ paymentReference, amount, status }: Row) => [
          paymentReference,
          amount,
          status,
        ]),
        [[part, 1_000, 'pending']],
      )
      assert.equal((await ask(service, `GET ${path}?status=lost`, cashier)).code, 400)
    })

    it('one payment is read alone with its fee, and its own address answers as before', async () => {
      const tariff = {
        rate: 1_500,
        fixedXof: 0,
        minimumXof: 0,
        maximumXof: null,
        rounding: 'up',
      } as const
      granted(
        await setTariff({ ...service, isConnected: () => true }, TESTER, {
          ...CONNECTION,
          ...tariff,
          fromDay: dayOf(0),
        }),
      )
      const { body: contract } = await getFrom(service, shop.secretKey, `/payments/${part}`)
      assert.equal('fee' in contract, false)
      for (const name of [part, contract.external_reference]) {
        const { body } = await getFrom(service, shop.secretKey, `/payments?payment=${name}`)
        const [{ reference, fee } = {}, ...others] = body.data as Row[]
        assert.deepEqual(
          [reference, fee, others, body.next],
          [part, { basis: 'tariff', amount: 45, tax: 0, net: 2_955 }, [], null],
        )
      }
      const failedOnly = await getFrom(
        service,
        shop.secretKey,
        `/payments?payment=${part}&status=failed`,
      )
      assert.deepEqual(failedOnly.body.data, [])
      assert.equal((await getFrom(service, shop.secretKey, '/payments?payment=no-such')).code, 404)
    })
  })
}
