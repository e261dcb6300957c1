// The counts of every process in each minute of the last hour.

import type { MinuteCounts } from '../../domain/minute-figures.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf } from '../rows.ts'

interface StoredCounts extends Omit<MinuteCounts, 'latencies' | 'operators'> {
  latencies: string
  operators: string
}

const COUNTS = columnsOf<StoredCounts>()('minute created settled failed webhookBacklog latencies operators')

/** Takes the place of what the process counted in that minute before. */
export async function writeMinute(db: Queries, process: string, counts: MinuteCounts): Promise<void> {
  const { minute, created, settled, failed, webhookBacklog, latencies, operators } = counts
  await db.change(
    `insert into minute_figures (minute, process, created, settled, failed, webhook_backlog, latencies, operators)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (minute, process) do update set created = excluded.created, settled = excluded.settled,
       failed = excluded.failed, webhook_backlog = excluded.webhook_backlog, latencies = excluded.latencies,
       operators = excluded.operators`,
    [minute, process, created, settled, failed, webhookBacklog, latencies.join(','), JSON.stringify(operators)],
  )
}

export async function removeMinutes(db: Queries, before: number): Promise<void> {
  await db.change('delete from minute_figures where minute < $1', [before])
}

/** The figures of other processes, and of this one before its last restart. */
export async function listOtherMinutes(db: Queries, process: string, from: number): Promise<MinuteCounts[]> {
  const rows = await db.rows<StoredCounts>(
    `select ${COUNTS} from minute_figures where minute >= $1 and process <> $2`,
    [from, process],
  )
  return rows.map(({ latencies, operators, ...row }) => ({
    ...row,
    latencies: latencies.split(',').map(Number),
    operators: JSON.parse(operators),
  }))
}
