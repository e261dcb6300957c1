// karba keys: the keys of an account. A secret key is printed when it is made and never again.
import { Command } from 'commander'
import { listAccountKeys, revokeKeys, rollKeys } from '../actions/keys/manage-keys.ts'
import { keyFields, keyPairFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { overlap } from './arguments.ts'
import { type Cli, granted } from './cli.ts'
import type { Column } from './table.ts'

export function keysCommand(cli: Cli): Command {
  const keys = new Command('keys').description('Rolls, revokes and lists the keys of an account.')

  keys
    .command('roll <account>')
    .description('Makes a new pair of keys. The old ones end at once, or after a time of your choice.')
    .option('--keep-old <time>', 'how long the old keys go on, up to 72h: 30m, 24h', overlap, 0)
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- keys roll acc_0123456789ab --keep-old 24h --json')
    .action(cli.action(roll))

  keys
    .command('revoke <which>')
    .description(
      'Ends keys within a second: all of an account, one by its id, or a key itself that leaked (- reads it from standard input).',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- keys revoke acc_0123456789ab\n  npm run -s karba -- keys revoke key_0123456789abcdef\n  npm run -s karba -- keys revoke - < leaked.txt',
    )
    .action(cli.action(revoke))

  keys
    .command('list <account>')
    .description('Lists the keys of an account: public ones whole, of secret ones the beginning.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- keys list acc_0123456789ab')
    .action(cli.action(list))
  return keys
}

async function roll(
  cli: Cli,
  accountId: string,
  { keepOld, json }: { keepOld: number; json?: boolean },
): Promise<void> {
  const rolled = await cli.withRuntime((runtime, caller) =>
    rollKeys(runtime, caller, { accountId, keepOldMs: keepOld }),
  )
  const pair = granted(rolled, { name: accountId })
  const until = keepOld === 0 ? 'have ended' : `end in ${keepOld / 3_600_000} h`
  cli.print(json, keyPairFields(pair), [
    pair.publicKey,
    pair.secretKey,
    '',
    `The secret key is shown this once: keep it now. The old keys ${until}.`,
  ])
}

async function revoke(cli: Cli, given: string, { json }: { json?: boolean }): Promise<void> {
  const which = await cli.readSecret(given)
  const { revoked } = granted(await cli.withRuntime((runtime, caller) => revokeKeys(runtime, caller, { which })))
  cli.print(json, { revoked }, [`${revoked} ${revoked === 1 ? 'key has' : 'keys have'} ended.`])
}

async function list(cli: Cli, accountId: string, { json }: { json?: boolean }): Promise<void> {
  const { keys, now } = await cli.withRuntime(async (runtime, caller) => {
    const listed = granted(await listAccountKeys(runtime, caller, { accountId }), { name: accountId })
    return { ...listed, now: runtime.clock.now() }
  })
  const page = { rows: keys, next: undefined }
  const none = 'This account has no keys.'
  cli.printList({ json, value: keys.map(keyFields), page, columns: columnsAt(now), none })
}

interface Key {
  keyId: string
  shownAs: string
  createdAt: number
  expiresAt: number | null
}

const columnsAt = (now: number): readonly Column<Key>[] => [
  { heading: 'KEY', cell: ({ keyId }) => keyId },
  { heading: 'SHOWN AS', cell: ({ shownAs }) => shownAs },
  { heading: 'CREATED', cell: ({ createdAt }) => isoTime(createdAt), is: 'time' },
  { heading: 'STATE', cell: (key) => stateOf(key, now), is: 'state' },
]

function stateOf({ expiresAt }: Key, now: number): string {
  if (expiresAt === null) return 'valid'
  return expiresAt <= now ? `ended ${isoTime(expiresAt)}` : `valid until ${isoTime(expiresAt)}`
}
