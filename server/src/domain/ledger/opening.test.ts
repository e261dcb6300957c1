// What was in a wallet before its first statement (D-172).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beginsLate, openingEntries } from './opening.ts'

const PLACE = { accountId: 'a', connection: 'mtn-benin', madeBy: 'service', at: 9 }
const entry = (day: number, xof: number, corrects: number | null) => ({
  accountId: 'a',
  connection: 'mtn-benin',
  bookedAt: 9,
  day,
  kind: 'opening',
  debit: xof > 0 ? 'wallet' : 'opening',
  credit: xof > 0 ? 'opening' : 'wallet',
  amountXof: Math.abs(xof),
  number: null,
  refundReference: null,
  lineNumber: null,
  madeBy: 'service',
  corrects,
})
const BOOKED = { day: 100, xof: 500, firstEntry: 8 }

for (const [about, booked, opening, entries] of [
  ['the first statement books the opening', [], { day: 100, xof: 500 }, [entry(100, 500, null)]],
  ['an overdrawn wallet', [], { day: 100, xof: -500 }, [entry(100, -500, null)]],
  ['an empty wallet', [], { day: 100, xof: 0 }, []],
  ['no statement', [], undefined, []],
  ['the same opening again', [BOOKED], { day: 100, xof: 500 }, []],
  ['another amount', [BOOKED], { day: 100, xof: 700 }, [entry(100, 200, 8)]],
  ['earlier days', [BOOKED], { day: 90, xof: 450 }, [entry(100, -500, 8), entry(90, 450, 8)]],
  [
    'the first entry of several',
    [
      { ...BOOKED, firstEntry: 9 },
      { day: 99, xof: -500, firstEntry: 3 },
    ],
    undefined,
    [entry(100, -500, 3), entry(99, 500, 3)],
  ],
] as const)
  it(`opening: ${about} makes ${entries.length} entries`, () =>
    assert.deepEqual(openingEntries(booked, opening, PLACE), entries))

const FIRST = { openingXof: 100, closingXof: 300, lastAt: 50 }
const NEXT = { openingXof: 150, closingXof: 100, lastAt: 50 }
for (const [about, first, next, betweenXof, isLate] of [
  ['that follows', FIRST, NEXT, 50, false],
  ['whose end is the beginning', FIRST, NEXT, 0, true],
  ['that ends elsewhere', FIRST, { ...NEXT, closingXof: 99 }, 0, false],
  ['that ends later', FIRST, { ...NEXT, lastAt: 51 }, 0, false],
  ['that ends earlier', FIRST, { ...NEXT, lastAt: 49 }, 0, true],
] as const)
  it(`opening: a file ${about} begins ${isLate ? 'late' : 'in time'}`, () =>
    assert.equal(beginsLate(first, next, betweenXof), isLate))
