// Payments and refunds that statements lack, on both stores: the order of files changes nothing, and fees that are lines
// of their own are compared there.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import type { StatementLine } from '../../src/domain/statement.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, importLines, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const DAY_MS = 86_400_000

for (const store of STORES_IN_HALVES) {
  describe(`payments that statements lack, on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    beforeEach(async () => {
      shop = await openShopBooks(service)
    })

    it('a missing payment is named when the newest file comes first, and an empty file covers no day', async () => {
      const { settled, lineOf, openKinds } = shop
      const days: StatementLine[] = []
      for (let day = 0; day < 4; day++) {
        if (day === 1) await settled()
        days.push(lineOf(await settled()))
        await service.clock.sleep(DAY_MS)
      }
      const [oldest, ...later] = days as [StatementLine, ...StatementLine[]]
      await importLines(service, [])
      for (const line of later.slice(1).toReversed()) await importLines(service, [line])
      assert.deepEqual(await openKinds(), [], 'the first payments are older than the files')
      await importLines(service, [oldest])
      await importLines(service, later.slice(0, 1))
      assert.deepEqual(await openKinds(), ['missing_at_network'])
    })

    it('a refund whose line names only the payment is not missing, before or after it was named', async () => {
      const { refunded, settled, lineOf, run, openKinds } = shop
      const lines = async () => {
        const { reference } = await refunded()
        return [lineOf(reference), lineOf(reference, { type: 'refund', amountXof: -1_500 })] as const
      }
      const [inTime, late] = [await lines(), await lines()]
      await run([...inTime, late[0]])
      await service.clock.sleep(3 * DAY_MS)
      await run([lineOf(await settled())])
      assert.deepEqual(await openKinds(), ['refund_missing'])
      await run([late[1]])
      assert.deepEqual(await openKinds(), [])
    })

    it('a payment with another amount is not missing, too', async () => {
      const { settled, lineOf, run, openKinds } = shop
      await run([lineOf(await settled(), { amountXof: 1_400 })])
      await service.clock.sleep(3 * DAY_MS)
      await run([lineOf(await settled())])
      assert.deepEqual(await openKinds(), ['amount_differs'])
    })

    it('a fee that is a line of its own is compared with the tariff, and does not show that a payment was made', async () => {
      const { settled, lineOf, run, openKinds, balance } = shop
      const tariff = { rate: 1_000, fixedXof: 0, minimumXof: 0, maximumXof: null, rounding: 'up', fromDay: 0 } as const
      granted(await setTariff({ ...service, isConnected: () => true }, TESTER, { ...CONNECTION, ...tariff }))
      const [right, wrong, missing] = [await settled(), await settled(), await settled()]
      const fee = (reference: string, feeXof: number) => lineOf(reference, { type: 'fee', amountXof: -feeXof })
      const lines = [lineOf(right), fee(right, 15), lineOf(wrong), fee(wrong, 20)]
      await run(lines, { hasFeeColumn: false })
      assert.deepEqual([await openKinds(), await balance()], [['fee_differs'], { to_receive: 1_500, in_wallet: 2_965 }])
      await service.clock.sleep(3 * DAY_MS)
      await run([lineOf(await settled(), { feeXof: 15 })])
      await run([fee(missing, 15)], { hasFeeColumn: false })
      assert.deepEqual(await openKinds(), ['fee_differs', 'missing_at_network'])
    })
  })
}
