// Facts of the activity log: which are shown, and how their quantities are written.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatAmount, formatBytes, formatDayAndTime, formatPercent } from '../format.ts'
import { isShownFact, quantityText } from './facts.ts'

const SHOWN: readonly [fact: string, value: unknown, isShown: boolean][] = [
  ['sha256', 'ab12', false],
  ['logo', 'ab12', false],
  ['file', 'stm_1', false],
  ['files', ['stm_1', 'stm_2'], false],
  ['names', ['stm_1', 'Awa'], true],
  ['names', [], true],
  ['name', 'Awa', true],
  ['name', 'account_1', true],
  ['amount', 500, true],
]

for (const [fact, value, isShown] of SHOWN)
  it(`facts: ${fact} ${JSON.stringify(value)} is ${isShown ? 'shown' : 'hidden'}`, () =>
    assert.equal(isShownFact(fact, value), isShown))

const AT = Date.parse('2026-11-15T10:00:00Z')

const QUANTITIES: readonly [fact: string, value: unknown, text: string | undefined][] = [
  ['amount', 12_500, formatAmount(12_500)],
  ['minimumXof', 0, formatAmount(0)],
  ['amount', '12500', undefined],
  ['expires', AT, formatDayAndTime(AT)],
  ['expires', '2026-11-15T10:00:00Z', formatDayAndTime(AT)],
  ['expires', null, undefined],
  ['rate', 1_500, formatPercent(0.015)],
  ['bytes', 35_000, formatBytes(35_000)],
  ['attempts', 3, undefined],
]

for (const [fact, value, text] of QUANTITIES)
  it(`facts: ${fact} ${JSON.stringify(value)} is ${text === undefined ? 'no quantity' : 'written as one'}`, () =>
    assert.equal(quantityText(fact, value), text))
