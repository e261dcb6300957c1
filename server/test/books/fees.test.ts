// A payment's fee and net amount in the API's list and on the dashboard, on both stores: by the
// tariff, then by the network's statement.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { get, getFrom } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES } from '../links/payer.ts'

for (const store of STORES_IN_HALVES) {
  describe(`fees on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    let owner: SignedIn
    before(async () => {
      shop = await openShopBooks(service)
      owner = await signedIn(service, { at: shop.merchantId, as: 'owner' })
    })

    const today = (): number => dayOf(service.clock.now())

    const paid = (msisdn?: string): Promise<string> => shop.settled(msisdn, 10_000)

    async function listed(reference: string): Promise<Record<string, unknown>> {
      const { data } = (await getFrom(service, shop.secretKey, '/payments?limit=1000')).body as {
        data: { reference: string }[]
      }
      return data.find((each) => each.reference === reference) as never
    }

    const shown = async (path: string): Promise<Record<string, unknown>> =>
      (await ask(service, `GET /accounts/${shop.accountId}/${path}`, owner)).body

    async function expectFee(
      reference: string,
      fee: Record<string, unknown> | undefined,
    ): Promise<void> {
      assert.deepEqual((await listed(reference)).fee, fee)
      assert.deepEqual((await shown(`payments/${reference}`)).fee, fee ?? null)
      const { rows } = (await shown('payments?limit=200')) as {
        rows?: { reference: string; fee: unknown }[]
      }
      assert.deepEqual(rows?.find((row) => row.reference === reference)?.fee, fee ?? null)
    }

    const tariff = (rate: number, fromDay: number) =>
      setTariff({ ...service, isConnected: () => true }, TESTER, {
        ...CONNECTION,
        fromDay,
        rate,
        fixedXof: 0,
        minimumXof: 0,
        maximumXof: null,
        rounding: 'up',
      })

    const importLine = (ourReference: string, feeXof: number, taxXof: number) =>
      shop.run([shop.lineOf(ourReference, { amountXof: 10_000, feeXof, taxXof })])

    it('without a tariff a payment has no fee, which is not 0', async () => {
      await expectFee(await paid(), undefined)
    })

    it('a payment has the fee of the tariff of its day', async () => {
      granted(await tariff(3_000, today() - 1))
      granted(await tariff(1_500, today()))
      granted(await tariff(5_000, today() + 1))
      const [reference, failed] = [await paid(), await paid(DECLINES)]
      await expectFee(reference, { basis: 'tariff', amount: 150, tax: 0, net: 9_850 })
      await expectFee(failed, undefined)
    })

    it('once the statement has the payment, its fee is that of the statement, 0 too', async () => {
      const [dear, free] = [await paid(), await paid()]
      await importLine(dear, 320, 20)
      await importLine(free, 0, 0)
      await expectFee(dear, { basis: 'statement', amount: 320, tax: 20, net: 9_660 })
      await expectFee(free, { basis: 'statement', amount: 0, tax: 0, net: 10_000 })
    })

    it('the CSV export has fee, tax, net and who says so, and a refund takes the amount off the net', async () => {
      const reference = await paid()
      granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(6_000)
      await importLine(reference, 310, 10)
      const { body } = await ask(
        service,
        `GET /accounts/${shop.accountId}/payments.csv?language=en&status=refunded`,
        owner,
      )
      const cells = (body as string)
        .slice(1)
        .split('\r\n')
        .map((line) => line.split(';'))
      const [headings = [], ...rows] = cells.filter((line) => line.length > 1)
      const columns = [
        'Type',
        'Amount (F CFA)',
        'Fee (F CFA)',
        'Tax (F CFA)',
        'Net (F CFA)',
        'Fee according to',
      ]
      assert.deepEqual(
        rows.map((row) => columns.map((column) => row[headings.indexOf(column)])),
        [
          ['Payment', '10000', '310', '10', '9680', 'Network’s statement'],
          ['Refund', '-10000', '', '', '-10000', ''],
        ],
      )
    })

    it('the contract’s own body of a payment has no fee', async () => {
      const { body } = await get(service, shop.secretKey, await paid())
      assert.deepEqual(
        Object.keys(body).filter((name) => name === 'fee' || name === 'net'),
        [],
      )
    })
  })
}
