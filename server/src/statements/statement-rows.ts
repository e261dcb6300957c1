// The rows of a statement file, CSV or XLSX. The first bytes decide, since a name or a media type
// may be wrong.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { csvRows, type IsHeading, type Row } from './csv-rows.ts'
import { decodeText } from './decode-text.ts'
import {
  LARGEST_CSV_BYTES,
  LARGEST_UNPACKED_BYTES,
  LARGEST_XLSX_BYTES,
  LONGEST_CELL,
  MOST_COLUMNS,
  refusedCell,
  StatementRefused,
} from './limits.ts'
import { xlsxRows } from './xlsx-rows.ts'

/** The bytes of a file from its beginning, in chunks of any size. */
export type StatementSource = AsyncIterable<Uint8Array>

const HEAD_LENGTH = 4
/** A source may give the whole file in one chunk: it is split. */
const PIECE_BYTES = 16_384
const ZIP = Buffer.from('PK\u0003\u0004', 'latin1')
/** What XLS files of before 2007 begin with. */
const OLD_OFFICE = Buffer.from('d0cf11e0', 'hex')

/** Whether a file that begins so is an XLSX workbook. */
export const isWorkbook = (head: Buffer): boolean => head.equals(ZIP)

/** Every row as the file has it, empty ones included. */
export async function* statementRows(
  source: StatementSource,
  isHeading: IsHeading,
): AsyncGenerator<Row> {
  const { head, bytes } = await peek(source)
  if (head.length === 0 || head.equals(OLD_OFFICE))
    throw new StatementRefused({ fault: 'file_not_readable' })
  const rows = isWorkbook(head)
    ? xlsxRows(await piecesOf(upTo(LARGEST_XLSX_BYTES, bytes)))
    : csvRows(decodeText(head, upTo(LARGEST_CSV_BYTES, bytes)), isHeading)
  for await (const row of rows) {
    if (row.cells.length > MOST_COLUMNS) throw refusedCell('row_not_valid', row.line, '', '')
    const tooLong = row.cells.find((cell) => cell.length > LONGEST_CELL)
    if (tooLong !== undefined) throw refusedCell('row_not_valid', row.line, '', tooLong)
    yield row
  }
}

async function piecesOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return pieces
}

/** The first bytes, and all bytes with them. */
export async function peek(
  source: StatementSource,
): Promise<{ head: Buffer; bytes: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < HEAD_LENGTH) {
    const next = await iterator.next()
    if (next.done === true) break
    first.push(next.value)
    length += next.value.length
  }
  const start = Buffer.concat(first)
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield start
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { head: start.subarray(0, HEAD_LENGTH), bytes: all() }
}

export async function* upTo(
  most: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > most) throw new StatementRefused({ fault: 'file_too_large', most })
    for (let at = 0; at < chunk.length; at += PIECE_BYTES)
      yield chunk.subarray(at, at + PIECE_BYTES)
  }
}

// The bytes of a fetched statement: unpacked if they are GZIP, also under another name. Both sides
// have a limit.

const GZIP = Buffer.from('1f8b', 'hex')

export async function* unpacked(source: StatementSource): AsyncGenerator<Uint8Array> {
  const { head, bytes } = await peek(source)
  const packed = upTo(LARGEST_CSV_BYTES, bytes)
  if (!head.subarray(0, GZIP.length).equals(GZIP)) {
    yield* packed
    return
  }
  const gunzip = createGunzip()
  let failure: unknown
  // The loop below ends with the error of its source, which is thrown after it.
  const piped = pipeline(packed, gunzip).catch((error) => {
    failure = error
  })
  let length = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > LARGEST_UNPACKED_BYTES)
        throw new StatementRefused({ fault: 'unpacks_too_large', most: LARGEST_UNPACKED_BYTES })
      yield chunk
    }
  } catch (error) {
    // Of zlib: a damaged or cut file. Any other error is that of the source.
    const isDamaged =
      error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isDamaged ? new StatementRefused({ fault: 'file_not_readable' }, { cause: error }) : error
  } finally {
    gunzip.destroy()
    await piped
  }
  if (failure !== undefined) throw failure
}
