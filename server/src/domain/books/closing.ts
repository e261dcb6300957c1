// What a difference between a network's statement and the ledger was in the end: the closed list of
// reasons, what each one books, and the entries that follow. Pure. Whoever the wallet belongs to
// chooses the reason (D-170).

import type { LedgerAccount, LedgerEntry, NewEntry } from '../ledger/ledger.ts'
import type { Language } from '../texts/language.ts'
import { CLOSING_REASON_NAMES, CLOSING_REASON_WORDS, type ClosingReason } from './closing-reason.ts'
import type { ExceptionKind } from './matching.ts'

/**
 * One sentence for people each. `money`: whether it explains money that came, money that is gone,
 * or both. `books`: the account that gets the amount; `wallet` takes the whole line back, and
 * `receivable` settles the payment or refund.
 */
interface ReasonRow {
  books: LedgerAccount
  money: 'came' | 'gone' | 'either'
  offeredFor: readonly ExceptionKind[]
  about: Readonly<Record<Language, string>>
}

/** Lines that say something else about a payment or refund than we know. */
const OF_REQUESTS = [
  'duplicate_line',
  'amount_differs',
  'paid_although_failed',
  'refund_without_payment',
] as const
/** Payments and refunds that the statement does not show. */
const WITHOUT_LINE = [
  'missing_at_network',
  'not_paid_although_succeeded',
  'refund_missing',
] as const

export const CLOSING_REASONS = {
  top_up: {
    books: 'owner',
    money: 'came',
    offeredFor: ['missing_here'],
    about: {
      en: 'The merchant’s own money, put into the wallet.',
      fr: 'De l’argent du marchand, versé dans le portefeuille.',
    },
  },
  other_income: {
    books: 'other_income',
    money: 'came',
    offeredFor: ['missing_here', ...OF_REQUESTS, 'too_early', 'settled_amount_differs'],
    about: {
      en: 'The merchant’s money, of no payment made here.',
      fr: 'De l’argent du marchand, sans paiement fait ici.',
    },
  },
  network_correction: {
    books: 'corrections',
    money: 'either',
    offeredFor: [
      'missing_here',
      ...OF_REQUESTS,
      'too_early',
      ...WITHOUT_LINE,
      'withheld',
      'settled_amount_differs',
    ],
    about: {
      en: 'The network gave or took the amount for good.',
      fr: 'Le réseau a donné ou repris la somme définitivement.',
    },
  },
  fee: {
    books: 'fees',
    money: 'gone',
    offeredFor: ['missing_here', 'withheld', 'settled_amount_differs'],
    about: {
      en: 'The network or the bank kept it for its service.',
      fr: 'Le réseau ou la banque l’a gardé pour son service.',
    },
  },
  duplicate_of_file: {
    books: 'wallet',
    money: 'either',
    offeredFor: ['missing_here', ...OF_REQUESTS, 'too_early'],
    about: {
      en: 'The money moved once and the file has it twice: the line is taken out of the wallet.',
      fr: 'L’argent n’a bougé qu’une fois, le fichier le contient deux fois : la ligne est retirée du portefeuille.',
    },
  },
  owner_withdrawal: {
    books: 'owner',
    money: 'gone',
    offeredFor: ['missing_here'],
    about: {
      en: 'The merchant took the money out of the wallet for another use.',
      fr: 'Le marchand a sorti l’argent du portefeuille pour un autre usage.',
    },
  },
  not_ours: {
    books: 'not_ours',
    money: 'either',
    offeredFor: ['missing_here', ...OF_REQUESTS, 'too_early', 'withheld', 'settled_amount_differs'],
    about: {
      en: 'Money of somebody else: it must be given back, or claimed.',
      fr: 'L’argent d’un tiers : il faut le rendre, ou le réclamer.',
    },
  },
  amount_corrected: {
    books: 'receivable',
    money: 'either',
    offeredFor: ['amount_differs'],
    about: {
      en: 'The line is this payment or refund, and its amount is right: the rest is a correction.',
      fr: 'La ligne est bien ce paiement ou ce remboursement, et son montant est juste : le reste est une correction.',
    },
  },
} as const satisfies Record<ClosingReason, ReasonRow>

/** The entries behind a difference, the oldest first. */
export interface DifferenceEntries {
  /** Of its line; empty for one without a line, or in no account's books. */
  ofLine: readonly LedgerEntry[]
  /** Of its payment, with those of its refunds. */
  ofPayment: readonly LedgerEntry[]
}

/** What a line that a person has explained was, by the account that it went to. */
export function explainedText(
  { explainedAs, amountXof }: { explainedAs: LedgerAccount | ''; amountXof: number },
  language: Language,
): string | undefined {
  const money = amountXof > 0 ? 'came' : 'gone'
  const reason = CLOSING_REASON_NAMES.find((each) => {
    const row: ReasonRow = CLOSING_REASONS[each]
    return row.books === explainedAs && (row.money === 'either' || row.money === money)
  })
  return reason && CLOSING_REASON_WORDS[language][reason]
}

export interface ClosableDifference {
  kind: ExceptionKind
  /** Of an exception about a refund. */
  refundReference: string | null
  /** The line's; null without one. */
  lineXof: number | null
  /** Null for a line that is in no account's books. */
  accountId: string | null
}

/** What is not explained yet, and the entry that put it there. */
export interface Left {
  place: LedgerAccount
  /** Debits minus credits: above 0 for money that is gone. */
  xof: number
  first: LedgerEntry
}

type Side = 'payment' | 'refund'

/** Where each class of difference leaves its money; the others leave nothing. */
const PLACE_OF: Partial<Record<ExceptionKind, LedgerAccount>> = {
  missing_here: 'unexplained',
  amount_differs: 'unexplained',
  duplicate_line: 'unexplained',
  paid_although_failed: 'unexplained',
  refund_without_payment: 'unexplained',
  too_early: 'unexplained',
  missing_at_network: 'receivable',
  not_paid_although_succeeded: 'receivable',
  refund_missing: 'receivable',
  withheld: 'withheld',
  settled_amount_differs: 'in_transit',
}

/** Undefined where nothing is left to explain. */
export function leftOf(
  difference: ClosableDifference,
  entries: DifferenceEntries,
): Left | undefined {
  const place = PLACE_OF[difference.kind]
  if (place === undefined) return undefined
  if (place === 'receivable') return requestLeft(difference, entries)
  if (place === 'withheld')
    return balanceLeft(place, entries.ofPayment.length > 0 ? entries.ofPayment : entries.ofLine)
  // The bank may have more than was sent: that is unexplained, and nothing is in transit.
  return balanceLeft(place, entries.ofLine) ?? balanceLeft('unexplained', entries.ofLine)
}

function balanceLeft(place: LedgerAccount, entries: readonly LedgerEntry[]): Left | undefined {
  const own = entries.filter(({ debit, credit }) => debit === place || credit === place)
  const xof = own.reduce(
    (sum, { debit, amountXof }) => sum + (debit === place ? amountXof : -amountXof),
    0,
  )
  return own[0] === undefined || xof === 0 ? undefined : { place, xof, first: own[0] }
}

/** What the network owes for the payment of a difference, or is owed for its refund. */
export function requestLeft(
  { kind, refundReference, lineXof }: ClosableDifference,
  { ofPayment }: DifferenceEntries,
): Left | undefined {
  const isOfRefund =
    refundReference !== null || kind === 'refund_missing' || (lineXof !== null && lineXof < 0)
  const side: Side = isOfRefund ? 'refund' : 'payment'
  const byEntry = new Map(ofPayment.map((each) => [each.entry, each]))
  const own = ofPayment.filter(
    (each) => sideOf(each, byEntry) === side && each.refundReference === refundReference,
  )
  return balanceLeft('receivable', own)
}

const SIDES: Partial<Record<LedgerEntry['kind'], Side>> = {
  payment: 'payment',
  collected: 'payment',
  refund: 'refund',
  reversal: 'refund',
  refund_confirmed: 'refund',
}

/** Of a closing, the side of the entry that it explains. */
function sideOf(entry: LedgerEntry, byEntry: ReadonlyMap<number, LedgerEntry>): Side | undefined {
  const corrected = entry.corrects == null ? undefined : byEntry.get(entry.corrects)
  return SIDES[entry.kind] ?? (corrected && sideOf(corrected, byEntry))
}

/** The reasons that a person may choose; none where nothing is left to explain. */
export function reasonsFor(
  difference: ClosableDifference,
  entries: DifferenceEntries,
): ClosingReason[] {
  const left = leftOf(difference, entries)
  const { kind, accountId, lineXof } = difference
  const isBooked = accountId !== null
  const xof =
    left?.xof ?? (isBooked || PLACE_OF[kind] !== 'unexplained' || lineXof === null ? 0 : -lineXof)
  if (xof === 0) return []
  const money = xof < 0 ? 'came' : 'gone'
  return CLOSING_REASON_NAMES.filter((reason) => {
    const { offeredFor, money: explains, books }: ReasonRow = CLOSING_REASONS[reason]
    const fits = offeredFor.includes(kind) && (explains === 'either' || explains === money)
    return (
      fits &&
      (books !== 'receivable' || !isBooked || requestLeft(difference, entries) !== undefined)
    )
  })
}

interface Booking {
  at: number
  today: number
  madeBy: string
}

/** What a reason books; nothing for a line that is in no account's books. */
export function entriesOfClosing(
  reason: ClosingReason,
  difference: ClosableDifference,
  entries: DifferenceEntries,
  by: Booking,
): NewEntry[] {
  const left = leftOf(difference, entries)
  if (left === undefined) return []
  const { books } = CLOSING_REASONS[reason]
  if (books === 'wallet') return takenBack(entries.ofLine, by)
  if (books === 'receivable') return settled(difference, left, entries, by)
  return [
    moved(left, books, difference.kind === 'settled_amount_differs' ? 'settlement' : 'closing', by),
  ]
}

/** On the day of an unexplained line, so that the unexplained amount of that day goes. */
function moved(
  { place, xof, first }: Left,
  to: LedgerAccount,
  kind: NewEntry['kind'],
  { at, today, madeBy }: Booking,
): NewEntry {
  const [debit, credit] = xof > 0 ? [to, place] : [place, to]
  const { accountId, connection, number, refundReference, lineNumber } = first
  return {
    accountId,
    connection,
    bookedAt: at,
    day:
      first.kind === 'payment' || place === 'withheld' || place === 'in_transit'
        ? today
        : first.day,
    kind,
    debit,
    credit,
    amountXof: Math.abs(xof),
    number,
    refundReference,
    lineNumber,
    madeBy,
    corrects: first.entry,
  }
}

/** The whole line, with its fee and tax. */
const takenBack = (ofLine: readonly LedgerEntry[], by: Booking): NewEntry[] =>
  (['unexplained', 'fees', 'taxes'] as const).flatMap((place) => {
    const left = balanceLeft(place, ofLine)
    return left === undefined
      ? []
      : [moved(left, 'wallet', place === 'unexplained' ? 'closing' : left.first.kind, by)]
  })

/** The line is the payment or refund; what its amount lacks, or has more, is a correction. */
function settled(
  difference: ClosableDifference,
  left: Left,
  entries: DifferenceEntries,
  by: Booking,
): NewEntry[] {
  const request = requestLeft(difference, entries)
  if (request === undefined) return []
  const rest = {
    ...request,
    xof: request.xof + left.xof,
    first: { ...request.first, ...placeOf(left.first) },
  }
  const shown = moved(left, 'receivable', left.first.kind, by)
  return rest.xof === 0 ? [shown] : [shown, moved(rest, 'corrections', 'closing', by)]
}

/** The correction belongs to the line and to its day, and names the entry of the payment. */
const placeOf = ({ lineNumber, day, kind }: LedgerEntry) => ({ lineNumber, day, kind })

/** Takes entries back: each names the one that it corrects, and has its kind and its day. */
export const reversalsOf = (
  entries: readonly LedgerEntry[],
  { at, madeBy }: Pick<Booking, 'at' | 'madeBy'>,
): NewEntry[] =>
  entries.map((each) => ({
    accountId: each.accountId,
    connection: each.connection,
    bookedAt: at,
    day: each.day,
    kind: each.kind,
    debit: each.credit,
    credit: each.debit,
    amountXof: each.amountXof,
    number: each.number,
    refundReference: each.refundReference,
    lineNumber: each.lineNumber,
    madeBy,
    corrects: each.entry,
  }))

/** The entries that none of them takes back; the oldest first, as they are given. */
export function standingEntries(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const standing = new Map(entries.map((each) => [each.entry, each]))
  for (const each of entries) {
    const first = each.corrects == null ? undefined : standing.get(each.corrects)
    if (first === undefined || !isReversal(each, first)) continue
    standing.delete(first.entry)
    standing.delete(each.entry)
  }
  return [...standing.values()]
}

const isReversal = (entry: LedgerEntry, first: LedgerEntry): boolean =>
  entry.debit === first.credit &&
  entry.credit === first.debit &&
  entry.amountXof === first.amountXof &&
  entry.kind === first.kind &&
  entry.day === first.day
