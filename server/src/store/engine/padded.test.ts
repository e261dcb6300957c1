// Lists padded to few lengths, so that few statement texts are prepared.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { padded } from './padded.ts'

const LISTS: [items: string, padded: string][] = [
  ['', ''],
  ['1', '1'],
  ['12', '12'],
  ['123', '1233'],
  ['12345', '12345555'],
]
for (const [items, expected] of LISTS) {
  it(`padded lists: [${[...items]}] becomes [${[...expected]}]`, () =>
    assert.deepEqual(padded([...items]), [...expected]))
}

it('padded lists: a thousand lengths become eleven', () => {
  const lengths = Array.from({ length: 1_000 }, (_, at) => padded(Array(at + 1).fill('')).length)
  assert.equal(new Set(lengths).size, 11)
})

it('padded lists: a given filler is used instead of the last element', () =>
  assert.deepEqual(padded([1, 2, 3], 0), [1, 2, 3, 0]))
