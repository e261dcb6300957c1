// The ledger on both stores: each outcome writes its entries in the same commit, nothing else does,
// and the balance is their sum.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { acceptLateMoney, listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { payAtNetwork } from '../kit/late-money.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { getFrom, order, post } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS } from '../links/payer.ts'

interface Entry {
  entry: number
  kind: string
  debit: string
  credit: string
  amount: number
  payment_reference: string
}

for (const store of STORES) {
  describe(`ledger on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    beforeEach(async () => {
      shop = await openShopBooks(service)
    })

    async function entries(query = ''): Promise<Entry[]> {
      const { code, body } = await getFrom(service, shop.secretKey, `/entries${query}`)
      assert.equal(code, 200)
      return (body as { data: Entry[] }).data
    }

    const shown = async (): Promise<unknown[][]> =>
      (await entries()).map(
        ({ entry, kind, debit, credit, amount, payment_reference: reference }) => [
          entry,
          kind,
          debit,
          credit,
          amount,
          reference,
        ],
      )

    const balance = async (): Promise<Record<string, unknown>> =>
      (await getFrom(service, shop.secretKey, '/balance')).body

    it('a success debits receivable, a refund takes it back, and a failure writes nothing', async () => {
      const kept = await shop.settled(SUCCEEDS, 2_500)
      await shop.settled(DECLINES)
      const { reference: refunded } = await shop.refunded()
      assert.deepEqual(await shown(), [
        [1, 'payment', 'receivable', 'sales', 2_500, kept],
        [2, 'payment', 'receivable', 'sales', 1_500, refunded],
        [3, 'refund', 'refunds', 'receivable', 1_500, refunded],
      ])
    })

    it('a pending payment writes nothing', async () => {
      await post(service, shop.secretKey, order({ msisdn: SUCCEEDS }))
      assert.deepEqual(await entries(), [])
    })

    it('a reversal by the network is booked once, also before the success was seen', async () => {
      const first = await shop.settled()
      service.network.change = () => ({
        answer: { status: 'refunded', amount: 1_500, operator_reference: 'OP-1' },
      })
      const second = await shop.settled()
      service.network.change = (reaction) => reaction
      assert.deepEqual(await shown(), [
        [1, 'payment', 'receivable', 'sales', 1_500, first],
        [2, 'payment', 'receivable', 'sales', 1_500, second],
        [3, 'reversal', 'refunds', 'receivable', 1_500, second],
      ])
    })

    it('late money that a person accepts is booked like a success', async () => {
      const failed = await shop.settled(DECLINES)
      const detail = { recorded: 'failed', reported: 'succeeded', operatorReference: 'OP-LATE' }
      const anomaly = { kind: 'success_after_failure', detail, at: service.clock.now() } as const
      await service.db.transaction(async (tx) =>
        insertAnomaly(tx, await paymentOf(service, failed), anomaly),
      )
      const { rows } = granted(await listLatestAnomalies(service, TESTER, { openOnly: true }))
      const anomalyId = rows[0]?.anomalyId ?? ''
      await payAtNetwork(service.db, failed)
      granted(await acceptLateMoney(service, TESTER, { anomalyId, note: 'On the statement.' }))
      assert.deepEqual(await shown(), [[1, 'payment', 'receivable', 'sales', 1_500, failed]])
    })

    it('the balance is right before the worker sums the entries, and after', async () => {
      await shop.settled(SUCCEEDS, 2_500)
      await shop.refunded()
      const where = {
        to_receive: 2_500,
        in_wallet: 0,
        opening: 0,
        at_service: 0,
        in_transit: 0,
        in_bank: 0,
        withheld: 0,
        unexplained: 0,
      }
      const whole = { ...where, connections: [{ connection: 'airtel_ne', ...where }] }
      assert.deepEqual(await balance(), whole)
      await service.clock.advance(60_000)
      const [sums] = await service.db.read<{ n: number }>(
        'select count(*) as n from ledger_days where account_id = :accountId',
        { accountId: shop.accountId },
      )
      assert.equal(sums?.n, 3)
      assert.deepEqual(await balance(), whole)
    })

    it('entries are read in pages, and only those of the account', async () => {
      const made = [await shop.settled(), await shop.settled(), await shop.settled()]
      const { body } = await getFrom(service, shop.secretKey, '/entries?limit=2')
      assert.equal(body.next, 2)
      const later = await entries('?limit=2&after=2')
      const all = [...(body.data as Entry[]), ...later].map((each) => each.payment_reference)
      assert.deepEqual(all, made)
      shop = await openShopBooks(service)
      assert.deepEqual(await entries(), [])
    })

    it('many outcomes at once number the entries without a gap', async () => {
      for (let nth = 0; nth < 60; nth++)
        await post(service, shop.secretKey, order({ msisdn: SUCCEEDS }))
      await service.clock.advance(6_000)
      const numbers = (await entries('?limit=100')).map(({ entry }) => entry)
      assert.deepEqual(
        numbers,
        Array.from({ length: 60 }, (_, at) => at + 1),
      )
    })

    it('karba verify finds no difference', async () => {
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}
