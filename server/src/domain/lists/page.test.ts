// One page of a list, and the cursor of the next one.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PAGE_LIMIT, pageOf, readPage } from './page.ts'

const FIRST = [0, ''] as const
const read = (after?: string, limit?: number) =>
  readPage({ after, limit }, ['number', 'text'], [...FIRST])

it('pages: without a cursor the first page is read, with 50 rows', () => {
  assert.deepEqual(PAGE_LIMIT, { usual: 50, most: 1_000 })
  assert.deepEqual(read(), { cursor: FIRST, limit: 50 })
})

for (const [limit, isValid] of [
  [1, true],
  [1_000, true],
  [0, false],
  [1_001, false],
  [1.5, false],
  [Number.NaN, false],
] as const)
  it(`pages: a limit of ${limit} is ${isValid ? 'valid' : 'refused'}`, () =>
    assert.deepEqual(
      read(undefined, limit),
      isValid ? { cursor: FIRST, limit } : { refused: 'limit_not_valid' },
    ))

for (const [after, cursor] of [
  ['5.abc-_9', [5, 'abc-_9']],
  ['5.', [5, '']],
  [`${'9'.repeat(15)}.${'x'.repeat(64)}`, [999_999_999_999_999, 'x'.repeat(64)]],
  [`${'9'.repeat(16)}.x`, undefined],
  [`5.${'x'.repeat(65)}`, undefined],
  ['5', undefined],
  ['5.a.b', undefined],
  ['a.5', undefined],
  ['-5.a', undefined],
  ['5x.a', undefined],
  ['5.a b', undefined],
  ['5. a', undefined],
  ['', undefined],
] as const)
  it(`pages: the cursor “${after.slice(0, 20)}” of ${after.length} characters is ${cursor ? 'read' : 'refused'}`, () =>
    assert.deepEqual(
      read(after, 2),
      cursor ? { cursor, limit: 2 } : { refused: 'cursor_not_valid' },
    ))

it('pages: one row more than the limit says that there is a next page', () => {
  const page = (rows: readonly number[]) => pageOf(rows, 2, (row) => [row, 'x'])
  assert.deepEqual(page([7, 8, 9]), { rows: [7, 8], next: '8.x' })
  assert.deepEqual(page([7, 8]), { rows: [7, 8], next: undefined })
  assert.deepEqual(page([]), { rows: [], next: undefined })
  assert.deepEqual(
    pageOf([1], 0, (row) => [row]),
    { rows: [], next: undefined },
  )
})
