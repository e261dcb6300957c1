// The figures of days and the search by payer, which the worker writes after the fact: each outcome is counted once, whatever happens on the
// way, and a payment is found as soon as it is recorded.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { summariseAccount } from '../../src/actions/figures/summarise-account.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { ServiceItself } from '../../src/domain/caller.ts'
import { listFigures } from '../../src/store/figures/daily-figures.ts'
import { findSummaryPlace } from '../../src/store/figures/summaries.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS } from '../links/payer.ts'

const WORKER: ServiceItself = { is: 'service', part: 'test' }
const NOTHING_COUNTED = { lastSequence: 0, indexedNumber: -1 }

for (const store of STORES) {
  describe(`figures on ${store.name}`, () => {
    let service: VirtualService
    let accountId: string
    let secretKey: string

    before(async () => {
      service = await openVirtualService(store)
      ;({ accountId, secretKey } = (await service.merchant()).accounts.sandbox)
    })
    after(() => service.remove())

    const pay = async (msisdn: string): Promise<string> =>
      (await post(service, secretKey, order({ msisdn }))).body.reference as string
    const counted = async (): Promise<[string, string, number, number][]> =>
      (await listFigures(service.db, accountId, 0))
        .map(({ outcome, reason, payments, amountXof }): [string, string, number, number] => [
          ...([outcome, reason, payments, amountXof] as const),
        ])
        .sort()
    const AS_PAID = [
      ['failed', 'declined', 1, 1_500],
      ['refunded', '', 1, 1_500],
      ['succeeded', '', 2, 3_000],
    ]

    it('count each outcome on its day, by operator and reason', async () => {
      const refunded = await pay(SUCCEEDS)
      await pay(SUCCEEDS)
      await pay(DECLINES)
      await service.clock.advance(10_000)
      granted(await refundPayment(service, TESTER, { name: refunded }))
      await service.clock.advance(30_000)
      assert.deepEqual(await counted(), AS_PAID)
    })

    it('count nothing twice when several processes follow the same account', async () => {
      await service.db.change('delete from daily_figures')
      await service.db.change('delete from payment_summaries')
      const from = { accountId, ...NOTHING_COUNTED, behind: 4 }
      await Promise.all([1, 2, 3].map(() => summariseAccount(service, WORKER, from)))
      await summariseAccount(service, WORKER, from)
      assert.deepEqual(await counted(), AS_PAID)
    })

    it('index payments once no payment with a lower number can come any more', async () => {
      assert.equal((await findSummaryPlace(service.db, accountId)).indexedNumber, -1)
      await service.clock.advance(180_000)
      const [newest] = await service.db.rows<{ number: number }>('select max(number) as number from payments')
      assert.equal((await findSummaryPlace(service.db, accountId)).indexedNumber, newest?.number)
    })
  })
}
