// The files of networks' statements, as people list them: the newest first.

import type { ConnectionKey } from '../../domain/operator-report.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf } from '../rows.ts'
import type { StatementFile } from './statements.ts'

export type ListedFile = Pick<
  StatementFile,
  'environment' | 'connection' | 'fileId' | 'name' | 'state' | 'lines' | 'added'
> &
  Pick<StatementFile, 'firstDay' | 'lastDay' | 'importedAt' | 'importedBy'>

const FILE = columnsOf<ListedFile>()(
  'environment connection fileId name state lines added firstDay lastDay importedAt importedBy',
)

/** Of these connections, before the last row's time and id. */
export function listFiles(
  db: Queries,
  sources: readonly ConnectionKey[],
  [before, fileId]: readonly [number, string],
  most: number,
): Promise<ListedFile[]> {
  const among = sources.map((_, at) => `environment = $${4 + 2 * at} and connection = $${5 + 2 * at}`)
  return db.rows<ListedFile>(
    `select ${FILE} from statement_files where (imported_at, file_id) < ($1, $2) and (${among.join(' or ')})
     order by imported_at desc, file_id desc limit $3`,
    [before, fileId, most, ...sources.flatMap(({ environment, connection }) => [environment, connection])],
  )
}
