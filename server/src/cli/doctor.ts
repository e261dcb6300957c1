// karba doctor: checks the installation and says what to fix. karba config: prints the settings.
import { SETTINGS } from '../config.ts'
import { type CheckName, type CheckResult, checkUp } from '../service/check-up.ts'
import { keepAliveClock } from '../service/runtime.ts'
import { type Cli, KarbaCommand } from './cli.ts'

export function doctorCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('doctor')
    .description('Checks this installation: settings, files, database, clock, disk, operators, backups.')
    .json('a JSON array')
    .addHelpText('after', '\nExit code: 1 when a check finds a danger.')
    .examples('doctor')
    .action(cli.action(examine))
}

async function examine(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const results = await cli.withRuntime(({ config, db }) => checkUp(config, db, keepAliveClock.now))
  const judged = results.map((result) => ({ ...result, sentence: checkSentence(result) }))
  cli.print(
    json,
    judged.map(({ name, is, sentence }) => ({ name, is, sentence })),
    judged.map(({ is, sentence }) => `${cli.mark(is)} ${sentence}`),
  )
  if (results.some(({ is }) => is === 'dangerous')) cli.exitCode = 1
}

export function configCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('config')
    .description('Prints every setting with its current value. Secret values are hidden.')
    .json('a JSON array')
    .examples('config')
    .action(cli.action(printSettings))
}

function printSettings(cli: Cli, options: { json?: boolean }): void {
  const config = cli.config() as Record<string, unknown>
  const bodies = Object.entries(SETTINGS).map(([name, setting]) => {
    const given = cli.terminal.env[setting.env]
    const hidden = 'secret' in setting && Boolean(given)
    const value = config[name]
    return {
      name: setting.env,
      // A list is shown as it was written in the environment.
      value: hidden ? '(hidden)' : Array.isArray(value) ? given || setting.default : String(value),
      default: setting.default,
      about: setting.about,
    }
  })
  const lines = bodies.flatMap(({ name, value, about }) => [`${name}=${value}`, `  ${about}`, ''])
  cli.print(options.json, bodies, lines)
}

const given = (found: string): string => (found === '' ? '' : ` (${found})`)

const SENTENCES: Readonly<Record<CheckName, Record<'right' | 'wrong', (found: string) => string>>> = {
  mode: {
    right: () => 'The mode is production.',
    wrong: () => 'The mode is development: set KARBA_MODE=production where real money moves.',
  },
  public_url: {
    right: (found) => `The public address is ${found}.`,
    wrong: () =>
      'Keys and numbers would travel unencrypted: put a TLS proxy in front and set PUBLIC_URL to its https address.',
  },
  proxies: {
    right: (found) => `The proxies are known${given(found)}.`,
    wrong: (found) =>
      found === ''
        ? 'No proxy is listed: set KARBA_TRUST_PROXY to your TLS proxy’s address, or all its clients share one rate limit.'
        : `${found} forwards for others and is not listed: if it is your proxy, add it to KARBA_TRUST_PROXY.`,
  },
  metrics: {
    right: () => '/metrics needs a token.',
    wrong: () => '/metrics is closed: set KARBA_METRICS_TOKEN and give it to Prometheus.',
  },
  mail: {
    right: () => 'Emails can be sent, or are shown.',
    wrong: () => 'Emails wait: set KARBA_SMTP_URL to your mail server, or password resets do not work.',
  },
  file_modes: {
    right: () => 'Only the service’s own user can read the master key and the database.',
    wrong: (found) => `Other users can read ${found}: run chmod 600 on it.`,
  },
  database_tls: {
    right: () => 'The connection to the database is private.',
    wrong: () => 'The connection to PostgreSQL is not encrypted: add sslmode=verify-full to DATABASE_URL.',
  },
  store: {
    right: () => 'The database’s own check found no damage.',
    wrong: (found) =>
      `The database is damaged (${found}): stop the server, run \`karba verify\`, and restore the latest backup.`,
  },
  clock: {
    right: (found) => `This machine’s clock agrees with the database’s (${found}).`,
    wrong: (found) => `This machine’s clock is ${found} off the database’s: set both by NTP.`,
  },
  disk: {
    right: (found) => `The disk has ${found} free.`,
    wrong: (found) => `The disk has only ${found} free: free some space.`,
  },
  open_files: {
    right: (found) => `The limit on open files leaves room for ${found} connections.`,
    wrong: (found) =>
      `A server started from here may open too few files for KARBA_CONNECTIONS (${found}): raise the limit (ulimit -n, LimitNOFILE of systemd, nofile of the container), or lower KARBA_CONNECTIONS.`,
  },
  operators: {
    right: (found) => `Operators are connected${given(found)}.`,
    wrong: () => 'No operator is connected for live: no real payment can be taken.',
  },
  refused_connections: {
    right: () => 'No network refuses a connection for its configuration.',
    wrong: (found) =>
      `Networks refuse us for our configuration: ${found}. \`karba operators list\` says which connections take no payments.`,
  },
  backup: {
    right: (found) => (found === '' ? 'Backups are PostgreSQL’s own.' : `The last backup is ${found} old.`),
    wrong: (found) =>
      found === ''
        ? 'There is no backup yet: run `karba backup` every day.'
        : `The last backup is ${found} old: run \`karba backup\` every day.`,
  },
  demo: {
    right: () => 'The store has no demo people and no demo keys.',
    wrong: (found) =>
      `The store has the printed demo people and keys (${found}): run \`karba demo remove\` before production.`,
  },
}

const checkSentence = ({ name, is, found }: CheckResult): string =>
  SENTENCES[name][is === 'right' ? 'right' : 'wrong'](found)
