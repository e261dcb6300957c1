// karba audit: the audit log of changes made by hand.
import { Command, Option } from 'commander'
import { listLatestAudit } from '../actions/audit/list-audit.ts'
import { integer } from '../service/setting-readers.ts'
import { auditFields } from '../wire/audit.ts'
import { isoTime } from '../wire/json.ts'
import { argument, type Moment, moment } from './arguments.ts'
import { type PageOptions, readPages, withPages } from './page-options.ts'
import { printList } from './print-list.ts'
import type { Column } from './table.ts'
import { withRuntime } from './with-runtime.ts'

const MOST_AT_ONCE = 10_000

export function auditCommand(): Command {
  const audit = new Command('audit')
    .description('Shows who did what by hand, the latest first: merchants, keys, webhooks, links, refunds.')
    .argument('[subject]', 'only what was done to this merchant, account, endpoint, payment or link')
    .option('--since <time>', '24h, 7d, 2026-11-15T09:30:00Z', moment)
  return (
    withPages(audit)
      // The old name of --limit, still accepted.
      .addOption(new Option('--most <count>').argParser(argument(integer(1, MOST_AT_ONCE))).hideHelp())
      .option('--json', 'print a JSON array')
      .addHelpText(
        'after',
        '\nExamples:\n  npm run -s karba -- audit --since 7d\n  npm run -s karba -- audit acc_0123456789ab',
      )
      .action(show)
  )
}

interface AuditOptions extends PageOptions {
  since?: Moment
  most?: number
}

async function show(subject: string | undefined, { since, most, ...options }: AuditOptions): Promise<void> {
  const limits = most === undefined ? options : { ...options, limit: most }
  const page = await withRuntime((runtime, caller) => {
    const filter = { subject, since: since?.(runtime.clock.now()) }
    return readPages((wanted) => listLatestAudit(runtime, caller, { ...filter, ...wanted }), limits)
  })
  const none = 'Nothing was done by hand.'
  printList({ json: options.json, value: page.rows.map(auditFields), page, columns: COLUMNS, none })
}

interface Entry {
  at: number
  actor: string
  action: string
  subject: string
  detail: object
}

const COLUMNS: readonly Column<Entry>[] = [
  { heading: 'TIME', cell: ({ at }) => isoTime(at), is: 'time' },
  { heading: 'WHO', cell: ({ actor }) => actor },
  { heading: 'ACTION', cell: ({ action }) => action },
  { heading: 'SUBJECT', cell: ({ subject }) => subject },
  { heading: 'DETAILS', cell: ({ detail }) => Object.entries(detail).map(detailText).join(', '), is: 'free text' },
]

function detailText([name, value]: [string, unknown]): string {
  return `${name.replaceAll('_', ' ')} ${typeof value === 'object' ? JSON.stringify(value) : value}`
}
