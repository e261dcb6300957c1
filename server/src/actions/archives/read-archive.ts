// Reads an archive file back: its lines, one payment each, while the file is read. Every block is
// authenticated before any of it is returned, and so are the first line and the end: a file that
// was changed, cut or lengthened is refused.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type AccountCaller, isOfService } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { sealedBox } from '../../domain/sealed-box.ts'
import { type Archive, findArchive, listArchives } from '../../store/archives/archives.ts'
import { archiveHead, isArchiveFoot, readArchiveHead } from '../../wire/archive.ts'
import type { Deps } from '../deps.ts'
import { blockPlace, keyPlace } from './write-archive.ts'

export async function listWrittenArchives(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
): Promise<{ archives: Archive[] } | RefusedAs<'caller_not_allowed'>> {
  return isOfService(caller)
    ? { archives: await listArchives(db) }
    : { refused: 'caller_not_allowed' }
}

/** The file was changed, or is not complete. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged'
}

const LONGEST_HEAD = 1_024
const LARGEST_BLOCK = 16_777_216

export async function readArchive(
  { db, archives, random }: Pick<Deps, 'db' | 'archives' | 'random'>,
  caller: AccountCaller,
  { file }: { file: AsyncIterable<Uint8Array> },
): Promise<
  | { archive: Archive; lines: AsyncGenerator<string> }
  | RefusedAs<'caller_not_allowed' | 'archive_not_valid' | 'archive_not_found'>
> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const bytes = byteReader(file)
  const head = (await bytes.line(LONGEST_HEAD)) ?? ''
  const archiveId = readArchiveHead(head)
  if (archiveId === undefined) return { refused: 'archive_not_valid' }
  const archive = await findArchive(db, archiveId)
  if (archive === undefined || archive.sha256 === null) return { refused: 'archive_not_found' }
  const key = Buffer.from(archives.open(archive.contentKey, keyPlace(archiveId)), 'hex')
  const box = sealedBox(key, random)
  return { archive, lines: linesOf({ archive, box, head, bytes }) }
}

const unpack = promisify(gunzip)

interface OpenedArchive {
  archive: Archive
  box: ReturnType<typeof sealedBox>
  head: string
  bytes: ByteReader
}

async function* linesOf({ archive, box, head, bytes }: OpenedArchive): AsyncGenerator<string> {
  const { archiveId, sha256 } = archive
  // The blocks do not cover it, and people take the month from it.
  if (head !== archiveHead(archive)) throw new ArchiveDamaged('its first line was changed')
  const hash = createHash('sha256')
  for (let block = 0; ; block++) {
    const length = (await bytes.take(4))?.readUInt32BE() ?? 0
    const sealed = length === 0 || length > LARGEST_BLOCK ? undefined : await bytes.take(length)
    if (sealed === undefined) throw new ArchiveDamaged('the file ends before its last line')
    let text: string
    try {
      const packed = box.openBytes(sealed, blockPlace(archiveId, block))
      text = (await unpack(packed, { maxOutputLength: LARGEST_BLOCK })).toString('utf8')
    } catch (error) {
      throw new ArchiveDamaged(`block ${block} was changed`, { cause: error })
    }
    for (const line of text.split('\n').slice(0, -1)) {
      if (!isArchiveFoot(line)) {
        hash.update(`${line}\n`)
        yield line
        continue
      }
      if (hash.digest('hex') !== sha256)
        throw new ArchiveDamaged('the lines are not those that were written')
      if ((await bytes.take(1)) !== undefined)
        throw new ArchiveDamaged('it goes on after its last line')
      return
    }
  }
}

interface ByteReader {
  /** Exactly so many bytes; undefined at the end. */
  take(count: number): Promise<Buffer | undefined>
  /** Without its end; undefined when there is none within so many bytes. */
  line(longest: number): Promise<string | undefined>
}

function byteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)

  /** False at the end of the source. */
  async function hold(count: number): Promise<boolean> {
    const parts = [held]
    let length = held.length
    while (length < count) {
      const next = await chunks.next()
      if (next.done) break
      parts.push(Buffer.from(next.value))
      length += next.value.length
    }
    held = Buffer.concat(parts)
    return length >= count
  }

  async function take(count: number): Promise<Buffer | undefined> {
    if (!(await hold(count))) return undefined
    const taken = held.subarray(0, count)
    held = held.subarray(count)
    return taken
  }

  return {
    take,
    async line(longest) {
      await hold(longest)
      const end = held.subarray(0, longest).indexOf('\n')
      return end === -1 ? undefined : (await take(end + 1))?.subarray(0, -1).toString('utf8')
    },
  }
}
