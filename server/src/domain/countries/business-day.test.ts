// A day begins at 23:00 UTC of the day before.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayOf, dayText, localTimeText, startOfDay, zonedTimeText } from './business-day.ts'

const BEFORE_MIDNIGHT = Date.UTC(2026, 2, 30, 22, 59, 59)
const MIDNIGHT = Date.UTC(2026, 2, 30, 23)

it('business days: a day of Niamey and Porto-Novo begins an hour before that of UTC', () => {
  assert.deepEqual(
    [dayText(dayOf(BEFORE_MIDNIGHT)), dayText(dayOf(MIDNIGHT))],
    ['2026-03-30', '2026-03-31'],
  )
  assert.equal(startOfDay(dayOf(MIDNIGHT)), MIDNIGHT)
})

it('business days: a time is written as spreadsheets in French read it', () => {
  assert.equal(localTimeText(BEFORE_MIDNIGHT), '30/03/2026 23:59:59')
  assert.equal(localTimeText(MIDNIGHT), '31/03/2026 00:00:00')
})

it('business days: a time with its zone has the local day', () => {
  assert.equal(zonedTimeText(BEFORE_MIDNIGHT), '2026-03-30T23:59:59+01:00')
  assert.equal(zonedTimeText(MIDNIGHT), '2026-03-31T00:00:00+01:00')
})
