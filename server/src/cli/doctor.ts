// karba doctor: checks the installation and names what to fix. karba config: prints the settings.
import { SETTINGS } from '../config.ts'
import { type CheckName, type CheckResult, checkUp } from '../service/check-up.ts'
import { keepAliveClock } from '../service/runtime.ts'
import { type Cli, KarbaCommand } from './cli.ts'

export function doctorCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('doctor')
    .description(
      'Checks this installation: settings, public address, files, database, clock, disk, operators, backups.',
    )
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
    // A list is shown as it was written in the environment.
    const shown = Array.isArray(value) ? given || setting.default : String(value)
    return {
      name: setting.env,
      value: hidden ? '(hidden)' : shown,
      default: setting.default,
      about: setting.about,
    }
  })
  const lines = bodies.flatMap(({ name, value, about }) => [`${name}=${value}`, `  ${about}`, ''])
  cli.print(options.json, bodies, lines)
}

const given = (found: string): string => (found === '' ? '' : ` (${found})`)

const SENTENCES: Readonly<Record<CheckName, Record<'right' | 'wrong', (found: string) => string>>> =
  {
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
      wrong: () =>
        'Emails wait: set KARBA_SMTP_URL to your mail server, or password resets do not work.',
    },
    reachable: {
      right: (found) =>
        found === ''
          ? 'There is no public https address to try.'
          : `The public address answers, and its certificate is valid for ${found}.`,
      wrong: (found) =>
        found.endsWith('days')
          ? `The certificate of the public address ends in ${found}: renew it.`
          : `The public address does not answer from here (${found}): check DNS, certificate, proxy and firewall.`,
    },
    metrics_closed: {
      right: (found) =>
        found === ''
          ? '/metrics is not open to strangers.'
          : 'Whether /metrics is open to strangers could not be tried.',
      wrong: () =>
        '/metrics answers strangers at the public address: close it in the proxy, as deploy/nginx.conf does.',
    },
    file_modes: {
      right: () => 'Only the service’s own user can read the master key and the database.',
      wrong: (found) => `Other users can read ${found}: run chmod 600 on it.`,
    },
    file_owners: {
      right: () => 'The master key and the database belong to the owner of their folder.',
      wrong: (found) =>
        `${found}: the owner is another than that of KARBA_DATA_DIR, and the server may fail to open it. Run chown, and run commands as the service’s user.`,
    },
    database_tls: {
      right: () => 'The connection to the database is private.',
      wrong: () =>
        'The connection to PostgreSQL is not encrypted: add sslmode=verify-full to DATABASE_URL.',
    },
    data_checksums: {
      right: () => 'Damage of the database’s pages is found.',
      wrong: () =>
        'PostgreSQL writes no checksums, so damage of the disk stays unseen: stop it, and run pg_checksums --enable.',
    },
    autovacuum: {
      right: () => 'The database removes old row versions by itself.',
      wrong: () =>
        'autovacuum is off, and tables grow without end: set autovacuum = on in postgresql.conf.',
    },
    standby: {
      right: () => 'A fail-over loses no acknowledged payment, or there is one database server.',
      wrong: () =>
        'DATABASE_URL names standbys, and none is synchronous: a fail-over would lose acknowledged payments. Set synchronous_mode in Patroni, or synchronous_standby_names.',
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
    time_service: {
      right: (found) =>
        found === ''
          ? 'No time service can be asked here.'
          : 'A time service sets this machine’s clock.',
      wrong: () =>
        'No time service sets this machine’s clock: install chrony, or run timedatectl set-ntp true.',
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
    shared_connections: {
      right: () => 'No live connection collects for several merchants into one wallet.',
      wrong: (found) =>
        `Several merchants collect into one wallet (${found}): only a licensed company may hold their money. Let each merchant enter a connection of their own in the dashboard.`,
    },
    refused_connections: {
      right: () => 'No network refuses a connection for its configuration.',
      wrong: (found) =>
        `Networks refuse us for our configuration: ${found}. \`karba operators list\` says which connections take no payments.`,
    },
    backup: {
      right: (found) =>
        found === '' ? 'PostgreSQL archives its log.' : `The last backup is ${found} old.`,
      wrong: (found) =>
        found === 'archive'
          ? 'PostgreSQL cannot archive its log: see pg_stat_archiver, and correct archive_command.'
          : `${found === '' ? 'There is no backup yet' : `The last backup is ${found} old`}: run \`karba backup\` every day.`,
    },
    drill: {
      right: (found) => `The last restore drill that succeeded was ${found} ago.`,
      wrong: (found) =>
        `${found === '' ? 'No backup was ever restored' : `The last restore drill was ${found} ago`}: run \`karba drill\` each month.`,
    },
    imports: {
      right: () => 'No import of a statement was cut off.',
      wrong: (found) =>
        `Imports of statements were cut off (${found}): a running server goes on with them within two minutes.`,
    },
    demo: {
      right: () => 'The store has no demo people and no demo keys.',
      wrong: (found) =>
        `The store has the printed demo people and keys (${found}): run \`karba demo remove\` before production.`,
    },
  }

const checkSentence = ({ name, is, found }: CheckResult): string =>
  SENTENCES[name][is === 'right' ? 'right' : 'wrong'](found)
