// Balances of a statement in either order, and the first line that contradicts them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { StatementLine, StatementTotals } from '../domain/books/statement.ts'
import { StatementRefused } from './limits.ts'
import { createTotalsCheck } from './totals-check.ts'

type Part = readonly [
  amountXof: number,
  balanceXof: number | null,
  feeXof?: number,
  taxXof?: number,
]

const lineOf = (
  [amountXof, balanceXof, feeXof = 0, taxXof = 0]: Part,
  line: number,
  bookedAt: number,
): StatementLine => ({
  line,
  bookedAt,
  day: 0,
  type: 'other',
  amountXof,
  feeXof,
  taxXof,
  balanceXof,
  networkReference: '',
  ourReference: '',
  counterparty: '',
  text: '',
})

function totalsOf(parts: readonly Part[], isNewestFirst = false): StatementTotals {
  const check = createTotalsCheck()
  for (const [at, part] of parts.entries())
    check.add(lineOf(part, at + 2, isNewestFirst ? -at : at))
  return check.totals()
}

const SUMS: readonly [
  about: string,
  parts: Part[],
  openingXof: number | null,
  closingXof: number | null,
][] = [
  ['no lines', [], null, null],
  [
    'no balances',
    [
      [500, null],
      [-200, null],
    ],
    null,
    null,
  ],
  ['one line', [[500, 1_500]], 1_000, 1_500],
  [
    'the oldest line first',
    [
      [500, 1_500],
      [-200, 1_300],
      [100, 1_400],
    ],
    1_000,
    1_400,
  ],
  [
    'the newest line first',
    [
      [100, 1_400],
      [-200, 1_300],
      [500, 1_500],
    ],
    1_000,
    1_400,
  ],
  [
    'fees and taxes',
    [
      [500, 1_490, 8, 2],
      [1_000, 2_470, 20],
    ],
    1_000,
    2_470,
  ],
  [
    'lines without a balance, the oldest first',
    [
      [500, null],
      [-200, 1_300],
      [100, null],
      [50, 1_450],
      [1, null],
    ],
    1_000,
    1_451,
  ],
  [
    'lines without a balance, the newest first',
    [
      [1, null],
      [50, 1_450],
      [100, null],
      [-200, 1_300],
      [500, null],
    ],
    1_000,
    1_451,
  ],
  ['a wallet that ends empty', [[-1_000, 0]], 1_000, 0],
]

for (const [about, parts, openingXof, closingXof] of SUMS) {
  it(`statement balances: ${about}`, () => {
    assert.deepEqual(totalsOf(parts), { lines: parts.length, openingXof, closingXof })
  })
}

it('statement balances: times decide where both orders are possible', () => {
  const parts: Part[] = [
    [100, 100],
    [-100, 0],
  ]
  assert.deepEqual(totalsOf(parts), { lines: 2, openingXof: 0, closingXof: 0 })
  assert.deepEqual(totalsOf(parts, true), { lines: 2, openingXof: 100, closingXof: 100 })
})

const WRONG: readonly [
  about: string,
  parts: Part[],
  line: number,
  expectedXof: number,
  foundXof: number,
][] = [
  [
    'a balance with another figure',
    [
      [500, 1_500],
      [-200, 1_301],
    ],
    3,
    1_300,
    1_301,
  ],
  [
    'a line that is missing, the oldest first',
    [
      [500, 1_500],
      [-200, 1_300],
      [100, 1_900],
    ],
    4,
    1_400,
    1_900,
  ],
  [
    'a line that is missing, the newest first',
    [
      [100, 1_400],
      [-200, 1_300],
      [500, 1_600],
    ],
    4,
    1_500,
    1_600,
  ],
  [
    'a line that stands twice',
    [
      [500, 1_500],
      [500, 1_500],
    ],
    3,
    2_000,
    1_500,
  ],
  [
    'a fee that is not in the balance',
    [
      [500, 1_500, 5],
      [500, 2_000, 5],
    ],
    3,
    1_995,
    2_000,
  ],
]

for (const [about, parts, line, expectedXof, foundXof] of WRONG) {
  it(`statement balances: ${about} is refused`, () => {
    assert.throws(
      () => totalsOf(parts),
      (error) => {
        assert.ok(error instanceof StatementRefused)
        assert.deepEqual(error.fault, {
          fault: 'balance_does_not_add_up',
          line,
          expectedXof,
          foundXof,
        })
        return true
      },
    )
  })
}

it('statement balances: sums beyond exact integers are refused', () => {
  const parts = Array.from({ length: 9_100 }, (): Part => [999_999_999_999, null])
  assert.throws(() => totalsOf(parts), StatementRefused)
})

const changes = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), {
  minLength: 1,
  maxLength: 30,
})
const francs = fc.integer({ min: -1_000_000, max: 1_000_000 })

it('statement balances: any statement adds up in both orders, and not with one balance changed', () => {
  fc.assert(
    fc.property(changes, francs, fc.nat(), fc.boolean(), (amounts, opening, at, isNewestFirst) => {
      let balance = opening
      const parts = amounts.map((amount): Part => {
        balance += amount
        return [amount, balance]
      })
      const listed = isNewestFirst ? parts.toReversed() : parts
      assert.deepEqual(totalsOf(listed, isNewestFirst), {
        lines: parts.length,
        openingXof: opening,
        closingXof: balance,
      })
      if (listed.length < 3) return
      const [amount = 0, found] = listed[at % listed.length] as Part
      // Larger than all changes together, so that no other order explains it.
      const wrong = listed.with(at % listed.length, [amount, (found ?? 0) + 100_000_000])
      assert.throws(() => totalsOf(wrong, isNewestFirst), StatementRefused)
    }),
    { numRuns: 1_000, seed: 1 },
  )
})
