// Expected fees: whole francs, within the tariff's limits.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  expectedFee,
  isTariff,
  ROUNDINGS,
  rateText,
  readRate,
  type Tariff,
  tariffOn,
} from './tariff.ts'

const NONE: Tariff = { rate: 0, fixedXof: 0, minimumXof: 0, maximumXof: null, rounding: 'up' }

describe('tariffs', () => {
  const FEES: [about: string, amountXof: number, tariff: Partial<Tariff>, fee: number][] = [
    ['1.5 % of a round amount', 10_000, { rate: 1_500 }, 150],
    ['a part of a franc, rounded up', 333, { rate: 1_500 }, 5],
    ['a part of a franc, rounded down', 333, { rate: 1_500, rounding: 'down' }, 4],
    ['half a franc, to the nearest', 100, { rate: 1_500, rounding: 'nearest' }, 2],
    ['less than half a franc, to the nearest', 96, { rate: 1_500, rounding: 'nearest' }, 1],
    ['a fixed part', 1_000, { rate: 1_000, fixedXof: 25 }, 35],
    ['the minimum', 100, { rate: 1_000, minimumXof: 50 }, 50],
    ['the maximum', 1_000_000, { rate: 2_000, maximumXof: 5_000 }, 5_000],
    ['never more than the amount', 30, { fixedXof: 100 }, 30],
    ['nothing without a rate', 10_000, {}, 0],
    ['the largest amount', 99_999_999, { rate: 25_000 }, 25_000_000],
  ]
  for (const [about, amountXof, tariff, fee] of FEES) {
    it(`expected fee: ${about}`, () =>
      assert.equal(expectedFee(amountXof, { ...NONE, ...tariff }), fee))
  }

  it('an expected fee is a whole number between nothing and the amount, and equals exact arithmetic', () => {
    const tariff = fc.record({
      rate: fc.integer({ min: 0, max: 25_000 }),
      rounding: fc.constantFrom(...ROUNDINGS),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999_999 }),
        tariff,
        (amountXof, { rate, rounding }) => {
          const product = BigInt(amountXof) * BigInt(rate)
          const exact =
            { up: product + 99_999n, down: product, nearest: product + 50_000n }[rounding] /
            100_000n
          const fee = expectedFee(amountXof, { ...NONE, rate, rounding })
          assert.equal(BigInt(fee), exact < BigInt(amountXof) ? exact : BigInt(amountXof))
        },
      ),
    )
  })

  it('the tariff of a day is the latest that began by then', () => {
    const tariffs = [
      { ...NONE, fromDay: 10, rate: 1 },
      { ...NONE, fromDay: 20, rate: 2 },
    ]
    assert.deepEqual(
      [9, 10, 19, 20, 99].map((day) => tariffOn(tariffs, day)?.rate),
      [undefined, 1, 1, 2, 2],
    )
  })

  it('rates are read from percent, and written back', () => {
    const read = ['1.5', '1,5%', '0.125 %', '2', '25', '1.2345', '-1', '', '1e3', '100'].map(
      readRate,
    )
    assert.deepEqual(read, [
      1_500,
      1_500,
      125,
      2_000,
      25_000,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    assert.deepEqual([1_500, 125, 2_000, 0].map(rateText), ['1.5 %', '0.125 %', '2 %', '0 %'])
  })

  it('a tariff outside its limits is refused', () => {
    const wrong: Partial<Tariff>[] = [
      { rate: -1 },
      { rate: 25_001 },
      { rate: 0.5 },
      { fixedXof: -1 },
      { fixedXof: 1.5 },
      { minimumXof: 100, maximumXof: 50 },
      { maximumXof: 1_000_001 },
    ]
    assert.deepEqual(
      wrong.filter((each) => isTariff({ ...NONE, ...each })),
      [],
    )
    assert.equal(isTariff(NONE), true)
  })
})
