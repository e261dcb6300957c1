// A month for the accountant over HTTP on both stores: one ZIP of all connections, whose files
// agree to the franc.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseCamt053 } from 'camt-parser'
import { parse } from 'csv-parse/sync'
import { readSheet } from 'read-excel-file/node'
import { closeDifference } from '../../src/actions/books/close-difference.ts'
import {
  addMonths,
  dayOf,
  dayText,
  firstOfMonth,
  localTimeText,
  monthOf,
  startOfDay,
} from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, fillFile, type SignedIn, signedIn } from '../kit/people.ts'
import { pdfText, unzipped } from '../kit/read-files.ts'
import { head } from '../kit/service.ts'
import { openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, settledPayment, type VirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const DAY_MS = 86_400_000
const NAMES = ['Airtel Money (Niger)', 'MTN MoMo (Bénin)']

for (const store of STORES_IN_HALVES) {
  describe(`month for the accountant on ${store.name}`, () => {
    let service: VirtualService
    let books: ShopBooks
    let owner: SignedIn
    let month: string
    let closedAt: number
    before(async () => {
      service = await openVirtualService(store)
      books = await openShopBooks(service)
      const firstDay = firstOfMonth(dayOf(service.clock.now()))
      await service.clock.sleep(
        startOfDay(firstOfMonth(firstDay + 31)) + 10 * DAY_MS - service.clock.now(),
      )
      month = monthOf(service.clock.now())
      owner = await signedIn(service, { at: books.merchantId, as: 'owner' })
      await fillFile(service, owner, books.accountId)
    })
    after(() => service.remove())

    /** The clock passes: a long file has pauses. */
    const download = (asked: string) => {
      const url = `/api/v1/statements/package?${asked}`
      const sent = service.app.inject({ method: 'GET', url, headers: head(books.secretKey) })
      return service.clock.advanceUntil('file', sent)
    }

    const files = async (asked: string): Promise<Map<string, Buffer>> => {
      const { statusCode, rawPayload, body } = await download(asked)
      assert.equal(statusCode, 200, body)
      return unzipped(rawPayload)
    }

    it('is refused for a month that is not over, one without movements, and what is no month', async () => {
      await settledPayment(service, books.secretKey, { msisdn: SUCCEEDS, amount: 5_000 })
      const REFUSED: [asked: string, code: number, error: string][] = [
        [`month=${month}`, 422, 'month_not_over'],
        [`month=${addMonths(month, 1)}`, 422, 'month_not_over'],
        [`month=${addMonths(month, -1)}`, 422, 'period_without_movements'],
        ['month=2026-13', 400, 'statement_query_not_valid'],
        ['month=9999-12', 400, 'statement_query_not_valid'],
        ['', 400, 'statement_query_not_valid'],
        [`month=${month}&language=de`, 400, 'statement_query_not_valid'],
      ]
      for (const [asked, code, error] of REFUSED) {
        const { statusCode, headers } = await download(asked)
        assert.deepEqual([statusCode, headers['svc-error-code']], [code, error], asked)
      }
    })

    it('has six files of all connections, and nothing of the next month', async () => {
      const paid = await settledPayment(service, books.secretKey, {
        msisdn: SUCCEEDS,
        amount: 2_000,
      })
      await settledPayment(service, books.secretKey, {
        msisdn: SUCCEEDS,
        amount: 3_000,
        country: 'BJ',
      })
      // A line whose amount differs, and a second one.
      await books.run([
        books.lineOf(paid, { amountXof: 2_001, networkReference: '000123' }),
        books.lineOf(paid, { amountXof: 2_001, networkReference: 'again-1' }),
      ])
      const open = (
        await ask(service, `GET /accounts/${books.accountId}/books/differences?open=true`, owner)
      ).body
      const closing = open.rows.find(
        ({ line }: { line: { networkReference: string } }) => line.networkReference === '000123',
      )
      await service.clock.sleep(
        startOfDay(firstOfMonth(dayOf(service.clock.now()) + 31)) + DAY_MS - service.clock.now(),
      )
      closedAt = service.clock.now()
      // The wallet is the installation's: its staff decide.
      const exceptionId = closing.differenceId
      granted(
        await closeDifference(service, TESTER, {
          exceptionId,
          reason: 'other_income',
          note: '=MTN confirms 2,000',
        }),
      )
      await settledPayment(service, books.secretKey, { msisdn: SUCCEEDS, amount: 90_000 })
      const { headers } = await download(`month=${month}`)
      assert.equal(headers['content-type'], 'application/zip')
      assert.equal(
        headers['content-disposition'],
        `attachment; filename="comptabilite-${month}.zip"`,
      )
      const last = dayText(firstOfMonth(dayOf(Date.parse(`${month}-01`)) + 31) - 1)
      const whole = `releve-toutes-les-connexions-${month}-01-${last}`
      const extensions = ['pdf', 'csv', 'xlsx', 'camt053.xml', 'syscohada.csv']
      const names = [...(await files(`month=${month}`)).keys()]
      assert.deepEqual(names, [
        ...extensions.map((each) => `${whole}.${each}`),
        `ecarts-${month}.csv`,
      ])
    })

    it('every format has the same movements and balances, each with its connection', async () => {
      const [pdf, csv, xlsx, camt, journal] = [
        ...(await files(`month=${month}`)).values(),
      ] as Buffer[]
      const lines = readCsv(csv)
      const columns = lines.findIndex(([first]) => first === 'Connexion')
      const heading = lines.findIndex((line) => line[1] === 'Date et heure')
      assert.ok(columns !== -1 && heading > columns)
      const rows = lines.slice(heading + 1)
      assert.deepEqual([...new Set(rows.map(([connection]) => connection))], NAMES)
      const closings = lines
        .filter((line) => line[2] === 'Solde de clôture')
        .map((line) => [line[0], Number(line[4])])
      const sums = NAMES.map((name) => [
        name,
        sum(rows.filter(([each]) => each === name).map((row) => Number(row[3]))),
      ])
      assert.deepEqual(closings, sums)

      const sheet = (await readSheet(xlsx as Buffer)) as unknown[][]
      const cells = sheet.slice(sheet.findIndex((line) => line[1] === 'Date et heure') + 1)
      assert.deepEqual(
        cells.map((line) => [line[0], line[3], line[4]]),
        rows.map((row) => [row[0], Number(row[3]), Number(row[4])]),
      )

      const { statements } = await parseCamt053((camt as Buffer).toString())
      assert.deepEqual(
        statements.map(({ transactions }) => transactions.length),
        NAMES.map((name) => rows.filter(([each]) => each === name).length),
      )

      const entries = readCsv(journal).slice(1)
      const money = entries.filter(([, , , account]) => account === '552' || account === '4712')
      assert.equal(
        sum(money.map((line) => Number(line[5]) - Number(line[6]))),
        sum(sums.map(([, each]) => Number(each))),
      )

      assert.equal((pdf as Buffer).subarray(0, 5).toString(), '%PDF-')
      const text = pdfText(pdf as Buffer)
      if (text === undefined) return
      for (const shown of [
        'Awa SARL',
        'NE-1',
        'Plateau, Niamey',
        ...NAMES,
        '2 000',
        'sans argent réel',
      ])
        assert.ok(text.includes(shown), `${shown} in ${text}`)
    })

    it('each connection has its own account and journal where the merchant has set them', async () => {
      const at = `/accounts/${books.accountId}/connection-journals`
      // The first session has ended with the month.
      const keeper = await signedIn(service, { at: books.merchantId, as: 'owner' })
      const put = (connection: string, journal: string, electronicMoney: string) =>
        ask(service, `PUT ${at}`, keeper, { connection, journal, electronicMoney })
      assert.equal((await put('mtn_bj', '', '=1')).body.code, 'journal_account_not_valid')
      assert.equal((await put('of_nobody', '', '5521')).body.code, 'connection_not_found')
      for (const [connection, number] of [
        ['mtn_bj', '5521'],
        ['airtel_ne', '5522'],
      ] as const)
        assert.equal((await put(connection, connection === 'mtn_bj' ? 'MM' : '', number)).code, 200)
      const accountsIn = async (): Promise<string[]> => {
        const journal = [...(await files(`month=${month}`)).values()][4]
        return [
          ...new Set(
            readCsv(journal)
              .slice(1)
              .map(([, code, , account]) => `${code} ${account}`),
          ),
        ].sort()
      }
      const own = await accountsIn()
      assert.deepEqual(
        own.filter((each) => /55/.test(each)),
        ['ME 5522', 'MM 5521'],
      )
      const { rows } = (await ask(service, `GET ${at}`, keeper)).body
      assert.deepEqual(
        rows.map(({ connection, journal, electronicMoney }: Record<string, string>) => [
          connection,
          journal,
          electronicMoney,
        ]),
        [
          ['airtel_ne', '', '5522'],
          ['mtn_bj', 'MM', '5521'],
        ],
      )
      for (const { connection } of rows) assert.equal((await put(connection, '', '')).code, 200)
      assert.deepEqual(
        (await accountsIn()).filter((each) => /55/.test(each)),
        ['ME 552'],
      )
      const viewer = await signedIn(service, { at: books.merchantId, as: 'viewer' })
      assert.equal((await ask(service, `GET ${at}`, viewer)).code, 403)
    })

    it('the list of differences says who closed each and when, and opens as plain cells', async () => {
      const list = (await files(`month=${month}&language=en`)).get(`differences-${month}.csv`)
      const [headings = [], ...rows] = readCsv(list)
      const named = rows.map((row) =>
        Object.fromEntries(headings.map((name, at) => [name, row[at]])),
      )
      assert.deepEqual(
        named.map((row) => [
          row.Difference,
          row.State,
          row['Amount (XOF)'],
          row['Network reference'],
        ]),
        [
          ['Amount differs', 'open', '1', 'again-1'],
          // Its line was closed as something else.
          ['Missing from the network’s statement', 'open', '2000', ''],
          ['Amount differs', 'closed', '1', '="000123"'],
        ],
      )
      const closed = named.at(-1)
      assert.equal(closed?.['Closed on'], localTimeText(closedAt))
      assert.deepEqual(
        [closed?.['Closed by'], closed?.['What it was']],
        ['the service', 'Other income'],
      )
      assert.equal(closed?.Note, "'=MTN confirms 2,000")
    })

    it('is the same in the dashboard for those who see the books, and refused to others', async () => {
      const at = `/accounts/${books.accountId}/statement/package?month=${month}`
      const accountant = await signedIn(service, { at: books.merchantId, as: 'accountant' })
      const { code, headers } = await service.clock.advanceUntil(
        'file',
        ask(service, `GET ${at}`, accountant),
      )
      assert.deepEqual([code, headers['content-type']], [200, 'application/zip'])
      const cashier = await signedIn(service, { at: books.merchantId, as: 'cashier' })
      assert.equal((await ask(service, `GET ${at}`, cashier)).code, 403)
      const now = monthOf(service.clock.now())
      const refused = await ask(
        service,
        `GET /accounts/${books.accountId}/statement/package?month=${now}`,
        accountant,
      )
      assert.deepEqual([refused.code, refused.body.code], [422, 'month_not_over'])
    })
  })
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const readCsv = (file: Buffer | undefined): string[][] =>
  parse(file ?? '', {
    bom: true,
    delimiter: ';',
    record_delimiter: '\r\n',
    relax_column_count: true,
  })
