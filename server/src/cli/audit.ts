// karba audit: who did what by hand.
import { Command } from 'commander'
import { integer } from '../config.ts'
import { type AuditEntry, listAudit } from '../store/audit/audit-log.ts'
import { argument, type Since, since } from './arguments.ts'
import { isoTime, say, table, withRuntime } from './open.ts'

const MOST = 50
const MOST_AT_ONCE = 10_000

export function auditCommand(): Command {
  return new Command('audit')
    .description('Shows who did what by hand: merchants, keys, webhooks, links, refunds.')
    .argument('[subject]', 'only what was done to this merchant, account, endpoint, payment or link')
    .option('--since <time>', '24h, 7d, 2026-11-15T09:30:00Z', since)
    .option('--most <count>', 'the latest so many', argument(integer(1, MOST_AT_ONCE)), MOST)
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- audit --since 7d\n  npm run -s karba -- audit acc_0123456789ab',
    )
    .action(show)
}

interface AuditOptions {
  since?: Since
  most: number
  json?: boolean
}

async function show(subject: string | undefined, options: AuditOptions): Promise<void> {
  const { since = () => 0, most, json } = options
  const entries = await withRuntime(({ db, clock }) => listAudit(db, { since: since(clock.now()), subject, most }))
  const bodies = entries.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest }))
  say(json, bodies, entries.length === 0 ? ['Nothing was done by hand.'] : table(entries.map(line)))
}

const line = ({ at, actor, action, subject, detail }: AuditEntry): string[] => [
  isoTime(at),
  actor,
  action,
  subject,
  Object.entries(detail).map(inWords).join(', '),
]

function inWords([name, value]: [string, unknown]): string {
  return `${name.replaceAll('_', ' ')} ${typeof value === 'object' ? JSON.stringify(value) : value}`
}
