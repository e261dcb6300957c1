// karba webhook deliveries, delivery: what was sent to endpoints, or is waiting to be, and how it was answered.
import { Command } from 'commander'
import { integer } from '../config.ts'
import { type DeliveryKey, deliveryName, readDeliveryName } from '../domain/webhook-event.ts'
import type { Database } from '../store/engine/database.ts'
import { findAccount, listMerchants } from '../store/merchants/accounts.ts'
import {
  type AttemptRow,
  accountOfDelivery,
  type DeliveryRow,
  findDelivery,
  listAttempts,
  listDeliveries,
} from '../store/webhooks/delivery-log.ts'
import { type EndpointStatus, listAllEndpoints } from '../store/webhooks/endpoints.ts'
import { listFeed } from '../store/webhooks/events.ts'
import { argument, type Since, since } from './arguments.ts'
import { CommandFailed, endpointNamed, isoTime, noSuchAccount, say, table, withRuntime } from './open.ts'

const USUAL_LIMIT = 50
const MOST_LISTED = 1_000

export function deliveriesCommand(): Command {
  return new Command('deliveries')
    .description('Lists what was sent or is waiting, the latest first: of an account, of an endpoint, or of all.')
    .argument('[of]', 'an account or an endpoint')
    .option('--failed', 'only what was given up')
    .option('--since <time>', 'only what came up since then: 24h, 7d, 2026-11-15T09:30:00Z', since)
    .option('--limit <number>', `how many, up to ${MOST_LISTED}`, argument(integer(1, MOST_LISTED)), USUAL_LIMIT)
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- webhook deliveries acc_0123456789ab --since 24h\n  npm run -s karba -- webhook deliveries whe_0123456789abcdef --failed',
    )
    .action(deliveries)
}

export function deliveryCommand(): Command {
  return new Command('delivery')
    .description('Tells what became of a delivery: every attempt, how it was answered, and when the next one is.')
    .argument('<delivery>', 'its name, as `webhook deliveries` shows it')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook delivery whe_0123456789abcdef-17')
    .action(delivery)
}

interface ListOptions {
  failed?: boolean
  since?: Since
  limit: number
  json?: boolean
}

async function deliveries(of: string | undefined, options: ListOptions): Promise<void> {
  const { rows, states, now } = await withRuntime(async ({ db, clock }) => {
    const now = clock.now()
    const filter = { failedOnly: options.failed, since: options.since?.(now), most: options.limit }
    const found: DeliveryRow[] = []
    for (const place of await placesOf(db, of)) found.push(...(await listDeliveries(db, { ...place, ...filter })))
    found.sort((a, b) => b.created_at - a.created_at)
    return { rows: found.slice(0, options.limit), states: await endpointStates(db), now }
  })
  const lines = rows.map((row) => [
    isoTime(row.created_at),
    deliveryName(keyOf(row)),
    row.event,
    row.status,
    `${row.attempts} ${row.attempts === 1 ? 'attempt' : 'attempts'}`,
    nextWords(row, states.get(row.endpoint_id), now),
  ])
  say(options.json, rows.map(deliveryBody), lines.length === 0 ? ['There is nothing of the kind.'] : table(lines))
}

/** One account at a time, since an account's deliveries are found by their time: all of them together are not. */
export async function placesOf(
  db: Database,
  of: string | undefined,
): Promise<{ accountId: string; endpointId?: string }[]> {
  if (of === undefined) return (await listMerchants(db)).map((row) => ({ accountId: row.account_id }))
  if (of.startsWith('whe_')) return [await endpointNamed(db, of)]
  if ((await findAccount(db, of)) === undefined) throw noSuchAccount(of)
  return [{ accountId: of }]
}

const keyOf = (row: DeliveryRow): DeliveryKey => ({
  accountId: row.account_id,
  endpointId: row.endpoint_id,
  sequence: row.sequence,
  round: row.round,
})

function deliveryBody(row: DeliveryRow): object {
  return {
    delivery: deliveryName(keyOf(row)),
    account: row.account_id,
    endpoint: row.endpoint_id,
    event: row.event,
    event_id: row.event_id,
    status: row.status,
    attempts: row.attempts,
    created_at: isoTime(row.created_at),
    ...(row.due_at !== null && { next_attempt_at: isoTime(row.due_at) }),
    ...(row.ended_at !== null && { ended_at: isoTime(row.ended_at) }),
  }
}

async function endpointStates(db: Database): Promise<Map<string, EndpointStatus>> {
  return new Map((await listAllEndpoints(db)).map((row) => [row.endpoint_id, row.status]))
}

function nextWords({ due_at: dueAt }: DeliveryRow, endpoint: EndpointStatus | undefined, now: number): string {
  if (dueAt === null) return ''
  if (endpoint !== 'on') return 'next when the endpoint is on'
  return dueAt <= now ? 'next now' : `next ${isoTime(dueAt)}`
}

async function delivery(name: string, options: { json?: boolean }): Promise<void> {
  const { row, attempts, payload, states, now } = await withRuntime(async ({ db, clock }) => {
    const key = await deliveryNamed(db, name)
    const [told] = await listFeed(db, key.accountId, key.sequence - 1, 1)
    return {
      row: (await findDelivery(db, key)) as DeliveryRow,
      attempts: await listAttempts(db, key),
      payload: JSON.parse(told?.payload ?? '{}') as { data?: { reference?: string } },
      states: await endpointStates(db),
      now: clock.now(),
    }
  })
  const reference = payload.data?.reference
  const body = {
    ...deliveryBody(row),
    ...(reference !== undefined && { reference }),
    attempts: attempts.map((attempt) => ({
      at: isoTime(attempt.at),
      duration_ms: attempt.duration_ms,
      status: attempt.status_code,
      error: attempt.error,
      answer: attempt.answer,
      ...(attempt.next_at !== null && { next_attempt_at: isoTime(attempt.next_at) }),
    })),
  }
  const next = nextWords(row, states.get(row.endpoint_id), now)
  say(options.json, body, [
    [name, row.event, row.status, next].filter((word) => word !== '').join('  '),
    [row.account_id, row.event_id, reference ?? 'no payment'].join('  '),
    ...(attempts.length === 0 ? ['', 'Nothing has been tried yet.'] : attempts.flatMap(attemptLines)),
  ])
}

export async function deliveryNamed(db: Database, name: string): Promise<DeliveryKey> {
  const key = readDeliveryName(name)
  const accountId = key && (await accountOfDelivery(db, key))
  if (key !== undefined && accountId !== undefined) return { ...key, accountId }
  throw new CommandFailed(`There is no delivery ${name}. \`karba webhook deliveries\` shows the latest.`)
}

const SHOWN_LINES = 5
const SHOWN_CHARACTERS = 160

function attemptLines(attempt: AttemptRow): string[] {
  const next = attempt.next_at === null ? '' : `; next ${isoTime(attempt.next_at)}`
  return ['', `${isoTime(attempt.at)}  ${attemptWords(attempt)}${next}`, ...answerLines(attempt.answer)]
}

/** The first lines. They come from a stranger: what would move the cursor or change colours is shown as a sign. */
function answerLines(answer: string): string[] {
  const all = answer.split(/\r?\n/).filter((line) => line.trim() !== '')
  const shown = all.slice(0, SHOWN_LINES).map((line) => {
    const plain = line.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')
    return `  | ${plain.length > SHOWN_CHARACTERS ? `${plain.slice(0, SHOWN_CHARACTERS)}…` : plain}`
  })
  return all.length > SHOWN_LINES ? [...shown, '  | …'] : shown
}

export function attemptWords(attempt: AttemptRow | undefined): string {
  if (attempt === undefined) return 'nothing was tried'
  const { status_code: code, duration_ms: ms, error } = attempt
  if (code === null) return `${error ?? 'no answer'} (${ms} ms)`
  return `it answered ${code} in ${ms} ms${error === null ? '' : ` (${error})`}`
}
