// Compares a network's statement with the ledger: which payment or refund a line is about, what it
// books, and what does not agree. Pure: the same lines give the same result in any order. Amounts
// have no tolerance.

import { COUNTRIES } from '../countries/country.ts'
import { readMsisdn } from '../countries/msisdn.ts'
import type { EntryKind, LedgerAccount } from '../ledger/ledger.ts'
import type { ConnectionKey } from '../operators/connection-key.ts'
import { isPaid, type PaymentStatus } from '../payments/payment-status.ts'
import { looksLikeReference, referenceOfUuid, referenceTyped } from '../payments/reference.ts'
import type { ClosingReason } from './closing-reason.ts'
import type { LineType, StatementLine } from './statement.ts'

/** Each is for a person, with one next step. */
export const EXCEPTION_KINDS = [
  'missing_at_network',
  'missing_here',
  'amount_differs',
  'fee_differs',
  'wrong_day',
  'duplicate_line',
  'paid_although_failed',
  'not_paid_although_succeeded',
  'refund_without_payment',
  'refund_missing',
  'balance_does_not_add_up',
  'settled_amount_differs',
  'withheld',
  'too_early',
] as const

export type ExceptionKind = (typeof EXCEPTION_KINDS)[number]

const WORD = /[0-9a-z][0-9a-z-]{22,35}/gi

/**
 * Our references in a line, the surest first: as we send them, as a UUID made from them, or inside
 * a text.
 */
export function referencesIn({
  ourReference,
  networkReference,
  text,
}: Pick<StatementLine, 'ourReference' | 'networkReference' | 'text'>): string[] {
  const words = [ourReference, networkReference, ...(text.match(WORD) ?? [])].map((word) =>
    word.trim().toLowerCase(),
  )
  const found = words.flatMap((word) => {
    const reference = looksLikeReference(word)
      ? word
      : (referenceOfUuid(word) ?? referenceTyped(word))
    return reference === undefined ? [] : [reference]
  })
  return [...new Set(found)]
}

const DIGITS = /\d(?:[ .-]?\d){7,14}/g

/**
 * The payer's number in a line, in the forms that payments have: `FRI:22997000001/MSISDN`, or eight
 * digits.
 */
export function numbersIn({ counterparty }: Pick<StatementLine, 'counterparty'>): string[] {
  const found = (counterparty.match(DIGITS) ?? []).flatMap((digits) =>
    COUNTRIES.map((country) => readMsisdn(digits, country, 'sandbox')?.msisdn).filter(
      (msisdn) => msisdn !== undefined,
    ),
  )
  return [...new Set(found)]
}

/** A payment, or one of its refunds, as the store finds it by a reference in a line. */
export interface Candidate {
  subject: 'payment' | 'refund'
  accountId: string
  number: number
  /** The refund's; null for a payment. */
  refundReference: string | null
  /** Of the payment or the attempt that the reference names, or of the refund. */
  status: PaymentStatus
  amountXof: number
  /** The fee that the tariff expects for it; null without a tariff. */
  expectedFeeXof: number | null
  /** A refund of late money, which was never booked as a sale. */
  isOfLateMoney: boolean
  /**
   * Late money of a failed payment whose refund a line has shown: its collection is explained too.
   */
  isGivenBack?: boolean
  /** Whether earlier lines have booked its collection, and its refund. */
  isCollected: boolean
  isRefundConfirmed: boolean
  /** The days of its creation and of its outcome; absent while there is none. */
  days?: { created: number; ended: number } | undefined
  /** Several refunds of the payment fit the line equally: a person decides. */
  hasSeveralRefunds?: boolean
}

/**
 * The refunds that a line naming only their payment may be about: of its amount, confirmed by no
 * line (D-160).
 */
export function refundsOfLine<Refund extends { amountXof: number; isRefundConfirmed: number }>(
  { amountXof }: Pick<StatementLine, 'amountXof'>,
  refunds: readonly Refund[],
): Refund[] {
  const equal = refunds.filter((refund) => refund.amountXof === -amountXof)
  const open = equal.filter(({ isRefundConfirmed }) => isRefundConfirmed === 0)
  // A line about a confirmed one is there twice.
  return open.length > 0 ? open : equal.slice(0, 1)
}

/**
 * What a line says about the wallet, as a debit or credit of `wallet` and another ledger account.
 */
export interface LineBooking {
  kind: EntryKind
  debit: LedgerAccount
  credit: LedgerAccount
  amountXof: number
}

export type LineVerdict =
  | {
      is: 'matched'
      exception: ExceptionKind | null
      bookings: LineBooking[]
      expectedFeeXof?: number | null
    }
  | {
      is: 'exception'
      exception: ExceptionKind
      bookings: LineBooking[]
      expectedFeeXof?: number | null
    }

/** Into the wallet for a positive amount, out of it for a negative one. */
function booking(kind: EntryKind, amountXof: number, other: LedgerAccount): LineBooking[] {
  if (amountXof === 0) return []
  return amountXof > 0
    ? [{ kind, debit: 'wallet', credit: other, amountXof }]
    : [{ kind, debit: other, credit: 'wallet', amountXof: -amountXof }]
}

const charges = ({ feeXof, taxXof }: StatementLine): LineBooking[] => [
  ...booking('fee', -feeXof, 'fees'),
  ...booking('tax', -taxXof, 'taxes'),
]

/** Lines that are about no single payment. */
const OTHER_SIDES: Partial<Record<LineType, [kind: EntryKind, other: LedgerAccount]>> = {
  fee: ['fee', 'fees'],
  tax: ['tax', 'taxes'],
  settlement: ['settlement', 'in_transit'],
  withheld: ['withheld', 'withheld'],
  released: ['withheld', 'withheld'],
}

/**
 * The wallet follows the statement: every line is booked whole, so that the ledger's wallet is the
 * statement's balance. The other side is the payment that the line is about, or `unexplained` until
 * a person explains it.
 */
export function judgeLine(line: StatementLine, candidate: Candidate | undefined): LineVerdict {
  if (line.type === 'not_made') return judgeNotMade(candidate)
  const other = OTHER_SIDES[line.type]
  if (other !== undefined) {
    const bookings = [...booking(other[0], line.amountXof, other[1]), ...charges(line)]
    return withFee(
      { is: 'matched', exception: exceptionOfOther(line, candidate), bookings },
      candidate,
    )
  }
  const exception = exceptionOf(line, candidate)
  const isExplained = exception === null || exception === 'fee_differs' || exception === 'wrong_day'
  // Late money that was given back was never booked as a sale: its two lines explain each other.
  const isOfSale = candidate?.isOfLateMoney !== true && candidate?.isGivenBack !== true
  const otherSide = isExplained && isOfSale ? 'receivable' : 'unexplained'
  const bookings = [...booking(kindOf(line), line.amountXof, otherSide), ...charges(line)]
  if (!isExplained) return { is: 'exception', exception, bookings }
  return withFee({ is: 'matched', exception, bookings }, candidate)
}

/** The tariff's fee is the other side of a fee that differs from it. */
const withFee = (verdict: LineVerdict, candidate: Candidate | undefined): LineVerdict =>
  verdict.exception === 'fee_differs'
    ? { ...verdict, expectedFeeXof: candidate?.expectedFeeXof ?? null }
    : verdict

function exceptionOfOther(
  line: StatementLine,
  payment: Candidate | undefined,
): ExceptionKind | null {
  if (line.type === 'withheld') return 'withheld'
  // Some networks write the fee of a payment as a line of its own.
  const expected =
    line.type === 'fee' && payment?.subject === 'payment' ? payment.expectedFeeXof : null
  return expected === null || expected === -line.amountXof ? null : 'fee_differs'
}

/** Another line may show that it was made after all. */
function judgeNotMade(candidate: Candidate | undefined): LineVerdict {
  const isConfirmed =
    candidate?.subject === 'payment' ? candidate.isCollected : candidate?.isRefundConfirmed
  return candidate !== undefined && isPaid(candidate) && isConfirmed !== true
    ? { is: 'exception', exception: 'not_paid_although_succeeded', bookings: [] }
    : { is: 'matched', exception: null, bookings: [] }
}

/**
 * What moves the amount of a line that was booked as unexplained to the payment or refund that now
 * explains it.
 */
export const correctionsOf = ({ is, bookings }: LineVerdict): LineBooking[] =>
  bookings
    .filter(({ kind }) => is === 'matched' && (kind === 'collected' || kind === 'refund_confirmed'))
    .map((each) => ({
      ...each,
      debit: each.debit === 'wallet' ? 'unexplained' : each.debit,
      credit: each.credit === 'wallet' ? 'unexplained' : each.credit,
    }))
    // Late money stays unexplained: it was never booked as a sale.
    .filter(({ debit, credit }) => debit !== credit)

function kindOf({ type }: StatementLine): EntryKind {
  if (type === 'collection') return 'collected'
  return type === 'refund' ? 'refund_confirmed' : 'unexplained'
}

function exceptionOf(line: StatementLine, candidate: Candidate | undefined): ExceptionKind | null {
  if (line.type === 'collection') return exceptionOfCollection(line, candidate)
  return line.type === 'refund' ? exceptionOfRefund(line, candidate) : 'missing_here'
}

function exceptionOfCollection(
  line: StatementLine,
  payment: Candidate | undefined,
): ExceptionKind | null {
  if (payment?.subject !== 'payment') return 'missing_here'
  if (isUndecided(payment)) return 'too_early'
  if (payment.status === 'failed') return exceptionOfLateMoney(line, payment)
  // Before the duplicate, so that the order of the lines does not matter.
  if (line.amountXof !== payment.amountXof) return 'amount_differs'
  if (payment.isCollected) return 'duplicate_line'
  if (payment.expectedFeeXof !== null && payment.expectedFeeXof !== line.feeXof)
    return 'fee_differs'
  return isOfAnotherDay(line, payment) ? 'wrong_day' : null
}

/** A network's day may end at another hour than ours; two days are no hour (D-178). */
const MOST_DAYS_BESIDE = 1

const isOfAnotherDay = ({ day }: StatementLine, { days }: Candidate): boolean =>
  days !== undefined &&
  (day < days.created - MOST_DAYS_BESIDE || day > days.ended + MOST_DAYS_BESIDE)

const exceptionOfLateMoney = (line: StatementLine, payment: Candidate): ExceptionKind | null =>
  payment.isGivenBack === true && !payment.isCollected && line.amountXof === payment.amountXof
    ? null
    : 'paid_although_failed'

/** A network that gives money back on its own names the payment. */
function exceptionOfRefund(
  line: StatementLine,
  candidate: Candidate | undefined,
): ExceptionKind | null {
  if (candidate === undefined || candidate.hasSeveralRefunds === true)
    return 'refund_without_payment'
  if (isUndecided(candidate)) return 'too_early'
  const isMade = candidate.status === (candidate.subject === 'payment' ? 'refunded' : 'succeeded')
  if (!isMade) return 'refund_without_payment'
  if (-line.amountXof !== candidate.amountXof) return 'amount_differs'
  if (candidate.isRefundConfirmed) return 'duplicate_line'
  // Of money that the network gives back on its own, we know no day.
  return candidate.subject === 'refund' && isOfAnotherDay(line, candidate) ? 'wrong_day' : null
}

const isUndecided = ({ status }: Candidate): boolean =>
  status === 'pending' || status === 'initiated'

/** What two amounts differ by: the network's minus ours. Undefined where nothing is compared. */
export function differenceXof(
  kind: ExceptionKind,
  line: Pick<StatementLine, 'type' | 'amountXof' | 'feeXof'>,
  ours: {
    candidate: Pick<Candidate, 'amountXof'> | undefined
    expectedFeeXof?: number | null | undefined
  },
): number | undefined {
  const { candidate, expectedFeeXof } = ours
  if (kind === 'amount_differs' && candidate !== undefined)
    return Math.abs(line.amountXof) - candidate.amountXof
  if (kind !== 'fee_differs' || expectedFeeXof == null) return undefined
  return (line.type === 'fee' ? -line.amountXof : line.feeXof) - expectedFeeXof
}

export interface BookException extends ConnectionKey {
  exceptionId: string
  kind: ExceptionKind
  accountId: string | null
  number: number | null
  lineNumber: number | null
  /** What two amounts differ by, without its sign; else the amount of the line or the payment. */
  amountXof: number
  detail: string
  at: number
  resolvedAt: number | null
  resolvedBy: string | null
  note: string | null
  /** What a person said that it was. */
  reason: ClosingReason | null
}

export interface ImportedStatement {
  lines: number
  /** Lines that no earlier file had. */
  added: number
  matched: number
  exceptions: Partial<Record<ExceptionKind, number>>
  /** Payments and refunds that the statements should have by now, found by this import. */
  missing: number
  /** The same bytes were imported before. */
  isRepeated: boolean
}
