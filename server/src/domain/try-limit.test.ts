// How long a caller must wait after so many tries.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ACCOUNT_TRIES, afterTry, FORGOTTEN_AFTER_MS, NO_TRIES, type Tries } from './try-limit.ts'

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
