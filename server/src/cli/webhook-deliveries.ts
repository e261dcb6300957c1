// karba webhook deliveries, delivery: deliveries to endpoints, queued or sent, and how the receivers answered.
import { Command } from 'commander'
import { listLatestDeliveries, type ShownDelivery, showDelivery } from '../actions/webhooks/list-deliveries.ts'
import { deliveryName } from '../domain/webhook-event.ts'
import { deliveryFields, shownDeliveryFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { type Moment, moment } from './arguments.ts'
import { attemptText } from './attempt-text.ts'
import { granted } from './command-failed.ts'
import { type PageOptions, readPages, withPages } from './page-options.ts'
import { print } from './print.ts'
import { printList } from './print-list.ts'
import type { Column } from './table.ts'
import { cutTo, plain } from './terminal-text.ts'
import { withRuntime } from './with-runtime.ts'

export function deliveriesCommand(): Command {
  const deliveries = new Command('deliveries')
    .description('Lists what was sent or is waiting, the latest first: of an account, of an endpoint, or of all.')
    .argument('[of]', 'an account or an endpoint')
    .option('--failed', 'only what was given up')
    .option('--since <time>', 'only what came up since then: 24h, 7d, 2026-11-15T09:30:00Z', moment)
  return withPages(deliveries)
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- webhook deliveries acc_0123456789ab --since 24h\n  npm run -s karba -- webhook deliveries whe_0123456789abcdef --failed',
    )
    .action(list)
}

export function deliveryCommand(): Command {
  return new Command('delivery')
    .description('Tells what became of a delivery: every attempt, how it was answered, and when the next one is.')
    .argument('<delivery>', 'its name, as `webhook deliveries` shows it')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook delivery whe_0123456789abcdef-17')
    .action(show)
}

/** An account or an endpoint, by the prefix of the id. */
export function ownerOf(name: string | undefined): { accountId?: string; endpointId?: string } {
  if (name === undefined) return {}
  return name.startsWith('whe_') ? { endpointId: name } : { accountId: name }
}

interface ListOptions extends PageOptions {
  failed?: boolean
  since?: Moment
}

async function list(of: string | undefined, { failed, since, ...options }: ListOptions): Promise<void> {
  const { page, now } = await withRuntime(async (runtime, caller) => {
    const now = runtime.clock.now()
    const filter = { ...ownerOf(of), failedOnly: failed, since: since?.(now) }
    const read = (wanted: object) => listLatestDeliveries(runtime, caller, { ...filter, ...wanted })
    return { page: await readPages(read, options, { name: of }), now }
  })
  const none = 'There is nothing of the kind.'
  printList({ json: options.json, value: page.rows.map(deliveryFields), page, columns: columnsAt(now), none })
}

type Delivery = ShownDelivery['delivery']

const columnsAt = (now: number): readonly Column<Delivery>[] => [
  { heading: 'QUEUED', cell: ({ createdAt }) => isoTime(createdAt), is: 'time' },
  { heading: 'DELIVERY', cell: deliveryName },
  { heading: 'EVENT', cell: ({ event }) => event },
  { heading: 'STATUS', cell: ({ status }) => status, is: 'state' },
  { heading: 'ATTEMPTS', cell: ({ attempts }) => String(attempts), is: 'number' },
  { heading: 'NEXT', cell: (delivery) => nextText(delivery, now) },
]

function nextText({ dueAt, endpointStatus }: Delivery, now: number): string {
  if (dueAt === null) return ''
  if (endpointStatus !== 'on') return 'when the endpoint is on'
  return dueAt <= now ? 'now' : isoTime(dueAt)
}

async function show(name: string, { json }: { json?: boolean }): Promise<void> {
  const { shown, now } = await withRuntime(async (runtime, caller) => ({
    shown: granted(await showDelivery(runtime, caller, { name }), { name }),
    now: runtime.clock.now(),
  }))
  const { delivery, attempts, paymentReference } = shown
  const { event, status, accountId, eventId } = delivery
  const next = nextText(delivery, now)
  print(json, shownDeliveryFields(shown), [
    [name, event, status, ...(next === '' ? [] : [`next ${next}`])].join('  '),
    [accountId, eventId, paymentReference ?? 'no payment'].join('  '),
    ...(attempts.length === 0 ? ['', 'Nothing has been tried yet.'] : attempts.flatMap(attemptLines)),
  ])
}

const SHOWN_LINES = 5
const SHOWN_WIDTH = 160

function attemptLines(attempt: ShownDelivery['attempts'][number]): string[] {
  const next = attempt.nextAt === null ? '' : `; next ${isoTime(attempt.nextAt)}`
  return ['', `${isoTime(attempt.at)}  ${attemptText(attempt)}${next}`, ...answerLines(attempt.answer)]
}

/** The first lines of the receiver's answer, without control characters. */
function answerLines(answer: string): string[] {
  const all = answer.split(/\r?\n/).filter((line) => line.trim() !== '')
  const shown = all.slice(0, SHOWN_LINES).map((line) => `  | ${cutTo(plain(line), SHOWN_WIDTH)}`)
  return all.length > SHOWN_LINES ? [...shown, '  | …'] : shown
}
