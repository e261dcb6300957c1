// karba store copy, backup, restore, drill and migrate: copies, backups and migrations of the
// store.
import { backUp, noteTime, restore } from '../service/backup.ts'
import { copyStore } from '../service/copy-store.ts'
import { type DrillReport, drillRestore } from '../service/restore-drill.ts'
import { keepAliveClock, openRuntime } from '../service/runtime.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import { findingText } from './verify.ts'

export function storeCommand(cli: Cli): KarbaCommand {
  const store = new KarbaCommand('store').description('Copies a store into another database.')
  store
    .command('copy')
    .description(
      'Copies an SQLite store into an empty PostgreSQL database while no server runs, and compares every table. Run it again to continue an interrupted copy.',
    )
    .requiredOption('--from <url>', 'sqlite: and the file of the store')
    .requiredOption(
      '--to <url>',
      'postgres://… of an empty database; - reads it from standard input',
    )
    .json()
    .examples('store copy --from sqlite:./data/karba.db --to postgres://karba@localhost/karba')
    .action(cli.action(copy))
  return store
}

async function copy(
  cli: Cli,
  { from, to, json }: { from: string; to: string; json?: boolean },
): Promise<void> {
  const tables = await copyStore({
    from,
    to: await cli.readSecret(to),
    progress: ({ is, table, rows }) => cli.showProgress(`${table}: ${rows} rows ${is}`),
  })
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
  cli.print(json, { rows, tables }, [
    `${rows} rows in ${Object.keys(tables).length} tables were copied, and both stores hold the same.`,
    'Start the server with that DATABASE_URL and the same master key. Keep the file until you are sure, and start nothing on it.',
  ])
}

export function backupCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('backup')
    .description(
      'Copies the store into a new file while the server runs; with PostgreSQL by pg_dump. It never overwrites a file.',
    )
    .argument('<file>', 'the file to create')
    .json()
    .examples('backup /backups/karba-2026-11-15.db')
    .action(cli.action(makeBackup))
}

export function restoreCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('restore')
    .description(
      'Checks a copy and replaces the SQLite store with it, while no server runs. The old store is kept.',
    )
    .argument('<file>', 'a copy made by `karba backup`')
    .json()
    .examples('restore /backups/karba-2026-11-15.db')
    .action(cli.action(putBack))
}

async function makeBackup(cli: Cli, file: string, { json }: { json?: boolean }): Promise<void> {
  const config = cli.config()
  const begun = keepAliveClock.now()
  const bytes = await backUp(config, file, {
    progress: (copied) => cli.showProgress(`${megabytes(copied)} copied`),
    removed: (sentence) => cli.terminal.stderr.write(`karba: ${sentence}\n`),
  })
  const ms = keepAliveClock.now() - begun
  cli.print(json, { file, bytes, ms }, [
    `${file} is a complete copy: ${megabytes(bytes)} in ${(ms / 1_000).toFixed(1)} s.`,
    config.masterKey === ''
      ? `Without the master key the copy is useless: copy ${config.dataDir}/master.key too, and keep it apart from the copies.`
      : 'Without the master key the copy is useless: keep KARBA_MASTER_KEY too, apart from the copies.',
  ])
  // `karba doctor` warns when the last backup is old. The copy is good without this note.
  const notNoted = await noteTime(config, ['last_backup_at'], begun)
  if (notNoted === undefined) return
  cli.terminal.stderr.write(
    `karba: The copy is good, but \`karba doctor\` will not know of it: ${notNoted}.\n`,
  )
}

async function putBack(cli: Cli, file: string, { json }: { json?: boolean }): Promise<void> {
  const kept = await restore(cli.config(), file, keepAliveClock.now())
  cli.print(json, { restored: file, kept }, [
    `The store is that of ${file} now.`,
    ...(kept === undefined ? [] : [`The one that was there is kept as ${kept}.`]),
    'Payments made since the copy are not in it: compare with the operators before you start the server.',
  ])
}

export function drillCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('drill')
    .description(
      'Makes a backup while the server runs, restores it at another place, compares every table with the store at the moment of the backup, and verifies the copy. The backup stays, the copy is removed.',
    )
    .argument('<file>', 'the backup to make')
    .option(
      '--existing',
      'test the backup that is there: compare it with the file .sums.json that its drill wrote',
    )
    .option('--master-key <file>', 'your kept copy of the master key, which is then tested too')
    .option(
      '--on <url>',
      'postgres://… of another server, for the copy; - reads it from standard input; by default the store’s own server',
    )
    .json()
    .addHelpText('after', '\nExit code: 1 when the copy differs, is damaged or cannot be used.')
    .examples(
      'drill /backups/karba-2026-11-15.db --master-key /safe/master.key',
      'drill --existing /backups/karba-2026-11-15.db',
    )
    .action(cli.action(drill))
}

type DrillOptions = {
  existing?: boolean
  masterKey?: string
  on?: string
  json?: boolean
}

async function drill(
  cli: Cli,
  file: string,
  { existing, masterKey, on, json }: DrillOptions,
): Promise<void> {
  const config = cli.config()
  const report = await drillRestore(config, cli.caller(), {
    file,
    isExisting: existing === true,
    masterKeyFile: masterKey,
    on: on === undefined ? undefined : await cli.readSecret(on),
    step: (line) => json || cli.terminal.stderr.write(`${line}\n`),
    progress: (line) => cli.showProgress(line),
  })
  const { differences, verification, unopened } = report
  const findings = verification.findings.map(findingText)
  const isGood = differences.length === 0 && verification.found === 0 && unopened.length === 0
  cli.print(
    json,
    { ...report, verification: { payments: verification.payments, findings }, good: isGood },
    [
      ...differences.map((table) => `The table ${table} differs from the original.`),
      ...unopened.map((place) => `A secret in ${place} does not open with the master key.`),
      ...findings,
      ...(masterKey === undefined
        ? ['Your kept copy of the master key was not tested: name it with --master-key.']
        : []),
      isGood
        ? goodDrill(report)
        : `The drill failed: do not rely on ${file}. Make a new backup, and run \`karba verify\`.`,
    ],
  )
  if (!isGood) cli.exitCode = 1
  else if (report.notNoted !== undefined)
    cli.terminal.stderr.write(
      `karba: \`karba doctor\` will not know of this drill: ${report.notNoted}.\n`,
    )
}

function goodDrill({ file, at, tables, rows, secrets, verification }: DrillReport): string {
  const [many, payments] = [rows, verification.payments].map((count) => count.toLocaleString('en'))
  const compared =
    at === undefined
      ? `There is no ${file}.sums.json to compare its ${many} rows with`
      : `All ${many} rows of ${tables} tables equal the store of ${new Date(at).toISOString()}`
  return `The drill succeeded: ${file} can be restored. ${compared}; every secret opens (${secrets}), and the check of its payments (${payments}) found no fault.`
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

export function migrateCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('migrate')
    .description(
      'Migrates the database to this version, as a start of the server does. docs/operating.md says when older servers may keep running.',
    )
    .json()
    .examples('migrate')
    .action(cli.action(migrate))
}

async function migrate(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const runtime = await openRuntime(cli.config())
  await runtime.close()
  cli.print(json, { migrated: true }, ['The database is up to date.'])
}
