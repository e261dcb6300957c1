// karba anomalies: contradictions between operators' reports and payments, which a person must decide.
import { Command } from 'commander'
import { listLatestAnomalies } from '../actions/payments/list-anomalies.ts'
import { anomalyFields } from '../wire/anomaly.ts'
import { isoTime } from '../wire/json.ts'
import { type PageOptions, readPages, withOptionalPages } from './page-options.ts'
import { printList } from './print-list.ts'
import type { Column } from './table.ts'
import { withRuntime } from './with-runtime.ts'

export function anomaliesCommand(): Command {
  const anomalies = new Command('anomalies').description(
    'Lists what no rule can decide: a success after a failure, an amount that is not the one asked for.',
  )
  return withOptionalPages(anomalies)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- anomalies')
    .action(list)
}

async function list(options: PageOptions): Promise<void> {
  const page = await withRuntime((runtime, caller) =>
    readPages((wanted) => listLatestAnomalies(runtime, caller, wanted), options),
  )
  const none = 'There is nothing to look at.'
  printList({ json: options.json, value: page.rows.map(anomalyFields), page, columns: COLUMNS, none })
}

interface Anomaly {
  at: number
  reference: string
  kind: string
  detail: string
}

const COLUMNS: readonly Column<Anomaly>[] = [
  { heading: 'TIME', cell: ({ at }) => isoTime(at), is: 'time' },
  { heading: 'REFERENCE', cell: ({ reference }) => reference },
  { heading: 'KIND', cell: ({ kind }) => kind },
  { heading: 'DETAILS', cell: ({ detail }) => detail, is: 'free text' },
]
