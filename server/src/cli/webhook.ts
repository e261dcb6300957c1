// karba webhook: the endpoints that receive a merchant's events. Making and listing them is here; the other commands have their own files.
// A signing secret is printed only when it is made, a Secret-Hash never.
import { Command } from 'commander'
import { addEndpoint } from '../actions/webhooks/add-endpoint.ts'
import { listOldestEndpoints } from '../actions/webhooks/list-endpoints.ts'
import type { ListedEndpoint } from '../domain/webhook-endpoint.ts'
import { EVENTS, USUAL_EVENTS } from '../domain/webhook-event.ts'
import { endpointFields, signingSecretFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { listOf } from './arguments.ts'
import { granted } from './command-failed.ts'
import { endpointDeps, SECRET_HASH } from './endpoint-deps.ts'
import { type PageOptions, readPages, withOptionalPages } from './page-options.ts'
import { print } from './print.ts'
import { printList } from './print-list.ts'
import { readSecret } from './read-secret.ts'
import type { Column } from './table.ts'
import { changeCommands } from './webhook-change.ts'
import { deliveriesCommand, deliveryCommand } from './webhook-deliveries.ts'
import { replayCommand } from './webhook-replay.ts'
import { webhookTestCommand } from './webhook-test.ts'
import { withRuntime } from './with-runtime.ts'

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description(
    'Makes, tries and changes the endpoints of an account, shows what was sent to them, and sends it again.',
  )
  const others = [webhookTestCommand(), ...changeCommands(), deliveriesCommand(), deliveryCommand(), replayCommand()]
  for (const command of [addCommand(), listCommand(), ...others]) webhook.addCommand(command)
  return webhook
}

function addCommand(): Command {
  return new Command('add')
    .description('Makes an endpoint: an address that is told of payments. Its signing secret is shown this once.')
    .argument('<account>')
    .requiredOption(
      '--url <url>',
      'where events are posted to; a private address only where KARBA_WEBHOOK_ALLOW lists it',
    )
    .requiredOption('--secret-hash <value>', SECRET_HASH)
    .option(
      '--events <names>',
      `which events, separated by commas: ${EVENTS.join(',')}; by default ${USUAL_EVENTS.join(',')}`,
      listOf(String),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash - < secret.txt\n  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash Xq7_w2vT9rK4mZ8p --events payment.succeeded --json',
    )
    .action(add)
}

function listCommand(): Command {
  const list = new Command('list')
    .description('Lists the endpoints of an account, or of all, the oldest first.')
    .argument('[account]')
  return withOptionalPages(list)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook list acc_0123456789ab')
    .action(printEndpoints)
}

interface AddOptions {
  url: string
  secretHash: string
  events?: string[]
  json?: boolean
}

async function add(accountId: string, { url, events = [], json, ...given }: AddOptions): Promise<void> {
  const input = { accountId, url, secretHash: await readSecret(given.secretHash), events }
  const added = await withRuntime((runtime, caller) => addEndpoint(endpointDeps(runtime), caller, input))
  const { endpointId, signingSecret } = granted(added, { name: accountId })
  print(json, signingSecretFields(endpointId, signingSecret), [
    endpointId,
    signingSecret,
    '',
    'The signing secret is shown this once: keep it now. To see whether events arrive:',
    `  npm run -s karba -- webhook test ${endpointId}`,
  ])
}

async function printEndpoints(accountId: string | undefined, options: PageOptions): Promise<void> {
  const page = await withRuntime((runtime, caller) =>
    readPages((wanted) => listOldestEndpoints(runtime, caller, { accountId, ...wanted }), options, { name: accountId }),
  )
  const none = 'There is no endpoint yet. `karba webhook add <account>` makes one.'
  printList({ json: options.json, value: page.rows.map(endpointFields), page, columns: COLUMNS, none })
}

const COLUMNS: readonly Column<ListedEndpoint>[] = [
  { heading: 'ENDPOINT', cell: ({ endpointId }) => endpointId },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'STATUS', cell: stateOf, is: 'state' },
  { heading: 'URL', cell: ({ url }) => url, is: 'free text' },
  { heading: 'EVENTS', cell: ({ events }) => events, is: 'free text' },
]

function stateOf({ status, failingSince }: ListedEndpoint): string {
  const state = status === 'gone' ? 'gone (it answered 410)' : status
  return failingSince === null ? state : `${state}, failing since ${isoTime(failingSince)}`
}
