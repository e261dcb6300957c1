// The text of many rows in chunks: a long statement is never one string, and the sender can pause between chunks.

/** About 2 ms of the event loop. */
const ROWS_PER_CHUNK = 100

export function* chunksOf<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  perChunk = ROWS_PER_CHUNK,
): Generator<string> {
  for (let at = 0; at < rows.length; at += perChunk) {
    yield rows
      .slice(at, at + perChunk)
      .map(textOf)
      .join('')
  }
}
