// Rows of a CSV file, as a stream: a file of a million lines needs no more memory than a short one.
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { LONGEST_ROW, MOST_CSV_ROWS } from './limits.ts'
import { refusedCell, StatementRefused } from './statement-refused.ts'

export interface Row {
  /** Counted from 1, as a spreadsheet counts. */
  line: number
  cells: readonly string[]
}

const DELIMITERS = [';', ',', '\t'] as const
/** Enough for a title, the headings and some hundred lines. */
const SAMPLE_LENGTH = 32_768

export async function* csvRows(text: AsyncGenerator<string>): AsyncGenerator<Row> {
  let sample = ''
  for (let next = await text.next(); next.done !== true; next = await text.next()) {
    sample += next.value
    if (sample.length >= SAMPLE_LENGTH) break
  }
  const parser = parse({
    delimiter: delimiterOf(sample.slice(0, SAMPLE_LENGTH)),
    max_record_size: LONGEST_ROW,
    relax_column_count: true,
    // A quote within a text is a character. Spreadsheets are forced to keep a long number as text by ="0123".
    relax_quotes: true,
  })
  // The parser fails with the error of its source, so the loop below throws it.
  pipeline(startingWith(sample, text), parser).catch(() => {})
  let line = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (++line > MOST_CSV_ROWS) throw new StatementRefused({ fault: 'too_many_rows', most: MOST_CSV_ROWS })
      yield { line, cells }
    }
  } catch (cause) {
    throw cause instanceof CsvError ? refusedCell('row_not_valid', line + 1, '', '') : cause
  }
}

async function* startingWith(sample: string, text: AsyncIterable<string>): AsyncGenerator<string> {
  yield sample
  yield* text
}

/** The one that gives most rows the same number of columns, and many columns. Commas within amounts and texts do not. */
function delimiterOf(sample: string): string {
  const lines = sample.replace(/"(?:[^"]|"")*"?/g, '').split(/\r\n|\n|\r/)
  const scores = DELIMITERS.map((delimiter) => {
    const rowsByCount = new Map<number, number>()
    for (const line of lines) {
      const count = line.split(delimiter).length - 1
      rowsByCount.set(count, (rowsByCount.get(count) ?? 0) + 1)
    }
    return Math.max(...[...rowsByCount].map(([count, rows]) => count * rows))
  })
  return DELIMITERS[scores.indexOf(Math.max(...scores))] as string
}
