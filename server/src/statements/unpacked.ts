// The bytes of a fetched statement: unpacked where they are GZIP, whatever their name says. Both sides have a limit.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { LARGEST_CSV_BYTES, LARGEST_UNPACKED_BYTES } from './limits.ts'
import { StatementRefused } from './statement-refused.ts'
import { peek, type StatementSource, upTo } from './statement-rows.ts'

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
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isDamaged ? new StatementRefused({ fault: 'file_not_readable' }, { cause: error }) : error
  } finally {
    gunzip.destroy()
    await piped
  }
  if (failure !== undefined) throw failure
}
