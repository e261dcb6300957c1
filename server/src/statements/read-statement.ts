// A network's statement file to lines, one at a time. The file is refused whole at its first fault:
// lines that were yielded before it must not be kept.

import { referencesIn } from '../domain/books/matching.ts'
import type { ColumnMapping, LineType, StatementLine } from '../domain/books/statement.ts'
import { readDateAndTime, readWrittenTime } from '../domain/books/written-time.ts'
import { dayOf } from '../domain/countries/business-day.ts'
import { readFrancs } from '../domain/payments/money.ts'
import { LONGEST_EXTERNAL_REFERENCE, LONGEST_NOTE } from '../domain/texts/free-text.ts'
import type { Row } from './csv-rows.ts'
import {
  type CellFault,
  MOST_ROWS_BEFORE_HEADING,
  refusedCell,
  StatementRefused,
  shownValue,
} from './limits.ts'
import {
  type ColumnName,
  type Columns,
  columnsOf,
  foldHeading,
  unmappedColumns,
} from './network-mappings.ts'
import { type StatementSource, statementRows } from './statement-rows.ts'

export async function* readStatement(
  source: StatementSource,
  mapping: ColumnMapping,
): AsyncGenerator<StatementLine> {
  let reader: RowReader | undefined
  let rowsBefore = 0
  let nearest = { missing: '', found: 0 }
  const headings = new Set(Object.values(mapping.columns).map(foldHeading))
  for await (const row of statementRows(source, (cell) => headings.has(foldHeading(cell)))) {
    if (reader !== undefined) {
      yield* reader.read(row)
      continue
    }
    const heading = columnsOf(row, mapping)
    if ('columns' in heading) reader = rowReader(row, heading.columns, mapping)
    else if (++rowsBefore > MOST_ROWS_BEFORE_HEADING) break
    else if (heading.found > nearest.found) nearest = heading
  }
  if (reader !== undefined) return reader.end()
  // One heading may be in a title by chance, such as the word Date.
  throw new StatementRefused(
    nearest.found < 2
      ? { fault: 'heading_not_found' }
      : { fault: 'column_missing', column: nearest.missing },
  )
}

/** One row's cells by the names of the mapping. */
interface Cells {
  line: number
  /** Without spacing around and within; empty where the mapping has no such column. */
  text(name: ColumnName): string
  /** Undefined for a blank cell. */
  francs(name: ColumnName): number | undefined
  reference(name: ColumnName): string
  bookedAt(): number | undefined
  refused(fault: CellFault, name: ColumnName): StatementRefused
}

/** Most cells need no change, and the change took half of the time that a file takes. */
const UNTIDY = /^[ '=]| $| {2}|[^\S ]|[\u0000-\u001f\u007f-\u009f]/
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
/** How exports force spreadsheets to take a cell for text. */
const FORCED_TEXT = /^="([^"]*)"$/
const FORMULA_GUARD = /^'(?=[=+\-@\d])/
/** Accountants write nothing as a dash. */
const BLANK = /^[-\u2013\u2014]?$/
/** A spreadsheet has shortened the number: several lines would have one reference. */
const SHORTENED = /^\d[.,]\d+E\+\d+$/i

function cellsOf({ line, cells }: Row, columns: Columns, mapping: ColumnMapping): Cells {
  const text = (name: ColumnName): string => {
    const at = columns.get(name)
    return plainCell(at === undefined ? '' : (cells[at] ?? ''), line, mapping.columns[name] ?? '')
  }
  const shown = (name: ColumnName): string =>
    name === 'bookedAt' ? `${text('bookedAt')} ${text('time')}`.trim() : text(name)
  const refused: Cells['refused'] = (fault, name) =>
    refusedCell(fault, line, mapping.columns[name] ?? '', shown(name))
  return {
    line,
    text,
    refused,
    francs(name) {
      const written = text(name)
      if (BLANK.test(written)) return undefined
      const francs = readFrancs(written)
      if (francs === undefined) throw refused('amount_not_valid', name)
      return francs
    },
    reference(name) {
      const reference = text(name)
      if (reference.length > LONGEST_EXTERNAL_REFERENCE || SHORTENED.test(reference))
        throw refused('row_not_valid', name)
      return reference
    },
    bookedAt: () => readDateAndTime(text('bookedAt'), text('time'), mapping),
  }
}

function plainCell(raw: string, line: number, heading: string): string {
  if (!UNTIDY.test(raw)) return raw
  const plain = raw
    .replace(/\s+/g, ' ')
    .trim()
    .replace(FORCED_TEXT, '$1')
    .replace(FORMULA_GUARD, '')
  if (CONTROL.test(plain)) throw refusedCell('row_not_valid', line, heading, '')
  return plain
}

interface RowReader {
  read(row: Row): StatementLine[]
  /** Throws `StatementRefused` when the file as a whole cannot be read. */
  end(): void
}

function rowReader(heading: Row, mapped: Columns, mapping: ColumnMapping): RowReader {
  const also = unmappedColumns(heading, mapped)
  const columns =
    also.time === undefined ? mapped : new Map<ColumnName, number>([...mapped, ['time', also.time]])
  const statusOf = statusReader(mapping)
  const unknownTypes = unknownWords()
  const readLine = lineReader(mapping, unknownTypes.count)
  let hasLines = false
  let after: Row | undefined
  function read(row: Row): StatementLine[] {
    if (row.cells.every((cell) => cell.trim() === '') || isRepeated(heading, row, mapped)) return []
    const cells = cellsOf(row, columns, mapping)
    const status = statusOf.read(cells)
    if (status === 'failed') return failedLine(row, cells)
    // A payment that is undecided may have no date.
    if (status === 'left_out') return []
    const bookedAt = cells.bookedAt()
    const isRefunded = status === 'refunded'
    const refundedAt = isRefunded
      ? (readWrittenTime(cells.text('refundedAt'), mapping) ?? bookedAt)
      : undefined
    const at = bookedAt ?? refundedAt
    if (at === undefined) {
      if (!cannotBeLine(row, cells)) throw cells.refused('date_not_valid', 'bookedAt')
      if (hasLines) after ??= row
      return []
    }
    // Totals are above the lines or below them. One between them is a line with a fault.
    if (after !== undefined)
      throw refusedCell(
        'row_not_valid',
        after.line,
        '',
        after.cells.find((cell) => cell !== '') ?? '',
      )
    hasLines = true
    if (status === 'missing') throw cells.refused('row_not_valid', 'status')
    if (!FRANCS.test(cells.text('currency'))) throw cells.refused('currency_not_francs', 'currency')
    for (const { at, heading } of also.currencies) checkCurrency(row, at, heading)
    const line = readLine(row, cells, at)
    return refundedAt === undefined
      ? [line]
      : [...(bookedAt === undefined ? [] : [line]), givenBack(line, refundedAt)]
  }
  function end(): void {
    statusOf.end()
    unknownTypes.refuse('types_unknown')
  }
  return { read, end }
}

/** Some exports write the headings again on each page. */
const isRepeated = (heading: Row, { cells }: Row, columns: Columns): boolean =>
  [...columns.values()].every((at) => cells[at]?.trim() === heading.cells[at]?.trim())

type Status = 'counts' | 'failed' | 'refunded' | 'left_out' | 'missing'

/** More are as useless to a person. */
const MOST_UNKNOWN_WORDS = 20

/**
 * What the status of a row means. Words of no list are counted, and the file is refused at its end.
 */
function statusReader(mapping: ColumnMapping): { read(cells: Cells): Status; end(): void } {
  const meanings = new Map<string, Status>()
  const add = (words: readonly string[] | undefined, means: Status): void => {
    for (const word of words ?? []) meanings.set(word.toLowerCase(), means)
  }
  add(mapping.undecided, 'left_out')
  add(mapping.refunds, 'refunded')
  add(mapping.statuses, 'counts')
  add(mapping.failures, 'failed')
  const isMapped = mapping.columns.status !== undefined
  const unknown = unknownWords()
  return {
    read(cells) {
      const written = cells.text('status')
      if (!isMapped) return 'counts'
      const means = meanings.get(written.toLowerCase())
      if (means !== undefined) return means
      if (written === '') return 'missing'
      unknown.count(written)
      return 'left_out'
    },
    end: () => unknown.refuse('statuses_unknown'),
  }
}

/** Words of the file whose meaning the columns do not say. */
function unknownWords() {
  const found = new Map<string, number>()
  let rows = 0
  return {
    count(written: string): void {
      rows++
      const shown = shownValue(written)
      if (found.has(shown) || found.size < MOST_UNKNOWN_WORDS)
        found.set(shown, (found.get(shown) ?? 0) + 1)
    },
    refuse(fault: 'statuses_unknown' | 'types_unknown'): void {
      if (rows === 0) return
      const words = [...found].map(([word, count]) => ({ word, rows: count }))
      throw new StatementRefused({ fault, rows, words })
    },
  }
}

function checkCurrency({ line, cells }: Row, at: number, heading: string): void {
  const currency = plainCell(cells[at] ?? '', line, heading)
  if (!FRANCS.test(currency)) throw refusedCell('currency_not_francs', line, heading, currency)
}

/** Empty where the source has no such column. */
const FRANCS = /^(?:|xof|f?cfa|f cfa|francs? cfa|952)$/i

/** The fee was for the payment: it is not given back. */
const givenBack = (line: StatementLine, at: number): StatementLine => ({
  ...line,
  bookedAt: at,
  day: dayOf(at),
  type: 'refund',
  amountXof: 0 - Math.abs(line.amountXof),
  feeXof: 0,
  taxXof: 0,
  balanceXof: null,
})

function lineReader(
  mapping: ColumnMapping,
  countUnknownType: (word: string) => void,
): (row: Row, cells: Cells, bookedAt: number) => StatementLine {
  const types = new Map(
    Object.entries(mapping.types).map(([word, type]) => [word.toLowerCase(), type]),
  )
  const charge = chargeReader()
  return (row, cells, bookedAt) => {
    const word = cells.text('type')
    const written = types.get(word.toLowerCase())
    const amountXof = amountOf(cells, written ?? 'other', mapping)
    const hasType = mapping.columns.type !== undefined
    if (hasType && written === undefined && word !== '') countUnknownType(word)
    const listed = hasType ? (written ?? 'other') : typeBySign(cells, amountXof, written)
    // A source may have one word for both ways, and for corrections that name no payment.
    const isNamed = cells.text('networkReference') !== '' || cells.text('ourReference') !== ''
    const turned = isNamed ? 'released' : 'other'
    const type = listed === 'withheld' && amountXof > 0 ? turned : listed
    return {
      line: row.line,
      bookedAt,
      day: dayOf(bookedAt),
      type,
      amountXof,
      feeXof: charge(cells, 'fee'),
      taxXof: charge(cells, 'tax'),
      balanceXof: cells.francs('balance') ?? null,
      networkReference: cells.reference('networkReference'),
      ourReference: cells.reference('ourReference'),
      counterparty: cells.reference('counterparty'),
      text: [word, cells.text('text')]
        .filter((part) => part !== '')
        .join(' · ')
        .slice(0, LONGEST_NOTE)
        .toWellFormed(),
    }
  }
}

/**
 * Of a file without types: money that came was paid, and money that went is explained only by our
 * own reference.
 */
function typeBySign(cells: Cells, amountXof: number, everyLine: LineType = 'collection'): LineType {
  if (everyLine !== 'collection' || amountXof >= 0) return everyLine
  const [ourReference, networkReference] = [
    cells.text('ourReference'),
    cells.text('networkReference'),
  ]
  const isNamed =
    referencesIn({ ourReference, networkReference, text: cells.text('text') }).length > 0
  return isNamed ? 'refund' : 'other'
}

/** It moved nothing, even with an amount. None for one without a date. */
function failedLine(row: Row, cells: Cells): StatementLine[] {
  const bookedAt = cells.bookedAt()
  if (bookedAt === undefined) return []
  const line: StatementLine = {
    line: row.line,
    bookedAt,
    day: dayOf(bookedAt),
    type: 'not_made',
    amountXof: 0,
    feeXof: 0,
    taxXof: 0,
    balanceXof: null,
    networkReference: cells.text('networkReference').slice(0, LONGEST_EXTERNAL_REFERENCE),
    ourReference: cells.text('ourReference').slice(0, LONGEST_EXTERNAL_REFERENCE),
    counterparty: '',
    text: '',
  }
  return [line]
}

const TOTAL =
  /^(?:sous[ -]?total|sub[ -]?total|grand total|total|totaux|solde|balance|opening|closing|ouverture|cl[oô]ture|report|somme|sum|nombre|count)(?!\p{L})/iu

/**
 * Whether a row without a date is certainly no line: it has no amount either, or its first cell
 * names a total or a balance and it has no reference.
 */
function cannotBeLine(row: Row, cells: Cells): boolean {
  const isBlank = (name: ColumnName): boolean => BLANK.test(cells.text(name))
  if (isBlank('amount') && isBlank('credit') && isBlank('debit')) return true
  const first = row.cells.find((cell) => cell.trim() !== '') ?? ''
  const hasReference = (['networkReference', 'ourReference'] as const).some(
    (name) => /\d/.test(cells.text(name)) && !TOTAL.test(cells.text(name)),
  )
  return TOTAL.test(first.trim()) && !hasReference
}

function amountOf(cells: Cells, type: LineType, { columns, outgoing }: ColumnMapping): number {
  const amount = columns.amount === undefined ? fromTwoColumns(cells) : cells.francs('amount')
  if (amount === undefined)
    throw cells.refused('amount_not_valid', columns.amount === undefined ? 'credit' : 'amount')
  return outgoing.some((each) => each === type) ? 0 - Math.abs(amount) : amount
}

/** The column decides the direction. Some sources also write a sign before what went out. */
function fromTwoColumns(cells: Cells): number | undefined {
  const [credit, debit] = [cells.francs('credit'), cells.francs('debit')]
  if (credit === undefined && debit === undefined) return undefined
  if (credit !== undefined && credit < 0) throw cells.refused('amount_not_valid', 'credit')
  if (credit && debit) throw cells.refused('row_not_valid', 'debit')
  return (credit ?? 0) - Math.abs(debit ?? 0)
}

/**
 * Fees and taxes are written with or without a sign. In one file both would mean that some were
 * given back.
 */
function chargeReader(): (cells: Cells, name: 'fee' | 'tax') => number {
  const signs = new Map<ColumnName, number>()
  return (cells, name) => {
    const charge = cells.francs(name) ?? 0
    if (charge === 0) return 0
    const sign = signs.get(name) ?? Math.sign(charge)
    signs.set(name, sign)
    if (Math.sign(charge) !== sign) throw cells.refused('amount_not_valid', name)
    return Math.abs(charge)
  }
}
