// A settlement that several people confirm at the same time, while statements are imported and the
// same line comes again: the bank has the money once, and everybody is told what was booked.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, signedIn } from '../kit/people.ts'
import { getFrom, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { upTo } from '../kit/webhooks.ts'
import { SUCCEEDS } from '../links/payer.ts'

const AT_ONCE = 20
const ROUNDS = 4
const LEFT = 3_000
/** What the second person has read on the bank's page. */
const MISREAD = 2_990

for (const store of STORES_IN_HALVES) {
  describe(`settlements raced on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))

    const inBank = async (shop: ShopBooks): Promise<number> => (await shop.balance()).in_bank ?? 0
    const newest = async ({ secretKey }: ShopBooks) => {
      const { data } = (await getFrom(service, secretKey, '/settlements?limit=1')).body
      return (data as { settlement: string; received_amount?: number }[])[0]
    }
    const entriesOf = ({ accountId }: ShopBooks) =>
      service.db.read<{ amount: number }>(
        `select amount_xof as amount from ledger_entries
         where account_id = :accountId and kind = 'settlement' and debit = 'bank' order by entry`,
        { accountId },
      )

    it('two people with other amounts, a key and imports at the same time: one confirmation is booked', async () => {
      const shop = await openShopBooks(service)
      const people = [
        await signedIn(service, { at: shop.merchantId, as: 'owner' }),
        await signedIn(service, { at: shop.merchantId, as: 'owner' }),
      ] as const
      const reference = await shop.settled(SUCCEEDS, 20_000)
      await shop.run([shop.lineOf(reference, { amountXof: 20_000 })])
      const booked: number[] = []
      for (const round of upTo(ROUNDS)) {
        await service.clock.advance(1_000)
        const before = await inBank(shop)
        const line: StatementLine = shop.lineOf('', {
          type: 'settlement',
          amountXof: -LEFT,
          networkReference: `STL-${round}`,
        })
        await shop.run([line])
        const { settlement } = (await newest(shop)) as { settlement: string }
        const path = `POST /accounts/${shop.accountId}/settlements/${settlement}/confirm`
        const confirmed = upTo(AT_ONCE).map(async (nth) => {
          const amount = nth % 2 === 0 ? LEFT : MISREAD
          if (nth > AT_ONCE - 4) {
            const { code } = await postAt(
              service,
              shop.secretKey,
              `/settlements/${settlement}/confirm`,
              { amount },
            )
            return { amount, code }
          }
          const { code } = await ask(service, path, people[(nth % 2) as 0 | 1], { amount })
          return { amount, code }
        })
        // The line comes again in another file, and others come too.
        const imported = upTo(5).map((nth) =>
          shop.run([
            line,
            shop.lineOf('', { type: 'other', amountXof: 1, networkReference: `${round} ${nth}` }),
          ]),
        )
        const [answers] = await Promise.all([Promise.all(confirmed), Promise.all(imported)])
        const received = (await newest(shop))?.received_amount as number
        booked.push(received)
        for (const { amount, code } of answers)
          assert.equal(
            code,
            amount === received ? 200 : 422,
            `${amount} in round ${round}, ${received} was booked`,
          )
        assert.equal((await inBank(shop)) - before, received, `round ${round}`)
        assert.deepEqual(
          (await entriesOf(shop)).map(({ amount }) => amount),
          booked,
        )
      }
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}
