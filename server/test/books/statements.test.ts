// Importing networks' statements on both stores: lines are matched, booked once, and what differs is named.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listExceptions, settleException } from '../../src/actions/books/exceptions.ts'
import { type ImportedStatement, importStatement } from '../../src/actions/books/import-statement.ts'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { dayOf, dayText } from '../../src/domain/business-day.ts'
import type { MerchantKey } from '../../src/domain/caller.ts'
import { uuidOfReference } from '../../src/domain/reference.ts'
import { changeOf, type StatementLine } from '../../src/domain/statement.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { getFrom, order, post } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { DECLINES, SUCCEEDS, SUCCEEDS_AFTER_3_MINUTES } from '../links/payer.ts'

const keyOf = ({ accountId }: NewAccount): MerchantKey => ({
  ...{ is: 'merchant_key', accountId, environment: 'sandbox', keyId: 'key_1', kind: 'secret' },
})

const CONNECTION = { environment: 'sandbox', connection: 'airtel_ne' } as const

for (const store of STORES_IN_HALVES) {
  describe(`statements on ${store.name}`, () => {
    let service: VirtualService
    let account: NewAccount
    before(async () => {
      service = await openVirtualService(store)
    })
    after(() => service.remove())

    async function settled(msisdn = SUCCEEDS, amount = 1_500): Promise<string> {
      const { body } = await post(service, account.secretKey, order({ msisdn, amount }))
      await service.clock.advance(10_000)
      return body.reference as string
    }

    async function refunded(): Promise<{ reference: string; refundReference: string }> {
      const reference = await settled()
      const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(20_000)
      return { reference, refundReference }
    }

    const lineOf = (ourReference: string, changes: Partial<StatementLine> = {}): StatementLine => ({
      ...{ line: 1, bookedAt: service.clock.now(), day: dayOf(service.clock.now()), type: 'collection' },
      ...{ amountXof: 1_500, feeXof: 0, taxXof: 0, balanceXof: null, networkReference: '', ourReference },
      ...{ counterparty: '', text: '', ...changes },
    })

    let files = 0
    async function run(lines: StatementLine[], more: { sha256?: string; isDryRun?: boolean } = {}) {
      const days = lines.map(({ day }) => day)
      const totals = { lines: lines.length, openingXof: null, closingXof: null }
      const statement = {
        ...{ ...CONNECTION, name: 'september.csv', bytes: 1, isDryRun: false, sha256: `${++files}`, ...more },
        totals: { ...totals, firstDay: Math.min(...days), lastDay: Math.max(...days) },
        lines: (async function* () {
          yield* lines
        })(),
      }
      return granted(await importStatement({ ...service, isConnected: () => true }, TESTER, statement))
    }

    const balance = async (): Promise<Record<string, unknown>> => {
      const { connections: _, ...where } = (await getFrom(service, account.secretKey, '/balance')).body
      return where
    }
    const where = (to_receive: number, in_wallet: number, more: object = {}) => ({
      ...{ to_receive, in_wallet, in_transit: 0, in_bank: 0, withheld: 0, ...more },
    })

    const added = (matched: number, exceptions: ImportedStatement['exceptions'] = {}): ImportedStatement => {
      const differing = Object.values(exceptions).reduce((sum, each) => sum + each, 0)
      const lines = matched + differing
      return { lines, added: lines, matched, exceptions, missing: 0, isRepeated: false }
    }

    async function open(): Promise<void> {
      account = (await service.merchant()).accounts.sandbox
    }

    it('lines move money from receivable to the wallet, by our reference, its UUID or a text', async () => {
      await open()
      const [first, second, third] = [await settled(), await settled(), await settled()]
      assert.deepEqual(await balance(), where(4_500, 0))
      const lines = [
        lineOf(first),
        lineOf('', { networkReference: uuidOfReference(second) }),
        lineOf('', { text: `Paiement ${third} Boutique Awa` }),
      ]
      assert.deepEqual(await run(lines), added(3))
      assert.deepEqual(await balance(), where(0, 4_500))
    })

    it('fees and taxes leave the wallet', async () => {
      await open()
      await run([lineOf(await settled(), { feeXof: 23, taxXof: 2 })])
      assert.deepEqual(await balance(), where(0, 1_475))
    })

    it('a refund and its line end at nothing, in either order', async () => {
      await open()
      const { reference, refundReference } = await refunded()
      assert.deepEqual(await balance(), where(0, 0))
      await run([lineOf(refundReference, { type: 'refund', amountXof: -1_500 })])
      assert.deepEqual(await balance(), where(1_500, -1_500))
      await run([lineOf(reference)])
      assert.deepEqual(await balance(), where(0, 0))
    })

    const WRONG: [kind: keyof ImportedStatement['exceptions'], lines: () => Promise<StatementLine[]>][] = [
      ['missing_here', async () => [lineOf('0123456789abcdefghjkmnpq')]],
      ['missing_here', async () => [lineOf('', { networkReference: 'MP241105.1234.A00001' })]],
      ['missing_here', async () => [lineOf('', { type: 'top_up' })]],
      ['amount_differs', async () => [lineOf(await settled(), { amountXof: 1_499 })]],
      ['paid_although_failed', async () => [lineOf(await settled(DECLINES))]],
      ['too_early', async () => [lineOf(await settled(SUCCEEDS_AFTER_3_MINUTES))]],
      ['refund_without_payment', async () => [lineOf('', { type: 'refund', amountXof: -1_500 })]],
      ['refund_without_payment', async () => [lineOf(await settled(), { type: 'refund', amountXof: -1_500 })]],
    ]
    for (const [kind, lines] of WRONG) {
      it(`a line that does not agree is named ${kind}`, async () => {
        await open()
        assert.deepEqual(await run(await lines()), added(0, { [kind]: 1 }))
      })
    }

    it('a repeated line is named, and booked to unexplained', async () => {
      await open()
      const line = lineOf(await settled())
      assert.deepEqual(await run([line, line]), added(1, { duplicate_line: 1 }))
      assert.deepEqual(await balance(), where(0, 3_000))
    })

    it('withheld money leaves the wallet, and a settlement is in transit', async () => {
      await open()
      const reference = await settled()
      const lines = [lineOf(reference), lineOf(reference, { type: 'withheld', amountXof: -300 })]
      assert.deepEqual(await run(lines), added(1, { withheld: 1 }))
      assert.deepEqual(await balance(), where(0, 1_200, { withheld: 300 }))
      await run([lineOf(reference, { type: 'settlement', amountXof: -1_000 })])
      assert.deepEqual(await balance(), where(0, 200, { withheld: 300, in_transit: 1_000 }))
    })

    it('the same file, the same lines in another file, and any order of files change nothing', async () => {
      await open()
      const references = [await settled(), await settled(), await settled()]
      const lines = references.map((reference) => lineOf(reference))
      const [first, second, third] = lines as [StatementLine, StatementLine, StatementLine]
      await run([third, first], { sha256: 'one' })
      assert.deepEqual(await run([third, first], { sha256: 'one' }), {
        ...{ lines: 2, added: 0, matched: 0, exceptions: {}, missing: 0, isRepeated: true },
      })
      const overlapping = await run([first, second, third])
      assert.deepEqual([overlapping.lines, overlapping.added], [3, 1])
      assert.deepEqual(await balance(), where(0, 4_500))
    })

    it('a dry run shows the result and stores nothing', async () => {
      await open()
      const reference = await settled()
      assert.deepEqual(await run([lineOf(reference), lineOf('')], { isDryRun: true }), added(1, { missing_here: 1 }))
      assert.deepEqual(await balance(), where(1_500, 0))
      assert.deepEqual(await run([lineOf(reference)]), added(1))
    })

    it('a payment or refund without a line is named two days later, once, and closed by a late line', async () => {
      await open()
      const late = await settled()
      const { reference: paid, refundReference } = await refunded()
      const lines = [lineOf(late), lineOf(paid), lineOf(refundReference, { type: 'refund', amountXof: -1_500 })]
      const [lateLine, paidLine, refundLine] = lines as [StatementLine, StatementLine, StatementLine]
      assert.equal((await run([paidLine])).missing, 0)
      await service.clock.sleep(3 * 86_400_000)
      const own = await settled()
      assert.ok((await run([lineOf(own)])).missing >= 2)
      const openKinds = async (): Promise<string[]> => {
        const { rows } = await listExceptions(service, keyOf(account))
        return rows.map(({ kind }) => kind).sort()
      }
      assert.deepEqual(await openKinds(), ['missing_at_network', 'refund_missing'])
      assert.equal((await run([lineOf('')])).missing, 0)
      await run([refundLine])
      assert.deepEqual(await openKinds(), ['missing_at_network'])
      await run([lateLine])
      assert.deepEqual(await openKinds(), [])
      assert.deepEqual(await balance(), where(0, 3_000))
    })

    it('staff close an exception with a note, and a merchant cannot', async () => {
      await open()
      await run([lineOf(await settled(), { amountXof: 1 })])
      const merchant = keyOf(account)
      const [found] = (await listExceptions(service, merchant)).rows
      const closing = { exceptionId: found?.exceptionId ?? '', note: 'The network corrected it by letter.' }
      assert.deepEqual(await settleException(service, merchant, closing), { refused: 'exception_not_found' })
      granted(await settleException(service, TESTER, closing))
      assert.deepEqual(await settleException(service, TESTER, closing), { refused: 'exception_not_found' })
      assert.deepEqual((await listExceptions(service, merchant)).rows, [])
    })

    it('a fee that differs from the tariff is named, and booked as the network took it', async () => {
      const tariff = { rate: 1_000, fixedXof: 0, minimumXof: 0, maximumXof: null, rounding: 'up', fromDay: 0 } as const
      granted(await setTariff({ ...service, isConnected: () => true }, TESTER, { ...CONNECTION, ...tariff }))
      await open()
      const lines = [lineOf(await settled(), { feeXof: 15 }), lineOf(await settled(), { feeXof: 20 })]
      assert.deepEqual(await run(lines), added(1, { fee_differs: 1 }))
      assert.deepEqual(await balance(), where(0, 2_965))
    })

    it('a merchant’s statement has the opening, each movement with its balance, and the closing', async () => {
      await open()
      await settled(SUCCEEDS, 4_000)
      await service.clock.sleep(86_400_000)
      const day = dayText(dayOf(service.clock.now()))
      const paid = await settled(SUCCEEDS, 2_500)
      await run([lineOf(paid, { amountXof: 2_500, feeXof: 25 }), lineOf('')])
      await run([lineOf(paid, { type: 'settlement', amountXof: -1_000 })])
      const { reference: back } = await refunded()
      const query = `connection=airtel_ne&from=${day}&to=${day}`
      const { code, body } = await getFrom(service, account.secretKey, `/statements?${query}`)
      assert.equal(code, 200)
      const { movements, ...sums } = body as { movements: Record<string, unknown>[] }
      assert.deepEqual(sums, {
        ...{ connection: 'airtel_ne', from: day, to: day, opening: 4_000, collected: 4_000, refunded: -1_500 },
        ...{ fees: -25, taxes: 0, withheld: 0, settled: -1_000, unexplained: 0, closing: 5_475, confirmed: 2_500 },
      })
      assert.deepEqual(
        movements.map((each) => [each.kind, each.amount, each.balance, each.is_confirmed, each.payment_reference]),
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
      const [sum] = await service.db.rows<{ wallet: number; lines: number }>(
        `select (select cast(sum(case when debit = 'wallet' then amount_xof else 0 end
             - case when credit = 'wallet' then amount_xof else 0 end) as bigint) from ledger_entries) as wallet,
           (select cast(sum(amount_xof - fee_xof - tax_xof) as bigint) from statement_lines
            where account_id is not null) as lines`,
      )
      assert.equal(sum?.wallet, sum?.lines)
      assert.equal(changeOf(lineOf('', { feeXof: 10 })), 1_490)
    })

    it('karba verify finds no difference', async () => {
      assert.deepEqual(granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings, [])
    })
  })
}
