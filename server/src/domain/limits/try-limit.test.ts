// The limits of tries: how long a caller must wait after so many.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ACCOUNT_TRIES,
  accountCooldown,
  afterTry,
  FORGOTTEN_AFTER_MS,
  linkCooldown,
  NO_TRIES,
  numberCooldown,
  type PastAttempt,
  type Tries,
} from './try-limit.ts'

it('sign-in tries: a few tries are free, then each wait is twice the one before, up to the longest', () => {
  let tries: Tries = NO_TRIES
  const waits = Array.from({ length: 14 }, () => {
    tries = afterTry(tries, 1_000, ACCOUNT_TRIES)
    return tries.blockedUntil === 0 ? 0 : (tries.blockedUntil - 1_000) / 1_000
  })
  assert.deepEqual(waits, [0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900, 900, 900])
})

it('sign-in tries: a quiet day makes tries forgotten', () => {
  const many = { failures: 40, lastAt: 1_000, blockedUntil: 2_000 }
  assert.equal(afterTry(many, 1_001 + FORGOTTEN_AFTER_MS, ACCOUNT_TRIES).failures, 1)
  assert.equal(afterTry(many, FORGOTTEN_AFTER_MS, ACCOUNT_TRIES).failures, 41)
})

// The limits of D-60 as tables: earlier prompts, and how long the page must pause.

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 15, 9, 30)

/** Minutes ago, newest first; a number alone failed. */
const past = (...agos: (number | [ago: number, status: PastAttempt['status']])[]): PastAttempt[] =>
  agos.map((each) => {
    const [ago, status] = Array.isArray(each) ? each : [each, 'failed' as const]
    return { status, createdAt: NOW - ago * MINUTE }
  })

const inMinutes = (cooldown: { until: number } | undefined): number =>
  cooldown === undefined ? 0 : (cooldown.until - NOW) / MINUTE

const NUMBERS: [about: string, attempts: PastAttempt[], minutes: number][] = [
  ['never prompted', [], 0],
  ['two that were not approved', past(0, 1), 0],
  ['three in ten minutes', past(0, 1, 4), 6],
  ['the third ten minutes ago', past(0, 1, 10), 0],
  ['three, and one approved since', past([0, 'succeeded'], 1, 2, 3), 0],
  ['two after an approved one', past(0, 1, [2, 'succeeded'], 3, 4), 0],
  ['one pending', past([5, 'pending']), 1],
  ['five, spread out', past(0, 11, 22, 33, 44), 0],
  ['six, spread out', past(0, 11, 22, 33, 44, 55), 20],
  ['nine', past(5, 26, 47, 68, 89, 110, 131, 152, 173), 35],
  ['eighteen', past(...Array.from({ length: 18 }, (_, at) => at * 60)), 120],
]
/** Attempts, minutes since the last, and minutes to pause. */
const LINKS = ['0 0 0', '9 0 0', '10 0 1', '10 1 0', '11 0 2', '13 3 5', '16 0 60', '400 0 60']

for (const [about, attempts, minutes] of NUMBERS)
  it(`prompt limits: a number pauses ${minutes} minutes with ${about}`, () =>
    assert.equal(inMinutes(numberCooldown(attempts, NOW)), minutes))

for (const row of LINKS) {
  const [attempts, ago, minutes] = row.split(' ').map(Number) as [number, number, number]
  it(`prompt limits: a link pauses ${minutes} minutes after ${attempts} attempts, the last ${ago} minutes ago`, () => {
    const attemptAt = attempts === 0 ? null : NOW - ago * MINUTE
    assert.equal(inMinutes(linkCooldown({ attempts, attemptAt }, NOW)), minutes)
  })
}

const failed = (count: number): PastAttempt[] => past(...Array.from({ length: count }, () => 4))

it('prompt limits: the pages of an account continue with 59 unapproved prompts, and pause with 60 until the first is ten minutes old', () =>
  assert.deepEqual(
    [accountCooldown(failed(59), NOW), inMinutes(accountCooldown(failed(60), NOW))],
    [undefined, 6],
  ))

it('prompt limits: the pages of an account may have one more for each that was approved, pending ones too', () => {
  const busy = [
    ...past([0, 'pending']),
    ...failed(100),
    ...past(...Array(42).fill([1, 'succeeded'])),
  ]
  assert.equal(accountCooldown(busy, NOW), undefined)
  assert.equal(inMinutes(accountCooldown(busy.slice(0, -1).concat(past(5)), NOW)), 6)
})
