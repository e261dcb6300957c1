// karba keys: the keys of an account. A secret key is printed once, when it is created.
import { InvalidArgumentError } from 'commander'
import {
  type ListedKey,
  listAccountKeys,
  makeKey,
  restrictionsOf,
  revokeKeys,
  rollKeys,
} from '../actions/keys/manage-keys.ts'
import { KEY_PERMISSIONS, type KeyPermission } from '../domain/people/role.ts'
import { keyFields, keyPairFields, madeKeyFields } from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { listOf, overlap } from './arguments.ts'
import { type Cli, granted, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function keysCommand(cli: Cli): KarbaCommand {
  const keys = new KarbaCommand('keys').description(
    'Makes, rolls, revokes and lists the keys of an account.',
  )

  keys
    .command('make <account>')
    .description(
      'Makes one more secret key with limited permissions. In live only a key with webhooks alone registers webhook endpoints.',
    )
    .requiredOption('--name <name>', 'what it is for: its merchant sees it')
    .requiredOption(
      '--may <permissions>',
      `what it may do, separated by commas: ${KEY_PERMISSIONS.join(',')}; webhooks has no other beside it`,
      listOf(permission),
    )
    .option(
      '--networks <networks>',
      'from where it works: 203.0.113.7,198.51.100.0/24',
      listOf(String),
    )
    .json()
    .examples(
      'keys make acc_0123456789ab --name "Shop plugin" --may webhooks',
      'keys make acc_0123456789ab --name Till --may read,create --networks 203.0.113.0/24 --json',
    )
    .action(cli.action(make))

  keys
    .command('roll <account>')
    .description(
      'Creates a new pair of keys. The old ones expire at once, or after a time of your choice.',
    )
    .option(
      '--keep-old <time>',
      'how long the old keys stay valid, up to 72h: 30m, 24h',
      overlap,
      0,
    )
    .json()
    .examples('keys roll acc_0123456789ab --keep-old 24h --json')
    .action(cli.action(roll))

  keys
    .command('revoke <which>')
    .description(
      'Revokes keys within a second: all of an account, one by its id, or a leaked key itself (- reads it from standard input).',
    )
    .json()
    .examples(
      'keys revoke acc_0123456789ab',
      'keys revoke key_0123456789abcdef',
      'keys revoke - < leaked.txt',
    )
    .action(cli.action(revoke))

  keys
    .command('list <account>')
    .description('Lists the keys of an account; secret keys only with their beginning.')
    .json('a JSON array')
    .examples('keys list acc_0123456789ab')
    .action(cli.action(list))
  return keys
}

function permission(text: string): KeyPermission {
  const known = KEY_PERMISSIONS.find((each) => each === text)
  if (known === undefined)
    throw new InvalidArgumentError(`Choose from ${KEY_PERMISSIONS.join(', ')}.`)
  return known
}

type MakeOptions = {
  name: string
  may: KeyPermission[]
  networks?: string[]
  json?: boolean
}

async function make(
  cli: Cli,
  accountId: string,
  { name, may, networks = [], json }: MakeOptions,
): Promise<void> {
  const wanted = {
    accountId,
    name,
    permissions: may,
    networks: networks.length === 0 ? null : networks,
  }
  const { keyId, key } = await cli.run(makeKey, wanted, accountId)
  cli.print(json, madeKeyFields(keyId, key), [
    keyId,
    key,
    '',
    'The secret key is shown only once: save it now.',
  ])
}

async function roll(
  cli: Cli,
  accountId: string,
  { keepOld, json }: { keepOld: number; json?: boolean },
) {
  const pair = await cli.run(rollKeys, { accountId, keepOldMs: keepOld }, accountId)
  const until = keepOld === 0 ? 'have expired' : `expire in ${keepOld / 3_600_000} h`
  cli.print(json, keyPairFields(pair), [
    pair.publicKey,
    pair.secretKey,
    '',
    `The secret key is shown only once: save it now. The old keys ${until}.`,
  ])
}

async function revoke(cli: Cli, given: string, { json }: { json?: boolean }): Promise<void> {
  const which = await cli.readSecret(given)
  const { revoked } = await cli.run(revokeKeys, { which })
  cli.print(json, { revoked }, [`${revoked} ${revoked === 1 ? 'key is' : 'keys are'} revoked.`])
}

async function list(cli: Cli, accountId: string, { json }: { json?: boolean }): Promise<void> {
  const { keys, now } = await cli.withRuntime(async (runtime, caller) => {
    const listed = granted(await listAccountKeys(runtime, caller, { accountId }), accountId)
    return { ...listed, now: runtime.clock.now() }
  })
  const none = 'This account has no keys.'
  cli.printRows({ json, value: keys.map(keyFields), rows: keys, columns: columnsAt(now), none })
}

const columnsAt = (now: number): readonly Column<ListedKey>[] => [
  { heading: 'KEY', cell: ({ keyId }) => keyId },
  { heading: 'SHOWN AS', cell: ({ shownAs }) => shownAs },
  { heading: 'MAY', cell: (key) => permissionsText(key) },
  { heading: 'CREATED', cell: ({ createdAt }) => isoTime(createdAt), is: 'time' },
  { heading: 'STATE', cell: (key) => stateOf(key, now), is: 'state' },
]

function permissionsText({ kind, permissions, networks }: ListedKey): string {
  if (kind === 'public') return 'make links'
  return restrictionsOf({ permissions, networks }).permissions?.join(',') ?? 'everything'
}

function stateOf({ expiresAt }: ListedKey, now: number): string {
  if (expiresAt === null) return 'valid'
  return expiresAt <= now ? `ended ${isoTime(expiresAt)}` : `valid until ${isoTime(expiresAt)}`
}
