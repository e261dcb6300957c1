// The opening balance of a wallet on both stores: the first statement with a balance books it, a
// file of earlier days moves it, and every place that shows the wallet agrees with the network's
// own figure (D-172).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { parseCamt053 } from 'camt-parser'
import { parse } from 'csv-parse/sync'
import { readSheet } from 'read-excel-file/node'
import { closeDifference } from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { takeBackImport } from '../../src/actions/books/take-back-import.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { commandsOn } from '../kit/karba.ts'
import { ask, signedIn } from '../kit/people.ts'
import { spawnKarba } from '../kit/process.ts'
import { getFrom, head } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const DAY_MS = 86_400_000
const OPENING = 1_000_000

for (const store of STORES_IN_HALVES) {
  describe(`opening balances on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    /** The connection has no lines yet, and the shop is the only one that may take payments. */
    beforeEach(async () => {
      for (const table of [
        'statement_lines',
        'statement_files',
        'statement_sources',
        'book_exceptions',
      ])
        await service.db.change(`delete from ${table}`)
      await service.db.change(
        `update accounts set status = 'unvalidated' where environment = 'sandbox'`,
      )
      shop = await openShopBooks(service)
    })

    const today = (): number => dayOf(service.clock.now())

    /** At noon of the day so many days ago. */
    const fee = (daysAgo: number, amountXof: number): StatementLine => {
      const bookedAt = service.clock.now() - daysAgo * DAY_MS
      return shop.lineOf('', {
        type: 'fee',
        amountXof,
        bookedAt,
        day: dayOf(bookedAt),
        text: `${daysAgo} ${amountXof}`,
      })
    }

    const balanced = (lines: readonly StatementLine[], openingXof: number) =>
      shop.run(lines, {
        openingXof,
        closingXof: openingXof + lines.reduce((sum, line) => sum + line.amountXof, 0),
      })

    const openings = async (): Promise<unknown[][]> => {
      const { body } = await getFrom(service, shop.secretKey, '/entries?limit=100')
      return (body.data as Record<string, unknown>[])
        .filter(({ kind }) => kind === 'opening')
        .map(({ entry, debit, credit, amount, value_date, corrects }) => [
          entry,
          debit,
          credit,
          amount,
          value_date,
          corrects ?? null,
        ])
    }

    const findings = async () =>
      granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings

    it('the first statement with a balance books it on the day before, once', async () => {
      await balanced([fee(1, -300)], OPENING)
      await balanced([fee(0, -200)], OPENING - 300)
      assert.deepEqual(await openings(), [
        [2, 'wallet', 'opening', OPENING, dayText(today() - 2), null],
      ])
      assert.deepEqual(await shop.balance(), { in_wallet: OPENING - 500, opening: OPENING })
      assert.deepEqual([await shop.openKinds(), await findings()], [[], []])
    })

    it('a later file that does not agree with it is a difference, and moves nothing', async () => {
      await balanced([fee(1, -300)], OPENING)
      await balanced([fee(0, -200)], OPENING)
      assert.deepEqual(await shop.balance(), { in_wallet: OPENING - 500, opening: OPENING })
      const { rows } = await listExceptions(service, TESTER)
      assert.deepEqual(
        rows.map(({ kind, amountXof }) => [kind, amountXof]),
        [['balance_does_not_add_up', 300]],
      )
    })

    it('a file of earlier days moves it by entries that name the first', async () => {
      await balanced([fee(1, -300)], OPENING)
      await balanced([fee(3, -1_000), fee(2, -500)], OPENING + 1_500)
      const first = 2
      assert.deepEqual(await openings(), [
        [first, 'wallet', 'opening', OPENING, dayText(today() - 2), null],
        [5, 'opening', 'wallet', OPENING, dayText(today() - 2), first],
        [6, 'wallet', 'opening', OPENING + 1_500, dayText(today() - 4), first],
      ])
      assert.deepEqual(await shop.balance(), { in_wallet: OPENING - 300, opening: OPENING + 1_500 })
      assert.deepEqual([await shop.openKinds(), await findings()], [[], []])
    })

    it('files in any order give the same wallet: with balances, without, and lines that came late', async () => {
      const FILES: [lines: () => StatementLine[], openingXof: number | null][] = [
        [() => [fee(5, -1)], null],
        [() => [fee(4, -20)], OPENING],
        // The first line came a day late.
        [
          () => [{ ...fee(4, -300), bookedAt: fee(4, 0).bookedAt - 1_000 }, fee(3, -4_000)],
          OPENING - 20,
        ],
        [() => [fee(2, -50_000)], OPENING - 4_320],
      ]
      for (const order of [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [2, 0, 3, 1],
        [1, 3, 0, 2],
      ]) {
        await service.db.change('delete from statement_lines')
        await service.db.change('delete from statement_files')
        await service.db.change(
          `update accounts set status = 'unvalidated' where environment = 'sandbox'`,
        )
        shop = await openShopBooks(service)
        for (const nth of order) {
          const [lines, openingXof] = FILES[nth] as (typeof FILES)[number]
          await (openingXof === null ? shop.run(lines()) : balanced(lines(), openingXof))
        }
        const about = order.join(', ')
        assert.deepEqual(
          await shop.balance(),
          { in_wallet: OPENING - 54_320, opening: OPENING + 1 },
          about,
        )
        assert.deepEqual(await findings(), [], about)
      }
    })

    it('an import that is taken back moves it again, and the last one takes it away', async () => {
      await balanced([fee(1, -300)], OPENING)
      await balanced([fee(3, -1_000)], OPENING + 1_000)
      const { environment, connection } = CONNECTION
      const files = await service.db.read<{ fileId: string }>(
        `select file_id as "fileId" from statement_files where environment = :environment
          and connection = :connection order by first_at`,
        { environment, connection },
      )
      const EXPECTED = [{ in_wallet: OPENING - 300, opening: OPENING }, {}]
      for (const [nth, { fileId }] of files.entries()) {
        granted(
          await takeBackImport(service, TESTER, { fileId, note: 'The file of another wallet.' }),
        )
        assert.deepEqual(await shop.balance(), EXPECTED[nth])
        assert.deepEqual(await findings(), [])
      }
    })

    it('a line before the first balance that a person takes out of the wallet is no part of it', async () => {
      await shop.run([
        shop.lineOf('', {
          bookedAt: fee(3, 0).bookedAt,
          day: fee(3, 0).day,
          networkReference: 'again',
        }),
      ])
      await balanced([fee(1, -300)], OPENING)
      assert.deepEqual(await shop.balance(), {
        in_wallet: OPENING - 300,
        opening: OPENING - 1_500,
        unexplained: 1_500,
      })
      const [open] = (await listExceptions(service, shop.key)).rows
      const exceptionId = open?.exceptionId ?? ''
      granted(
        await closeDifference(service, TESTER, {
          exceptionId,
          reason: 'duplicate_of_file',
          note: 'Twice.',
        }),
      )
      await service.clock.sleep(60_000)
      await service.clock.advance(3_000)
      assert.deepEqual(await shop.balance(), { in_wallet: OPENING - 300, opening: OPENING })
      assert.deepEqual(await findings(), [])
    })

    it('an upgrade books the openings of files that are there', async () => {
      // An earlier version kept the balances, and booked nothing.
      await shop.run([fee(1, -300)])
      await service.db.change(
        'update statement_files set opening_xof = :OPENING, closing_xof = :closingXof',
        { OPENING, closingXof: OPENING - 300 },
      )
      await service.db.change('update statement_sources set opening_due = 1')
      await service.clock.sleep(60_000)
      await service.clock.advance(3_000)
      assert.deepEqual(await shop.balance(), { in_wallet: OPENING - 300, opening: OPENING })
      assert.deepEqual(await findings(), [])
    })

    it('karba verify names an opening that differs from the files', async () => {
      await balanced([fee(1, -300)], OPENING)
      await service.db.change('update statement_files set opening_xof = :openingXof', {
        openingXof: OPENING + 1,
      })
      const { accountId } = shop
      assert.deepEqual(await findings(), [
        { kind: 'opening_differs', subject: 'sandbox/airtel_ne', accountId },
      ])
    })

    it('an overdrawn wallet opens below zero', async () => {
      await balanced([fee(0, 700)], -200)
      assert.deepEqual(await shop.balance(), { in_wallet: 500, opening: -200 })
    })

    it('a wallet that merchants share has none', async () => {
      await service.merchant()
      await balanced([fee(0, -300)], OPENING)
      assert.deepEqual([await openings(), await findings()], [[], []])
    })

    const file = async (format: string, days: { from: number; to: number }): Promise<Buffer> => {
      const period = `connection=${CONNECTION.connection}&from=${dayText(days.from)}&to=${dayText(days.to)}`
      const url = `/api/v1/statements?${period}&format=${format}&language=en`
      const sent = service.app.inject({ method: 'GET', url, headers: head(shop.secretKey) })
      const { statusCode, rawPayload } = await service.clock.advanceUntil('file', sent)
      assert.equal(statusCode, 200, rawPayload.toString())
      return rawPayload
    }

    const read = (bytes: Buffer): string[][] =>
      parse(bytes, {
        bom: true,
        delimiter: ';',
        record_delimiter: '\r\n',
        relax_column_count: true,
      })

    it('every statement begins with it, and the page says how much of the wallet it is', async () => {
      await balanced([fee(1, -300), fee(0, -200)], OPENING)
      const days = { from: today() - 1, to: today() }
      const json = JSON.parse((await file('json', days)).toString())
      assert.deepEqual([json.opening, json.closing, json.other], [OPENING, OPENING - 500, 0])
      const csv = read(await file('csv', days))
      assert.equal(csv.find((line) => line[1] === 'Opening balance')?.[3], String(OPENING))
      const sheet = (await readSheet(await file('xlsx', days))) as unknown[][]
      assert.equal(sheet.find((line) => line[1] === 'Opening balance')?.[3], OPENING)
      const { statements } = await parseCamt053((await file('camt053', days)).toString())
      assert.deepEqual(
        statements[0]?.balances.map(({ amount }) => Number(amount.value)),
        [OPENING, OPENING - 500],
      )
      // The period in which it is booked has it as a movement.
      const before = { from: today() - 2, to: today() }
      const whole = JSON.parse((await file('json', before)).toString())
      assert.deepEqual([whole.opening, whole.other, whole.closing], [0, OPENING, OPENING - 500])
      const journal = read(await file('syscohada', before)).filter((line) =>
        line[4]?.startsWith('Balance before'),
      )
      assert.deepEqual(
        journal.map((line) => line.slice(3, 7)),
        [
          ['552', 'Balance before the first statement', String(OPENING), ''],
          ['471', 'Balance before the first statement', '', String(OPENING)],
        ],
      )
      assert.equal((await file('pdf', before)).subarray(0, 5).toString(), '%PDF-')
      const owner = await signedIn(service, { at: shop.merchantId, as: 'owner' })
      const { body } = await ask(service, `GET /accounts/${shop.accountId}/money`, owner)
      assert.deepEqual([body.whole.wallet, body.whole.opening], [OPENING - 500, OPENING])
    })

    it('karba statement import books it, and a second import does not', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'karba-openings-'))
      try {
        const name = join(folder, 'airtel.csv')
        const day = dayText(today() - 1)
        const rows = [`${day} 10:00:00,-300,fee,A1,999700`, `${day} 11:00:00,-200,fee,A2,999500`]
        writeFileSync(name, ['Date,Amount,Type,Reference,Balance', ...rows, ''].join('\n'))
        const { env } = service.place
        const { json } = commandsOn(env)
        assert.equal(
          (await spawnKarba(['statement', 'columns', 'sandbox/airtel_ne', name], env)).code,
          0,
        )
        for (const added of [2, 0]) {
          const { code, stdout, stderr } = await spawnKarba(
            ['statement', 'import', 'sandbox/airtel_ne', name, '--json'],
            env,
          )
          assert.deepEqual([code, JSON.parse(stdout).added], [0, added], stderr)
        }
        const { in_wallet, opening } = (await getFrom(service, shop.secretKey, '/balance')).body
        assert.deepEqual([in_wallet, opening], [OPENING - 500, OPENING])
        assert.deepEqual((await json('verify')).findings, [])
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })
}
