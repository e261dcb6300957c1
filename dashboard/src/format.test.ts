// Amounts, counts, sizes, days and numbers as the pages write them, in both languages.
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import {
  dayName,
  dotted,
  endOf,
  formatBytes,
  formatChange,
  formatDay,
  formatMonth,
  formatPercent,
  formatPhone,
  formatShortCount,
  formatSignedAmount,
  formatTimeWithSeconds,
  isSameDay,
  setLanguage,
  startOf,
} from './format.ts'

afterEach(() => setLanguage('fr'))

/** Spaces that do not break are shown as ~. */
const shown = (text: string): string => text.replace(/[\u00a0\u202f]/g, '~')

const WRITTEN: readonly [what: string, write: () => string, fr: string, en: string][] = [
  ['a small count', () => formatShortCount(9_999), '9~999', '9,999'],
  ['thousands', () => formatShortCount(350_000), '350~k', '350~k'],
  ['millions', () => formatShortCount(1_200_000), '1,2~M', '1.2~M'],
  ['whole millions', () => formatShortCount(4_000_000), '4~M', '4~M'],
  ['milliards', () => formatShortCount(4_000_000_000), '4~Md', '4~bn'],
  ['a percentage', () => formatPercent(0.035), '3,5~%', '3.5%'],
  ['nothing of a hundred', () => formatPercent(0), '0~%', '0%'],
  ['nearly all', () => formatPercent(0.9996), '100~%', '100%'],
  ['a rise', () => formatChange(0.12), '+12,0~%', '+12.0%'],
  ['a fall', () => formatChange(-0.035), '−3,5~%', '−3.5%'],
  ['a few bytes', () => formatBytes(12), '1~ko', '1~kB'],
  ['kilobytes', () => formatBytes(35_400), '35~ko', '35~kB'],
  ['megabytes', () => formatBytes(1_250_000), '1,3~Mo', '1.3~MB'],
  ['a month', () => formatMonth('2026-02'), 'février 2026', 'February 2026'],
  [
    'the first of a past year',
    () => formatDay(startOf('2020-03-01')),
    '1er~mars 2020',
    '1~Mar 2020',
  ],
]

for (const [what, write, fr, en] of WRITTEN)
  it(`format: ${what} in both languages`, () => {
    assert.equal(shown(write()), fr)
    setLanguage('en')
    assert.equal(shown(write()), en)
  })

it('format: money in has a plus, money out a minus, and zero no sign', () => {
  assert.match(formatSignedAmount(500), /^\+500/)
  assert.match(formatSignedAmount(-500), /^\u2212500/)
  assert.match(formatSignedAmount(0), /^0/)
})

it('format: empty parts get no dot', () =>
  assert.equal(shown(dotted('one', null, '', undefined, false, 'two')), 'one ·~two'))

const PHONES: readonly [msisdn: string, shown: string][] = [
  ['22790123456', '+227~90~12~34~56'],
  ['2290190123456', '+229~01~90~12~34~56'],
  ['40410000101', '404~10~00~01~01'],
]

for (const [msisdn, text] of PHONES)
  it(`format: the number ${msisdn} is shown in pairs`, () =>
    assert.equal(shown(formatPhone(msisdn)), text))

it('format: a day is one of UTC+1, with its first moment and that of the next one', () => {
  assert.equal(startOf('2026-11-15'), Date.parse('2026-11-14T23:00:00Z'))
  assert.equal(endOf('2026-11-15'), Date.parse('2026-11-15T23:00:00Z'))
  assert.equal(dayName(startOf('2026-11-15')), '2026-11-15')
  assert.equal(dayName(startOf('2026-11-15') - 1), '2026-11-14')
  assert.equal(isSameDay(startOf('2026-11-15'), endOf('2026-11-15') - 1), true)
  assert.equal(isSameDay(startOf('2026-11-15'), endOf('2026-11-15')), false)
  assert.equal(formatTimeWithSeconds(startOf('2026-11-15') + 3_723_000), '01:02:03')
})
