// karba webhook: the endpoints that receive a merchant's events, and their deliveries. A signing
// secret is printed once, at its creation; a Secret-Hash never.
import { listMerchants } from '../actions/merchants/show-merchants.ts'
import {
  listLatestDeliveries,
  MOST_REPLAYS,
  type ReplayInput,
  replayEvents,
  type ShownDelivery,
  showDelivery,
} from '../actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  type EndpointDeps,
  listOldestEndpoints,
  testEndpoint,
} from '../actions/webhooks/endpoints.ts'
import { isAccepted } from '../actions/webhooks/record-attempts.ts'
import { targetRules } from '../config.ts'
import type { Shell } from '../domain/people/caller.ts'
import {
  deliveryName,
  EVENTS,
  failingSince,
  type ListedEndpoint,
  USUAL_EVENTS,
} from '../domain/webhooks/webhook-event.ts'
import { secretsBox } from '../service/master-key.ts'
import { type Runtime, realPause } from '../service/runtime.ts'
import {
  deliveryFields,
  endpointFields,
  shownDeliveryFields,
  signingSecretFields,
  testedFields,
} from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import {
  listOf,
  type Moment,
  moment,
  overlap,
  PAYMENT_NAMES,
  type PageOptions,
  readPages,
  withOptionalPages,
  withPages,
} from './arguments.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'
import { type Column, cutTo, plain } from './table.ts'

export function webhookCommand(cli: Cli): KarbaCommand {
  const webhook = new KarbaCommand('webhook').description(
    'Creates, tests and changes the endpoints of an account, shows their deliveries, and sends them again.',
  )
  addEndpointCommands(webhook, cli)
  addChangeCommands(webhook, cli)
  addDeliveryCommands(webhook, cli)
  return webhook
}

function addEndpointCommands(webhook: KarbaCommand, cli: Cli): void {
  const events = `which events, separated by commas: ${EVENTS.join(',')}; by default ${USUAL_EVENTS.join(',')}`
  webhook
    .command('add <account>')
    .description(
      'Creates an endpoint, which receives events of payments. Its signing secret is shown once.',
    )
    .requiredOption(
      '--url <url>',
      'the address for events; a private address only if KARBA_WEBHOOK_ALLOW lists it',
    )
    .option('--secret-hash <value>', `${SECRET_HASH}; without it, verify the signature`)
    .option('--events <names>', events, listOf(String))
    .json()
    .examples(
      'webhook add acc_0123456789ab --url https://shop.example/hook',
      'webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash - --events payment.succeeded < secret.txt',
    )
    .action(cli.action(add))
  withOptionalPages(
    webhook
      .command('list [account]')
      .description('Lists the endpoints of an account, or of all, the oldest first.'),
  )
    .json('a JSON array')
    .examples('webhook list acc_0123456789ab')
    .action(cli.action(printEndpoints))
  webhook
    .command('test <endpoint>')
    .description('Sends a test event in the same way as real events, and shows the answer.')
    .json()
    .examples('webhook test whe_0123456789abcdef')
    .action(cli.action(sendTest))
}

function addChangeCommands(webhook: KarbaCommand, cli: Cli): void {
  for (const [verb, to, about, done] of STATE_COMMANDS)
    webhook
      .command(`${verb} <endpoint>`)
      .description(about)
      .json()
      .examples(`webhook ${verb} whe_0123456789abcdef`)
      .action(async (endpointId: string, { json }: { json?: boolean }) => {
        await change(cli, endpointId, { to })
        cli.print(json, { endpoint: endpointId, status: to }, [`${endpointId} ${done}.`])
      })
  webhook
    .command('roll-secret <endpoint>')
    .description(
      'Creates a new signing secret, shown once. With --keep-old, events are signed with both for that time.',
    )
    .option('--keep-old <time>', KEEP_OLD, overlap, 0)
    .json()
    .examples('webhook roll-secret whe_0123456789abcdef --keep-old 24h')
    .action(cli.action(rollSecret))
  webhook
    .command('roll-secret-hash <endpoint>')
    .description(
      'Changes the Secret-Hash. With --keep-old, a receiver that refuses the new one gets the old one.',
    )
    .requiredOption('--secret-hash <value>', SECRET_HASH)
    .option('--keep-old <time>', KEEP_OLD, overlap, 0)
    .json()
    .examples(
      'webhook roll-secret-hash whe_0123456789abcdef --secret-hash - --keep-old 24h < secret.txt',
    )
    .action(cli.action(rollSecretHash))
}

function addDeliveryCommands(webhook: KarbaCommand, cli: Cli): void {
  const deliveries = webhook
    .command('deliveries')
    .description('Lists deliveries, newest first: of an account, of an endpoint, or of all.')
    .argument('[of]', 'an account or an endpoint')
    .option('--failed', 'only the failed ones')
    .option('--since <time>', 'only those queued since then: 24h, 7d, 2026-11-15T09:30:00Z', moment)
  withPages(deliveries)
    .json('a JSON array')
    .examples(
      'webhook deliveries acc_0123456789ab --since 24h',
      'webhook deliveries whe_0123456789abcdef --failed',
    )
    .action(cli.action(printDeliveries))
  webhook
    .command('delivery')
    .description('Shows a delivery: every attempt with its answer, and the time of the next one.')
    .argument('<delivery>', 'its id, as `webhook deliveries` shows it')
    .json()
    .examples('webhook delivery whe_0123456789abcdef-17')
    .action(cli.action(printDelivery))
  webhook
    .command('replay')
    .description(
      `Sends deliveries again: one, all of a payment, or all failed ones (${MOST_REPLAYS} at a time).`,
    )
    .argument('[which]', 'a delivery; with --failed, an account or an endpoint')
    .option('--failed', 'all that failed since a time and were not sent again yet')
    .option('--since <time>', 'for --failed: 24h, 7d, 2026-11-15T09:30:00Z', moment)
    .option(
      '--payment <name>',
      `all events of a payment, to every endpoint that wants them; ${PAYMENT_NAMES}`,
    )
    .json()
    .examples(
      'webhook replay whe_0123456789abcdef-17',
      'webhook replay --failed --since 24h acc_0123456789ab',
      'webhook replay --payment 60dvs8n73hy897smacktapcy',
    )
    .action(cli.action(replay))
}

type AddOptions = {
  url: string
  secretHash?: string
  events?: string[]
  json?: boolean
}

async function add(
  cli: Cli,
  accountId: string,
  { url, events = [], json, ...given }: AddOptions,
): Promise<void> {
  const secretHash =
    given.secretHash === undefined ? undefined : await cli.readSecret(given.secretHash)
  const input = { accountId, url, secretHash, events }
  const added = await cli.withRuntime((runtime, caller) =>
    addEndpoint(endpointDeps(runtime), caller, input),
  )
  const { endpointId, signingSecret } = granted(added, accountId)
  cli.print(json, signingSecretFields(endpointId, signingSecret), [
    endpointId,
    signingSecret,
    '',
    'The signing secret is shown only once: save it now. To test the endpoint:',
    `  npm run -s karba -- webhook test ${endpointId}`,
  ])
}

async function printEndpoints(
  cli: Cli,
  accountId: string | undefined,
  options: PageOptions,
): Promise<void> {
  const { page, now } = await cli.withRuntime(async (runtime, caller) => {
    const read = (wanted: object) => listOldestEndpoints(runtime, caller, { accountId, ...wanted })
    return { page: await readPages(read, options, accountId), now: runtime.clock.now() }
  })
  const none = 'No endpoint yet. `karba webhook add <account>` creates one.'
  const value = page.rows.map((endpoint) => endpointFields(endpoint, now))
  cli.printPage({ json: options.json, value, page, columns: endpointColumnsAt(now), none })
}

const endpointColumnsAt = (now: number): readonly Column<ListedEndpoint>[] => [
  { heading: 'ENDPOINT', cell: ({ endpointId }) => endpointId },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'STATUS', cell: (endpoint) => stateOf(endpoint, now), is: 'state' },
  { heading: 'URL', cell: ({ url }) => url, is: 'free text' },
  { heading: 'EVENTS', cell: ({ events }) => events, is: 'free text' },
]

function stateOf(endpoint: ListedEndpoint, now: number): string {
  const { status, lastStatusCode } = endpoint
  const state = status === 'gone' ? 'gone (it answered 410)' : status
  const since = failingSince(endpoint, now)
  const answer = lastStatusCode === null ? 'no answer' : `answers ${lastStatusCode}`
  return since === null ? state : `${state}, failing since ${isoTime(since)} (${answer})`
}

type Attempt = ShownDelivery['attempts'][number]

const POLL_EVERY_MS = 200
/**
 * In addition to the attempt itself: until a running service polls its endpoints again, even on a
 * busy machine.
 */
const PICKUP_MS = 5_000

async function sendTest(cli: Cli, endpointId: string, { json }: { json?: boolean }): Promise<void> {
  const { name, attempt, waitMs } = await cli.withRuntime(async (runtime, caller) => {
    const key = granted(await testEndpoint(runtime, caller, { endpointId }), endpointId)
    const name = deliveryName(key)
    const waitMs = runtime.config.webhookTimeoutMs + PICKUP_MS
    return { name, attempt: await firstAttempt(runtime, caller, name, waitMs), waitMs }
  })
  const isDelivered = attempt !== undefined && isAccepted({ status: attempt.statusCode })
  const refusal = attempt && !isDelivered ? notDelivered(name, attempt) : undefined
  const failure = attempt === undefined ? notAttempted(name, waitMs) : refusal
  // With --json the receiver's answer is printed even if the test failed.
  if (json || failure === undefined) {
    const text = attempt && attemptText(attempt)
    cli.print(json, testedFields(name, isDelivered, attempt), [`${name} is delivered: ${text}.`])
  }
  if (failure !== undefined) throw failure
}

async function firstAttempt(runtime: Runtime, caller: Shell, name: string, waitMs: number) {
  const until = runtime.clock.now() + waitMs
  for (;;) {
    const [attempt] = granted(await showDelivery(runtime, caller, { name }), name).attempts
    if (attempt !== undefined || runtime.clock.now() >= until) return attempt
    await realPause(POLL_EVERY_MS)
  }
}

function notAttempted(name: string, waitMs: number): CommandFailed {
  const sentence = `No running server sent the test within ${waitMs / 1_000} seconds. Start one with these settings and KARBA_ROLE all or worker. An endpoint that keeps failing may also be paused, for a minute at most. \`karba webhook delivery ${name}\` shows the result.`
  return new CommandFailed(sentence, 'test_not_taken_up', { delivery: name })
}

function notDelivered(name: string, attempt: Attempt): CommandFailed {
  const next = attempt.nextAt === null ? '' : ` It is tried again at ${isoTime(attempt.nextAt)}.`
  const sentence = `Not delivered: ${attemptText(attempt)}.${next} \`karba webhook delivery ${name}\` shows the answer.`
  return new CommandFailed(sentence, 'test_not_delivered', { delivery: name })
}

const KEEP_OLD = 'how long the old one stays valid, up to 72h: 30m, 24h'

const STATE_COMMANDS = [
  ['disable', 'off', 'Turns an endpoint off. Its deliveries wait.', 'is off. Its deliveries wait'],
  [
    'enable',
    'on',
    'Turns an endpoint on again. Waiting deliveries are sent.',
    'is on. Waiting deliveries are sent when they are due',
  ],
  [
    'remove',
    'removed',
    'Removes an endpoint. Its waiting deliveries are dropped.',
    'is removed. Its waiting deliveries are dropped',
  ],
] as const

async function change(cli: Cli, endpointId: string, change: EndpointChange) {
  const changed = await cli.withRuntime((runtime, caller) =>
    changeEndpoint(endpointDeps(runtime), caller, { endpointId, changes: [change] }),
  )
  return granted(changed, endpointId)
}

type RollOptions = { keepOld: number; json?: boolean }

async function rollSecret(
  cli: Cli,
  endpointId: string,
  { keepOld, json }: RollOptions,
): Promise<void> {
  const { signingSecret } = await change(cli, endpointId, {
    to: 'new signing secret',
    keepOldMs: keepOld,
  })
  cli.print(json, signingSecretFields(endpointId, signingSecret), [
    signingSecret as string,
    '',
    `The signing secret is shown only once: save it now. ${oldOne(keepOld)}`,
  ])
}

async function rollSecretHash(
  cli: Cli,
  endpointId: string,
  { keepOld, json, ...given }: RollOptions & { secretHash: string },
): Promise<void> {
  const secretHash = await cli.readSecret(given.secretHash)
  await change(cli, endpointId, { to: 'new secret hash', secretHash, keepOldMs: keepOld })
  cli.print(json, { endpoint: endpointId }, [
    `${endpointId} has a new Secret-Hash. ${oldOne(keepOld)}`,
  ])
}

const oldOne = (keepOldMs: number): string =>
  `The old one ${keepOldMs === 0 ? 'is not valid any more' : `expires in ${keepOldMs / 60_000} minutes`}.`

function ownerOf(name: string | undefined): { accountId?: string; endpointId?: string } {
  if (name === undefined) return {}
  return name.startsWith('whe_') ? { endpointId: name } : { accountId: name }
}

interface ListOptions extends PageOptions {
  failed?: boolean
  since?: Moment
}

async function printDeliveries(
  cli: Cli,
  of: string | undefined,
  { failed, since, ...options }: ListOptions,
) {
  const { page, now } = await cli.withRuntime(async (runtime, caller) => {
    const now = runtime.clock.now()
    const filter = { ...ownerOf(of), failedOnly: failed, since: since?.(now) }
    const read = (wanted: object) => listLatestDeliveries(runtime, caller, { ...filter, ...wanted })
    return { page: await readPages(read, options, of), now }
  })
  const none = 'No delivery matches.'
  const value = page.rows.map(deliveryFields)
  cli.printPage({ json: options.json, value, page, columns: deliveryColumnsAt(now), none })
}

type Delivery = ShownDelivery['delivery']

const deliveryColumnsAt = (now: number): readonly Column<Delivery>[] => [
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

async function printDelivery(cli: Cli, name: string, { json }: { json?: boolean }): Promise<void> {
  const { shown, now } = await cli.withRuntime(async (runtime, caller) => ({
    shown: granted(await showDelivery(runtime, caller, { name }), name),
    now: runtime.clock.now(),
  }))
  const { delivery, attempts, paymentReference } = shown
  const { event, status, accountId, eventId } = delivery
  const next = nextText(delivery, now)
  cli.print(json, shownDeliveryFields(shown), [
    [name, event, status, ...(next === '' ? [] : [`next ${next}`])].join('  '),
    [accountId, eventId, paymentReference ?? 'no payment'].join('  '),
    ...(attempts.length === 0 ? ['', 'No attempt yet.'] : attempts.flatMap(attemptLines)),
  ])
}

const SHOWN_LINES = 5
const SHOWN_WIDTH = 160

function attemptLines(attempt: Attempt): string[] {
  const next = attempt.nextAt === null ? '' : `; next ${isoTime(attempt.nextAt)}`
  return [
    '',
    `${isoTime(attempt.at)}  ${attemptText(attempt)}${next}`,
    ...answerLines(attempt.answer),
  ]
}

function answerLines(answer: string): string[] {
  const all = answer.split(/\r?\n/).filter((line) => line.trim() !== '')
  const shown = all.slice(0, SHOWN_LINES).map((line) => `  | ${cutTo(plain(line), SHOWN_WIDTH)}`)
  return all.length > SHOWN_LINES ? [...shown, '  | …'] : shown
}

type ReplayOptions = {
  failed?: boolean
  since?: Moment
  payment?: string
  json?: boolean
}

async function replay(
  cli: Cli,
  which: string | undefined,
  options: ReplayOptions,
  command: KarbaCommand,
) {
  checkReplay(which, options, command)
  const sent = { deliveries: 0, events: 0 }
  let isCutShort = false
  await cli.withRuntime(async (runtime, caller) => {
    for (const input of await inputsOf(runtime, caller, which, options)) {
      const name = options.payment ?? which
      const { deliveries, events } = granted(await replayEvents(runtime, caller, input), name)
      sent.deliveries += deliveries
      sent.events += events
      isCutShort ||= deliveries >= MOST_REPLAYS
    }
  })
  const more = isCutShort ? ['There may be more: run it again for the rest.'] : []
  cli.print(options.json, sent, [replayText(sent), ...more])
}

/** Exactly one of three: a delivery, --failed with --since, or --payment. */
function checkReplay(
  which: string | undefined,
  { failed, since, payment }: ReplayOptions,
  command: KarbaCommand,
) {
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
  return rows.flatMap(({ accounts }) =>
    accounts.map(({ accountId }) => ({ failedSince, accountId })),
  )
}

function replayText({ deliveries, events }: { deliveries: number; events: number }): string {
  if (events === 0) return 'No failed delivery since then is left to send again.'
  const feed = 'Readers of the event feed get them too.'
  if (deliveries === 0) return `No endpoint wants these events. ${feed}`
  const what = deliveries === 1 ? '1 delivery is' : `${deliveries} deliveries are`
  return `${what} sent again; \`karba webhook deliveries\` shows the progress. ${feed}`
}

const endpointDeps = ({ db, clock, random, master, config }: Runtime): EndpointDeps => ({
  db,
  clock,
  random,
  box: secretsBox(master, random),
  rules: targetRules(config),
})

const SECRET_HASH =
  'the value of the header Secret-Hash that you chose, 16 characters or more; - reads it from standard input'

function attemptText({ statusCode, durationMs, error }: Attempt): string {
  if (statusCode === null) return `${error ?? 'no answer'} (${durationMs} ms)`
  return `it answered ${statusCode} in ${durationMs} ms${error === null ? '' : ` (${error})`}`
}
