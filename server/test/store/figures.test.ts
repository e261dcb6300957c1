// The figures of days and the search by payer, which the worker writes after the fact: each outcome is counted once, whatever happens on the
// way, and a payment is found as soon as it is recorded.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { summariseAccount } from '../../src/actions/figures/summarise-account.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { ServiceItself } from '../../src/domain/caller.ts'
import { findSummaryPlace, listFigures } from '../../src/store/figures/summaries.ts'
import { paymentSummariser } from '../../src/worker/summarise-payments.ts'
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

    it('follow one account a round while other work goes before, and all of them in the end', async () => {
      const other = (await service.merchant()).accounts.sandbox
      await post(service, other.secretKey, order({ msisdn: SUCCEEDS }))
      await service.clock.advance(10_000)
      await service.db.change('delete from daily_figures')
      await service.db.change('delete from payment_summaries')
      const round = paymentSummariser({ ...service, goesAfter: () => true })
      const followed: number[] = []
      let isMore = true
      while (isMore) {
        isMore = await round()
        const rows = await service.db.rows('select 1 from payment_summaries where last_sequence > 0')
        followed.push(rows.length)
      }
      // Of each account a slice; the end of the turn; and a turn that finds nothing more.
      assert.deepEqual(followed, [1, 2, 2, 2])
      assert.deepEqual(await counted(), AS_PAID)
      assert.equal((await listFigures(service.db, other.accountId, 0)).length, 1)
    })

    it('index payments once no payment with a lower number can come any more', async () => {
      assert.equal((await findSummaryPlace(service.db, accountId)).indexedNumber, -1)
      await service.clock.advance(180_000)
      const numbers = 'select max(number) as number from payments where account_id = $1'
      const [newest] = await service.db.rows<{ number: number }>(numbers, [accountId])
      assert.equal((await findSummaryPlace(service.db, accountId)).indexedNumber, newest?.number)
    })
  })
}
