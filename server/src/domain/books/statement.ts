// Statements of networks: what the network says that it moved in a wallet. Read from a file or an
// API into lines, and compared with the ledger. Whole francs from the first line read.
import type { Environment } from '../environment.ts'

export const LINE_TYPES = [
  /** A payer paid. */
  'collection',
  /** Money went back to a payer. */
  'refund',
  'fee',
  'tax',
  /** From the wallet to the merchant's bank. */
  'settlement',
  /** Into the wallet, and from no payer. */
  'top_up',
  'withheld',
  'released',
  /** A correction by the network, or a type that the source does not explain. */
  'other',
  /** The network lists it as failed: it moved nothing. */
  'not_made',
] as const

export type LineType = (typeof LINE_TYPES)[number]

/** Types that a source’s own word may mean. That a line failed, its status says. */
export const MAPPED_TYPES = LINE_TYPES.filter((type) => type !== 'not_made')

export type MappedType = (typeof MAPPED_TYPES)[number]

export interface StatementLine {
  /** The row of the file, counted from 1 with its heading. */
  line: number
  bookedAt: number
  /** The value date (domain/countries/business-day.ts). */
  day: number
  type: LineType
  /** What the wallet gained by it before fee and tax; negative for what it lost. */
  amountXof: number
  /** Taken from the wallet by the same line: never negative. */
  feeXof: number
  taxXof: number
  /** The wallet's balance after it; null where the source has none. */
  balanceXof: number | null
  /** The network's own reference, and ours; empty where the source has none. */
  networkReference: string
  ourReference: string
  /** The other side's number, as the source writes it. */
  counterparty: string
  /** The source's own type and label, for people. */
  text: string
}

/** How much the wallet changed. */
export const changeOf = ({ amountXof, feeXof, taxXof }: StatementLine): number =>
  amountXof - feeXof - taxXof

/**
 * The heading of each column and the forms of its values: kept for each source, so that new columns
 * need no code.
 */
export interface ColumnMapping {
  columns: {
    bookedAt: string
    /** The hour, where it is in a column beside the date. */
    time?: string
    /** One signed column, or one for money in and one for money out. */
    amount?: string
    credit?: string
    debit?: string
    fee?: string
    tax?: string
    balance?: string
    type?: string
    networkReference?: string
    ourReference?: string
    counterparty?: string
    text?: string
    status?: string
    /** When a payment was given back, in a source that has one row for both. */
    refundedAt?: string
    /** Only lines in francs are read. */
    currency?: string
  }
  /**
   * The types by the source's own words, compared without case: the empty word for lines without
   * one. Others are `other`. Without a column of types, the sign decides unless the empty word has
   * another type than `collection`.
   */
  types: Readonly<Record<string, MappedType>>
  /** Types whose amounts are money out although the source writes them without a sign. */
  outgoing: readonly MappedType[]
  /**
   * Lines with one of these statuses count, compared without case. A file with a word of no list is
   * refused.
   */
  statuses: readonly string[]
  /**
   * Lines with one of these statuses moved nothing: a payment that we have as paid contradicts
   * them.
   */
  failures?: readonly string[]
  /** Rows with one of these statuses were paid and given back whole: they are two lines. */
  refunds?: readonly string[]
  /** Rows with one of these statuses are not decided yet: they are left out. */
  undecided?: readonly string[]
  dateOrder: 'day_first' | 'month_first' | 'year_first'
  /** The source's clock: that of its country, or 0 for UTC. */
  utcOffsetMinutes: number
}

export interface StatementTotals {
  lines: number
  /** Null where the source has no balance. */
  openingXof: number | null
  closingXof: number | null
}

/**
 * Who says what a statement's file says: the network, which the service asked for it, or whoever
 * uploaded it. A merchant's file is a witness about that merchant's own books only (D-185).
 */
export type Witness = 'network' | 'staff_file' | 'merchant_file'

export interface StatementFile {
  environment: Environment
  connection: string
  fileId: string
  sha256: string
  name: string
  bytes: number
  /** A person takes an import back: `taking_back` until its last line is gone. */
  state: 'importing' | 'imported' | 'taking_back' | 'taken_back'
  lines: number
  /** Lines that no earlier file had. */
  added: number
  openingXof: number | null
  closingXof: number | null
  firstDay: number
  lastDay: number
  /** The first and the last movement. */
  firstAt: number
  lastAt: number
  importedAt: number
  importedBy: string
  /** Null for a file of an older server. */
  witness: Witness | null
  /** A hash of the columns by which its lines were read; null for files of older versions. */
  readBy: string | null
}

export type KeptStatementFile = StatementFile & {
  /** Of its bytes; null where they are no longer kept. */
  keptId: string | null
  /** Null for a file that counts. */
  takenBackBy: string | null
}

/** A file that cannot be read is refused whole. */
export type StatementFault =
  | { fault: 'file_too_large' | 'too_many_rows' | 'unpacks_too_large'; most: number }
  /** `needs_too_much`: time or memory. */
  | { fault: 'file_not_readable' | 'encoding_not_known' | 'heading_not_found' | 'needs_too_much' }
  | { fault: 'column_missing'; column: string }
  | {
      fault: 'amount_not_valid' | 'date_not_valid' | 'row_not_valid'
      line: number
      column: string
      value: string
    }
  | {
      fault: 'balance_does_not_add_up'
      line: number
      expectedXof: number
      foundXof: number
    }
  /** No mapping says whether these lines moved money. */
  | { fault: 'statuses_unknown'; rows: number; words: readonly UnknownWord[] }
  /** Nor what these lines are. */
  | { fault: 'types_unknown'; rows: number; words: readonly UnknownWord[] }
  | {
      fault: 'currency_not_francs'
      line: number
      column: string
      value: string
    }
  | { fault: 'other_sheet_has_data'; sheet: string; rows: number }
  /** Every date can be read in both ways: the day of one line by each. */
  | {
      fault: 'date_order_unclear'
      line: number
      dayFirst: string
      monthFirst: string
    }
  /** A network gave it for days that none of its lines is of. */
  | { fault: 'other_days' }
  /** These rows gave other lines when the file was imported by its earlier columns. */
  | { fault: 'read_otherwise_before'; line: number; rows: number }

/** What a person settles by the columns of the connection: the file itself is in order. */
export const SETTLED_BY_COLUMNS: readonly StatementFault['fault'][] = [
  'statuses_unknown',
  'types_unknown',
]

/** A status or a type as the file writes it, and how many rows have it. */
export interface UnknownWord {
  word: string
  rows: number
}

/** Too many files wait to be read. */
export class ParserBusy extends Error {
  override readonly name = 'ParserBusy'
}

/** The client has left, or the service stops. */
export class ParsingStopped extends Error {
  override readonly name = 'ParsingStopped'
}

// Counts equal lines by their hashes, in 16 to 32 bytes for each: a Map of a million numbers takes
// 70 MB.

export interface HashCounter {
  has(hash: number): boolean
  /** Returns how often it was added, with this time. */
  add(hash: number): number
}

/** For at most so many different hashes: whole numbers of up to 52 bits. */
export function createHashCounter(most: number): HashCounter {
  const slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * most + 2)))
  /** Of the few that were added more than once. */
  const timesOf = new Map<number, number>()
  let added = 0
  /** The slot that holds it, or the empty one where it belongs. */
  const slotOf = (hash: number): number => {
    let at = hash % slots.length
    while (slots[at] !== 0 && slots[at] !== hash + 1) at = (at + 1) % slots.length
    return at
  }
  return {
    has: (hash) => slots[slotOf(hash)] !== 0,
    add(hash) {
      const at = slotOf(hash)
      if (slots[at] === 0) {
        if (++added > most) throw new RangeError(`more than ${most} different hashes`)
        slots[at] = hash + 1
        return 1
      }
      const times = (timesOf.get(hash) ?? 1) + 1
      timesOf.set(hash, times)
      return times
    },
  }
}
