// Statement files as they were uploaded: parts that are compressed and sealed, the list of imported
// files, and one import at a time for each connection.

import type { KeptStatementFile } from '../../domain/books/statement.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { Queries } from '../engine/database.ts'
import {
  changesOne,
  columnsOf,
  deleteRows,
  firstRow,
  firstValue,
  insertNew,
  insertRow,
  isAnyRow,
  updateRows,
} from '../rows.ts'
import { fileState } from './take-backs.ts'

export interface KeptFile extends ConnectionKey {
  keptId: string
  name: string
  contentKey: string
  /** Null until every part is there. */
  sha256: string | null
  bytes: number
  keptAt: number
  keptBy: string
}

const KEPT = columnsOf<KeptFile>({
  environment: 'environment',
  connection: 'connection',
  keptId: 'kept_id',
  name: 'name',
  contentKey: 'content_key',
  sha256: 'sha256',
  bytes: 'bytes',
  keptAt: 'kept_at',
  keptBy: 'kept_by',
})

export const insertKeptFile = (tx: Queries, file: KeptFile): Promise<void> =>
  insertRow(tx, 'kept_files', { ...file })

export const findKeptFile = (db: Queries, keptId: string) =>
  firstRow<KeptFile>(db, `select ${KEPT} from kept_files where kept_id = :keptId`, { keptId })

export const findKeptContent = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  sha256: string,
) =>
  firstRow<KeptFile>(
    db,
    `select ${KEPT} from kept_files
     where environment = :environment and connection = :connection and sha256 = :sha256`,
    { environment, connection, sha256 },
  )

/** In the order of their ids. */
export const listKeptFiles = (db: Queries, after: string, most: number) =>
  db.read<KeptFile>(
    `select ${KEPT} from kept_files where kept_id > :after order by kept_id limit :most`,
    { after, most },
  )

export const findOldestUnfinished = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  beyond: number,
) =>
  firstValue<string>(
    db,
    `select kept_id from kept_files
     where environment = :environment and connection = :connection and sha256 is null
     order by kept_at desc, kept_id limit 1 offset :beyond`,
    { environment, connection, beyond },
  )

/** False when the same part is there already. */
export const insertPart = (
  tx: Queries,
  keptId: string,
  part: number,
  content: string,
): Promise<boolean> => insertNew(tx, 'kept_file_parts', { keptId, part, content })

/** A finished file has its true size. */
export const addBytes = (tx: Queries, keptId: string, bytes: number): Promise<number> =>
  tx.change(
    'update kept_files set bytes = bytes + :bytes where kept_id = :keptId and sha256 is null',
    { keptId, bytes },
  )

export const findPart = (db: Queries, keptId: string, part: number) =>
  firstValue<string>(
    db,
    'select content from kept_file_parts where kept_id = :keptId and part = :part',
    { keptId, part },
  )

export const countParts = async (db: Queries, keptId: string): Promise<number> =>
  (await firstValue<number>(db, 'select count(*) from kept_file_parts where kept_id = :keptId', {
    keptId,
  })) ?? 0

/** False when another file with these bytes is there. */
export const finishKept = (
  tx: Queries,
  keptId: string,
  { sha256, bytes }: { sha256: string; bytes: number },
) =>
  changesOne(
    tx,
    `update kept_files set sha256 = :sha256, bytes = :bytes
     where kept_id = :keptId and sha256 is null
       and not exists (select 1 from kept_files k where k.environment = kept_files.environment
         and k.connection = kept_files.connection and k.sha256 = :sha256)`,
    { keptId, sha256, bytes },
  )

const PARTS_AT_ONCE = 20

/** Removes parts of one file, and the file after its last part. False when it was the end. */
export async function removeKeptSlice(tx: Queries, keptId: string): Promise<boolean> {
  const removed = await tx.change(
    `delete from kept_file_parts where kept_id = :keptId
       and part in (select part from kept_file_parts where kept_id = :keptId
         order by part limit ${PARTS_AT_ONCE})`,
    { keptId },
  )
  if (removed === PARTS_AT_ONCE) return true
  await deleteRows(tx, 'kept_files', { keptId })
  return false
}

/** Or begun, or taken back: an accountant may still ask for it. */
const IS_IMPORTED = `exists (select 1 from statement_files f where f.environment = k.environment
  and f.connection = k.connection and f.sha256 = k.sha256)`

export const isImported = (db: Queries, { keptId }: KeptFile): Promise<boolean> =>
  isAnyRow(
    db,
    `select 1 as imported from kept_files k where k.kept_id = :keptId and ${IS_IMPORTED}`,
    { keptId },
  )

// Uploads that were not imported, of an account's own connections.

const OF_ACCOUNT = `merchant_connections m join kept_files k
  on k.environment = m.environment and k.connection = m.connection_id`

export const sumUnused = async (
  db: Queries,
  accountId: string,
): Promise<{ files: number; bytes: number }> =>
  (await firstRow<{ files: number; bytes: number }>(
    db,
    `select count(*) as files, cast(coalesce(sum(k.bytes), 0) as bigint) as bytes from ${OF_ACCOUNT}
     where m.account_id = :accountId and not ${IS_IMPORTED}`,
    { accountId },
  )) ?? { files: 0, bytes: 0 }

export type UnusedUpload = Pick<
  KeptFile,
  'environment' | 'connection' | 'keptId' | 'name' | 'bytes' | 'keptAt'
> & {
  /** False while parts are missing. */
  isComplete: boolean
}

const UNUSED = columnsOf<Omit<UnusedUpload, 'isComplete'>>({
  environment: 'k.environment',
  connection: 'k.connection',
  keptId: 'k.kept_id',
  name: 'k.name',
  bytes: 'k.bytes',
  keptAt: 'k.kept_at',
})

/** Newest first: of an account's connections, or of every connection. */
export const listUnused = async (
  db: Queries,
  accountId: string | null,
  most: number,
): Promise<UnusedUpload[]> => {
  const of =
    accountId === null ? 'kept_files k where' : `${OF_ACCOUNT} where m.account_id = :accountId and`
  const found = await db.read<UnusedUpload & { sha256: string | null }>(
    `select ${UNUSED}, k.sha256 from ${of} not ${IS_IMPORTED} order by k.kept_at desc, k.kept_id
      limit :most`,
    accountId === null ? { most } : { most, accountId },
  )
  return found.map(({ sha256, ...row }) => ({ ...row, isComplete: sha256 !== null }))
}

/** A file from before a time, or one from before another time that was never imported. */
export const findOldKept = (db: Queries, before: { kept: number; unused: number }) =>
  firstValue<string>(
    db,
    `select kept_id from kept_files k
     where k.kept_at < :kept or (k.kept_at < :unused and not ${IS_IMPORTED})
     order by k.kept_at limit 1`,
    { kept: before.kept, unused: before.unused },
  )

// Imported files.

const LISTED = columnsOf<KeptStatementFile>({
  environment: 'f.environment',
  connection: 'f.connection',
  fileId: 'f.file_id',
  sha256: 'f.sha256',
  name: 'f.name',
  bytes: 'f.bytes',
  lines: 'f.lines',
  added: 'f.added',
  openingXof: 'f.opening_xof',
  closingXof: 'f.closing_xof',
  firstDay: 'f.first_day',
  lastDay: 'f.last_day',
  firstAt: 'f.first_at',
  lastAt: 'f.last_at',
  importedAt: 'f.imported_at',
  importedBy: 'f.imported_by',
  witness: 'f.witness',
  readBy: 'f.read_by',
  keptId: 'k.kept_id',
  state: fileState('f'),
  takenBackBy: 'f.take_back_by',
})
const FROM = `statement_files f left join kept_files k
  on k.environment = f.environment and k.connection = f.connection and k.sha256 = f.sha256`

/** Newest first, of all connections or of one. */
export const listFiles = (
  db: Queries,
  of: ConnectionKey | undefined,
  before: { importedAt: number; fileId: string },
  most: number,
) =>
  db.read<KeptStatementFile>(
    `select ${LISTED} from ${FROM} where (f.imported_at, f.file_id) < (:importedAt, :fileId)
     ${of === undefined ? '' : 'and f.environment = :environment and f.connection = :connection'}
     order by f.imported_at desc, f.file_id desc limit :most`,
    {
      importedAt: before.importedAt,
      fileId: before.fileId,
      most,
      ...(of && { environment: of.environment, connection: of.connection }),
    },
  )

export const findListedFile = (db: Queries, fileId: string) =>
  firstRow<KeptStatementFile>(db, `select ${LISTED} from ${FROM} where f.file_id = :fileId`, {
    fileId,
  })

// One import at a time.

/** False while another import has the connection. */
export const claimSource = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  now: number,
  until: number,
) =>
  changesOne(
    db,
    `insert into statement_sources (environment, connection, importing_until)
     values (:environment, :connection, :until)
     on conflict (environment, connection) do update set importing_until = excluded.importing_until
       where statement_sources.importing_until <= :now`,
    { environment, connection, now, until },
  )

/** Whether an import has the connection. */
export const isHeld = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  now: number,
): Promise<boolean> =>
  isAnyRow(
    db,
    `select 1 as held from statement_sources
     where environment = :environment and connection = :connection and importing_until > :now`,
    { environment, connection, now },
  )

export const holdSource = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  importingUntil: number,
) => updateRows(db, 'statement_sources', { environment, connection }, { importingUntil })
