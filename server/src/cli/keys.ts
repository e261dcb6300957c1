// karba keys: the keys of an account. A secret key is printed when it is made and never again.
import { Command } from 'commander'
import { revokeKeys } from '../actions/keys/revoke-keys.ts'
import { rollKeys } from '../actions/keys/roll-keys.ts'
import { type KeyRow, listKeys } from '../store/keys/api-keys.ts'
import { findAccount } from '../store/merchants/accounts.ts'
import { overlap } from './arguments.ts'
import { ACTOR, CommandFailed, isoTime, noSuchAccount, say, table, withRuntime } from './open.ts'

export function keysCommand(): Command {
  const keys = new Command('keys').description('Rolls, revokes and lists the keys of an account.')

  keys
    .command('roll <account>')
    .description('Makes a new pair of keys. The old ones end at once, or after a time of your choice.')
    .option('--keep-old <time>', 'how long the old keys go on, up to 72h: 30m, 24h', overlap, 0)
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- keys roll acc_0123456789ab --keep-old 24h --json')
    .action(roll)

  keys
    .command('revoke <which>')
    .description('Ends keys within a second: all of an account, one by its id, or a key itself that leaked.')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- keys revoke acc_0123456789ab\n  npm run -s karba -- keys revoke key_0123456789abcdef',
    )
    .action(revoke)

  keys
    .command('list <account>')
    .description('Lists the keys of an account: public ones whole, of secret ones the beginning.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- keys list acc_0123456789ab')
    .action(list)
  return keys
}

async function roll(accountId: string, options: { keepOld: number; json?: boolean }): Promise<void> {
  const pair = await withRuntime((runtime) => rollKeys(runtime, accountId, options.keepOld, ACTOR))
  if (pair === undefined) throw noSuchAccount(accountId)
  const until = options.keepOld === 0 ? 'have ended' : `end in ${options.keepOld / 3_600_000} h`
  say(options.json, { public_key: pair.publicKey, secret_key: pair.secretKey }, [
    pair.publicKey,
    pair.secretKey,
    '',
    `The secret key is shown this once: keep it now. The old keys ${until}.`,
  ])
}

async function revoke(which: string, options: { json?: boolean }): Promise<void> {
  const revoked = await withRuntime((runtime) => revokeKeys(runtime, which, ACTOR))
  // The key itself may have been given: it is not repeated.
  if (revoked === 0) throw new CommandFailed('No valid key is meant by that. `karba keys list <account>` shows them.')
  say(options.json, { revoked }, [`${revoked} ${revoked === 1 ? 'key has' : 'keys have'} ended.`])
}

async function list(accountId: string, options: { json?: boolean }): Promise<void> {
  const { rows, now } = await withRuntime(async ({ db, clock }) => {
    if ((await findAccount(db, accountId)) === undefined) throw noSuchAccount(accountId)
    return { rows: await listKeys(db, accountId), now: clock.now() }
  })
  const bodies = rows.map((row) => ({
    key: row.key_id,
    kind: row.kind,
    shown_as: row.shown_as,
    created_at: isoTime(row.created_at),
    ...(row.expires_at !== null && { expires_at: isoTime(row.expires_at) }),
  }))
  say(
    options.json,
    bodies,
    table(rows.map((row) => [row.key_id, row.shown_as, isoTime(row.created_at), stateOf(row, now)])),
  )
}

function stateOf({ expires_at: expiresAt }: KeyRow, now: number): string {
  if (expiresAt === null) return 'valid'
  return expiresAt <= now ? `ended ${isoTime(expiresAt)}` : `valid until ${isoTime(expiresAt)}`
}
