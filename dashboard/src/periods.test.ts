// Periods by name, and the period before each, by the clock of the books (UTC+1).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayName, endOf, startOf } from './format.ts'
import { momentsBefore, type Period, type Preset, periodOf } from './periods.ts'

/** A Thursday. */
const NOW = Date.parse('2026-11-19T10:30:00+01:00')

const PERIODS: readonly [preset: Preset, from: string, to: string][] = [
  ['today', '2026-11-19', '2026-11-19'],
  ['yesterday', '2026-11-18', '2026-11-18'],
  ['week', '2026-11-16', '2026-11-19'],
  ['month', '2026-11-01', '2026-11-19'],
  ['lastMonth', '2026-10-01', '2026-10-31'],
]

for (const [preset, from, to] of PERIODS)
  it(`periods: ${preset} is from ${from} to ${to}`, () =>
    assert.deepEqual(periodOf(preset, NOW), { from, to }))

it('periods: a week begins on Monday, also on a Monday and on a Sunday', () => {
  const onDay = (day: string): Period => periodOf('week', startOf(day))
  assert.deepEqual(onDay('2026-11-16'), { from: '2026-11-16', to: '2026-11-16' })
  assert.deepEqual(onDay('2026-11-22'), { from: '2026-11-16', to: '2026-11-22' })
})

it('periods: the month before January is December of the year before', () =>
  assert.deepEqual(periodOf('lastMonth', startOf('2027-01-05')), {
    from: '2026-12-01',
    to: '2026-12-31',
  }))

/** The first day of the period before, and its last one. */
const WHOLE: readonly [what: string, period: Period, from: string, to: string][] = [
  ['a day', { from: '2026-11-10', to: '2026-11-10' }, '2026-11-09', '2026-11-09'],
  ['a week', { from: '2026-11-09', to: '2026-11-15' }, '2026-11-02', '2026-11-08'],
  ['a month', { from: '2026-10-01', to: '2026-10-31' }, '2026-09-01', '2026-09-30'],
  ['ten days', { from: '2026-10-11', to: '2026-10-20' }, '2026-10-01', '2026-10-10'],
]

for (const [what, period, from, to] of WHOLE)
  it(`periods: before ${what} that is over comes all of the one before`, () => {
    const before = momentsBefore(period, NOW)
    assert.equal(before.from, startOf(from))
    assert.equal(before.to, endOf(to))
  })

it('periods: a day, week and month that are not over are compared up to the same time', () => {
  const PASSED = NOW - startOf('2026-11-19')
  const cases: [Preset, from: string, last: string][] = [
    ['today', '2026-11-18', '2026-11-18'],
    ['week', '2026-11-09', '2026-11-12'],
    ['month', '2026-10-01', '2026-10-19'],
  ]
  for (const [preset, from, last] of cases) {
    const before = momentsBefore(periodOf(preset, NOW), NOW)
    assert.deepEqual(before, { from: startOf(from), to: startOf(last) + PASSED }, preset)
    assert.equal(dayName(before.to), last)
  }
})
