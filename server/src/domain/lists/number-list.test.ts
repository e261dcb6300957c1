// Lists of payment numbers as texts: what is written is read, and long lists are split in the order
// of their numbers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Listed, LONGEST_LIST, listText, readList, splitList } from './number-list.ts'

const entry = (number: number, digits = ''): Listed => ({ number, digits })

it('number lists: entries are read as written, in any order and however far apart', () => {
  assert.equal(listText(100, [entry(100, '12'), entry(102)]), 'A12C.')
  const entries = [entry(100), entry(151, '1'), entry(152, '00'), entry(2 ** 52, '99'), entry(120)]
  assert.deepEqual(readList(100, listText(100, entries)), entries)
  assert.deepEqual(readList(100, ''), [])
})

it('number lists: a long list becomes several, each with higher numbers than the one before', () => {
  const entries = Array.from({ length: 1_000 }, (_, at) =>
    entry(7 + ((at * 7_919) % 1_000) * 10_000, '12'),
  )
  const lists = splitList(5, entries)
  assert.equal(lists[0]?.first, 5)
  assert.ok(lists.length > 5 && lists.every(({ text }) => text.length < LONGEST_LIST + 10))
  const read = lists.map(({ first, text }) => readList(first, text))
  assert.deepEqual(
    read.flat(),
    entries.toSorted((a, b) => a.number - b.number),
  )
  for (const [at, { first }] of lists.entries())
    if (at > 0) assert.equal(read[at]?.[0]?.number, first)
})

it('number lists: repeated entries are written once, and the entries of one number stay together', () => {
  const all = Array.from({ length: 100 }, (_, at) => entry(9, String(at)))
  const lists = splitList(9, [...all, ...Array(1_000).fill(entry(9, '1')), entry(10), entry(10)])
  assert.deepEqual(
    lists.flatMap(({ first, text }) => readList(first, text)),
    [...all, entry(10)],
  )
  assert.ok(lists.length <= 2)
})
