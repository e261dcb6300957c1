// Lists padded to few lengths, so that few statement texts are prepared.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { padded } from './padded.ts'

for (const [length, filled] of Object.entries({ 0: 0, 1: 1, 2: 2, 3: 4, 5: 8 }))
  it(`padded lists: a list of ${length} becomes one of ${filled}, filled with its last element`, () => {
    const items = Array.from({ length: Number(length) }, (_, at) => at + 1)
    assert.deepEqual(padded(items), [...items, ...Array(filled - items.length).fill(items.at(-1))])
  })

it('padded lists: a thousand lengths become eleven', () => {
  const lengths = Array.from({ length: 1_000 }, (_, at) => padded(Array(at + 1).fill('')).length)
  assert.equal(new Set(lengths).size, 11)
})

it('padded lists: a given filler is used instead of the last element', () =>
  assert.deepEqual(padded([1, 2, 3], 0), [1, 2, 3, 0]))
