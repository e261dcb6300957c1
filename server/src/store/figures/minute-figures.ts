// The counts of every process in each minute of the last hour.
import type { MinuteCounts } from '../../domain/limits/minute-figures.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, putRow } from '../rows.ts'

interface StoredCounts extends Omit<MinuteCounts, 'latencies' | 'operators'> {
  latencies: string
  operators: string
}

const COUNTS = columnsOf<StoredCounts>({
  minute: 'minute',
  created: 'created',
  settled: 'settled',
  failed: 'failed',
  webhookBacklog: 'webhook_backlog',
  latencies: 'latencies',
  operators: 'operators',
})

/** Takes the place of what the process counted in that minute before. */
export function writeMinute(db: Queries, process: string, counts: MinuteCounts): Promise<void> {
  const { minute, latencies, operators, ...plain } = counts
  const texts = { latencies: latencies.join(','), operators: JSON.stringify(operators) }
  return putRow(db, 'minute_figures', { minute, process }, { ...plain, ...texts })
}

export const removeMinutes = (db: Queries, before: number) =>
  db.change('delete from minute_figures where minute < :before', { before })

/** The figures of other processes, and of this one before its last restart. */
export async function listOtherMinutes(
  db: Queries,
  process: string,
  from: number,
): Promise<MinuteCounts[]> {
  const rows = await db.read<StoredCounts>(
    `select ${COUNTS} from minute_figures where minute >= :from and process <> :process`,
    { from, process },
  )
  return rows.map(({ latencies, operators, ...row }) => ({
    ...row,
    latencies: latencies.split(',').map(Number),
    operators: JSON.parse(operators),
  }))
}
