// The invariants of the store: a sound payment, and one change at a time that each fault names.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { publicReferences } from '../payments/reference.ts'
import {
  faultsOf,
  gapBetween,
  type LineEvidence,
  lineFaultOf,
  type PaymentEvidence,
} from './evidence.ts'

const REFERENCES = publicReferences('ab'.repeat(32))
const PAID: PaymentEvidence = {
  accountId: 'a',
  number: 4,
  reference: 'r',
  publicReference: REFERENCES.of(4),
  status: 'succeeded',
  amountXof: 1_000,
  validatedAt: 5,
  dueAt: null,
  attemptReference: null,
  accounts: 1,
  byReference: 1,
  byExternalReference: 1,
  ownEvents: 1,
  eventsRemoved: 0,
  contradictingEvents: 0,
  links: 0,
  attempts: 0,
  attemptStatus: null,
  strayAttempts: 0,
  refundsSucceeded: 0,
  refundsPending: 0,
  refundsSucceededXof: 0,
  refundsReservedXof: 0,
  refundedXof: 0,
  reservedXof: 0,
  reversals: 0,
  refundsForgotten: 0,
  bookedXof: 1_000,
  bookedBackXof: 0,
  owedXof: 1_000,
  strayLines: 0,
  networkIdOwner: null,
  nextNumber: 5,
}
const UNPAID = { validatedAt: null, bookedXof: 0, owedXof: 0, ownEvents: 0 } as const
const PENDING = { ...UNPAID, status: 'pending', dueAt: 9 } as const
const FAILED = { ...UNPAID, status: 'failed', ownEvents: 1 } as const
const PARTLY = {
  refundsSucceeded: 1,
  refundsSucceededXof: 300,
  refundsReservedXof: 300,
  refundedXof: 300,
  reservedXof: 300,
  bookedBackXof: 300,
} as const
const REVERSED = {
  status: 'refunded',
  reversals: 1,
  bookedBackXof: 1_000,
} as const

const CASES: [change: Partial<PaymentEvidence>, faults: string[]][] = [
  [{}, []],
  [PENDING, []],
  [FAILED, []],
  [PARTLY, []],
  [REVERSED, []],
  [{ owedXof: 0 }, []],
  [{ networkIdOwner: 'r' }, []],
  [{ accounts: 0 }, ['payment_without_account']],
  [{ accounts: 2 }, ['payment_without_account']],
  [{ nextNumber: 4 }, ['payment_number_not_given_out']],
  [{ nextNumber: null }, ['payment_number_not_given_out']],
  [{ publicReference: REFERENCES.of(5) }, ['public_reference_wrong']],
  [{ byReference: 0 }, ['reference_not_found']],
  [{ byReference: 2 }, ['reference_not_found']],
  [{ byExternalReference: 0 }, ['transaction_id_not_found']],
  [{ ownEvents: 0 }, ['outcome_without_event']],
  [{ ...FAILED, ownEvents: 0 }, ['outcome_without_event']],
  [{ ownEvents: 0, eventsRemoved: 1 }, []],
  [{ ownEvents: 2 }, ['event_twice']],
  [{ contradictingEvents: 1 }, ['event_contradicts_payment']],
  [{ validatedAt: null }, ['succeeded_without_time']],
  [{ ...PENDING, dueAt: null }, ['pending_not_due']],
  [{ ...PENDING, dueAt: null, links: 1 }, []],
  [
    { ...PENDING, dueAt: null, links: 1, attemptReference: 'x', attemptStatus: 'pending' },
    ['pending_not_due'],
  ],
  [{ dueAt: 9 }, ['outcome_still_due']],
  [{ ...FAILED, dueAt: 9 }, ['outcome_still_due']],
  [{ ...UNPAID, status: 'initiated' }, ['initiated_without_link']],
  [{ ...UNPAID, status: 'initiated', links: 1 }, []],
  [{ attempts: 1 }, ['attempt_without_link']],
  [{ attempts: 1, links: 1 }, []],
  [{ attemptReference: 'x', attemptStatus: 'succeeded' }, []],
  [{ attemptReference: 'x', attemptStatus: 'pending' }, ['attempt_does_not_match']],
  [{ attemptReference: 'x', attemptStatus: null }, ['attempt_does_not_match']],
  [{ ...PENDING, attemptReference: 'x', attemptStatus: 'pending' }, []],
  [{ ...PENDING, attemptReference: 'x', attemptStatus: 'succeeded' }, ['attempt_does_not_match']],
  [{ strayAttempts: 1 }, ['attempt_left_pending']],
  [{ ...FAILED, refundsPending: 1 }, ['refund_without_success']],
  [{ ...FAILED, refundsSucceeded: 1 }, ['refund_without_success']],
  [{ refundsPending: 1 }, []],
  [
    {
      ...PARTLY,
      refundsSucceededXof: 1_000,
      refundsReservedXof: 1_000,
      refundedXof: 1_000,
      reservedXof: 1_000,
      bookedBackXof: 1_000,
    },
    ['refund_not_shown'],
  ],
  [{ reservedXof: 1_001, refundsReservedXof: 1_001 }, ['refunds_do_not_add_up']],
  [{ reservedXof: 1_000, refundsReservedXof: 1_000 }, []],
  [{ reservedXof: 5 }, ['refunds_do_not_add_up']],
  [{ ...PARTLY, refundsSucceededXof: 299 }, ['refunds_do_not_add_up']],
  [{ ...REVERSED, reservedXof: 5 }, []],
  [{ refundsForgotten: 1 }, ['refund_not_due']],
  [{ bookedXof: 999 }, ['books_differ']],
  [{ bookedBackXof: 1 }, ['books_differ']],
  [{ ...FAILED, bookedXof: 1_000 }, ['books_differ']],
  [{ ...REVERSED, bookedBackXof: 999 }, ['books_differ']],
  [{ owedXof: 400 }, ['payment_in_two_places']],
  [{ strayLines: 1 }, ['payment_in_two_places']],
  [{ owedXof: 0, strayLines: 1 }, []],
  [{ ...REVERSED, owedXof: 400 }, []],
  [{ ...FAILED, owedXof: 400 }, []],
  [{ networkIdOwner: 'another' }, ['network_id_of_another']],
]

for (const [change, faults] of CASES)
  it(`verification: a payment with ${JSON.stringify(change)} has ${faults.join(', ') || 'no fault'}`, () =>
    assert.deepEqual(faultsOf({ ...PAID, ...change }, REFERENCES), faults))

const LINE: LineEvidence = {
  environment: 'live',
  connection: 'mtn-benin',
  lineNumber: 7,
  accountId: 'a',
  netXof: 500,
  walletXof: 500,
  unexplainedXof: 0,
  isTakenBack: 0,
  isExplained: 0,
  openDifferences: 0,
  differenceId: null,
}
for (const [change, fault] of [
  [{}, undefined],
  [{ walletXof: 499 }, 'line_not_booked_once'],
  [{ accountId: null }, 'line_not_booked_once'],
  [{ accountId: null, walletXof: 0 }, undefined],
  [{ isTakenBack: 1 }, 'line_not_booked_once'],
  [{ isTakenBack: 1, walletXof: 0 }, undefined],
  [{ unexplainedXof: 5 }, 'line_unexplained'],
  [{ unexplainedXof: -5 }, 'line_unexplained'],
  [{ unexplainedXof: 5, isExplained: 1 }, undefined],
  [{ unexplainedXof: 5, openDifferences: 1 }, undefined],
] as const)
  it(`verification: a line with ${JSON.stringify(change)} has ${fault ?? 'no fault'}`, () =>
    assert.equal(lineFaultOf({ ...LINE, ...change }), fault))

for (const [last, found, gap] of [
  [3, 4, undefined],
  [3, 3, undefined],
  [3, 5, '4'],
  [3, 6, '4 to 5'],
  [3, 7, '4 to 6'],
] as const)
  it(`verification: after ${last}, ${found} leaves ${gap ?? 'no gap'}`, () =>
    assert.equal(gapBetween(last, found), gap))
