// karba webhook enable, disable, remove, roll-secret, roll-secret-hash: changes to an existing endpoint.
import { Command } from 'commander'
import { changeEndpoint, type EndpointChange } from '../actions/webhooks/change-endpoint.ts'
import { signingSecretFields } from '../wire/command-output.ts'
import { overlap } from './arguments.ts'
import { granted } from './command-failed.ts'
import { endpointDeps, SECRET_HASH } from './endpoint-deps.ts'
import { print } from './print.ts'
import { readSecret } from './read-secret.ts'
import { withRuntime } from './with-runtime.ts'

const KEEP_OLD = 'how long the old one goes on, up to 72h: 30m, 24h'

/** Commands that change an endpoint's state: verb, new state, description, and the text that is printed after the endpoint's id. */
const STATE_COMMANDS = [
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
] as const

export const changeCommands = (): Command[] => [
  ...STATE_COMMANDS.map((row) => stateCommand(...row)),
  new Command('roll-secret')
    .description(
      'Makes a new signing secret, shown this once. With --keep-old, events are signed with both for a while.',
    )
    .argument('<endpoint>')
    .option('--keep-old <time>', KEEP_OLD, overlap, 0)
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- webhook roll-secret whe_0123456789abcdef --keep-old 24h')
    .action(rollSecret),
  new Command('roll-secret-hash')
    .description('Changes the Secret-Hash. With --keep-old, a receiver that refuses the new one is sent the old one.')
    .argument('<endpoint>')
    .requiredOption('--secret-hash <value>', SECRET_HASH)
    .option('--keep-old <time>', KEEP_OLD, overlap, 0)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- webhook roll-secret-hash whe_0123456789abcdef --secret-hash - --keep-old 24h < secret.txt',
    )
    .action(rollSecretHash),
]

function stateCommand(...[verb, to, about, done]: (typeof STATE_COMMANDS)[number]): Command {
  return new Command(verb)
    .description(about)
    .argument('<endpoint>')
    .option('--json', 'print one JSON object')
    .addHelpText('after', `\nExample:\n  npm run -s karba -- webhook ${verb} whe_0123456789abcdef`)
    .action(async (endpointId: string, { json }: { json?: boolean }) => {
      await change(endpointId, { to })
      print(json, { endpoint: endpointId, status: to }, [`${endpointId} ${done}.`])
    })
}

async function change(endpointId: string, change: EndpointChange): Promise<{ signingSecret?: string }> {
  const changed = await withRuntime((runtime, caller) =>
    changeEndpoint(endpointDeps(runtime), caller, { endpointId, change }),
  )
  return granted(changed, { name: endpointId })
}

interface RollOptions {
  keepOld: number
  json?: boolean
}

async function rollSecret(endpointId: string, { keepOld, json }: RollOptions): Promise<void> {
  const { signingSecret } = await change(endpointId, { to: 'new signing secret', keepOldMs: keepOld })
  print(json, signingSecretFields(endpointId, signingSecret), [
    signingSecret as string,
    '',
    `The signing secret is shown this once: keep it now. ${oldOne(keepOld)}`,
  ])
}

async function rollSecretHash(
  endpointId: string,
  { keepOld, json, ...given }: RollOptions & { secretHash: string },
): Promise<void> {
  const secretHash = await readSecret(given.secretHash)
  await change(endpointId, { to: 'new secret hash', secretHash, keepOldMs: keepOld })
  print(json, { endpoint: endpointId }, [`${endpointId} has a new Secret-Hash. ${oldOne(keepOld)}`])
}

const oldOne = (keepOldMs: number): string =>
  `The old one ${keepOldMs === 0 ? 'has ended' : `ends in ${keepOldMs / 60_000} minutes`}.`
