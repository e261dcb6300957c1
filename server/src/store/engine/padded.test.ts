// Lists padded to few lengths, so that few statement texts are prepared.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { padded } from './padded.ts'

const LISTS: [items: number[], padded: number[]][] = [
  [[], []],
  [[1], [1]],
  [
    [1, 2],
    [1, 2],
  ],
  [
    [1, 2, 3],
    [1, 2, 3, 3],
  ],
  [
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5, 5, 5, 5],
  ],
]
for (const [items, expected] of LISTS)
  it(`padded lists: [${items}] becomes [${expected}]`, () => assert.deepEqual(padded(items), expected))

it('padded lists: a thousand lengths become eleven', () => {
  const lengths = Array.from({ length: 1_000 }, (_, at) => padded(Array(at + 1).fill('')).length)
  assert.equal(new Set(lengths).size, 11)
})

it('padded lists: a given filler is used instead of the last element', () =>
  assert.deepEqual(padded([1, 2, 3], 0), [1, 2, 3, 0]))
