// Files as one ZIP, written while its reader takes it: one file after the other, and none of them
// is held whole.
import { localDate } from '../domain/countries/business-day.ts'
import type { Chunk } from './writing.ts'

export interface ZippedFile {
  /** ASCII. */
  name: string
  /** Its format has compressed it already. */
  isCompressed: boolean
  content: AsyncIterable<Chunk>
}

/** The library writes no ZIP64. A longer file would have a wrong length in the directory. */
const MOST_BYTES = 2 ** 32 - 1

/**
 * An empty chunk after each chunk of a file: compression takes time, and the sender pauses there.
 */
export async function* zipFiles(
  files: Iterable<ZippedFile>,
  createdAt: number,
): AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate, ZipPassThrough } = await import('fflate')
  let parts: Uint8Array[] = []
  let writtenBytes = 0
  const zip = new Zip((error, part) => {
    if (error) throw error
    writtenBytes += part.length
    parts.push(part)
  })
  const take = (): Uint8Array[] => {
    const taken = parts
    parts = []
    return taken
  }
  for (const { name, isCompressed, content } of files) {
    const file = isCompressed ? new ZipPassThrough(name) : new ZipDeflate(name)
    file.mtime = zipTime(createdAt)
    zip.add(file)
    let fileBytes = 0
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk)
      fileBytes += bytes.length
      if (fileBytes > MOST_BYTES || writtenBytes > MOST_BYTES)
        throw new Error(`${name} is too long for a ZIP file`)
      file.push(bytes)
      yield* take()
      yield NOTHING
    }
    file.push(NOTHING, true)
    yield* take()
  }
  zip.end()
  yield* take()
}

const NOTHING = new Uint8Array()

/**
 * The library reads the fields of the process's own zone; the file shows the local time of the
 * merchant.
 */
function zipTime(at: number): Date {
  const local = localDate(at)
  return new Date(
    local.getUTCFullYear(),
    local.getUTCMonth(),
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  )
}
