// Settlements: their state, their names, and the amounts and references of the bank.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  isBankReference,
  isReceivedAmount,
  readSettlementName,
  SETTLEMENT_STATES,
  type Settlement,
  settlementName,
  settlementState,
} from './settlement.ts'

for (const [amountXof, receivedXof, state] of [
  [1, null, 'in_transit'],
  [1, 0, 'received'],
  [0, null, 'returned'],
  [-5, 5, 'returned'],
] as const)
  it(`settlements: ${amountXof} XOF, received ${receivedXof}, is ${state}`, () => {
    assert.equal(settlementState({ amountXof, receivedXof } as Settlement), state)
    assert.ok(SETTLEMENT_STATES.includes(state))
  })

it('settlements: a name is the connection and the line', () => {
  const settlement = { connection: 'mtn-benin', lineNumber: 412 }
  assert.equal(settlementName(settlement), 'mtn-benin-412')
  assert.deepEqual(readSettlementName('mtn-benin-412'), settlement)
  const longest = `${'c'.repeat(64)}-${'9'.repeat(15)}`
  assert.deepEqual(readSettlementName(longest), {
    connection: 'c'.repeat(64),
    lineNumber: 999_999_999_999_999,
  })
  for (const name of [
    '',
    'mtn',
    '-4',
    'mtn-',
    'mtn-4x',
    'mtn/a-4',
    ' mtn-4',
    'mtn-4 ',
    `c${longest}`,
    `${longest}9`,
  ])
    assert.equal(readSettlementName(name), undefined, name)
})

it('settlements: an amount of the bank is whole francs up to a thousand milliards', () => {
  for (const amount of [1, 1_000_000_000_000]) assert.equal(isReceivedAmount(amount), true)
  for (const amount of [0, -1, 1.5, 1_000_000_000_001, '1', null])
    assert.equal(isReceivedAmount(amount), false)
})

it('settlements: a reference of the bank has 60 characters at most, and may be empty', () => {
  for (const text of ['', 'VIR 2026/11', 'x'.repeat(60)]) assert.equal(isBankReference(text), true)
  for (const text of ['x'.repeat(61), 'a\u0000', 5, null])
    assert.equal(isBankReference(text), false)
})
