// karba webhook replay: queues deliveries of events that were sent before.
import { Command } from 'commander'
import { listMerchants } from '../actions/merchants/show-merchants.ts'
import { MOST_REPLAYS, type ReplayInput, replayEvents } from '../actions/webhooks/deliveries.ts'
import type { Shell } from '../domain/caller.ts'
import type { Runtime } from '../service/runtime.ts'
import { type Moment, moment } from './arguments.ts'
import { granted } from './command-failed.ts'
import { readPages } from './page-options.ts'
import { PAYMENT_NAMES } from './payment-names.ts'
import { print } from './print.ts'
import { ownerOf } from './webhook-deliveries.ts'
import { withRuntime } from './with-runtime.ts'

export function replayCommand(): Command {
  return new Command('replay')
    .description(`Sends again: one delivery, all about a payment, or all that failed (${MOST_REPLAYS} at a time).`)
    .argument('[which]', 'a delivery; with --failed, an account or an endpoint')
    .option('--failed', 'all that was given up since a time and not sent again yet')
    .option('--since <time>', 'for --failed: 24h, 7d, 2026-11-15T09:30:00Z', moment)
    .option('--payment <name>', `all that was told of a payment, to every endpoint that wants it, by ${PAYMENT_NAMES}`)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- webhook replay whe_0123456789abcdef-17\n  npm run -s karba -- webhook replay --failed --since 24h acc_0123456789ab\n  npm run -s karba -- webhook replay --payment 60dvs8n73hy897smacktapcy',
    )
    .action(replay)
}

interface ReplayOptions {
  failed?: boolean
  since?: Moment
  payment?: string
  json?: boolean
}

async function replay(which: string | undefined, options: ReplayOptions, command: Command): Promise<void> {
  checkReplay(which, options, command)
  const sent = { deliveries: 0, events: 0 }
  let isCutShort = false
  await withRuntime(async (runtime, caller) => {
    for (const input of await inputsOf(runtime, caller, which, options)) {
      const name = options.payment ?? which
      const { deliveries, events } = granted(await replayEvents(runtime, caller, input), { name })
      sent.deliveries += deliveries
      sent.events += events
      isCutShort ||= deliveries >= MOST_REPLAYS
    }
  })
  const more = isCutShort ? ['There may be more: run it again for the rest.'] : []
  print(options.json, sent, [replayText(sent), ...more])
}

/** Exactly one of three: a delivery, --failed with --since, or --payment. */
function checkReplay(which: string | undefined, { failed, since, payment }: ReplayOptions, command: Command): void {
  if (failed && payment === undefined) {
    if (since === undefined) command.error('error: --failed needs --since, such as --since 24h')
    return
  }
  if (since !== undefined) command.error('error: --since goes with --failed')
  const isOne = !failed && (which === undefined) !== (payment === undefined)
  if (!isOne) command.error('error: name one delivery, or use either --failed or --payment')
}

async function inputsOf(
  runtime: Runtime,
  caller: Shell,
  which: string | undefined,
  { failed, since, payment }: ReplayOptions,
): Promise<ReplayInput[]> {
  if (payment !== undefined) return [{ payment }]
  if (!failed) return [{ delivery: which as string }]
  const failedSince = (since as Moment)(runtime.clock.now())
  if (which !== undefined) return [{ failedSince, ...ownerOf(which) }]
  // One account at a time: each has its own transaction.
  const { rows } = await readPages((wanted) => listMerchants(runtime, caller, wanted), {})
  return rows.flatMap(({ accounts }) => accounts.map(({ accountId }) => ({ failedSince, accountId })))
}

function replayText({ deliveries, events }: { deliveries: number; events: number }): string {
  if (events === 0) return 'Nothing has failed since then that was not sent again.'
  const feed = 'Whoever follows the feed gets it too.'
  if (deliveries === 0) return `No endpoint wants this. ${feed}`
  const what = deliveries === 1 ? '1 delivery is' : `${deliveries} deliveries are`
  return `${what} sent again; \`karba webhook deliveries\` shows how it goes. ${feed}`
}
