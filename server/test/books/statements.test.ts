// Importing networks' statements on both stores: lines are matched, booked once, and what differs
// is named.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { closeDifference } from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { ImportedStatement } from '../../src/domain/books/matching.ts'
import { changeOf, type StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { uuidOfReference } from '../../src/domain/payments/reference.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { getFrom } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, importLines, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS, SUCCEEDS_AFTER_3_MINUTES } from '../links/payer.ts'

for (const store of STORES_IN_HALVES) {
  describe(`statements on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    beforeEach(async () => {
      shop = await openShopBooks(service)
    })

    const added = (
      matched: number,
      exceptions: ImportedStatement['exceptions'] = {},
    ): ImportedStatement => {
      const differing = Object.values(exceptions).reduce((sum, each) => sum + each, 0)
      const lines = matched + differing
      return { lines, added: lines, matched, exceptions, missing: 0, isRepeated: false }
    }

    it('lines move money from receivable to the wallet, by our reference, its UUID or a text', async () => {
      const [first, second, third] = [
        await shop.settled(),
        await shop.settled(),
        await shop.settled(),
      ]
      assert.deepEqual(await shop.balance(), { to_receive: 4_500 })
      const lines = [
        shop.lineOf(first),
        shop.lineOf('', { networkReference: uuidOfReference(second) }),
        shop.lineOf('', { text: `Paiement ${third} Boutique Awa` }),
      ]
      assert.deepEqual(await shop.run(lines), added(3))
      assert.deepEqual(await shop.balance(), { in_wallet: 4_500 })
    })

    it('fees and taxes leave the wallet', async () => {
      await shop.run([shop.lineOf(await shop.settled(), { feeXof: 23, taxXof: 2 })])
      assert.deepEqual(await shop.balance(), { in_wallet: 1_475 })
    })

    it('a refund and its line end at nothing, in either order', async () => {
      const { reference, refundReference } = await shop.refunded()
      assert.deepEqual(await shop.balance(), {})
      await shop.run([shop.lineOf(refundReference, { type: 'refund', amountXof: -1_500 })])
      assert.deepEqual(await shop.balance(), { to_receive: 1_500, in_wallet: -1_500 })
      await shop.run([shop.lineOf(reference)])
      assert.deepEqual(await shop.balance(), {})
    })

    const WRONG: [
      kind: keyof ImportedStatement['exceptions'],
      lines: () => Promise<StatementLine[]>,
    ][] = [
      ['missing_here', async () => [shop.lineOf('0123456789abcdefghjkmnpq')]],
      ['missing_here', async () => [shop.lineOf('', { networkReference: 'MP241105.1234.A00001' })]],
      ['missing_here', async () => [shop.lineOf('', { type: 'top_up' })]],
      ['amount_differs', async () => [shop.lineOf(await shop.settled(), { amountXof: 1_499 })]],
      ['paid_although_failed', async () => [shop.lineOf(await shop.settled(DECLINES))]],
      ['too_early', async () => [shop.lineOf(await shop.settled(SUCCEEDS_AFTER_3_MINUTES))]],
      [
        'refund_without_payment',
        async () => [shop.lineOf('', { type: 'refund', amountXof: -1_500 })],
      ],
      [
        'refund_without_payment',
        async () => [shop.lineOf(await shop.settled(), { type: 'refund', amountXof: -1_500 })],
      ],
    ]
    for (const [kind, lines] of WRONG) {
      it(`a line that does not agree is named ${kind}`, async () => {
        assert.deepEqual(await shop.run(await lines()), added(0, { [kind]: 1 }))
      })
    }

    it('a repeated line is named, and booked to unexplained', async () => {
      const line = shop.lineOf(await shop.settled())
      assert.deepEqual(await shop.run([line, line]), added(1, { duplicate_line: 1 }))
      assert.deepEqual(await shop.balance(), { in_wallet: 3_000, unexplained: 1_500 })
    })

    it('withheld money leaves the wallet, and a settlement is in transit', async () => {
      const reference = await shop.settled()
      const lines = [
        shop.lineOf(reference),
        shop.lineOf(reference, { type: 'withheld', amountXof: -300 }),
      ]
      assert.deepEqual(await shop.run(lines), added(1, { withheld: 1 }))
      assert.deepEqual(await shop.balance(), { in_wallet: 1_200, withheld: 300 })
      await shop.run([shop.lineOf(reference, { type: 'settlement', amountXof: -1_000 })])
      assert.deepEqual(await shop.balance(), { in_wallet: 200, withheld: 300, in_transit: 1_000 })
    })

    it('the same file, the same lines in another file, and any order of files change nothing', async () => {
      const references = [await shop.settled(), await shop.settled(), await shop.settled()]
      const lines = references.map((reference) => shop.lineOf(reference))
      const [first, second, third] = lines as [StatementLine, StatementLine, StatementLine]
      await shop.run([third, first], { sha256: 'one' })
      assert.deepEqual(await shop.run([third, first], { sha256: 'one' }), {
        lines: 2,
        added: 0,
        matched: 0,
        exceptions: {},
        missing: 0,
        isRepeated: true,
      })
      const overlapping = await shop.run([first, second, third])
      assert.deepEqual([overlapping.lines, overlapping.added], [3, 1])
      assert.deepEqual(await shop.balance(), { in_wallet: 4_500 })
    })

    it('a dry run shows the result and stores nothing', async () => {
      const reference = await shop.settled()
      assert.deepEqual(
        await shop.run([shop.lineOf(reference), shop.lineOf('')], { isDryRun: true }),
        added(1, { missing_here: 1 }),
      )
      assert.deepEqual(await shop.balance(), { to_receive: 1_500 })
      assert.deepEqual(await shop.run([shop.lineOf(reference)]), added(1))
    })

    it('a payment or refund without a line is named two days later, once, and closed by a late line', async () => {
      const late = await shop.settled()
      const { reference: paid, refundReference } = await shop.refunded()
      const lines = [
        shop.lineOf(late),
        shop.lineOf(paid),
        shop.lineOf(refundReference, { type: 'refund', amountXof: -1_500 }),
      ]
      const [lateLine, paidLine, refundLine] = lines as [
        StatementLine,
        StatementLine,
        StatementLine,
      ]
      assert.equal((await shop.run([paidLine])).missing, 0)
      await service.clock.sleep(3 * 86_400_000)
      const own = await shop.settled()
      assert.ok((await shop.run([shop.lineOf(own)])).missing >= 2)
      assert.deepEqual(await shop.openKinds(), ['missing_at_network', 'refund_missing'])
      assert.equal((await shop.run([shop.lineOf('')])).missing, 0)
      await shop.run([refundLine])
      assert.deepEqual(await shop.openKinds(), ['missing_at_network'])
      await shop.run([lateLine])
      assert.deepEqual(await shop.openKinds(), [])
      assert.deepEqual(await shop.balance(), { in_wallet: 3_000 })
    })

    it('staff close an exception with a note, and a merchant cannot', async () => {
      await shop.run([shop.lineOf(await shop.settled(), { amountXof: 1 })])
      const merchant = shop.key
      const [found] = (await listExceptions(service, merchant)).rows
      const note = 'The network corrected it by letter.'
      const closing = {
        exceptionId: found?.exceptionId ?? '',
        reason: 'amount_corrected' as const,
        note,
      }
      assert.deepEqual(await closeDifference(service, merchant, closing), {
        refused: 'exception_not_found',
      })
      granted(await closeDifference(service, TESTER, closing))
      assert.deepEqual(await closeDifference(service, TESTER, closing), {
        refused: 'exception_not_found',
      })
      assert.deepEqual((await listExceptions(service, merchant)).rows, [])
    })

    it('a fee that differs from the tariff is named, and booked as the network took it', async () => {
      const tariff = {
        rate: 1_000,
        fixedXof: 0,
        minimumXof: 0,
        maximumXof: null,
        rounding: 'up',
        fromDay: 0,
      } as const
      granted(
        await setTariff({ ...service, isConnected: () => true }, TESTER, {
          ...CONNECTION,
          ...tariff,
        }),
      )
      const lines = [
        shop.lineOf(await shop.settled(), { feeXof: 15 }),
        shop.lineOf(await shop.settled(), { feeXof: 20 }),
      ]
      assert.deepEqual(await shop.run(lines), added(1, { fee_differs: 1 }))
      assert.deepEqual(await shop.balance(), { in_wallet: 2_965 })
    })

    it('a merchant’s statement has the opening, each movement with its balance, and the closing', async () => {
      await shop.settled(SUCCEEDS, 4_000)
      await service.clock.sleep(86_400_000)
      const day = dayText(dayOf(service.clock.now()))
      const paid = await shop.settled(SUCCEEDS, 2_500)
      await shop.run([shop.lineOf(paid, { amountXof: 2_500, feeXof: 25 }), shop.lineOf('')])
      await shop.run([shop.lineOf(paid, { type: 'settlement', amountXof: -1_000 })])
      const { reference: back } = await shop.refunded()
      const query = `connection=airtel_ne&from=${day}&to=${day}`
      const { code, body } = await getFrom(service, shop.secretKey, `/statements?${query}`)
      assert.equal(code, 200)
      const { movements, ...sums } = body as { movements: Record<string, unknown>[] }
      assert.deepEqual(sums, {
        connection: 'airtel_ne',
        from: day,
        to: day,
        opening: 4_000,
        collected: 4_000,
        refunded: -1_500,
        fees: -25,
        taxes: 0,
        withheld: 0,
        settled: -1_000,
        unexplained: 0,
        closing: 5_475,
        confirmed: 2_500,
        other: 0,
        is_shared: true,
        reconciliation: { not_confirmed: 1_500, on_other_days: 0, of_other_days: 0 },
      })
      assert.deepEqual(
        movements.map((each) => [
          each.kind,
          each.amount,
          each.balance,
          each.is_confirmed,
          each.payment_reference,
        ]),
        [
          ['payment', 2_500, 6_500, true, paid],
          ['fee', -25, 6_475, true, paid],
          ['settlement', -1_000, 5_475, true, paid],
          ['payment', 1_500, 6_975, false, back],
          ['refund', -1_500, 5_475, false, back],
        ],
      )
    })

    it('the wallet is the sum of the account’s lines', async () => {
      const [sum] = await service.db.read<{ wallet: number; lines: number }>(
        `select (select cast(sum(case when debit = 'wallet' then amount_xof else 0 end
             - case when credit = 'wallet' then amount_xof else 0 end) as bigint)
               from ledger_entries) as wallet,
           (select cast(sum(amount_xof - fee_xof - tax_xof) as bigint) from statement_lines
            where account_id is not null) as lines`,
      )
      assert.equal(sum?.wallet, sum?.lines)
      assert.equal(changeOf(shop.lineOf('', { feeXof: 10 })), 1_490)
    })

    it('karba verify finds no difference', async () => {
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}

// Payments and refunds that statements lack, on both stores: the order of files changes nothing,
// and fees that are lines of their own are compared there.

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
        return [
          lineOf(reference),
          lineOf(reference, { type: 'refund', amountXof: -1_500 }),
        ] as const
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
      const tariff = {
        rate: 1_000,
        fixedXof: 0,
        minimumXof: 0,
        maximumXof: null,
        rounding: 'up',
        fromDay: 0,
      } as const
      granted(
        await setTariff({ ...service, isConnected: () => true }, TESTER, {
          ...CONNECTION,
          ...tariff,
        }),
      )
      const [right, wrong, missing] = [await settled(), await settled(), await settled()]
      const fee = (reference: string, feeXof: number) =>
        lineOf(reference, { type: 'fee', amountXof: -feeXof })
      const lines = [lineOf(right), fee(right, 15), lineOf(wrong), fee(wrong, 20)]
      await run(lines, { hasFeeColumn: false })
      assert.deepEqual(
        [await openKinds(), await balance()],
        [['fee_differs'], { to_receive: 1_500, in_wallet: 2_965 }],
      )
      await service.clock.sleep(3 * DAY_MS)
      await run([lineOf(await settled(), { feeXof: 15 })])
      await run([fee(missing, 15)], { hasFeeColumn: false })
      assert.deepEqual(await openKinds(), ['fee_differs', 'missing_at_network'])
    })
  })
}
