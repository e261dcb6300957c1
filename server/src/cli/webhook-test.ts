// karba webhook test: sends a test event and waits for the first attempt to deliver it.
import { Command } from 'commander'
import { type ShownDelivery, showDelivery } from '../actions/webhooks/list-deliveries.ts'
import { isAccepted } from '../actions/webhooks/record-attempts.ts'
import { testEndpoint } from '../actions/webhooks/test-endpoint.ts'
import type { Shell } from '../domain/caller.ts'
import { deliveryName } from '../domain/webhook-event.ts'
import type { Runtime } from '../service/runtime.ts'
import { testedFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { attemptText } from './attempt-text.ts'
import { CommandFailed, granted } from './command-failed.ts'
import { pause } from './pause.ts'
import { print } from './print.ts'
import { withRuntime } from './with-runtime.ts'

type Attempt = ShownDelivery['attempts'][number]

const POLL_EVERY_MS = 200
/** In addition to the attempt itself: until a running service polls its endpoints again, even on a busy machine. */
const PICKUP_MS = 5_000

export function webhookTestCommand(): Command {
  return new Command('test')
    .description('Sends a test event by the way that real ones take, and shows how it was answered.')
    .argument('<endpoint>')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook test whe_0123456789abcdef')
    .action(test)
}

async function test(endpointId: string, { json }: { json?: boolean }): Promise<void> {
  const { name, attempt, waitMs } = await withRuntime(async (runtime, caller) => {
    const key = granted(await testEndpoint(runtime, caller, { endpointId }), { name: endpointId })
    const name = deliveryName(key)
    const waitMs = runtime.config.webhookTimeoutMs + PICKUP_MS
    return { name, attempt: await firstAttempt(runtime, caller, name, waitMs), waitMs }
  })
  const isDelivered = attempt !== undefined && isAccepted({ status: attempt.statusCode })
  const failure =
    attempt === undefined ? notAttempted(name, waitMs) : isDelivered ? undefined : notDelivered(name, attempt)
  // With --json the receiver's answer is printed even if the test failed.
  if (json || failure === undefined) {
    const text = attempt && attemptText(attempt)
    print(json, testedFields(name, isDelivered, attempt), [`${name} is delivered: ${text}.`])
  }
  if (failure !== undefined) throw failure
}

async function firstAttempt(
  runtime: Runtime,
  caller: Shell,
  name: string,
  waitMs: number,
): Promise<Attempt | undefined> {
  const until = runtime.clock.now() + waitMs
  for (;;) {
    const [attempt] = granted(await showDelivery(runtime, caller, { name }), { name }).attempts
    if (attempt !== undefined || runtime.clock.now() >= until) return attempt
    await pause(POLL_EVERY_MS)
  }
}

function notAttempted(name: string, waitMs: number): CommandFailed {
  const sentence = `No running Karba took the test up within ${waitMs / 1_000} seconds. Start one on these settings, with KARBA_ROLE all or worker; an endpoint that has kept failing may also be resting, for a minute at the most. \`karba webhook delivery ${name}\` tells what became of it.`
  return new CommandFailed(sentence, 'test_not_taken_up', { delivery: name })
}

function notDelivered(name: string, attempt: Attempt): CommandFailed {
  const next = attempt.nextAt === null ? '' : ` It is tried again at ${isoTime(attempt.nextAt)}.`
  const sentence = `Not delivered: ${attemptText(attempt)}.${next} \`karba webhook delivery ${name}\` shows the answer.`
  return new CommandFailed(sentence, 'test_not_delivered', { delivery: name })
}
