// When statements are ready: at 06:00 local time, each day, and each month after its last day.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayText } from '../countries/business-day.ts'
import { periodOf, periodsReady } from './account-statement.ts'

const CASES: readonly [now: string, ready: string[]][] = [
  ['2026-11-17T04:59:59Z', ['day 2026-11-13', 'day 2026-11-14', 'day 2026-11-15']],
  ['2026-11-17T05:00:00Z', ['day 2026-11-14', 'day 2026-11-15', 'day 2026-11-16']],
  [
    '2026-12-01T05:00:00Z',
    ['day 2026-11-28', 'day 2026-11-29', 'day 2026-11-30', 'month 2026-11-01'],
  ],
  [
    '2027-03-02T05:00:00Z',
    ['day 2027-02-27', 'day 2027-02-28', 'month 2027-02-01', 'day 2027-03-01'],
  ],
]

for (const [now, ready] of CASES) {
  it(`ready statements at ${now}`, () => {
    const found = periodsReady(Date.parse(now)).map(
      ({ period, firstDay }) => `${period} ${dayText(firstDay)}`,
    )
    assert.deepEqual(found, ready)
  })
}

it('ready statements: a month ends with its last day', () => {
  for (const [first, last] of [
    ['2026-11-01', '2026-11-30'],
    ['2026-12-01', '2026-12-31'],
    ['2027-02-01', '2027-02-28'],
    ['2028-02-01', '2028-02-29'],
  ] as const) {
    const { lastDay } = periodOf('month', Date.parse(first) / 86_400_000)
    assert.equal(dayText(lastDay), last)
  }
})
