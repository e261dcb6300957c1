// karba webhook: where a merchant is told of its payments. Makes, tries, changes and lists endpoints; what was sent to them is in
// webhook-log.ts and webhook-replay.ts. A signing secret is printed when it is made, a Secret-Hash never.
import { Command } from 'commander'
import { addEndpoint, type EndpointDeps } from '../actions/webhooks/add-endpoint.ts'
import { changeEndpoint, type EndpointChange } from '../actions/webhooks/change-endpoint.ts'
import { isAccepted } from '../actions/webhooks/record-attempts.ts'
import { testEndpoint } from '../actions/webhooks/test-endpoint.ts'
import { type DeliveryKey, deliveryName, EVENTS } from '../domain/webhook-event.ts'
import type { Runtime } from '../service/runtime.ts'
import { secretsBox, targetRules } from '../service/webhook-worker.ts'
import { findAccount } from '../store/merchants/accounts.ts'
import { type AttemptRow, listAttempts } from '../store/webhooks/delivery-log.ts'
import { type EndpointRow, listAllEndpoints, listEndpoints } from '../store/webhooks/endpoints.ts'
import { overlap } from './arguments.ts'
import {
  ACTOR,
  CommandFailed,
  done,
  endpointNamed,
  isoTime,
  noSuchAccount,
  pause,
  say,
  secretOf,
  table,
  withRuntime,
} from './open.ts'
import { attemptWords, deliveriesCommand, deliveryCommand } from './webhook-log.ts'
import { replayCommand } from './webhook-replay.ts'

interface Json {
  json?: boolean
}

const SECRET_HASH = 'the value of the header Secret-Hash, of your choice; - reads it from standard input'

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description(
    'Makes, tries and changes the endpoints of an account, shows what was sent to them, and sends it again.',
  )

  webhook
    .command('add <account>')
    .description('Makes an endpoint: an address that is told of payments. Its signing secret is shown this once.')
    .requiredOption(
      '--url <url>',
      'where events are posted to; a private address only where KARBA_WEBHOOK_ALLOW lists it',
    )
    .requiredOption('--secret-hash <value>', SECRET_HASH)
    .option('--events <names>', `which events, separated by commas; all by default: ${EVENTS.join(',')}`)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash - < secret.txt\n  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash s3cret --events payment.succeeded --json',
    )
    .action(add)

  webhook
    .command('list [account]')
    .description('Lists the endpoints of an account, or of all.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook list acc_0123456789ab')
    .action(list)

  webhook
    .command('test <endpoint>')
    .description('Sends a test event by the way that real ones take, and shows how it was answered.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook test whe_0123456789abcdef')
    .action(test)

  for (const [verb, to, about, words] of [
    ['disable', 'off', 'Turns an endpoint off. What is owed to it waits.', 'is off. What is owed to it waits'],
    [
      'enable',
      'on',
      'Turns an endpoint on again. What waited for it is sent.',
      'is on. What waits for it is sent as it falls due',
    ],
    [
      'remove',
      'removed',
      'Removes an endpoint. What is still owed to it is given up.',
      'is removed. What was still owed to it is given up',
    ],
  ] as const) {
    webhook
      .command(`${verb} <endpoint>`)
      .description(about)
      .option('--json', 'print one JSON object')
      .addHelpText('after', `\nExample:\n  npm run -s karba -- webhook ${verb} whe_0123456789abcdef`)
      .action(async (endpointId: string, { json }: Json) => {
        await change(endpointId, { to })
        say(json, { endpoint: endpointId, status: to }, [`${endpointId} ${words}.`])
      })
  }

  webhook
    .command('roll-secret <endpoint>')
    .description(
      'Makes a new signing secret, shown this once. With --keep-old, events are signed with both for a while.',
    )
    .option('--keep-old <time>', 'how long the old one goes on, up to 72h: 30m, 24h', overlap, 0)
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook roll-secret whe_0123456789abcdef --keep-old 24h')
    .action(rollSecret)

  webhook
    .command('roll-secret-hash <endpoint>')
    .description('Changes the Secret-Hash. With --keep-old, a receiver that refuses the new one is sent the old one.')
    .requiredOption('--secret-hash <value>', SECRET_HASH)
    .option('--keep-old <time>', 'how long the old one goes on, up to 72h: 30m, 24h', overlap, 0)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- webhook roll-secret-hash whe_0123456789abcdef --secret-hash - --keep-old 24h < secret.txt',
    )
    .action(rollSecretHash)

  return webhook.addCommand(deliveriesCommand()).addCommand(deliveryCommand()).addCommand(replayCommand())
}

const endpointDeps = ({ db, clock, random, master, config }: Runtime): EndpointDeps => ({
  db,
  clock,
  random,
  box: secretsBox(master, random),
  rules: targetRules(config),
})

interface AddOptions extends Json {
  url: string
  secretHash: string
  events?: string
}

async function add(accountId: string, { url, events = '', json, ...given }: AddOptions): Promise<void> {
  const names = events.split(',').map((name) => name.trim())
  const secretHash = await secretOf(given.secretHash)
  const wish = { accountId, url, secretHash, events: names.filter((name) => name !== '') }
  const { endpointId, signingSecret } = await withRuntime(async (runtime) => {
    if ((await findAccount(runtime.db, accountId)) === undefined) throw noSuchAccount(accountId)
    return done(await addEndpoint(endpointDeps(runtime), wish, ACTOR))
  })
  say(json, { endpoint: endpointId, signing_secret: signingSecret }, [
    endpointId,
    signingSecret,
    '',
    'The signing secret is shown this once: keep it now. To see whether events arrive:',
    `  npm run -s karba -- webhook test ${endpointId}`,
  ])
}

async function list(accountId: string | undefined, { json }: Json): Promise<void> {
  const rows = await withRuntime(async ({ db }) => {
    if (accountId === undefined) return listAllEndpoints(db)
    if ((await findAccount(db, accountId)) === undefined) throw noSuchAccount(accountId)
    return listEndpoints(db, accountId)
  })
  const bodies = rows.map((row) => ({
    endpoint: row.endpoint_id,
    account: row.account_id,
    url: row.url,
    events: row.events.split(','),
    status: row.status,
    created_at: isoTime(row.created_at),
    ...(row.failing_since !== null && { failing_since: isoTime(row.failing_since) }),
  }))
  const lines = rows.map((row) => [row.endpoint_id, row.account_id, stateOf(row), row.url, row.events])
  const none = 'There is no endpoint yet. `karba webhook add <account>` makes one.'
  say(json, bodies, lines.length === 0 ? [none] : table(lines))
}

function stateOf({ status, failing_since: since }: EndpointRow): string {
  const state = status === 'gone' ? 'gone (it answered 410)' : status
  return since === null ? state : `${state}, failing since ${isoTime(since)}`
}

const LOOK_EVERY_MS = 200
/** Beside the attempt itself: until a running service looks at its lanes again, even on a busy machine. */
const TAKING_UP_MS = 5_000

async function test(endpointId: string, { json }: Json): Promise<void> {
  const { name, attempt, waitMs } = await withRuntime(async (runtime) => {
    const key = done(await testEndpoint(runtime, await endpointNamed(runtime.db, endpointId), ACTOR))
    const waitMs = runtime.config.webhookTimeoutMs + TAKING_UP_MS
    return { name: deliveryName(key), attempt: await firstAttempt(runtime, key, waitMs), waitMs }
  })
  const isDelivered = attempt !== undefined && isAccepted({ status: attempt.status_code })
  if (!json && !isDelivered) throw new CommandFailed(notDelivered(name, attempt, waitMs))
  const body = attempt && { status: attempt.status_code, duration_ms: attempt.duration_ms, error: attempt.error }
  say(json, { delivery: name, delivered: isDelivered, ...body }, [`${name} is delivered: ${attemptWords(attempt)}.`])
  if (!isDelivered) process.exitCode = 1
}

async function firstAttempt({ db, clock }: Runtime, key: DeliveryKey, waitMs: number) {
  const until = clock.now() + waitMs
  for (;;) {
    const [attempt] = await listAttempts(db, key)
    if (attempt !== undefined || clock.now() >= until) return attempt
    await pause(LOOK_EVERY_MS)
  }
}

function notDelivered(name: string, attempt: AttemptRow | undefined, waitMs: number): string {
  const look = `\`karba webhook delivery ${name}\``
  if (attempt === undefined) {
    return `No running Karba took the test up within ${waitMs / 1_000} seconds. Start one on these settings, with KARBA_ROLE all or worker; an endpoint that has kept failing may also be resting, for a minute at the most. ${look} tells what became of it.`
  }
  const next = attempt.next_at === null ? '' : ` It is tried again at ${isoTime(attempt.next_at)}.`
  return `Not delivered: ${attemptWords(attempt)}.${next} ${look} shows the answer.`
}

function change(endpointId: string, to: EndpointChange): Promise<{ signingSecret?: string }> {
  return withRuntime(async (runtime) => {
    const name = await endpointNamed(runtime.db, endpointId)
    return done(await changeEndpoint(endpointDeps(runtime), name, to, ACTOR))
  })
}

async function rollSecret(endpointId: string, { keepOld, json }: Json & { keepOld: number }): Promise<void> {
  const { signingSecret } = await change(endpointId, { to: 'new signing secret', keepOldMs: keepOld })
  say(json, { endpoint: endpointId, signing_secret: signingSecret }, [
    signingSecret as string,
    '',
    `The signing secret is shown this once: keep it now. ${oldOne(keepOld)}`,
  ])
}

type SecretHashOptions = Json & { secretHash: string; keepOld: number }

async function rollSecretHash(endpointId: string, { keepOld, json, ...given }: SecretHashOptions): Promise<void> {
  const secretHash = await secretOf(given.secretHash)
  await change(endpointId, { to: 'new secret hash', secretHash, keepOldMs: keepOld })
  say(json, { endpoint: endpointId }, [`${endpointId} has a new Secret-Hash. ${oldOne(keepOld)}`])
}

const oldOne = (keepOldMs: number): string =>
  `The old one ${keepOldMs === 0 ? 'has ended' : `ends in ${keepOldMs / 60_000} minutes`}.`
