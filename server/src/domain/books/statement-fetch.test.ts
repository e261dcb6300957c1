// Fetched statements: which days are due, which file is another day's, and when a failed one is
// tried again.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayOf, startOfDay } from '../countries/business-day.ts'
import {
  daysToFetch,
  FETCH_FAULTS,
  fetchFailure,
  isOfOtherDays,
  lastReadyDay,
  lookedAtAgainAfter,
  MOST_FETCHED_DAYS,
  overdueBefore,
  READ_WITHIN_MS,
  readyAt,
  retriedAfter,
  StatementBrokeOff,
} from './statement-fetch.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const TODAY = dayOf(Date.parse('2026-11-19T12:00:00Z'))
const at = (hours: number): number => startOfDay(TODAY) + hours * HOUR_MS

describe('fetched statements: days', () => {
  it('a day is ready two hours after its end', () => {
    assert.equal(readyAt(TODAY - 1), at(2))
    assert.equal(lastReadyDay(at(2)), TODAY - 1)
    assert.equal(lastReadyDay(at(2) - 1), TODAY - 2)
  })

  for (const [about, firstDay, days] of [
    ['never fetched', undefined, [1]],
    ['fetched up to the day before', TODAY - 1, [1]],
    ['of the future', TODAY + 5, [1]],
    ['two days behind', TODAY - 3, [3, 2, 1]],
    ['a month behind', TODAY - 30, [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
  ] as const)
    it(`a connection ${about} fetches ${days.length} days, the oldest first`, () =>
      assert.deepEqual(
        daysToFetch(at(12), firstDay),
        days.map((back) => TODAY - back),
      ))

  it('a day is overdue two days after the newest complete one', () =>
    assert.equal(overdueBefore(at(12)), TODAY - 2))

  it('networks give a month at once, and reading one ends within 8 minutes', () =>
    assert.deepEqual([MOST_FETCHED_DAYS, READ_WITHIN_MS], [31, 480_000]))

  const NEAR = 15 * MINUTE_MS
  const [from, to] = [startOfDay(100), startOfDay(103)]
  for (const [about, firstAt, lastAt, repeatedDays, isOther] of [
    ['within', from, to - 1, 0, false],
    ['that ends just before', from - HOUR_MS, from - NEAR, 0, false],
    ['that ends too early', from - HOUR_MS, from - NEAR - 1, 0, true],
    ['that ends too early, of repeated days', from - HOUR_MS, from - NEAR - 1, 1, false],
    ['that begins just after', to + NEAR - 1, to + HOUR_MS, 0, false],
    ['that begins too late', to + NEAR, to + HOUR_MS, 0, true],
  ] as const)
    it(`a file ${about} is ${isOther ? '' : 'not '}of other days`, () =>
      assert.equal(
        isOfOtherDays({ firstDay: 100, lastDay: 102, repeatedDays }, { firstAt, lastAt }),
        isOther,
      ))
})

describe('fetched statements: tries', () => {
  it('a failed one is tried again for three days, ever later', () => {
    const tries = Array.from({ length: 10 }, (_, failures) => retriedAfter(failures))
    const hours = [5 / 60, 15 / 60, 1, 3, 6, 12, 24, 24].map((each) => Math.round(each * HOUR_MS))
    assert.deepEqual(tries, [undefined, ...hours, undefined])
  })

  for (const [ageMs, after] of [
    [0, 5_000],
    [10_000, 5_000],
    [60_000, 30_000],
    [20 * MINUTE_MS, 10 * MINUTE_MS],
    [HOUR_MS, 10 * MINUTE_MS],
    [6 * HOUR_MS - 1, 10 * MINUTE_MS],
    [6 * HOUR_MS, undefined],
  ] as const)
    it(`one that was asked for ${ageMs} ms ago is looked at after ${after} ms`, () =>
      assert.equal(lookedAtAgainAfter(1_000, 1_000 + ageMs), after))

  it('a failure has its fault, and details of 200 characters without card numbers', () => {
    assert.deepEqual(FETCH_FAULTS, [
      'not_reached',
      'credentials_refused',
      'request_refused',
      'not_made',
      'answer_not_valid',
      'address_refused',
      'download_failed',
      'statement_refused',
    ])
    const failure = fetchFailure('not_made', 'x'.repeat(201))
    assert.deepEqual(failure, { is: 'failed', fault: 'not_made', why: 'x'.repeat(200) })
    assert.doesNotMatch(fetchFailure('not_made', 'card 4111111111111111').why, /4111111111111111/)
    const error = new StatementBrokeOff(failure)
    assert.equal(error.failure, failure)
    assert.equal(error.name, 'StatementBrokeOff')
  })
})
