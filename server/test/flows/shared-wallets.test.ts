// What a merchant sees of a wallet that merchants share, on both stores: an amount of its own that
// is no wallet, the same in the API, on the pages and in every file (D-173).
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, head } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

for (const store of STORES_IN_HALVES) {
  describe(`shared wallets on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    let other: ShopBooks
    let owner: SignedIn
    before(async () => {
      shop = await openShopBooks(service)
      other = await openShopBooks(service)
      owner = await signedIn(service, { at: shop.merchantId, as: 'owner' })
      const lines = [
        shop.lineOf(await shop.settled(SUCCEEDS, 5_000), { amountXof: 5_000, feeXof: 50 }),
        shop.lineOf(await other.settled(SUCCEEDS, 700), { amountXof: 700 }),
        // The evening's transfer to the bank is of both.
        shop.lineOf('', { type: 'settlement', amountXof: -5_650 }),
      ]
      await shop.run(lines, { openingXof: 1_000, closingXof: 1_000 })
    })

    const balance = async (secretKey = shop.secretKey) =>
      (await getFrom(service, secretKey, '/balance')).body

    it('the balance has what is the merchant’s, and no wallet', async () => {
      const { in_wallet, at_service, opening, connections } = await balance()
      assert.deepEqual([in_wallet, at_service, opening], [0, 4_950, 0])
      assert.deepEqual(
        (connections as Record<string, unknown>[]).map(
          ({ connection, in_wallet: wallet, at_service: at }) => [connection, wallet, at],
        ),
        [[CONNECTION.connection, 0, 4_950]],
      )
      assert.equal((await balance(other.secretKey)).at_service, 700)
    })

    it('the page has the same, with the entries behind it', async () => {
      const at = `/accounts/${shop.accountId}`
      const { whole } = (await ask(service, `GET ${at}/money`, owner)).body
      assert.deepEqual([whole.wallet, whole.at_service], [0, 4_950])
      const behind = async (place: string) =>
        (await ask(service, `GET ${at}/money/entries?place=${place}`, owner)).body.rows.map(
          ({ amount }: { amount: number }) => amount,
        )
      assert.deepEqual([await behind('wallet'), await behind('at_service')], [[], [-50, 5_000]])
    })

    it('statements say that the wallet is shared, and the journal has a claim on the service', async () => {
      const day = dayText(dayOf(service.clock.now()))
      const period = `connection=${CONNECTION.connection}&from=${day}&to=${day}`
      const file = async (format: string): Promise<string> => {
        const url = `/api/v1/statements?${period}&format=${format}&language=en`
        const sent = service.app.inject({ method: 'GET', url, headers: head(shop.secretKey) })
        return (await service.clock.advanceUntil('file', sent)).body
      }
      const { is_shared, closing } = JSON.parse(await file('json'))
      assert.deepEqual([is_shared, closing], [true, 4_950])
      for (const format of ['csv', 'camt053'])
        assert.match(await file(format), /shared by the service/)
      const summary = await ask(
        service,
        `GET /accounts/${shop.accountId}/statement/summary?${period}`,
        owner,
      )
      assert.equal(summary.body.is_shared, true)
      const lines: string[][] = parse(await file('syscohada'), {
        bom: true,
        delimiter: ';',
        record_delimiter: '\r\n',
      })
      assert.deepEqual([...new Set(lines.slice(1).map(([, , , account]) => account))].sort(), [
        '4111',
        '4711',
        '631',
      ])
    })

    it('a merchant who is alone has a wallet', async () => {
      await service.db.change(
        `update accounts set status = 'unvalidated' where account_id = :accountId`,
        { accountId: other.accountId },
      )
      try {
        const { in_wallet, at_service } = await balance()
        assert.deepEqual([in_wallet, at_service], [4_950, 0])
      } finally {
        await service.db.change(
          `update accounts set status = 'validated' where account_id = :accountId`,
          { accountId: other.accountId },
        )
      }
    })
  })
}
