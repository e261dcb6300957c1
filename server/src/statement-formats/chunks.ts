// The text of many rows in chunks: a long statement is never one string, and the sender can pause between chunks.

/** About 2 ms of the event loop: a row of CAMT.053, the slowest format, takes 90 µs. */
const ROWS_PER_CHUNK = 25

export function* chunksOf<Row>(rows: readonly Row[], textOf: (row: Row) => string): Generator<string> {
  for (let at = 0; at < rows.length; at += ROWS_PER_CHUNK) {
    yield rows
      .slice(at, at + ROWS_PER_CHUNK)
      .map(textOf)
      .join('')
  }
}
