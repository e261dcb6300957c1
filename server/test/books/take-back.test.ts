// An import that is taken back leaves the books as if the file had never come, on both stores; and
// the same file, or another one with its lines, can be imported afterwards.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { closeDifference, readClosingChoice } from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { judgeDueLines } from '../../src/actions/books/judge-again.ts'
import { confirmSettlement } from '../../src/actions/books/settlements.ts'
import { confirmSuggestion } from '../../src/actions/books/suggestions.ts'
import { type TakenBack, takeBackImport } from '../../src/actions/books/take-back-import.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { DECLINES } from '../links/payer.ts'

const NOTE = 'The file of another wallet.'
const DAY_MS = 86_400_000

interface Case {
  about: string
  lines(shop: ShopBooks): Promise<StatementLine[]>
  /** Between the import and taking it back. */
  act?(shop: ShopBooks): Promise<unknown>
}

for (const store of STORES_IN_HALVES) {
  describe(`taking imports back on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    let files = 0
    beforeEach(async () => {
      // The line of a connection without other accounts is in this account's books.
      await service.db.change(
        `update accounts set status = 'unvalidated' where environment = 'sandbox'`,
      )
      shop = await openShopBooks(service)
    })

    const importNamed = async (
      lines: readonly StatementLine[],
      sha256 = `take back ${++files}`,
    ) => {
      const counts = await shop.run(lines, { sha256 })
      const [row] = await service.db.read<{ file: string }>(
        'select file_id as file from statement_files where sha256 = :sha256',
        { sha256 },
      )
      return { counts, sha256, fileId: row?.file ?? '' }
    }
    const takeBack = async (fileId: string, deps: object = {}): Promise<TakenBack> =>
      granted(await takeBackImport({ ...service, ...deps }, TESTER, { fileId, note: NOTE }))
    const assertInOrder = async (): Promise<void> => {
      const verified = await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)
      assert.deepEqual(granted(verified).findings, [])
    }
    const differenceOf = async (kind: string): Promise<string> => {
      const found = (await listExceptions(service, shop.key)).rows.find((row) => row.kind === kind)
      assert.ok(found, kind)
      return found.exceptionId
    }
    const closeAs = async (
      kind: string,
      reason?: 'top_up' | 'not_ours' | 'amount_corrected' | 'duplicate_of_file',
    ) => {
      const exceptionId = await differenceOf(kind)
      const { reasons } = granted(await readClosingChoice(service, TESTER, { exceptionId }))
      granted(
        await closeDifference(service, TESTER, {
          exceptionId,
          reason: reason ?? reasons[0],
          note: NOTE,
        }),
      )
    }
    const settle = async (receivedXof: number): Promise<void> => {
      const { accountId } = shop
      const [line] = await service.db.read<{ number: number }>(
        `select max(line_number) as number from statement_lines where type = 'settlement'
          and account_id = :accountId`,
        { accountId },
      )
      const name = `${CONNECTION.connection}-${line?.number}`
      granted(await confirmSettlement(service, TESTER, { accountId, name, receivedXof }))
    }

    const CASES: Case[] = [
      {
        about: 'payments with fees, taxes and a refund',
        lines: async ({ lineOf, settled, refunded }) => {
          const { reference, refundReference } = await refunded()
          return [
            lineOf(await settled(), { feeXof: 23, taxXof: 2 }),
            lineOf(reference),
            lineOf(refundReference, { type: 'refund', amountXof: -1_500, feeXof: 5 }),
          ]
        },
      },
      {
        about: 'a payment that is there twice, closed as a duplicate of the file',
        lines: async ({ lineOf, settled }) => {
          const line = lineOf(await settled(), { feeXof: 15 })
          return [line, { ...line, text: 'again' }]
        },
        act: () => closeAs('duplicate_line', 'duplicate_of_file'),
      },
      {
        about: 'another amount, closed as corrected',
        lines: async ({ lineOf, settled }) => [lineOf(await settled(), { amountXof: 1_499 })],
        act: () => closeAs('amount_differs', 'amount_corrected'),
      },
      {
        about: 'another amount, closed as money of others',
        lines: async ({ lineOf, settled }) => [lineOf(await settled(), { amountXof: 1_499 })],
        act: () => closeAs('amount_differs', 'not_ours'),
      },
      {
        about: 'a top-up that a person has explained',
        lines: async ({ lineOf }) => [lineOf('', { type: 'top_up', amountXof: 700, feeXof: 20 })],
        act: () => closeAs('missing_here', 'top_up'),
      },
      {
        about: 'late money',
        lines: async ({ lineOf, settled }) => [lineOf(await settled(DECLINES))],
      },
      {
        about: 'a payment that the network lists as failed, closed with a reason',
        lines: async ({ lineOf, settled }) => [
          lineOf(await settled(), { type: 'not_made', amountXof: 0 }),
        ],
        act: () => closeAs('not_paid_although_succeeded'),
      },
      {
        about: 'money that the network keeps for good',
        lines: async ({ lineOf, settled }) => {
          const reference = await settled()
          return [lineOf(reference), lineOf(reference, { type: 'withheld', amountXof: -300 })]
        },
        act: () => closeAs('withheld'),
      },
      {
        about: 'a transfer whose arrival was confirmed with less, and explained',
        lines: async ({ lineOf, settled }) => [
          lineOf(await settled()),
          lineOf('', { type: 'settlement', amountXof: -1_000 }),
        ],
        act: async () => {
          await settle(900)
          await closeAs('settled_amount_differs')
        },
      },
    ]
    for (const { about, lines: make, act } of CASES) {
      it(`the books are as before, and the file can be imported again: ${about}`, async () => {
        const lines = await make(shop)
        const before = await shop.balance()
        const first = await importNamed(lines)
        const booked = await shop.balance()
        await act?.(shop)
        const taken = await takeBack(first.fileId)
        assert.equal(taken.lines, lines.length)
        assert.deepEqual(await shop.balance(), before)
        assert.deepEqual(await shop.openKinds(), [])
        await assertInOrder()
        assert.deepEqual(await takeBack(first.fileId), {
          fileId: first.fileId,
          lines: 0,
          entries: 0,
          again: [],
        })
        assert.deepEqual((await importNamed(lines, first.sha256)).counts, first.counts)
        assert.deepEqual(await shop.balance(), booked)
        await assertInOrder()
      })
    }

    it('each entry of the file is reversed by one that names it, and each file once in the audit log', async () => {
      const { fileId } = await importNamed([shop.lineOf(await shop.settled(), { feeXof: 15 })])
      const { entries } = await takeBack(fileId)
      assert.equal(entries, 2)
      const pairs = await service.db.read<{ kind: string; back: string }>(
        `select e.kind, r.debit || ' ' || r.credit as back from ledger_entries e
         join ledger_entries r on r.account_id = e.account_id and r.corrects = e.entry
         where e.account_id = :accountId order by e.entry`,
        { accountId: shop.accountId },
      )
      assert.deepEqual(
        pairs.map((pair) => ({ ...pair })),
        [
          { kind: 'collected', back: 'receivable wallet' },
          { kind: 'fee', back: 'wallet fees' },
        ],
      )
      const written = await service.db.read<{ detail: string }>(
        `select detail from audit_log where action = 'statement.take_back' and detail like :file`,
        { file: `%${fileId}%` },
      )
      assert.deepEqual(
        written.map(({ detail }) => JSON.parse(detail).note),
        [NOTE],
      )
    })

    it('a crash between slices loses nothing: the next call goes on, and so does an import of the same file', async () => {
      const lines: StatementLine[] = []
      for (let nth = 0; nth < 250; nth++)
        lines.push(shop.lineOf('', { type: 'top_up', text: `top-up ${nth}` }))
      const crash = { pauseAfter: async () => Promise.reject(new Error('crashed')) }
      const { fileId, sha256 } = await importNamed(lines)
      const before = await shop.balance()
      await assert.rejects(takeBack(fileId, crash), /crashed/)
      await assert.rejects(takeBack(fileId, crash), /crashed/)
      assert.equal((await takeBack(fileId)).lines, 50)
      assert.deepEqual([await shop.balance(), await shop.openKinds()], [{}, []])
      await importNamed(lines, sha256)
      assert.deepEqual(await shop.balance(), before)
      await assertInOrder()
    })

    it('lines that another file has too are in the books once it is imported again', async () => {
      const references = [await shop.settled(), await shop.settled(), await shop.settled()]
      const [one, two, three] = references.map((reference) => shop.lineOf(reference)) as [
        StatementLine,
        StatementLine,
        StatementLine,
      ]
      const first = await importNamed([one, two])
      const second = await importNamed([two, three])
      assert.deepEqual((await takeBack(first.fileId)).again, [
        { fileId: second.fileId, name: 'september.csv' },
      ])
      assert.deepEqual(await shop.balance(), { to_receive: 3_000, in_wallet: 1_500 })
      const again = await importNamed([two, three], second.sha256)
      assert.deepEqual([again.counts.added, again.counts.isRepeated], [1, false])
      assert.deepEqual(await shop.balance(), { to_receive: 1_500, in_wallet: 3_000 })
      await assertInOrder()
    })

    it('a second line of a payment becomes its line when the file of the first is taken back', async () => {
      const reference = await shop.settled()
      const first = await importNamed([shop.lineOf(reference)])
      await importNamed([shop.lineOf(reference, { text: 'in another file' })])
      assert.deepEqual(await shop.openKinds(), ['duplicate_line'])
      await takeBack(first.fileId)
      while (await judgeDueLines(service, { is: 'service', part: 'reconciliation' }));
      assert.deepEqual([await shop.balance(), await shop.openKinds()], [{ in_wallet: 1_500 }, []])
      await assertInOrder()
    })

    it('a file with the release of withheld money leaves it withheld when it is taken back', async () => {
      const reference = await shop.settled()
      await importNamed([
        shop.lineOf(reference),
        shop.lineOf(reference, { type: 'withheld', amountXof: -300 }),
      ])
      const { fileId } = await importNamed([
        shop.lineOf(reference, { type: 'released', amountXof: 300 }),
      ])
      assert.deepEqual(await shop.openKinds(), [])
      await takeBack(fileId)
      assert.deepEqual(await shop.openKinds(), ['withheld'])
      assert.deepEqual(await shop.balance(), { in_wallet: 1_200, withheld: 300 })
      await assertInOrder()
    })

    it('a line that a person attached to a payment is free again', async () => {
      const reference = await shop.settled()
      for (let minute = 0; minute < 5; minute++) {
        await service.clock.sleep(60_000)
        await service.clock.advance(5_000)
      }
      const [payment] = await service.db.read<{ msisdn: string; at: number }>(
        'select msisdn, validated_at as at from payments where reference = :reference',
        { reference },
      )
      const line = shop.lineOf('', {
        counterparty: payment?.msisdn ?? '',
        bookedAt: payment?.at ?? 0,
      })
      const { fileId } = await importNamed([line])
      const exceptionId = await differenceOf('missing_here')
      granted(await confirmSuggestion(service, TESTER, { exceptionId, reference, note: NOTE }))
      assert.deepEqual(await shop.balance(), { in_wallet: 1_500 })
      await takeBack(fileId)
      assert.deepEqual([await shop.balance(), await shop.openKinds()], [{ to_receive: 1_500 }, []])
      await assertInOrder()
    })

    it('a payment is missing while a file covers its day, and named again when the next file does not have it', async () => {
      const missing = await shop.settled()
      const lines = [shop.lineOf(await shop.settled())]
      await service.clock.sleep(3 * DAY_MS)
      lines.push(shop.lineOf(await shop.settled()))
      const { fileId, sha256, counts } = await importNamed(lines)
      assert.ok(counts.missing > 0, missing)
      assert.deepEqual(await shop.openKinds(), ['missing_at_network'])
      await takeBack(fileId)
      assert.deepEqual(await shop.openKinds(), [])
      await importNamed(lines, sha256)
      assert.deepEqual(await shop.openKinds(), ['missing_at_network'])
      await assertInOrder()
    })

    it('an unknown file, a note of two lines, and a merchant’s key are refused', async () => {
      const { fileId } = await importNamed([shop.lineOf('')])
      const asked = (id: string, note: string, caller = TESTER) =>
        takeBackImport(service, caller, { fileId: id, note })
      assert.deepEqual(await asked('stm_unknown', NOTE), { refused: 'statement_file_not_found' })
      assert.deepEqual(await asked(fileId, 'one\ntwo'), { refused: 'note_not_valid', longest: 500 })
      const ofKey = await takeBackImport(service, shop.key, { fileId, note: NOTE })
      assert.deepEqual(ofKey, { refused: 'statement_file_not_found' })
    })
  })
}
