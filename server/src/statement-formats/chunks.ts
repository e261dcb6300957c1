// The text of many rows in chunks: a long statement is never one string, and the sender can pause between chunks.

/** About 2 ms of the event loop. */
const ROWS_PER_CHUNK = 100

export async function* chunksOf<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  /** `place` counts from 0. */
  textOf: (row: Row, place: number) => string,
  perChunk = ROWS_PER_CHUNK,
): AsyncGenerator<string> {
  let [text, place] = ['', 0]
  for await (const row of rows) {
    text += textOf(row, place)
    if (++place % perChunk !== 0) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
