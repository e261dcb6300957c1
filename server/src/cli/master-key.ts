// karba master-key: rotates the master key of the installation, while no server runs.
import { type Config, masterKey } from '../config.ts'
import { type Rotated, rotateKeyOfFile, rotateKeyOfSetting } from '../service/rotate-master-key.ts'
import { realRandom } from '../service/runtime.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'

export function masterKeyCommand(cli: Cli): KarbaCommand {
  const command = new KarbaCommand('master-key').description(
    'Changes the master key, which encrypts all secrets.',
  )
  command
    .command('rotate')
    .description(
      'Encrypts the store with a new master key. Stop every server first. API keys and webhook secrets do not change. Run it again to finish an interrupted rotation.',
    )
    .option(
      '--new-key <key>',
      'only with KARBA_MASTER_KEY: the new key, 64 hexadecimal digits; - reads it from standard input; by default one is generated and shown',
    )
    .json('one JSON object; before it one with the new key, if one is generated')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- master-key rotate\n  openssl rand -hex 32 | tee new.key | npm run -s karba -- master-key rotate --new-key -',
    )
    .action(cli.action(rotate))
  return command
}

type Options = { newKey?: string; json?: boolean }

async function rotate(cli: Cli, { newKey, json }: Options, command: KarbaCommand): Promise<void> {
  const config = cli.config()
  if (config.masterKey === '' && newKey !== undefined)
    command.error(
      'error: --new-key needs KARBA_MASTER_KEY; without it, the key is generated and kept in its file',
    )
  const rotated =
    config.masterKey === '' ? await rotateKeyOfFile(config, cli.caller()) : await ofSetting()
  const { resealed } = granted(rotated)
  cli.print(json, { resealed }, [
    resealed === 0
      ? 'The store is encrypted with the new master key.'
      : `The store is encrypted with the new master key: ${resealed} secrets are encrypted again.`,
    whereItIs(config),
    'Older backups need the old key. Make a new backup now, and keep the new key apart from it.',
  ])

  async function ofSetting(): Promise<Rotated> {
    const given = newKey === undefined ? undefined : checkKey(await cli.readSecret(newKey))
    // Shown before the store needs it: an interruption later does not lose the key.
    return rotateKeyOfSetting(config, cli.caller(), given ?? (await showNewKey(cli, json)))
  }
}

function checkKey(given: string): string {
  try {
    if (given !== '') return masterKey(given)
  } catch {
    // The key is not repeated.
  }
  throw new CommandFailed('The new key must be 64 hexadecimal digits.')
}

async function showNewKey(cli: Cli, json: boolean | undefined): Promise<string> {
  const key = Buffer.from(realRandom.bytes(32)).toString('hex')
  const text = `${key}\n\nThat is the new master key, shown only once: save it now.\nIf this command is interrupted, run it again with this key: --new-key -\n`
  await cli.write(json ? `${JSON.stringify({ master_key: key })}\n` : `${text}\n`)
  return key
}

const whereItIs = ({ masterKey: set, dataDir }: Config): string =>
  set === ''
    ? `It is in ${dataDir}/master.key: copy it to every machine that shares the database, then start the servers.`
    : 'Set KARBA_MASTER_KEY to it on every machine, then start the servers.'
