// karba audit: shows and verifies the audit log.
import { InvalidArgumentError, Option } from 'commander'
import { type ListedAudit, listLatestAudit, verifyAudit } from '../actions/audit/audit-log.ts'
import { integer } from '../config.ts'
import { type ChainHead, readHead, writeHead } from '../domain/verify/audit-chain.ts'
import { auditFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import {
  argument,
  type Moment,
  moment,
  type PageOptions,
  readPages,
  withPages,
} from './arguments.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'
import { findingText } from './verify.ts'

const MOST_AT_ONCE = 10_000

export function auditCommand(cli: Cli): KarbaCommand {
  const audit = new KarbaCommand('audit')
    .description('Shows the audit log, newest first: merchants, keys, webhooks, links, refunds.')
    .argument('[subject]', 'only entries about this merchant, account, endpoint, payment or link')
    .option('--since <time>', '24h, 7d, 2026-11-15T09:30:00Z', moment)
  audit
    .command('verify')
    .description(
      'Checks the hash chain of the audit log, and names the first entry that was altered, removed or moved.',
    )
    .option(
      '--head <head>',
      'a head that the server logged earlier: it must be in the chain',
      auditHead,
    )
    .json()
    .addHelpText('after', '\nExit code: 0 when the chain is intact, 1 when it is broken.')
    .examples('audit verify')
    .action(cli.action(verifyChain))
  return (
    withPages(audit)
      // The old name of --limit, still accepted.
      .addOption(
        new Option('--most <count>').argParser(argument(integer(1, MOST_AT_ONCE))).hideHelp(),
      )
      .json('a JSON array')
      .examples('audit --since 7d', 'audit acc_0123456789ab')
      .action(cli.action(show))
  )
}

function auditHead(text: string): ChainHead {
  const head = readHead(text)
  if (head === undefined)
    throw new InvalidArgumentError('It is a number, a colon and 64 hexadecimal digits.')
  return head
}

async function verifyChain(
  cli: Cli,
  { head: known, json }: { head?: ChainHead; json?: boolean },
): Promise<void> {
  const verified = await cli.run(verifyAudit, { known })
  const { entries, head, broken, erased } = verified
  const [first, ...more] = broken.map((each) => ({
    ...each,
    message: findingText({ ...each, accountId: null }),
  }))
  const shownHead = head === undefined ? null : writeHead(head)
  const whole = `${entries.toLocaleString('en')} entries were read, and the chain is intact. Its head is ${shownHead ?? 'empty'}.`
  const rest = more.length === 0 ? [] : [`${more.length} more entries do not fit.`]
  const result = {
    clean: first === undefined,
    entries,
    head: shownHead,
    first: first ?? null,
    broken: broken.length,
  }
  cli.print(json, { ...result, erased }, [
    ...(first === undefined ? [whole] : [first.message, ...rest]),
    ...erased.map(
      ({ entry, by }) =>
        `Entry ${entry} lacks erased data: entry ${by} is the erasure. Check that it was requested.`,
    ),
  ])
  if (first !== undefined) cli.exitCode = 1
}

type AuditOptions = PageOptions & { since?: Moment; most?: number }

async function show(
  cli: Cli,
  subject: string | undefined,
  { since, most, ...options }: AuditOptions,
): Promise<void> {
  const limits = most === undefined ? options : { ...options, limit: most }
  const page = await cli.withRuntime((runtime, caller) => {
    const filter = { subject, since: since?.(runtime.clock.now()) }
    return readPages((wanted) => listLatestAudit(runtime, caller, { ...filter, ...wanted }), limits)
  })
  const none = 'No entries.'
  cli.printPage({
    json: options.json,
    value: page.rows.map(auditFields),
    page,
    columns: COLUMNS,
    none,
  })
}

const COLUMNS: readonly Column<ListedAudit>[] = [
  { heading: 'TIME', cell: ({ at }) => isoTime(at), is: 'time' },
  { heading: 'WHO', cell: ({ actor }) => actor },
  { heading: 'ACTION', cell: ({ action }) => action },
  { heading: 'SUBJECT', cell: ({ subject }) => subject },
  {
    heading: 'DETAILS',
    cell: ({ detail }) => Object.entries(detail).map(detailText).join(', '),
    is: 'free text',
  },
]

const detailText = ([name, value]: [string, unknown]): string =>
  `${name.replaceAll('_', ' ')} ${typeof value === 'object' ? JSON.stringify(value) : value}`
