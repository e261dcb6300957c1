// Equal lines of a statement: counted hashes, compared with a Map.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createHashCounter } from './statement.ts'

const LARGEST = 2 ** 52 - 1

it('hash counter: counts each hash as a Map does, with collisions, 0 and the largest', () => {
  const few = [0, 1, 8, 16, 24, LARGEST, LARGEST - 1, LARGEST - 8]
  const counter = createHashCounter(few.length)
  const times = new Map<number, number>()
  for (const hash of [...few, 0, LARGEST, 8, 8, ...few]) {
    assert.equal(counter.has(hash), times.has(hash), `${hash}`)
    times.set(hash, (times.get(hash) ?? 0) + 1)
    assert.equal(counter.add(hash), times.get(hash), `${hash}`)
  }
  assert.equal(counter.has(2), false)
  assert.throws(() => counter.add(2), RangeError)
})
