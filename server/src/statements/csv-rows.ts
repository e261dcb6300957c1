// Rows of a CSV file, as a stream: a file of a million lines needs no more memory than a short one.
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { LONGEST_ROW, MOST_CSV_ROWS, refusedCell, StatementRefused } from './limits.ts'

export interface Row {
  /** Counted from 1, as a spreadsheet counts. */
  line: number
  cells: readonly string[]
}

export type IsHeading = (cell: string) => boolean

const DELIMITERS = [';', ',', '\t'] as const
/** Enough for a title, the headings and some hundred lines. */
const SAMPLE_LENGTH = 32_768

/** The delimiter is the one that finds most headings in one row. */
export async function* csvRows(
  text: AsyncGenerator<string>,
  isHeading: IsHeading,
): AsyncGenerator<Row> {
  let sample = ''
  for (let next = await text.next(); next.done !== true; next = await text.next()) {
    sample += next.value
    if (sample.length >= SAMPLE_LENGTH) break
  }
  const parser = parse({
    delimiter: delimiterOf(sample.slice(0, SAMPLE_LENGTH), isHeading),
    // Without this, the first line end of the file would be the only kind.
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: LONGEST_ROW,
    relax_column_count: true,
    // A quote within a text is a character. Spreadsheets are forced to keep a long number as text
    // by ="0123".
    relax_quotes: true,
  })
  // The parser fails with the error of its source, so the loop below throws it.
  pipeline(boundedLines(sample, text), parser).catch(() => {})
  let line = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (++line > MOST_CSV_ROWS)
        throw new StatementRefused({ fault: 'too_many_rows', most: MOST_CSV_ROWS })
      yield { line, cells }
    }
  } catch (cause) {
    if (!(cause instanceof CsvError || cause instanceof LineTooLong)) throw cause
    throw refusedCell('row_not_valid', parser.info.records + 1, '', '')
  }
}

class LineTooLong extends Error {}

/** The parser counts the characters of cells, so a line of a million empty cells would pass it. */
async function* boundedLines(sample: string, text: AsyncIterable<string>): AsyncGenerator<string> {
  let length = 0
  const check = (piece: string): string => {
    const end = Math.max(piece.lastIndexOf('\n'), piece.lastIndexOf('\r'))
    length = end === -1 ? length + piece.length : piece.length - end - 1
    if (length > LONGEST_ROW) throw new LineTooLong()
    return piece
  }
  yield check(sample)
  for await (const piece of text) yield check(piece)
}

/** Counting characters would mislead: amounts and texts are full of commas. */
function delimiterOf(sample: string, isHeading: IsHeading): string {
  const lines = sample.replaceAll('"', '').split(/[\r\n]+/)
  const scores = DELIMITERS.map((delimiter) =>
    Math.max(...lines.map((line) => line.split(delimiter).filter(isHeading).length)),
  )
  return DELIMITERS[scores.indexOf(Math.max(...scores))] as string
}
