// Closing a difference says what it was and books it, on both stores: each reason, a reason that
// was wrong, and what the merchant's balance, statement and journal say afterwards.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  closeDifference,
  correctClosing,
  readClosingChoice,
} from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import {
  exportStatement,
  readAccountStatement,
} from '../../src/actions/books/read-account-statement.ts'
import { confirmSettlement } from '../../src/actions/books/settlements.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { CLOSING_REASON_NAMES, type ClosingReason } from '../../src/domain/books/closing-reason.ts'
import type { ExceptionKind } from '../../src/domain/books/matching.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES } from '../links/payer.ts'

const NOTE = 'Asked the network.'
const DAY_MS = 86_400_000

/**
 * The difference to make, the reasons that it has, and what each one leaves; `left` is what is not
 * explained before.
 */
interface Row {
  kind: ExceptionKind
  about: string
  make(shop: ShopBooks, confirm: (receivedXof: number) => Promise<void>): Promise<unknown>
  left: number
  leaves: Partial<Record<ClosingReason, Record<string, number>>>
}

const ROWS: Row[] = [
  {
    kind: 'missing_here',
    about: 'money that came',
    make: ({ run, lineOf }) => run([lineOf('', { type: 'top_up', amountXof: 700 })]),
    left: 700,
    leaves: {
      top_up: { in_wallet: 700, owner: -700 },
      other_income: { in_wallet: 700, other_income: -700 },
      network_correction: { in_wallet: 700, corrections: -700 },
      duplicate_of_file: {},
      not_ours: { in_wallet: 700, not_ours: -700 },
    },
  },
  {
    kind: 'missing_here',
    about: 'money that is gone, with a fee of its own',
    make: ({ run, lineOf }) => run([lineOf('', { type: 'other', amountXof: -700, feeXof: 20 })]),
    left: -700,
    leaves: {
      network_correction: { in_wallet: -720, corrections: 700, fees: 20 },
      fee: { in_wallet: -720, fees: 720 },
      duplicate_of_file: {},
      owner_withdrawal: { in_wallet: -720, owner: 700, fees: 20 },
      not_ours: { in_wallet: -720, not_ours: 700, fees: 20 },
    },
  },
  {
    kind: 'amount_differs',
    about: 'a payment that the network has with one franc less',
    make: async ({ run, lineOf, settled }) => run([lineOf(await settled(), { amountXof: 1_499 })]),
    left: 1_499,
    leaves: {
      other_income: { to_receive: 1_500, in_wallet: 1_499, other_income: -1_499 },
      network_correction: { to_receive: 1_500, in_wallet: 1_499, corrections: -1_499 },
      duplicate_of_file: { to_receive: 1_500 },
      not_ours: { to_receive: 1_500, in_wallet: 1_499, not_ours: -1_499 },
      amount_corrected: { in_wallet: 1_499, corrections: 1 },
    },
  },
  {
    kind: 'amount_differs',
    about: 'a payment that the network has with more',
    make: async ({ run, lineOf, settled }) => run([lineOf(await settled(), { amountXof: 1_600 })]),
    left: 1_600,
    leaves: {
      other_income: { to_receive: 1_500, in_wallet: 1_600, other_income: -1_600 },
      network_correction: { to_receive: 1_500, in_wallet: 1_600, corrections: -1_600 },
      duplicate_of_file: { to_receive: 1_500 },
      not_ours: { to_receive: 1_500, in_wallet: 1_600, not_ours: -1_600 },
      amount_corrected: { in_wallet: 1_600, corrections: -100 },
    },
  },
  {
    kind: 'amount_differs',
    about: 'a refund of which the network took less',
    make: async ({ run, lineOf, refunded }) => {
      const { reference, refundReference } = await refunded()
      await run([lineOf(reference), lineOf(refundReference, { type: 'refund', amountXof: -1_400 })])
    },
    left: -1_400,
    leaves: {
      network_correction: { to_receive: -1_500, in_wallet: 100, corrections: 1_400 },
      duplicate_of_file: { to_receive: -1_500, in_wallet: 1_500 },
      not_ours: { to_receive: -1_500, in_wallet: 100, not_ours: 1_400 },
      amount_corrected: { in_wallet: 100, corrections: -100 },
    },
  },
  {
    kind: 'duplicate_line',
    about: 'a payment that is there twice, with its fee',
    make: async ({ run, lineOf, settled }) => {
      const reference = await settled()
      await run([
        lineOf(reference, { feeXof: 15 }),
        lineOf(reference, { feeXof: 15, text: 'again' }),
      ])
    },
    left: 1_500,
    leaves: {
      other_income: { in_wallet: 2_970, other_income: -1_500, fees: 30 },
      network_correction: { in_wallet: 2_970, corrections: -1_500, fees: 30 },
      duplicate_of_file: { in_wallet: 1_485, fees: 15 },
      not_ours: { in_wallet: 2_970, not_ours: -1_500, fees: 30 },
    },
  },
  {
    kind: 'paid_although_failed',
    about: 'late money',
    make: async ({ run, lineOf, settled }) => run([lineOf(await settled(DECLINES))]),
    left: 1_500,
    leaves: {
      other_income: { in_wallet: 1_500, other_income: -1_500 },
      network_correction: { in_wallet: 1_500, corrections: -1_500 },
      duplicate_of_file: {},
      not_ours: { in_wallet: 1_500, not_ours: -1_500 },
    },
  },
  {
    kind: 'not_paid_although_succeeded',
    about: 'a payment that the network lists as failed',
    make: async ({ run, lineOf, settled }) =>
      run([lineOf(await settled(), { type: 'not_made', amountXof: 0 })]),
    left: -1_500,
    leaves: { network_correction: { corrections: 1_500 } },
  },
  {
    kind: 'refund_without_payment',
    about: 'money given back that nobody asked for',
    make: async ({ run, lineOf, settled }) => {
      const reference = await settled()
      await run([lineOf(reference), lineOf(reference, { type: 'refund', amountXof: -1_500 })])
    },
    left: -1_500,
    leaves: {
      network_correction: { corrections: 1_500 },
      duplicate_of_file: { in_wallet: 1_500 },
      not_ours: { not_ours: 1_500 },
    },
  },
  {
    kind: 'withheld',
    about: 'money that the network keeps for good',
    make: async ({ run, lineOf, settled }) => {
      const reference = await settled()
      await run([lineOf(reference), lineOf(reference, { type: 'withheld', amountXof: -300 })])
    },
    left: -300,
    leaves: {
      network_correction: { in_wallet: 1_200, corrections: 300 },
      fee: { in_wallet: 1_200, fees: 300 },
      not_ours: { in_wallet: 1_200, not_ours: 300 },
    },
  },
  {
    kind: 'settled_amount_differs',
    about: 'a transfer of which the bank kept a part',
    make: (shop, confirm) => transferred(shop, confirm, 900),
    left: -100,
    leaves: {
      network_correction: { in_wallet: 500, in_bank: 900, corrections: 100 },
      fee: { in_wallet: 500, in_bank: 900, fees: 100 },
      not_ours: { in_wallet: 500, in_bank: 900, not_ours: 100 },
    },
  },
  {
    kind: 'settled_amount_differs',
    about: 'a transfer of which the bank has more',
    make: (shop, confirm) => transferred(shop, confirm, 1_050),
    left: 50,
    leaves: {
      other_income: { in_wallet: 500, in_bank: 1_050, other_income: -50 },
      network_correction: { in_wallet: 500, in_bank: 1_050, corrections: -50 },
      not_ours: { in_wallet: 500, in_bank: 1_050, not_ours: -50 },
    },
  },
]

async function transferred(
  { run, lineOf, settled }: ShopBooks,
  confirm: (receivedXof: number) => Promise<void>,
  receivedXof: number,
): Promise<void> {
  await run([lineOf(await settled()), lineOf('', { type: 'settlement', amountXof: -1_000 })])
  await confirm(receivedXof)
}

/** Not places where a merchant has money: what people said that it was. */
const SAID = ['owner', 'other_income', 'corrections', 'not_ours', 'fees'] as const

for (const store of STORES_IN_HALVES) {
  describe(`closing differences on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    beforeEach(async () => {
      // The line of a connection without other accounts is in this account's books.
      await service.db.change(
        `update accounts set status = 'unvalidated' where environment = 'sandbox'`,
      )
      shop = await openShopBooks(service)
    })

    async function confirm(receivedXof: number): Promise<void> {
      const { accountId } = shop
      const [line] = await service.db.read<{ number: number }>(
        `select max(line_number) as number from statement_lines where type = 'settlement'
          and account_id = :accountId`,
        { accountId },
      )
      const name = `${CONNECTION.connection}-${line?.number}`
      granted(await confirmSettlement(service, TESTER, { accountId, name, receivedXof }))
    }

    /** By our own sums over the entries, with the places that the merchant's balance has. */
    async function books(): Promise<Record<string, number>> {
      const rows = await service.db.read<{ account: string; xof: number }>(
        `select account, cast(sum(xof) as bigint) as xof from (
           select debit as account, amount_xof as xof from ledger_entries
           where account_id = :accountId union all
           select credit, -amount_xof from ledger_entries where account_id = :accountId) as sides
             group by account`,
        { accountId: shop.accountId },
      )
      const said = rows.filter(
        ({ account, xof }) => xof !== 0 && SAID.some((each) => each === account),
      )
      return {
        ...(await shop.balance()),
        ...Object.fromEntries(said.map(({ account, xof }) => [account, xof])),
      }
    }

    const difference = async (kind: ExceptionKind) => {
      const found = (await listExceptions(service, shop.key)).rows.filter(
        (row) => row.kind === kind,
      )
      assert.equal(found.length, 1, kind)
      return found[0]?.exceptionId ?? ''
    }

    const period = () => {
      const today = dayOf(service.clock.now())
      return { connection: CONNECTION.connection, fromDay: today - 10, toDay: today }
    }
    const statement = async () => {
      const account = { accountId: shop.accountId, environment: 'sandbox' } as const
      return granted(await readAccountStatement(service, account, period()))
    }

    for (const { kind, about, make, left, leaves } of ROWS)
      it(`closing ${kind}, ${about}: each reason books its entry, and another reason takes it back`, async () => {
        await make(shop, confirm)
        const exceptionId = await difference(kind)
        const choice = granted(await readClosingChoice(service, TESTER, { exceptionId }))
        const offered = Object.keys(leaves) as ClosingReason[]
        assert.deepEqual(choice, {
          reasons: CLOSING_REASON_NAMES.filter((each) => offered.includes(each)),
          leftXof: left,
        })
        const refusal = { refused: 'closing_reason_not_valid', offered: choice.reasons }
        assert.deepEqual(
          await closeDifference(service, TESTER, { exceptionId, note: NOTE }),
          refusal,
        )
        const other = CLOSING_REASON_NAMES.find((each) => !offered.includes(each))
        assert.deepEqual(
          await closeDifference(service, TESTER, { exceptionId, reason: other, note: NOTE }),
          refusal,
        )
        for (const [nth, reason] of [...offered, ...offered.toReversed()].entries()) {
          const act = nth === 0 ? closeDifference : correctClosing
          granted(await act(service, TESTER, { exceptionId, reason, note: NOTE }))
          assert.deepEqual(await books(), leaves[reason], reason)
          const sums = await statement()
          const { openingXof, closingXof } = sums
          const movements =
            sums.collectedXof +
            sums.refundedXof +
            sums.feesXof +
            sums.taxesXof +
            sums.withheldXof +
            sums.settledXof
          assert.equal(
            openingXof + movements + sums.unexplainedXof + sums.otherXof,
            closingXof,
            reason,
          )
          assert.equal(sums.unexplainedXof, 0, reason)
        }
        assert.ok(!(await shop.openKinds()).includes(kind))
        const again = await closeDifference(service, TESTER, {
          exceptionId,
          reason: offered[0],
          note: NOTE,
        })
        assert.deepEqual(again, { refused: 'exception_not_found' })
      })

    it('an entry of a closing names the one that it explains, and one that takes it back names the closing', async () => {
      await shop.run([shop.lineOf('', { type: 'top_up', amountXof: 700 })])
      const exceptionId = await difference('missing_here')
      granted(
        await closeDifference(service, TESTER, { exceptionId, reason: 'not_ours', note: NOTE }),
      )
      granted(
        await correctClosing(service, TESTER, {
          exceptionId,
          reason: 'top_up',
          note: 'It was ours.',
        }),
      )
      const entries = await service.db.read(
        `select entry, kind, debit, credit, corrects from ledger_entries
          where account_id = :accountId order by entry`,
        { accountId: shop.accountId },
      )
      assert.deepEqual(
        entries.map((row) => Object.values(row as object)),
        [
          [1, 'unexplained', 'wallet', 'unexplained', null],
          [2, 'closing', 'unexplained', 'not_ours', 1],
          [3, 'closing', 'not_ours', 'unexplained', 2],
          [4, 'closing', 'unexplained', 'owner', 1],
        ],
      )
      const said = await service.db.read(
        `select closing, reason, note, case when reversed_at is null then 0 else 1 end as reversed,
           case when closed_by like 'shell %' then 1 else 0 end as by_shell
         from closings where exception_id = :exceptionId order by closing`,
        { exceptionId },
      )
      assert.deepEqual(
        said.map((row) => Object.values(row as object)),
        [
          [1, 'not_ours', NOTE, 1, 1],
          [2, 'top_up', 'It was ours.', 0, 1],
        ],
      )
    })

    it('a line with another amount that is not the payment leaves the payment missing, until a reason says otherwise', async () => {
      await shop.run([shop.lineOf(await shop.settled(), { amountXof: 1_400 })])
      const exceptionId = await difference('amount_differs')
      granted(
        await closeDifference(service, TESTER, { exceptionId, reason: 'not_ours', note: NOTE }),
      )
      assert.deepEqual(await shop.openKinds(), ['missing_at_network'])
      granted(
        await correctClosing(service, TESTER, {
          exceptionId,
          reason: 'amount_corrected',
          note: NOTE,
        }),
      )
      assert.deepEqual(await shop.openKinds(), [])
    })

    it('a difference that leaves nothing to explain is closed with a note alone', async () => {
      const reference = await shop.settled()
      await shop.run([shop.lineOf(reference, { amountXof: 1_400 }), shop.lineOf(reference)])
      const exceptionId = await difference('amount_differs')
      const { reasons } = granted(await readClosingChoice(service, TESTER, { exceptionId }))
      assert.ok(!reasons.includes('amount_corrected'), 'the payment has its line')
      await service.db.change(
        `update book_exceptions set kind = 'fee_differs' where exception_id = :exceptionId`,
        { exceptionId },
      )
      const closing = { exceptionId, note: NOTE }
      assert.deepEqual(await closeDifference(service, TESTER, { ...closing, reason: 'top_up' }), {
        refused: 'closing_reason_not_valid',
        offered: [],
      })
      granted(await closeDifference(service, TESTER, closing))
      await service.db.change(
        `update book_exceptions set kind = 'amount_differs' where exception_id = :exceptionId`,
        { exceptionId },
      )
      granted(await correctClosing(service, TESTER, { ...closing, reason: 'other_income' }))
    })

    it('a statement and its journal name an explained line by its reason', async () => {
      await shop.run([shop.lineOf('', { type: 'top_up', amountXof: 700 })])
      const file = async (format: 'csv' | 'syscohada'): Promise<string> => {
        const query = { accountId: shop.accountId, format, language: 'fr', ...period() } as const
        let text = ''
        for await (const chunk of granted(await exportStatement(service, TESTER, query)).content)
          text += chunk
        return text
      }
      assert.match(await file('syscohada'), /;471;Mouvement à expliquer;/)
      const exceptionId = await difference('missing_here')
      granted(await closeDifference(service, TESTER, { exceptionId, reason: 'top_up', note: NOTE }))
      assert.match(await file('csv'), /;Approvisionnement;700;700;/)
      assert.match(await file('csv'), /Autres mouvements;700/)
      assert.match(await file('syscohada'), /;462;Approvisionnement;/)
      granted(
        await correctClosing(service, TESTER, { exceptionId, reason: 'other_income', note: NOTE }),
      )
      assert.match(await file('syscohada'), /;758;Autre recette;/)
    })

    it('a line of a shared connection is in no books: its reason is kept, and nothing is booked', async () => {
      await openShopBooks(service)
      await shop.run([shop.lineOf('', { type: 'other', amountXof: -700, text: 'sweep' })])
      const rows = (await listExceptions(service, TESTER)).rows
      const exceptionId = rows.findLast(({ accountId }) => accountId === null)?.exceptionId ?? ''
      granted(
        await closeDifference(service, TESTER, {
          exceptionId,
          reason: 'owner_withdrawal',
          note: NOTE,
        }),
      )
      granted(await correctClosing(service, TESTER, { exceptionId, reason: 'fee', note: NOTE }))
      assert.deepEqual(await books(), {})
    })

    it('karba verify finds no difference after all of it', async () => {
      await service.clock.sleep(DAY_MS)
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}
