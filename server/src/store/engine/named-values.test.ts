// Named values of a statement: which places a text has, and which values are refused.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { numberNames, type Values, valuesInOrder } from './named-values.ts'

describe('named values', () => {
  const TEXTS: [text: string, sql: string, names: string[]][] = [
    ['status = :status', 'status = $1', ['status']],
    ['at = :now and due_at <= :now', 'at = $1 and due_at <= $1', ['now']],
    ['unnest(:number::bigint[])', 'unnest($1::bigint[])', ['number']],
    ["actor like 'service:%' and by = :by", "actor like 'service:%' and by = $1", ['by']],
    ["to_char(at, 'HH24:MI') || :zone", "to_char(at, 'HH24:MI') || $1", ['zone']],
    ['select 1', 'select 1', []],
  ]
  for (const [text, sql, names] of TEXTS)
    it(`named values: the text ${text} is sent as ${sql}`, () =>
      assert.deepEqual(numberNames(text, '$'), { sql, names }))

  const numbered = numberNames('update payments set number = :number where status = :status', '?')

  it('named values: the order of the fields does not matter', () =>
    assert.deepEqual(valuesInOrder(numbered, { status: 'pending', number: 7 }), [7, 'pending']))

  it('named values: null is a value', () =>
    assert.deepEqual(valuesInOrder(numbered, { status: null, number: 7 }), [7, null]))

  const REFUSED: [what: string, values: Values, message: RegExp][] = [
    ['a missing value', { number: 7 }, /lacks the values \[status\]/],
    ['an extra value', { number: 7, status: '', at: 1 }, /no place for \[at\]/],
    ['a misspelt value', { number: 7, state: '' }, /lacks the values \[status\].*\[state\]/],
    [
      'an undefined value',
      { number: 7, status: undefined } as unknown as Values,
      /lacks the values \[status\]/,
    ],
  ]
  for (const [what, values, message] of REFUSED)
    it(`named values: ${what} is refused`, () =>
      assert.throws(() => valuesInOrder(numbered, values), message))
})
