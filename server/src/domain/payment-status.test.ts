// The moves of a payment are those of spec §3 and D-14, and no other.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isFinal, MOVES, STATUSES } from './payment-status.ts'

/** D-14, line by line. */
const ALLOWED = [
  'initiated → pending',
  'initiated → failed',
  'pending → succeeded',
  'pending → failed',
  'pending → refunded',
  'succeeded → refunded',
]

const FINAL: [status: (typeof STATUSES)[number], final: boolean][] = [
  ['initiated', false],
  ['pending', false],
  ['succeeded', false],
  ['failed', true],
  ['refunded', true],
]

describe('a payment', () => {
  it('has the five states of spec §3', () => {
    assert.deepEqual([...STATUSES], ['initiated', 'pending', 'succeeded', 'failed', 'refunded'])
  })

  for (const from of STATUSES) {
    for (const to of STATUSES) {
      const move = `${from} → ${to}`
      const allowed = ALLOWED.includes(move)
      it(`${allowed ? 'may' : 'may not'} move ${move}`, () => {
        assert.equal(MOVES.filter((each) => each.from === from && each.to === to).length, allowed ? 1 : 0)
      })
    }
  }

  for (const [status, final] of FINAL) {
    it(`that is ${status} is ${final ? '' : 'not '}final`, () => assert.equal(isFinal(status), final))
  }

  it('moves for a reason that is written down', () => {
    for (const { because, source } of MOVES) {
      assert.ok(because.length > 10)
      assert.match(source, /^(spec §|D-)\d+/)
    }
  })
})
