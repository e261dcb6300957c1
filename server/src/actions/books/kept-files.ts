// Statement files as the network wrote them, for an accountant who asks. They name payers, so they
// are sealed, each with a key of its own; erasing a payer removes the files that hold the number,
// and all go after the retention time.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { KeptStatementFile } from '../../domain/books/statement.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { base32 } from '../../domain/payments/reference.ts'
import {
  type AccountCaller,
  actorOf,
  type Caller,
  isOfService,
} from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { sealedBox } from '../../domain/sealed-box.ts'
import { isShownText } from '../../domain/texts/free-text.ts'
import { LARGEST_CSV_BYTES, StatementRefused } from '../../statements/limits.ts'
import type { StatementSource } from '../../statements/statement-rows.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  addBytes,
  countParts,
  findKeptContent,
  findKeptFile,
  findListedFile,
  findOldestUnfinished,
  findPart,
  insertKeptFile,
  insertPart,
  isHeld,
  isImported,
  type KeptFile,
  listFiles,
  listKeptFiles,
  finishKept as markKeptFinished,
  removeKeptSlice,
} from '../../store/books/kept-files.ts'
import type { Database } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import type { Deps } from '../deps.ts'
import { uploadSpaceRefusal } from './unused-uploads.ts'

export type KeepDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'keptFiles'>

/** Compressed and sealed at once, in some milliseconds. */
export const PART_BYTES = 1_048_576
const MOST_PARTS = Math.ceil(LARGEST_CSV_BYTES / PART_BYTES)
const MOST_UNFINISHED = 5
const LONGEST_NAME = 200
const KEY_BYTES = 32

const keyPlace = (keptId: string): string => `${keptId} content_key`
const partPlace = (keptId: string, part: number): string => `${keptId} ${part}`

export interface NewKeptFile extends ConnectionKey {
  name: string
}

/** The oldest of too many unfinished files of the connection makes room. */
export async function beginKept(
  { db, clock, random, keptFiles }: KeepDeps,
  by: string,
  { environment, connection, name }: NewKeptFile,
): Promise<KeptFile> {
  const keptId = `stf_${base32(random.bytes(10), 16)}`
  const key = Buffer.from(random.bytes(KEY_BYTES)).toString('hex')
  const file = {
    keptId,
    environment,
    connection,
    name,
    sha256: null,
    bytes: 0,
    keptAt: clock.now(),
    keptBy: by,
  }
  const kept = await db.transaction(async (tx) => {
    const contentKey = await sealForStore(tx, keptFiles, key, keyPlace(keptId))
    await insertKeptFile(tx, { ...file, contentKey })
    return { ...file, contentKey }
  })
  const oldest = await findOldestUnfinished(db, kept, MOST_UNFINISHED)
  if (oldest !== undefined) await removeKept(db, oldest)
  return kept
}

const boxOf = (
  { random, keptFiles }: Pick<Deps, 'random' | 'keptFiles'>,
  { keptId, contentKey }: KeptFile,
) => sealedBox(Buffer.from(keptFiles.open(contentKey, keyPlace(keptId)), 'hex'), random)

const pack = promisify(gzip)
const unpack = promisify(gunzip)

export async function addPart(
  deps: KeepDeps,
  kept: KeptFile,
  part: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const packed = (await pack(bytes)).toString('base64')
  const sealed = boxOf(deps, kept).seal(packed, partPlace(kept.keptId, part))
  return deps.db.transaction(async (tx) => {
    const isNew = await insertPart(tx, kept.keptId, part, sealed)
    if (isNew) await addBytes(tx, kept.keptId, bytes.length)
    return isNew
  })
}

/** The bytes from the beginning. */
export async function* contentOf(
  deps: Pick<Deps, 'db' | 'random' | 'keptFiles'>,
  kept: KeptFile,
): AsyncGenerator<Buffer> {
  const box = boxOf(deps, kept)
  for (let part = 0; ; part++) {
    const sealed = await findPart(deps.db, kept.keptId, part)
    if (sealed === undefined) return
    const packed = Buffer.from(box.open(sealed, partPlace(kept.keptId, part)), 'base64')
    yield await unpack(packed, { maxOutputLength: PART_BYTES })
  }
}

/** The file with these bytes: this one, or an earlier one. */
export async function finishKept(deps: KeepDeps, kept: KeptFile): Promise<KeptFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of contentOf(deps, kept)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  const sha256 = hash.digest('hex')
  if (await markKeptFinished(deps.db, kept.keptId, { sha256, bytes }))
    return { ...kept, sha256, bytes }
  const earlier = await findKeptContent(deps.db, kept, sha256)
  if (earlier !== undefined && earlier.keptId !== kept.keptId)
    await removeKept(deps.db, kept.keptId)
  return earlier ?? kept
}

/** Keeps a whole file, unless its bytes are kept. */
export async function keepWhole(
  deps: KeepDeps,
  by: string,
  file: NewKeptFile & { sha256: string; open(): StatementSource },
): Promise<void> {
  if ((await findKeptContent(deps.db, file, file.sha256)) !== undefined) return
  await finishKept(deps, await keepUnfinished(deps, by, file, file.open()))
}

/** Keeps a whole file whose bytes can be read once. Nothing of it stays when its source fails. */
export async function keepUnfinished(
  deps: KeepDeps,
  by: string,
  file: NewKeptFile,
  source: StatementSource,
): Promise<KeptFile> {
  const kept = await beginKept(deps, by, file)
  let part = 0
  try {
    for await (const bytes of inParts(source)) await addPart(deps, kept, part++, bytes)
    return kept
  } catch (error) {
    await removeKept(deps.db, kept.keptId)
    throw error
  }
}

async function* inParts(source: StatementSource): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + PART_BYTES - length)
      held.push(piece)
      at += piece.length
      length += piece.length
      if (length < PART_BYTES) continue
      yield Buffer.concat(held)
      held = []
      length = 0
    }
  }
  if (length > 0) yield Buffer.concat(held)
}

export async function removeKept(db: Database, keptId: string): Promise<void> {
  while (await removeKeptSlice(db, keptId));
}

/**
 * Removes every kept file that holds what `erase` replaces, or that cannot be read any more.
 * Returns how many.
 */
export async function eraseInKept(
  deps: Pick<Deps, 'db' | 'random' | 'keptFiles' | 'statementParser'>,
  erase: (text: string) => string,
): Promise<number> {
  let removed = 0
  for (let after = ''; ; ) {
    const [kept] = await listKeptFiles(deps.db, after, 1)
    if (kept === undefined) return removed
    after = kept.keptId
    if (!(await holdsText(deps, contentOf(deps, kept), (text) => erase(text) !== text))) continue
    await removeKept(deps.db, kept.keptId)
    removed++
  }
}

const ERASURE = { group: 'erasure' }

async function holdsText(
  { statementParser }: Pick<Deps, 'statementParser'>,
  source: StatementSource,
  isFound: (text: string) => boolean,
): Promise<boolean> {
  try {
    for await (const { cells } of statementParser.rows(source, ERASURE))
      if (cells.some(isFound)) return true
    return false
  } catch (error) {
    if (error instanceof StatementRefused) return true
    throw error
  }
}

// Uploads from the dashboard: in parts, so that a slow line does not need one long request.

export interface UploadDeps extends KeepDeps {
  /** Whether there is such a connection. */
  isConnected(connection: ConnectionKey): boolean | Promise<boolean>
  isOwnConnection?(caller: Caller, connection: ConnectionKey): Promise<boolean>
}

/** Checked before a file is read. */
export async function importRefusal(
  caller: Caller,
  connection: ConnectionKey,
  { isConnected, isOwnConnection }: Pick<UploadDeps, 'isConnected' | 'isOwnConnection'>,
): Promise<RefusedAs<'caller_not_allowed' | 'connection_not_found'> | undefined> {
  const isAllowed = isOfService(caller) || (await isOwnConnection?.(caller, connection)) === true
  if (!isAllowed) return { refused: 'caller_not_allowed' }
  return (await isConnected(connection)) ? undefined : { refused: 'connection_not_found' }
}

export async function beginUpload(
  deps: UploadDeps,
  caller: AccountCaller,
  file: NewKeptFile,
): Promise<
  | { keptId: string; partBytes: number }
  | RefusedAs<
      'caller_not_allowed' | 'connection_not_found' | 'file_name_not_valid' | 'upload_space_taken'
    >
> {
  const refusal = await importRefusal(caller, file, deps)
  if (refusal !== undefined) return refusal
  if (!isShownText(file.name, LONGEST_NAME))
    return { refused: 'file_name_not_valid', longest: LONGEST_NAME }
  const noSpace = await uploadSpaceRefusal(deps, caller, { files: 1, bytes: 0 })
  if (noSpace !== undefined) return noSpace
  const { keptId } = await beginKept(deps, actorOf(caller), file)
  return { keptId, partBytes: PART_BYTES }
}

/** The upload of a caller who may import statements of its connection. */
export async function findUpload(
  deps: UploadDeps,
  caller: AccountCaller,
  { keptId }: { keptId: string },
): Promise<KeptFile | RefusedAs<'statement_file_not_found'>> {
  const kept = await findKeptFile(deps.db, keptId)
  const isAllowed = kept !== undefined && (await importRefusal(caller, kept, deps)) === undefined
  return isAllowed ? kept : { refused: 'statement_file_not_found' }
}

/** A part that is sent again changes nothing. */
export async function uploadPart(
  deps: UploadDeps,
  caller: AccountCaller,
  { keptId, part, file }: { keptId: string; part: number; file: Buffer },
): Promise<
  | { part: number }
  | RefusedAs<'statement_file_not_found' | 'statement_not_valid' | 'upload_space_taken'>
> {
  const kept = await findUpload(deps, caller, { keptId })
  if (isRefused(kept)) return kept
  if (kept.sha256 !== null) return { refused: 'statement_file_not_found' }
  if (part >= MOST_PARTS || file.length > PART_BYTES)
    return {
      refused: 'statement_not_valid',
      fault: { fault: 'file_too_large', most: LARGEST_CSV_BYTES },
    }
  const noSpace = await uploadSpaceRefusal(deps, caller, { files: 0, bytes: file.length })
  if (noSpace !== undefined) return noSpace
  await addPart(deps, kept, part, file)
  return { part }
}

export async function finishUpload(
  deps: UploadDeps,
  caller: AccountCaller,
  { keptId, parts }: { keptId: string; parts: number },
): Promise<
  | { keptId: string; bytes: number; sha256: string | null }
  | RefusedAs<'statement_file_not_found' | 'upload_not_complete'>
> {
  const kept = await findUpload(deps, caller, { keptId })
  if (isRefused(kept)) return kept
  if (parts < 1 || (await countParts(deps.db, keptId)) !== parts)
    return { refused: 'upload_not_complete' }
  const {
    keptId: keptAs,
    bytes,
    sha256,
  } = kept.sha256 === null ? await finishKept(deps, kept) : kept
  return { keptId: keptAs, bytes, sha256 }
}

/** One that is not imported. */
export async function removeUpload(
  deps: UploadDeps,
  caller: AccountCaller,
  { keptId }: { keptId: string },
): Promise<{ keptId: string } | RefusedAs<'statement_file_not_found' | 'import_under_way'>> {
  const kept = await findUpload(deps, caller, { keptId })
  if (isRefused(kept)) return kept
  // An imported file is kept for accountants, and one that is being imported is read.
  if (await isImported(deps.db, kept)) return { refused: 'statement_file_not_found' }
  if (await isHeld(deps.db, kept, await deps.db.time())) return { refused: 'import_under_way' }
  await removeKept(deps.db, keptId)
  return { keptId }
}

// Imported files.

export interface ListFilesInput extends PageInput {
  of?: ConnectionKey | undefined
}

export async function listStatementFiles(
  deps: UploadDeps,
  caller: AccountCaller,
  { of, ...page }: ListFilesInput,
): Promise<
  | Page<KeptStatementFile>
  | RefusedAs<'connection_not_found' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  const isAllowed =
    isOfService(caller) || (of !== undefined && (await deps.isOwnConnection?.(caller, of)) === true)
  if (!isAllowed) return { refused: 'connection_not_found' }
  const wanted = readPage(page, ['number', 'text'], [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const [importedAt, fileId] = wanted.cursor
  const found = await listFiles(deps.db, of, { importedAt, fileId }, wanted.limit + 1)
  return pageOf(found, wanted.limit, (file) => [file.importedAt, file.fileId])
}

/** The kept file. Audited: it names payers. */
export async function downloadStatementFile(
  deps: UploadDeps,
  caller: AccountCaller,
  { fileId }: { fileId: string },
): Promise<
  | { name: string; bytes: number; content: AsyncIterable<Buffer> }
  | RefusedAs<'statement_file_not_found'>
> {
  const listed = await findListedFile(deps.db, fileId)
  if (listed?.keptId == null) return { refused: 'statement_file_not_found' }
  const kept = await findUpload(deps, caller, { keptId: listed.keptId })
  if (isRefused(kept)) return kept
  const { environment, connection, name } = listed
  const subject = `${environment}/${connection}`
  const record = { at: deps.clock.now(), action: 'statement.download', subject, accountId: null }
  await deps.db.transaction((tx) =>
    insertAudit(tx, caller, { ...record, detail: { file: fileId, name } }),
  )
  return { name, bytes: kept.bytes, content: contentOf(deps, kept) }
}
