// Periods of the list of payments, by name, and the period that each is compared with.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { momentsBefore, type Period, type Preset, periodOf } from '../../../dashboard/src/periods.ts'

/** A Wednesday. */
const NOW = Date.parse('2026-03-04T10:30:00+01:00')

const at = (text: string): number => Date.parse(`${text}:00+01:00`)

const PERIODS: [preset: Preset, period: Period, before: [from: string, to: string]][] = [
  ['today', { from: '2026-03-04', to: '2026-03-04' }, ['2026-03-03T00:00', '2026-03-03T10:30']],
  ['yesterday', { from: '2026-03-03', to: '2026-03-03' }, ['2026-03-02T00:00', '2026-03-03T00:00']],
  ['week', { from: '2026-03-02', to: '2026-03-04' }, ['2026-02-23T00:00', '2026-02-25T10:30']],
  ['month', { from: '2026-03-01', to: '2026-03-04' }, ['2026-02-01T00:00', '2026-02-04T10:30']],
  ['lastMonth', { from: '2026-02-01', to: '2026-02-28' }, ['2026-01-01T00:00', '2026-02-01T00:00']],
]
for (const [preset, period, [from, to]] of PERIODS)
  it(`periods: ${preset} and the period before it`, () => {
    assert.deepEqual(periodOf(preset, NOW), period)
    assert.deepEqual(momentsBefore(period, NOW), { from: at(from), to: at(to) })
  })

it('periods: just after midnight in Niamey it is the new day', () => {
  assert.equal(periodOf('today', Date.parse('2026-03-03T23:01:00Z')).from, '2026-03-04')
})

it('periods: ten days are compared with the ten days before', () => {
  const before = momentsBefore({ from: '2026-02-05', to: '2026-02-14' }, NOW)
  assert.deepEqual(before, { from: at('2026-01-26T00:00'), to: at('2026-02-05T00:00') })
})
