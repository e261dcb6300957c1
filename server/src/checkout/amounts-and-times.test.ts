// Amounts and times, as they are written on a receipt.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSameDay, largeAmount, writeAmount, writeDay, writeTime } from './amounts-and-times.ts'

const AMOUNTS: [amountXof: number, french: string, english: string][] = [
  [25, '25\u00a0F CFA', '25\u00a0F CFA'],
  [999, '999\u00a0F CFA', '999\u00a0F CFA'],
  [15_000, '15\u00a0000\u00a0F CFA', '15,000\u00a0F CFA'],
  [100_000, '100\u00a0000\u00a0F CFA', '100,000\u00a0F CFA'],
  [999_999_999, '999\u00a0999\u00a0999\u00a0F CFA', '999,999,999\u00a0F CFA'],
]

const TIMES: [utc: number, french: string, english: string][] = [
  [Date.UTC(2026, 10, 15, 9, 30), '15\u00a0novembre 2026 10h30', '15\u00a0November 2026 10:30'],
  [Date.UTC(2026, 0, 31, 23, 5), '1er\u00a0février 2026 0h05', '1\u00a0February 2026 0:05'],
  [Date.UTC(2026, 11, 31, 22, 59), '31\u00a0décembre 2026 23h59', '31\u00a0December 2026 23:59'],
  [Date.UTC(2026, 11, 31, 23, 0), '1er\u00a0janvier 2027 0h00', '1\u00a0January 2027 0:00'],
]

describe('an amount', () => {
  for (const [amountXof, french, english] of AMOUNTS) {
    it(`of ${amountXof} is written ${french}`, () => {
      assert.equal(writeAmount(amountXof, 'fr'), french)
      assert.equal(writeAmount(amountXof, 'en'), english)
    })
  }

  it('is smaller on the page when it is long', () => {
    assert.match(`${largeAmount(999_999, 'fr')}`, /class="sum"/)
    assert.match(`${largeAmount(1_000_000, 'fr')}`, /class="sum long"/)
  })
})

describe('a time, one hour ahead of UTC all year', () => {
  for (const [utc, french, english] of TIMES) {
    it(`is ${french}`, () => {
      assert.equal(`${writeDay(utc, 'fr')} ${writeTime(utc, 'fr')}`, french)
      assert.equal(`${writeDay(utc, 'en')} ${writeTime(utc, 'en')}`, english)
    })
  }

  it('is of another day from midnight there, not from midnight UTC', () => {
    assert.equal(isSameDay(Date.UTC(2026, 10, 15, 22, 59), Date.UTC(2026, 10, 15, 23, 0)), false)
    assert.equal(isSameDay(Date.UTC(2026, 10, 15, 23, 0), Date.UTC(2026, 10, 16, 22, 59)), true)
  })
})
