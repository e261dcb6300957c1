// The same acts in any order give the same books, on both stores: the network's statement, late
// acceptance, refunds and a person's closing. A process may end after each act: what is left to do
// is then done by the worker of another one.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { closeDifference, correctClosing } from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import {
  acceptLateMoney,
  listLatestAnomalies,
  refundLateMoney,
} from '../../src/actions/payments/anomalies.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { ClosingReason } from '../../src/domain/books/closing-reason.ts'
import { migrations } from '../../src/store/engine/migrate.ts'
import { insertRequestAnomaly } from '../../src/store/payments/anomalies.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { payAtNetwork } from '../kit/late-money.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS_AFTER_3_MINUTES } from '../links/payer.ts'

const NOTE = 'Asked the network.'
const DAY_MS = 86_400_000

function ordersOf<Act>(acts: readonly Act[]): Act[][] {
  if (acts.length === 0) return [[]]
  return acts.flatMap((first, at) =>
    ordersOf(acts.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  )
}

const isBefore = <Act>(order: readonly Act[], first: Act, second: Act): boolean =>
  order.indexOf(first) < order.indexOf(second)

/**
 * The worker looks after each act, or only after the last: a process ends before it comes to it.
 */
const WORKERS = ['after each act', 'after the last act'] as const

for (const store of STORES_IN_HALVES) {
  describe(`books in any order on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    beforeEach(async () => {
      await service.db.change(
        `update accounts set status = 'unvalidated' where environment = 'sandbox'`,
      )
      shop = await openShopBooks(service)
    })

    async function work(): Promise<void> {
      await service.clock.sleep(60_000)
      await service.clock.advance(3_000)
    }

    /** A payment that failed, and of which the network says later that it was paid. */
    async function lateMoney(): Promise<string> {
      const reference = await shop.settled(DECLINES)
      const [payment] = await service.db.read<{ accountId: string; number: number }>(
        'select account_id as "accountId", number from payments where reference = :reference',
        { reference },
      )
      assert.ok(payment)
      const request = {
        environment: CONNECTION.environment,
        operator: CONNECTION.connection,
        requestReference: reference,
      }
      const detail = { recorded: 'failed', reported: 'succeeded', operatorReference: 'OP-LATE' }
      const anomaly = { kind: 'success_after_failure', detail, at: service.clock.now() } as const
      await insertRequestAnomaly(service.db, { ...request, ...payment }, anomaly)
      await payAtNetwork(service.db, reference)
      return reference
    }

    const openAnomaly = async (): Promise<string> =>
      granted(await listLatestAnomalies(service, shop.key, { openOnly: true })).rows[0]
        ?.anomalyId ?? ''

    /** Those that are open at this moment; a person cannot close another one. */
    async function closeOpen(reason: ClosingReason): Promise<void> {
      for (const { exceptionId } of (await listExceptions(service, shop.key)).rows)
        granted(await closeDifference(service, TESTER, { exceptionId, reason, note: NOTE }))
    }

    async function findings(): Promise<unknown[]> {
      return granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER))
        .findings
    }

    async function assertBooks(expected: Record<string, number>, about: string): Promise<void> {
      assert.deepEqual([await shop.balance(), await shop.openKinds()], [expected, []], about)
      const [said] = await service.db.read<{ xof: number }>(
        `select cast(coalesce(sum(case when debit in ('other_income', 'not_ours', 'corrections')
          then amount_xof else 0 end
           - case when credit in ('other_income', 'not_ours', 'corrections') then amount_xof else
           0 end), 0) as bigint) as xof
         from ledger_entries where account_id = :accountId`,
        { accountId: shop.accountId },
      )
      assert.equal(said?.xof, 0, about)
    }

    const ACCEPTED = ['statement', 'acceptance', 'closing', 'refund', 'refund’s line'] as const

    for (const worker of WORKERS)
      it(`late money that is accepted: ${ACCEPTED.join(', ')} in any order, the worker ${worker}`, async () => {
        const orders = ordersOf(ACCEPTED).filter(
          (order) =>
            isBefore(order, 'acceptance', 'refund') && isBefore(order, 'refund', 'refund’s line'),
        )
        assert.equal(orders.length, 20)
        for (const order of orders) {
          shop = await openShopBooks(service)
          const reference = await lateMoney()
          let refundReference = ''
          const ACTS: Record<(typeof ACCEPTED)[number], () => Promise<unknown>> = {
            statement: () => shop.run([shop.lineOf(reference)]),
            acceptance: async () =>
              granted(
                await acceptLateMoney(service, TESTER, {
                  anomalyId: await openAnomaly(),
                  note: NOTE,
                }),
              ),
            closing: () => closeOpen('other_income'),
            refund: async () => {
              const refund = granted(
                await refundPayment(service, TESTER, { name: reference, amount: '500' }),
              )
              refundReference = refund.refundReference
              // The network has the money, although its first report denied it.
              service.network.change = () => ({
                answer: { status: 'succeeded', amount: 500, operator_reference: 'OP-R' },
              })
              await service.clock.advance(6_000)
              service.network.change = (reaction) => reaction
            },
            'refund’s line': () =>
              shop.run([shop.lineOf(refundReference, { type: 'refund', amountXof: -500 })]),
          }
          for (const act of order) {
            await ACTS[act]()
            if (worker === 'after each act') await work()
          }
          await work()
          await work()
          await assertBooks({ in_wallet: 1_000 }, order.join(', '))
        }
        assert.deepEqual(await findings(), [])
      })

    const GIVEN_BACK = ['statement', 'giving back', 'closing', 'refund’s line'] as const

    for (const worker of WORKERS)
      it(`late money that is given back: ${GIVEN_BACK.join(', ')} in any order, the worker ${worker}`, async () => {
        const orders = ordersOf(GIVEN_BACK).filter((order) =>
          isBefore(order, 'giving back', 'refund’s line'),
        )
        assert.equal(orders.length, 12)
        for (const order of orders) {
          shop = await openShopBooks(service)
          const reference = await lateMoney()
          let refundReference = ''
          const ACTS: Record<(typeof GIVEN_BACK)[number], () => Promise<unknown>> = {
            statement: () => shop.run([shop.lineOf(reference)]),
            'giving back': async () => {
              const anomalyId = await openAnomaly()
              const refund = granted(
                await refundLateMoney(service, TESTER, { anomalyId, note: NOTE }),
              )
              refundReference = refund.refundReference
              await service.db.change(
                `update refunds set status = 'succeeded', due_at = null
                 where refund_reference = :refundReference`,
                { refundReference },
              )
            },
            closing: () => closeOpen('not_ours'),
            'refund’s line': () =>
              shop.run([shop.lineOf(refundReference, { type: 'refund', amountXof: -1_500 })]),
          }
          for (const act of order) {
            await ACTS[act]()
            if (worker === 'after each act') await work()
          }
          await work()
          await work()
          await assertBooks({}, order.join(', '))
        }
        assert.deepEqual(await findings(), [])
      })

    it('a line before its payment’s outcome that a person has closed is the payment once it has succeeded', async () => {
      await shop.run([shop.lineOf(await shop.settled(SUCCEEDS_AFTER_3_MINUTES))])
      await closeOpen('not_ours')
      assert.deepEqual(await shop.balance(), { in_wallet: 1_500 })
      for (let minute = 0; minute < 9; minute++) await work()
      await assertBooks({ in_wallet: 1_500 }, 'succeeded')
      assert.deepEqual(await findings(), [])
    })

    it('a payment that was given up as missing is whole again once a line shows it', async () => {
      const reference = await shop.settled()
      const line = shop.lineOf(reference)
      const early = shop.lineOf('', { type: 'fee', amountXof: -1, text: 'early' })
      await service.clock.sleep(4 * DAY_MS)
      await shop.run([early, shop.lineOf('', { type: 'fee', amountXof: -1 })])
      assert.deepEqual(await shop.openKinds(), ['missing_at_network'])
      await closeOpen('network_correction')
      assert.deepEqual(await shop.balance(), { in_wallet: -2 })
      await shop.run([line])
      await assertBooks({ in_wallet: 1_498 }, 'shown')
      assert.deepEqual(await findings(), [])
    })

    it('withheld money that was given up is free again once the network releases it', async () => {
      const reference = await shop.settled()
      await shop.run([
        shop.lineOf(reference),
        shop.lineOf(reference, { type: 'withheld', amountXof: -300 }),
      ])
      await closeOpen('network_correction')
      assert.deepEqual(await shop.balance(), { in_wallet: 1_200 })
      await shop.run([shop.lineOf(reference, { type: 'released', amountXof: 100, text: 'a part' })])
      assert.deepEqual(
        [await shop.balance(), await shop.openKinds()],
        [{ in_wallet: 1_300, withheld: 200 }, ['withheld']],
      )
      await closeOpen('not_ours')
      await shop.run([
        shop.lineOf(reference, { type: 'released', amountXof: 200, text: 'the rest' }),
      ])
      await assertBooks({ in_wallet: 1_500 }, 'released')
      assert.deepEqual(await findings(), [])
    })

    /** As an earlier version closed it: with a note, and no entry. */
    const closeAsBefore = async () =>
      service.db.change(
        `update book_exceptions
         set resolved_at = :resolvedAt, resolved_by = 'owner per_1', note = 'seen', due_at = null
         where account_id = :accountId and resolved_at is null`,
        { accountId: shop.accountId, resolvedAt: service.clock.now() },
      )

    /** A payment in two places, in a store of an earlier version. */
    async function inTwoPlaces(): Promise<string> {
      const reference = await lateMoney()
      await shop.run([shop.lineOf(reference)])
      await closeAsBefore()
      granted(
        await acceptLateMoney(service, TESTER, { anomalyId: await openAnomaly(), note: NOTE }),
      )
      await work()
      assert.deepEqual(await shop.balance(), {
        to_receive: 1_500,
        in_wallet: 1_500,
        unexplained: 1_500,
      })
      return reference
    }

    it('karba verify finds a payment in two places, and a line that an earlier version closed without an entry', async () => {
      const reference = await inTwoPlaces()
      const [row] = await service.db.read<{ id: string }>(
        'select exception_id as id from book_exceptions where account_id = :accountId',
        { accountId: shop.accountId },
      )
      const { accountId } = shop
      assert.deepEqual(await findings(), [
        { kind: 'payment_in_two_places', subject: reference, accountId },
        { kind: 'line_unexplained', subject: row?.id, accountId },
      ])
      const correction = { exceptionId: row?.id ?? '', reason: 'other_income', note: NOTE } as const
      granted(await correctClosing(service, TESTER, correction))
      await work()
      await assertBooks({ in_wallet: 1_500 }, 'corrected')
      assert.deepEqual(await findings(), [])
    })

    it('an upgrade opens what was closed without an entry, and settles a payment in two places', async () => {
      await inTwoPlaces()
      await shop.run([shop.lineOf('', { type: 'top_up', amountXof: 700 })])
      await closeAsBefore()
      const text = migrations().find(({ name }) => name === '0003_closings')?.sql
      const [, reopen] = /(update book_exceptions[^;]+);/.exec(String(text)) ?? []
      await service.db.change(reopen ?? '')
      await work()
      const books = [await shop.balance(), await shop.openKinds()]
      assert.deepEqual(books, [{ in_wallet: 2_200, unexplained: 700 }, ['missing_here']])
      assert.deepEqual(await findings(), [])
    })

    it('karba verify finds a line that is booked twice, or not at all', async () => {
      await shop.run([shop.lineOf(await shop.settled())])
      const [entry] = await service.db.read<{ entry: number }>(
        `select max(entry) as entry from ledger_entries where account_id = :accountId
          and line_number is not null`,
        { accountId: shop.accountId },
      )
      const name = `sandbox/${CONNECTION.connection}`
      const set = (amountXof: number) =>
        service.db.change(
          `update ledger_entries set amount_xof = :amountXof
           where account_id = :accountId and entry = :entry`,
          { accountId: shop.accountId, entry: entry?.entry ?? 0, amountXof },
        )
      for (const wrong of [3_000, 1]) {
        await set(wrong)
        const found = (await findings()) as { kind: string; subject: string }[]
        const lines = found.filter(({ kind }) => kind === 'line_not_booked_once')
        assert.match(lines.map(({ subject }) => subject).join(), new RegExp(`^${name} \\d+$`))
        await set(1_500)
      }
    })
  })
}
