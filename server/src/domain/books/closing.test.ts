// Closing a difference: which reasons a person may choose, and the entries that each one makes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LedgerEntry } from '../ledger/ledger.ts'
import {
  CLOSING_REASONS,
  type ClosableDifference,
  entriesOfClosing,
  explainedText,
  leftOf,
  reasonsFor,
  requestLeft,
  reversalsOf,
  standingEntries,
} from './closing.ts'
import { CLOSING_REASON_NAMES, CLOSING_REASON_WORDS, type ClosingReason } from './closing-reason.ts'
import { DIFFERENCE_WORDS } from './difference-words.ts'
import { EXCEPTION_KINDS, type ExceptionKind } from './matching.ts'

const entryOf = (entry: number, fields: Partial<LedgerEntry>): LedgerEntry => ({
  entry,
  accountId: 'a',
  connection: 'mtn-benin',
  bookedAt: 5,
  day: 100,
  kind: 'collected',
  debit: 'wallet',
  credit: 'unexplained',
  amountXof: 1_000,
  number: null,
  refundReference: null,
  lineNumber: 7,
  madeBy: 'service',
  ...fields,
})
const difference = (
  kind: ExceptionKind,
  fields: Partial<ClosableDifference> = {},
): ClosableDifference => ({
  kind,
  refundReference: null,
  lineXof: 1_000,
  accountId: 'a',
  ...fields,
})

const CAME = entryOf(1, {})
const GONE = entryOf(1, { debit: 'unexplained', credit: 'wallet', kind: 'refund_confirmed' })
const PAID = entryOf(2, {
  kind: 'payment',
  debit: 'receivable',
  credit: 'sales',
  day: 90,
  number: 4,
})
const REFUNDED = entryOf(3, {
  kind: 'refund',
  debit: 'refunds',
  credit: 'receivable',
  day: 91,
  number: 4,
  refundReference: 'r',
})
const WITHHELD = entryOf(1, { kind: 'withheld', debit: 'withheld', credit: 'wallet' })
const SENT = entryOf(1, { kind: 'settlement', debit: 'in_transit', credit: 'wallet' })
const ofLine = (...entries: LedgerEntry[]) => ({ ofLine: entries, ofPayment: [] })
const ofPayment = (...entries: LedgerEntry[]) => ({ ofLine: [], ofPayment: entries })

/** What each class offers for money that came, and for money that is gone. */
const OFFERED: [
  kinds: readonly ExceptionKind[],
  came: readonly ClosingReason[],
  gone: readonly ClosingReason[],
][] = [
  [
    ['missing_here'],
    ['top_up', 'other_income', 'network_correction', 'duplicate_of_file', 'not_ours'],
    ['network_correction', 'fee', 'duplicate_of_file', 'owner_withdrawal', 'not_ours'],
  ],
  [
    [
      'duplicate_line',
      'paid_although_failed',
      'refund_without_payment',
      'too_early',
      'amount_differs',
    ],
    ['other_income', 'network_correction', 'duplicate_of_file', 'not_ours'],
    ['network_correction', 'duplicate_of_file', 'not_ours'],
  ],
]

describe('closing: the reasons that a person may choose', () => {
  for (const [kinds, came, gone] of OFFERED)
    for (const kind of kinds)
      it(`${kind} offers ${came.join(', ')} for money that came`, () => {
        assert.deepEqual(reasonsFor(difference(kind), ofLine(CAME)), came)
        assert.deepEqual(reasonsFor(difference(kind), ofLine(GONE)), gone)
      })

  for (const [kind, entries, offered] of [
    ['missing_at_network', ofPayment(PAID), ['network_correction']],
    ['not_paid_although_succeeded', ofPayment(PAID), ['network_correction']],
    [
      'refund_missing',
      ofPayment(PAID, { ...REFUNDED, refundReference: null }),
      ['network_correction'],
    ],
    ['withheld', ofLine(WITHHELD), ['network_correction', 'fee', 'not_ours']],
    ['settled_amount_differs', ofLine(SENT), ['network_correction', 'fee', 'not_ours']],
    [
      'settled_amount_differs',
      ofLine({ ...SENT, debit: 'wallet', credit: 'in_transit' }),
      ['other_income', 'network_correction', 'not_ours'],
    ],
    ['fee_differs', ofLine(CAME), []],
    ['wrong_day', ofLine(CAME), []],
    ['balance_does_not_add_up', ofLine(CAME), []],
    ['missing_here', ofLine(), []],
    ['missing_here', ofLine(CAME, { ...GONE, entry: 2 }), []],
  ] as const)
    it(`${kind} over ${JSON.stringify(entries).length} bytes of entries offers ${offered.join(', ') || 'none'}`, () =>
      assert.deepEqual(reasonsFor(difference(kind), entries), offered))

  it('an amount may be corrected where its payment is still owed', () => {
    const kind = 'amount_differs'
    assert.ok(
      reasonsFor(difference(kind), { ofLine: [CAME], ofPayment: [PAID] }).includes(
        'amount_corrected',
      ),
    )
    assert.ok(!reasonsFor(difference(kind), ofLine(CAME)).includes('amount_corrected'))
  })

  it('a line that is in no account’s books offers the reasons for its amount', () => {
    const reasons = (kind: ExceptionKind, lineXof: number | null) =>
      reasonsFor(difference(kind, { accountId: null, lineXof }), ofLine())
    assert.deepEqual(reasons('missing_here', 5), OFFERED[0]?.[1])
    assert.deepEqual(reasons('missing_here', -5), OFFERED[0]?.[2])
    assert.deepEqual(reasons('missing_here', null), [])
    assert.deepEqual(reasons('withheld', 5), [])
    assert.ok(reasons('amount_differs', 5).includes('amount_corrected'))
  })
})

describe('closing: what is left to explain', () => {
  it('is the balance at the place of the class, with the entry that put it there', () => {
    assert.deepEqual(leftOf(difference('missing_here'), ofLine(CAME)), {
      place: 'unexplained',
      xof: -1_000,
      first: CAME,
    })
    const part = { ...GONE, entry: 2, amountXof: 300 }
    assert.equal(leftOf(difference('too_early'), ofLine(CAME, part))?.xof, -700)
    assert.equal(leftOf(difference('fee_differs'), ofLine(CAME)), undefined)
  })

  it('of withheld money is read from the payment where there is one', () => {
    const other = { ...WITHHELD, amountXof: 1 }
    const left = (entries: { ofLine: LedgerEntry[]; ofPayment: LedgerEntry[] }) =>
      leftOf(difference('withheld'), entries)?.xof
    assert.equal(left({ ofLine: [WITHHELD], ofPayment: [other] }), 1)
    assert.equal(left({ ofLine: [WITHHELD], ofPayment: [] }), 1_000)
  })

  it('of a settlement is in transit, or else unexplained', () => {
    const left = (...entries: LedgerEntry[]) =>
      leftOf(difference('settled_amount_differs'), ofLine(...entries))?.place
    assert.equal(left(SENT), 'in_transit')
    assert.equal(left(SENT, { ...SENT, entry: 2, debit: 'bank', credit: 'in_transit' }), undefined)
    assert.equal(left({ ...SENT, debit: 'bank', credit: 'unexplained' }), 'unexplained')
  })

  it('of a payment is what the network owes for it, without its refunds', () => {
    const shown = entryOf(4, { debit: 'wallet', credit: 'receivable', amountXof: 400 })
    const closed = entryOf(5, {
      kind: 'closing',
      debit: 'corrections',
      credit: 'receivable',
      amountXof: 100,
      corrects: 4,
    })
    const entries = ofPayment(PAID, REFUNDED, shown, closed)
    const kind = 'missing_at_network'
    assert.deepEqual(requestLeft(difference(kind), entries), {
      place: 'receivable',
      xof: 500,
      first: PAID,
    })
    assert.equal(requestLeft(difference(kind, { refundReference: 'r' }), entries)?.xof, -1_000)
    assert.equal(requestLeft(difference(kind, { lineXof: 0 }), entries)?.xof, 500)
    assert.equal(requestLeft(difference(kind, { lineXof: null }), entries)?.xof, 500)
    // A closing of something else belongs to no side.
    const alone = ofPayment({ ...closed, corrects: 99 }, { ...closed, corrects: null })
    assert.equal(requestLeft(difference(kind), alone), undefined)
  })

  it('of a refund that the network gave on its own is found by the sign, or the class', () => {
    const reversal = { ...REFUNDED, kind: 'reversal' as const, refundReference: null }
    const confirmed = entryOf(6, {
      kind: 'refund_confirmed',
      debit: 'receivable',
      credit: 'wallet',
      amountXof: 300,
    })
    const entries = ofPayment(PAID, reversal, confirmed)
    assert.equal(requestLeft(difference('amount_differs', { lineXof: -1 }), entries)?.xof, -700)
    assert.equal(requestLeft(difference('refund_missing'), entries)?.xof, -700)
    assert.equal(requestLeft(difference('amount_differs'), entries)?.xof, 1_000)
  })
})

const BY = { at: 9, today: 120, madeBy: 'awa' }
const made = (
  reason: ClosingReason,
  of: ClosableDifference,
  entries: Parameters<typeof entriesOfClosing>[2],
) => entriesOfClosing(reason, of, entries, BY)
const BOOKED = {
  accountId: 'a',
  connection: 'mtn-benin',
  bookedAt: 9,
  day: 100,
  kind: 'closing',
  debit: 'unexplained',
  credit: 'owner',
  amountXof: 1_000,
  number: null,
  refundReference: null,
  lineNumber: 7,
  madeBy: 'awa',
  corrects: 1,
}

describe('closing: entries', () => {
  for (const [reason, account] of [
    ['top_up', 'owner'],
    ['other_income', 'other_income'],
    ['network_correction', 'corrections'],
    ['fee', 'fees'],
    ['owner_withdrawal', 'owner'],
    ['not_ours', 'not_ours'],
  ] as const)
    it(`${reason} moves the amount to ${account}, on the day of the line`, () => {
      assert.deepEqual(made(reason, difference('missing_here'), ofLine(CAME)), [
        { ...BOOKED, credit: account },
      ])
      assert.deepEqual(made(reason, difference('missing_here'), ofLine(GONE)), [
        { ...BOOKED, debit: account, credit: 'unexplained' },
      ])
    })

  it('without anything left there is no entry', () =>
    assert.deepEqual(made('top_up', difference('missing_here'), ofLine()), []))

  for (const [about, kind, entries, expected] of [
    ['withheld', 'withheld', ofLine(WITHHELD), ['closing', 120]],
    ['in transit', 'settled_amount_differs', ofLine(SENT), ['settlement', 120]],
    ['of a payment without a line', 'missing_at_network', ofPayment(PAID), ['closing', 120]],
    [
      'of a refund without a line',
      'refund_missing',
      ofPayment({ ...REFUNDED, refundReference: null }),
      ['closing', 91],
    ],
  ] as const)
    it(`money ${about} is booked as ${expected.join(' on day ')}`, () => {
      const [entry] = made('network_correction', difference(kind), entries)
      assert.deepEqual([entry?.kind, entry?.day], expected)
    })

  it('a duplicate of the file takes the whole line back, with its fee and tax', () => {
    const fee = entryOf(2, { kind: 'fee', debit: 'fees', credit: 'wallet', amountXof: 15 })
    const tax = entryOf(3, { kind: 'tax', debit: 'taxes', credit: 'wallet', amountXof: 2 })
    const entries = made('duplicate_of_file', difference('missing_here'), ofLine(CAME, fee, tax))
    assert.deepEqual(
      entries.map(({ kind, debit, credit, amountXof, corrects }) => [
        kind,
        debit,
        credit,
        amountXof,
        corrects,
      ]),
      [
        ['closing', 'unexplained', 'wallet', 1_000, 1],
        ['fee', 'wallet', 'fees', 15, 2],
        ['tax', 'wallet', 'taxes', 2, 3],
      ],
    )
  })

  it('a corrected amount settles the payment, and the rest is a correction', () => {
    const settle = (amountXof: number) =>
      made('amount_corrected', difference('amount_differs'), {
        ofLine: [{ ...CAME, amountXof }],
        ofPayment: [PAID],
      })
    const shown = { ...BOOKED, kind: 'collected', credit: 'receivable' }
    assert.deepEqual(settle(1_000), [shown])
    assert.deepEqual(settle(900), [
      { ...shown, amountXof: 900 },
      {
        ...BOOKED,
        number: 4,
        debit: 'corrections',
        credit: 'receivable',
        amountXof: 100,
        corrects: 2,
      },
    ])
    const [, more] = settle(1_100)
    assert.deepEqual([more?.debit, more?.credit], ['receivable', 'corrections'])
    assert.deepEqual(made('amount_corrected', difference('amount_differs'), ofLine(CAME)), [])
  })

  it('a reversal swaps the sides, keeps kind and day, and names its entry', () =>
    assert.deepEqual(reversalsOf([REFUNDED], { at: 9, madeBy: 'awa' }), [
      {
        ...BOOKED,
        day: 91,
        kind: 'refund',
        debit: 'receivable',
        credit: 'refunds',
        number: 4,
        refundReference: 'r',
        corrects: 3,
      },
    ]))

  it('an entry and its reversal no longer stand; anything else that names it does', () => {
    const back = entryOf(2, { debit: 'unexplained', credit: 'wallet', corrects: 1 })
    assert.deepEqual(standingEntries([CAME, back]), [])
    const others: Partial<LedgerEntry>[] = [
      { debit: 'fees' },
      { credit: 'fees' },
      { amountXof: 999 },
      { kind: 'closing' },
      { day: 101 },
      { corrects: 9 },
      { corrects: null },
    ]
    for (const other of others) {
      const entries = [CAME, { ...back, ...other }]
      assert.deepEqual(standingEntries(entries), entries, JSON.stringify(other))
    }
    const again = { ...CAME, entry: 3 }
    assert.deepEqual(standingEntries([CAME, back, again, { ...back, entry: 4 }]), [
      again,
      { ...back, entry: 4 },
    ])
  })
})

describe('closing: words', () => {
  it('every reason and difference has its own words in both languages', () => {
    for (const language of ['en', 'fr'] as const) {
      const words = [
        ...CLOSING_REASON_NAMES.flatMap((name) => [
          CLOSING_REASON_WORDS[language][name],
          CLOSING_REASONS[name].about[language],
        ]),
        ...EXCEPTION_KINDS.map((kind) => DIFFERENCE_WORDS[language][kind]),
      ]
      assert.equal(new Set(words).size, words.length)
      for (const word of words) assert.match(word, /^\p{Lu}.*\p{L}/u)
    }
  })

  for (const [explainedAs, amountXof, expected] of [
    ['owner', 5, 'Top-up'],
    ['owner', -5, 'Owner’s withdrawal'],
    ['corrections', -5, 'Network’s correction'],
    ['other_income', 5, 'Other income'],
    ['other_income', -5, undefined],
    ['fees', -5, 'Bank or network fee'],
    ['fees', 5, undefined],
    ['', 5, undefined],
  ] as const)
    it(`a line of ${amountXof} explained as “${explainedAs}” reads “${expected}”`, () =>
      assert.equal(explainedText({ explainedAs, amountXof }, 'en'), expected))
})
