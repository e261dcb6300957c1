// A line that two files have is one, on both stores, in whatever form each file writes it; lines
// that only look alike are two.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { textOf } from '../../src/store/engine/database.ts'
import { migrations } from '../../src/store/engine/migrate.ts'
import { shared } from '../kit/shared.ts'
import { openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Change = (line: StatementLine) => Partial<StatementLine>

/** The same line in another file. */
const OTHER_FORMS: [about: string, change: Change][] = [
  ['minutes without seconds', ({ bookedAt }) => ({ bookedAt: bookedAt - (bookedAt % MINUTE_MS) })],
  [
    'a reference as a spreadsheet writes a number',
    ({ networkReference }) => ({ networkReference: `${networkReference}.0` }),
  ],
  [
    'a reference in capitals with blanks',
    ({ networkReference }) => ({ networkReference: ` ${networkReference.toUpperCase()} ` }),
  ],
  ['other texts, and no fee column', () => ({ text: 'Payment', counterparty: '', feeXof: 0 })],
]

/** Another line that shares the reference on purpose. */
const OTHER_LINES: [about: string, change: Change][] = [
  ['its fee', () => ({ type: 'fee', amountXof: -15 })],
  ['its reversal', ({ amountXof }) => ({ amountXof: -amountXof })],
  ['another type', () => ({ type: 'withheld', amountXof: -300 })],
  ['another amount', () => ({ amountXof: 1_499 })],
  ['another day', ({ bookedAt, day }) => ({ bookedAt: bookedAt + DAY_MS, day: day + 1 })],
]

for (const store of STORES_IN_HALVES) {
  describe(`identity of lines on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    let nth = 9_000_000_000
    beforeEach(async () => {
      shop = await openShopBooks(service)
    })

    const lineNamed = async (changes: Partial<StatementLine> = {}): Promise<StatementLine> =>
      shop.lineOf(await shop.settled(), { networkReference: `${++nth}`, ...changes })
    const added = async (...lines: StatementLine[]): Promise<number> =>
      (await shop.run(lines)).added

    for (const [about, change] of OTHER_FORMS) {
      it(`the same line in another form adds nothing: ${about}`, async () => {
        const line = await lineNamed({ feeXof: 15 })
        assert.equal(await added(line), 1)
        assert.equal(await added({ ...line, ...change(line) }), 0)
        assert.equal(
          await added({ ...line, ...change(line) }, { ...line, text: 'twice in this file' }),
          1,
        )
      })
    }

    for (const [about, change] of OTHER_LINES) {
      it(`a line with the reference of another is a line of its own: ${about}`, async () => {
        const line = await lineNamed()
        assert.equal(await added(line), 1)
        assert.equal(await added({ ...line, ...change(line) }), 1)
      })
    }

    it('equal lines without a reference are two in files of different days, and one in files of one day', async () => {
      const line = shop.lineOf('', { type: 'fee', amountXof: -100, text: `charge ${++nth}` })
      const nextDay = { ...line, bookedAt: line.bookedAt + DAY_MS, day: line.day + 1 }
      assert.equal(await added(line, line), 2)
      assert.equal(await added(line), 0)
      assert.equal(await added(nextDay), 1)
    })

    it('a word in the column of references is no reference', async () => {
      const line = shop.lineOf('', {
        type: 'fee',
        amountXof: -100,
        networkReference: 'Charges',
        text: `${++nth}`,
      })
      assert.equal(await added(line), 1)
      assert.equal(await added({ ...line, bookedAt: line.bookedAt + MINUTE_MS }), 1)
    })

    it('the letter O for a zero in our reference is no difference', async () => {
      const reference = await shop.settled()
      const typed = reference.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I')
      assert.deepEqual((await shop.run([shop.lineOf(typed)])).exceptions, {})
      assert.deepEqual(await shop.balance(), { in_wallet: 1_500 })
    })

    it('lines of an older server have their identities after the migration, and are found by exact repeats before', async () => {
      const line = await lineNamed()
      const twice = await lineNamed({ networkReference: `MP${nth}.0` })
      await added(
        line,
        twice,
        { ...twice, text: 'again' },
        shop.lineOf('', { networkReference: 'Frais' }),
      )
      const identities = () =>
        service.db.read<object>(
          'select line_number, network_identity from statement_lines order by line_number',
        )
      const written = await identities()
      await service.db.change('update statement_lines set network_identity = null')
      assert.equal(await added(line), 0)
      const { sql = '' } = migrations().find(({ name }) => name.startsWith('0013')) ?? {}
      const [update = ''] = /^update [^;]*/m.exec(textOf(sql, 'sqlite')) ?? []
      await service.db.change(update)
      assert.deepEqual(await identities(), written)
      assert.equal(await added({ ...line, bookedAt: line.bookedAt + 1 }), 0)
    })
  })
}
