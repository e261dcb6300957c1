// Months that were written to archive files: the key of each file, and up to which month the
// archive is complete.
import { monthSpan } from '../../domain/countries/business-day.ts'
import type { Queries } from '../engine/database.ts'
import { changesOne, columnsOf, firstRow, firstValue, insertRow } from '../rows.ts'

export interface Archive {
  archiveId: string
  /** `2026-03` */
  month: string
  contentKey: string
  begunAt: number
  madeBy: string
  payments: number
  bytes: number
  /** Of the lines; null until the file is complete. */
  sha256: string | null
}

const ARCHIVE = columnsOf<Archive>({
  archiveId: 'archive_id',
  month: 'month',
  contentKey: 'content_key',
  begunAt: 'begun_at',
  madeBy: 'made_by',
  payments: 'payments',
  bytes: 'bytes',
  sha256: 'sha256',
})

export const findArchive = (db: Queries, archiveId: string) =>
  firstRow<Archive>(db, `select ${ARCHIVE} from archives where archive_id = :archiveId`, {
    archiveId,
  })

/** Complete ones, the oldest month first. */
export const listArchives = (db: Queries) =>
  db.read<Archive>(`select ${ARCHIVE} from archives where sha256 is not null order by month`)

export const insertArchive = (tx: Queries, archive: Archive): Promise<void> =>
  insertRow(tx, 'archives', { ...archive })

/** What earlier runs of this month left unfinished. */
export const removeUnfinished = (tx: Queries, month: string) =>
  tx.change('delete from archives where month = :month and sha256 is null', { month })

/** False when another run has finished this month, or has begun it after this one. */
export const finishArchive = (
  tx: Queries,
  archiveId: string,
  { payments, bytes, sha256 }: Pick<Archive, 'payments' | 'bytes'> & { sha256: string },
) =>
  changesOne(
    tx,
    `update archives set payments = :payments, bytes = :bytes, sha256 = :sha256
     where archive_id = :archiveId and sha256 is null
       and not exists (select 1 from archives a
         where a.month = archives.month and a.sha256 is not null)`,
    { archiveId, payments, bytes, sha256 },
  )

/** Months are archived in order. */
export const findLastMonth = async (db: Queries): Promise<string | undefined> =>
  (await firstValue<string>(
    db,
    'select max(month) as month from archives where sha256 is not null',
  )) ?? undefined

/** The end of the last month in the archive; 0 without one. */
export async function archivedUntil(db: Queries): Promise<number> {
  const month = await findLastMonth(db)
  return month === undefined ? 0 : monthSpan(month).to
}
