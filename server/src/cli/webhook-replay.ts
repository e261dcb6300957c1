// karba webhook replay: sends again what was sent before.
import { Command } from 'commander'
import { MOST_REPLAYS, type ReplayWish, replayEvents } from '../actions/webhooks/replay-events.ts'
import type { Database } from '../store/engine/database.ts'
import { type Since, since } from './arguments.ts'
import { ACTOR, done, say, withRuntime } from './open.ts'
import { deliveryNamed, placesOf } from './webhook-log.ts'

export function replayCommand(): Command {
  return new Command('replay')
    .description(`Sends again: one delivery, all about a payment, or all that failed (${MOST_REPLAYS} at a time).`)
    .argument('[which]', 'a delivery; with --failed, an account or an endpoint')
    .option('--failed', 'all that was given up since a time and not sent again yet')
    .option('--since <time>', 'for --failed: 24h, 7d, 2026-11-15T09:30:00Z', since)
    .option('--payment <reference>', 'all that was told of this payment, to every endpoint that wants it')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- webhook replay whe_0123456789abcdef-17\n  npm run -s karba -- webhook replay --failed --since 24h acc_0123456789ab\n  npm run -s karba -- webhook replay --payment 60dvs8n73hy897smacktapcy',
    )
    .action(replay)
}

interface ReplayOptions {
  failed?: boolean
  since?: Since
  payment?: string
  json?: boolean
}

async function replay(which: string | undefined, options: ReplayOptions, command: Command): Promise<void> {
  checkReplay(which, options, command)
  const sent = { deliveries: 0, events: 0 }
  let isCutShort = false
  await withRuntime(async (runtime) => {
    for (const wish of await wishesOf(runtime.db, which, options, runtime.clock.now())) {
      const { deliveries, events } = done(await replayEvents(runtime, wish, ACTOR))
      sent.deliveries += deliveries
      sent.events += events
      isCutShort ||= deliveries >= MOST_REPLAYS
    }
  })
  say(options.json, sent, [replayWords(sent), ...(isCutShort ? ['There may be more: run it again for the rest.'] : [])])
}

/** One of three: a delivery, what failed since a time, or a payment. */
function checkReplay(which: string | undefined, { failed, since, payment }: ReplayOptions, command: Command): void {
  if (failed && payment === undefined) {
    if (since === undefined) command.error('error: --failed needs --since, such as --since 24h')
    return
  }
  if (since !== undefined) command.error('error: --since goes with --failed')
  const isOne = !failed && (which === undefined) !== (payment === undefined)
  if (!isOne) command.error('error: name one delivery, or use either --failed or --payment')
}

async function wishesOf(
  db: Database,
  which: string | undefined,
  { failed, since, payment }: ReplayOptions,
  now: number,
): Promise<ReplayWish[]> {
  if (payment !== undefined) return [{ paymentReference: payment }]
  if (!failed) return [{ delivery: await deliveryNamed(db, which as string) }]
  const failedSince = (since as Since)(now)
  return (await placesOf(db, which)).map((place) => ({ ...place, failedSince }))
}

function replayWords({ deliveries, events }: { deliveries: number; events: number }): string {
  if (events === 0) return 'Nothing has failed since then that was not sent again.'
  const feed = 'Whoever follows the feed gets it too.'
  if (deliveries === 0) return `No endpoint wants this. ${feed}`
  const what = deliveries === 1 ? '1 delivery is' : `${deliveries} deliveries are`
  return `${what} sent again; \`karba webhook deliveries\` shows how it goes. ${feed}`
}
