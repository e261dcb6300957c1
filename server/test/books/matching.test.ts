// What lines of statements mean later, on both stores: judged again, contradictions, releases, and
// balances.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { confirmSuggestion, suggestPayments } from '../../src/actions/books/suggestions.ts'
import {
  acceptLateMoney,
  closeAnomaly,
  listLatestAnomalies,
} from '../../src/actions/payments/anomalies.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { payAtNetwork } from '../kit/late-money.ts'
import { shared } from '../kit/shared.ts'
import { importLines, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS, SUCCEEDS_AFTER_3_MINUTES } from '../links/payer.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

for (const store of STORES_IN_HALVES) {
  describe(`matching of statement lines on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    beforeEach(async () => {
      shop = await openShopBooks(service)
    })

    const anomalies = async () =>
      granted(await listLatestAnomalies(service, shop.key, {})).rows.map(
        ({ anomalyId, kind, resolvedAt }) => ({
          anomalyId,
          kind,
          isOpen: resolvedAt === null,
        }),
      )
    const closing = (anomalyId = '') => ({ anomalyId, note: 'The network confirmed it.' })

    it('a line before its payment’s outcome is judged again once it has succeeded', async () => {
      const { settled, lineOf, run, balance, openKinds } = shop
      await run([lineOf(await settled(SUCCEEDS_AFTER_3_MINUTES))])
      assert.deepEqual(
        [await openKinds(), await balance()],
        [['too_early'], { in_wallet: 1_500, unexplained: 1_500 }],
      )
      for (let nth = 0; nth < 4; nth++) {
        await service.clock.sleep(2 * MINUTE_MS)
        await service.clock.advance(3_000)
      }
      assert.deepEqual([await openKinds(), await balance()], [[], { in_wallet: 1_500 }])
    })

    it('a line before its payment’s outcome that has another amount is named once it has succeeded', async () => {
      const { settled, lineOf, run, openKinds } = shop
      await run([lineOf(await settled(SUCCEEDS_AFTER_3_MINUTES), { amountXof: 1_400 })])
      for (let nth = 0; nth < 4; nth++) {
        await service.clock.sleep(2 * MINUTE_MS)
        await service.clock.advance(3_000)
      }
      assert.deepEqual(await openKinds(), ['amount_differs'])
    })

    /** A payment of 1,500 with these refunds in part, all of them made. */
    async function refundedInPart(
      ...amounts: number[]
    ): Promise<{ reference: string; refunds: string[] }> {
      const reference = await shop.settled()
      const refunds: string[] = []
      for (const amount of amounts) {
        const refund = granted(
          await refundPayment(service, TESTER, { name: reference, amount: String(amount) }),
        )
        refunds.push(refund.refundReference)
        await service.clock.advance(6_000)
      }
      return { reference, refunds }
    }
    const givenBack = (reference: string, amountXof: number, text = '') =>
      shop.lineOf(reference, { type: 'refund', amountXof: -amountXof, text })
    const refundsOfLines = async (reference: string): Promise<(string | null)[]> =>
      (
        await service.db.read<{ refund: string | null }>(
          `select refund_reference as refund from statement_lines
            where our_reference = :reference and type = 'refund'
           order by line_number`,
          { reference },
        )
      ).map(({ refund }) => refund)

    it('a line that names only the payment is about the refund in part with its amount', async () => {
      const { lineOf, run, balance, openKinds } = shop
      const { reference, refunds } = await refundedInPart(400, 600)
      await run([lineOf(reference), givenBack(reference, 600), givenBack(reference, 400)])
      assert.deepEqual([await openKinds(), await balance()], [[], { in_wallet: 500 }])
      assert.deepEqual(await refundsOfLines(reference), refunds.toReversed())
    })

    it('a line that names only the payment, with an amount of no refund, or of a confirmed one, is named', async () => {
      const { lineOf, run, openKinds } = shop
      const { reference } = await refundedInPart(400)
      await run([lineOf(reference), givenBack(reference, 300), givenBack(reference, 400)])
      assert.deepEqual(await openKinds(), ['refund_without_payment'])
      await run([givenBack(reference, 400, 'again')])
      assert.deepEqual(await openKinds(), ['duplicate_line', 'refund_without_payment'])
    })

    it('a line that names only the payment waits while the refund is under way', async () => {
      const { settled, run, openKinds } = shop
      const reference = await settled()
      granted(await refundPayment(service, TESTER, { name: reference, amount: '400' }))
      await run([givenBack(reference, 400)])
      assert.deepEqual(await openKinds(), ['too_early'])
      for (let nth = 0; nth < 4; nth++) {
        await service.clock.sleep(2 * MINUTE_MS)
        await service.clock.advance(3_000)
      }
      assert.deepEqual(await openKinds(), [])
    })

    it('of two refunds that fit equally a person chooses one, and a merchant cannot', async () => {
      const { lineOf, run, balance, openKinds, key } = shop
      const { reference, refunds } = await refundedInPart(500, 500, 500)
      await run([lineOf(reference), givenBack(reference, 500)])
      assert.deepEqual(await openKinds(), ['refund_without_payment'])
      const open = (await listExceptions(service, key)).rows[0]?.exceptionId ?? ''
      assert.deepEqual(await suggestPayments(service, key, { exceptionId: open }), {
        refused: 'exception_not_found',
      })
      const { rows } = granted(await suggestPayments(service, TESTER, { exceptionId: open }))
      assert.deepEqual(rows.map((row) => row.reference).sort(), refunds.toSorted())
      const chosen = {
        exceptionId: open,
        reference: refunds[1] ?? '',
        note: 'By the time of the refund.',
      }
      assert.deepEqual(await confirmSuggestion(service, TESTER, { ...chosen, reference }), {
        refused: 'suggestion_not_found',
      })
      granted(await confirmSuggestion(service, TESTER, chosen))
      assert.deepEqual(
        [await openKinds(), await balance()],
        [[], { in_wallet: 1_000, to_receive: -1_000 }],
      )
      assert.deepEqual(await refundsOfLines(reference), [refunds[1]])
      // Two are left.
      await run([givenBack(reference, 500, 'second')])
      assert.deepEqual(await openKinds(), ['refund_without_payment'])
    })

    it('a line with another amount does not make the right line a duplicate', async () => {
      const { settled, lineOf, run, openKinds } = shop
      const reference = await settled()
      await run([lineOf(reference, { amountXof: 1_400 })])
      await run([lineOf(reference)])
      assert.deepEqual(await openKinds(), ['amount_differs'])
    })

    it('a line of a failed payment is late money: accepted, it explains the line', async () => {
      const { settled, lineOf, run, balance, openKinds } = shop
      const reference = await settled(DECLINES)
      const line = lineOf(reference, { networkReference: 'MP241105.1' })
      await run([line, line])
      const [late] = await anomalies()
      assert.equal((await anomalies()).length, 1)
      assert.equal(late?.kind, 'success_after_failure')
      assert.deepEqual(await openKinds(), ['paid_although_failed', 'paid_although_failed'])
      await payAtNetwork(service.db, reference)
      granted(await acceptLateMoney(service, TESTER, closing(late?.anomalyId)))
      await service.clock.advance(2 * MINUTE_MS)
      assert.deepEqual(
        [await openKinds(), await balance()],
        [['duplicate_line'], { in_wallet: 3_000, unexplained: 1_500 }],
      )
    })

    it('closing an anomaly closes its contradiction, unless the line has money that is not explained', async () => {
      const { settled, lineOf, run, openKinds } = shop
      await run([lineOf(await settled(DECLINES), { amountXof: 1_400 })])
      const [found] = await anomalies()
      assert.equal(found?.kind, 'amount_mismatch')
      granted(await closeAnomaly(service, TESTER, closing(found?.anomalyId)))
      assert.deepEqual(await openKinds(), ['paid_although_failed'])
      await run([lineOf(await settled(), { type: 'not_made', amountXof: 0 })])
      const contradiction = (await anomalies()).find(({ isOpen }) => isOpen)
      granted(await closeAnomaly(service, TESTER, closing(contradiction?.anomalyId)))
      assert.deepEqual(await openKinds(), ['paid_although_failed'])
    })

    const notMade = { type: 'not_made', amountXof: 0 } as const

    it('a succeeded payment that the network lists as failed is a contradiction for a person', async () => {
      const { settled, lineOf, run, balance, openKinds } = shop
      const [paid, failed] = [await settled(), await settled(DECLINES)]
      const { added, exceptions } = await run([
        lineOf(paid, notMade),
        lineOf(failed, notMade),
        lineOf('', notMade),
      ])
      assert.deepEqual([added, exceptions], [1, { not_paid_although_succeeded: 1 }])
      assert.deepEqual(
        (await anomalies()).map(({ kind }) => kind),
        ['failure_after_success'],
      )
      assert.deepEqual(await balance(), { to_receive: 1_500 })
      await run([lineOf(paid)])
      assert.deepEqual([await openKinds(), await balance()], [[], { in_wallet: 1_500 }])
    })

    it('a refund that the network lists as failed is a contradiction, unless it was paid out', async () => {
      const { refunded, lineOf, run, openKinds } = shop
      const { reference, refundReference } = await refunded()
      await run([lineOf(refundReference, notMade)])
      assert.deepEqual(await openKinds(), ['not_paid_although_succeeded'])
      const second = await refunded()
      await run([lineOf(second.refundReference, { type: 'refund', amountXof: -1_500 })])
      await run([lineOf(second.refundReference, notMade), lineOf(reference)])
      assert.deepEqual(await openKinds(), ['not_paid_although_succeeded'])
    })

    for (const order of ['withheld first', 'released first'])
      it(`released money closes its exception: ${order}`, async () => {
        const { settled, lineOf, run, balance, openKinds } = shop
        const reference = await settled()
        const withheld = lineOf(reference, { type: 'withheld', amountXof: -300 })
        const released = lineOf(reference, { type: 'released', amountXof: 300 })
        const [first, second] =
          order === 'withheld first' ? [withheld, released] : [released, withheld]
        await run([lineOf(reference), first])
        assert.deepEqual(await openKinds(), order === 'withheld first' ? ['withheld'] : [])
        await run([second])
        assert.deepEqual([await openKinds(), await balance()], [[], { in_wallet: 1_500 }])
      })

    const openBalances = async () => {
      const { rows } = await listExceptions(service, TESTER)
      return rows.filter(({ kind }) => kind === 'balance_does_not_add_up')
    }

    it('a file that does not open with the closing of the one before it is named until the file between is there', async () => {
      const { lineOf } = shop
      const at = (day: number, amountXof: number) => {
        const bookedAt = service.clock.now() + day * DAY_MS
        return lineOf('', { bookedAt, day, amountXof, type: 'top_up' })
      }
      const files = [
        [[at(1, 10), at(2, 20)], 100, 130],
        [[at(3, 30)], 130, 160],
        [[at(5, 40)], 160, 200],
        // Repeats lines of the one before it.
        [[at(5, 40), at(6, 50)], 160, 250],
      ] as const
      const importFile = async ([lines, openingXof, closingXof]: (typeof files)[number]) =>
        (await importLines(service, lines, { openingXof, closingXof })).exceptions
          .balance_does_not_add_up
      assert.equal(await importFile(files[0]), undefined)
      assert.equal(await importFile(files[2]), 1)
      assert.deepEqual(
        (await openBalances()).map(({ amountXof }) => amountXof),
        [30],
      )
      assert.equal(await importFile(files[1]), undefined)
      assert.equal(await importFile(files[3]), undefined)
      assert.deepEqual(await openBalances(), [])
    })

    async function paidAndSearched(amount = 1_500): Promise<string> {
      const reference = await shop.settled(SUCCEEDS, amount)
      // Until the search has it.
      for (let nth = 0; nth < 5; nth++) {
        await service.clock.sleep(MINUTE_MS)
        await service.clock.advance(5_000)
      }
      return reference
    }

    async function suggested(changes: Partial<StatementLine>) {
      await shop.run([shop.lineOf('', { counterparty: `FRI:${SUCCEEDS}/MSISDN`, ...changes })])
      const { rows } = await listExceptions(service, TESTER)
      const exceptionId = rows.findLast(({ kind }) => kind === 'missing_here')?.exceptionId ?? ''
      const found = granted(await suggestPayments(service, TESTER, { exceptionId })).rows
      return { exceptionId, references: found.map((each) => each.reference) }
    }

    it('a line with the number, amount and day of a payment is booked once when persons confirm it', async () => {
      const reference = await paidAndSearched(7_700)
      const { exceptionId, references } = await suggested({ amountXof: 7_700, feeXof: 15 })
      assert.deepEqual(references, [reference])
      const confirmation = { exceptionId, reference, note: 'The payer showed the receipt.' }
      const refusal = { refused: 'exception_not_found' }
      assert.deepEqual(await suggestPayments(service, shop.key, { exceptionId }), refusal)
      assert.deepEqual(await confirmSuggestion(service, shop.key, confirmation), refusal)
      const outcomes = await Promise.all(
        [TESTER, TESTER, { ...TESTER, user: 'awa' }].map((caller) =>
          confirmSuggestion(service, caller, confirmation),
        ),
      )
      assert.equal(outcomes.filter((outcome) => !('refused' in outcome)).length, 1)
      assert.deepEqual(await shop.balance(), { in_wallet: 7_685 })
      const [closed] = await service.db.read<{ note: string; resolved_by: string }>(
        'select note, resolved_by from book_exceptions where exception_id = :exceptionId',
        { exceptionId },
      )
      assert.equal(closed?.note, confirmation.note)
      assert.match(closed?.resolved_by ?? '', /^shell /)
      assert.deepEqual(await confirmSuggestion(service, TESTER, confirmation), refusal)
    })

    const OTHERS: [what: string, changes: () => Partial<StatementLine>][] = [
      ['another amount', () => ({ amountXof: 1_499 })],
      ['another number', () => ({ counterparty: '90000001' })],
      ['no number', () => ({ counterparty: '' })],
      ['the day before', () => ({ day: dayOf(service.clock.now()) - 1 })],
      ['another type', () => ({ type: 'top_up' })],
    ]
    it(`a line with ${OTHERS.map(([what]) => what).join(', ')} suggests no payment, and none can be confirmed`, async () => {
      const reference = await paidAndSearched()
      for (const [what, changes] of OTHERS) {
        const { exceptionId, references } = await suggested(changes())
        assert.deepEqual(references, [], what)
        const confirmed = await confirmSuggestion(service, TESTER, {
          exceptionId,
          reference,
          note: 'looked at',
        })
        assert.deepEqual(confirmed, { refused: 'suggestion_not_found' }, what)
      }
      assert.equal((await shop.balance()).to_receive, 1_500)
    })

    it('a dry run finds duplicates and matches over all slices, and stores nothing', async () => {
      const { settled, lineOf, run, balance } = shop
      const [first, second] = [await settled(), await settled()]
      await run([lineOf(second)])
      const others = Array.from({ length: 450 }, (_, at) =>
        lineOf('', { networkReference: `other ${at}` }),
      )
      // The first slice has the line, the last one repeats it; an earlier file has the second
      // payment.
      const lines = [
        lineOf(first),
        ...others,
        lineOf(first, { networkReference: 'again' }),
        lineOf(second, { text: 'x' }),
      ]
      const dry = await run(lines, { isDryRun: true })
      assert.deepEqual(await balance(), { in_wallet: 1_500, to_receive: 1_500 })
      assert.deepEqual(dry.exceptions, { missing_here: 450, duplicate_line: 2 })
      assert.deepEqual(await run(lines), dry)
    })

    it('a clean month has no exception and no anomaly, whatever the order of its lines', async () => {
      const { settled, refunded, lineOf, run, openKinds, balance } = shop
      const lines = []
      for (let day = 0; day < 5; day++) {
        const { reference, refundReference } = await refunded()
        lines.push(lineOf(await settled(), { feeXof: 0 }), lineOf(reference))
        lines.push(
          lineOf(refundReference, { type: 'refund', amountXof: -1_500 }),
          lineOf(await settled(DECLINES), notMade),
        )
        await service.clock.sleep(DAY_MS)
      }
      const imported = await run(lines.toReversed())
      assert.deepEqual([imported.added, imported.matched, imported.exceptions], [15, 15, {}])
      await service.clock.sleep(5 * DAY_MS)
      await run([lineOf(await settled())])
      assert.deepEqual([await openKinds(), await anomalies()], [[], []])
      assert.deepEqual(await balance(), { in_wallet: 9_000 })
    })

    it('karba verify finds no difference', async () => {
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}
