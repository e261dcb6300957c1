// karba store copy: moves a store from SQLite to PostgreSQL, for a service that has outgrown one file.

import { Command } from 'commander'
import { backUp, noteBackup, restore } from '../service/backup.ts'
import { copyStore } from '../service/copy-store.ts'
import { keepAliveClock, openRuntime } from '../service/runtime.ts'
import type { Cli } from './cli.ts'

interface Options {
  from: string
  to: string
  json?: boolean
}

export function storeCommand(cli: Cli): Command {
  return new Command('store').description('Moves a store into another database.').addCommand(copyCommand(cli))
}

function copyCommand(cli: Cli): Command {
  return new Command('copy')
    .description(
      'Copies a store of SQLite into an empty PostgreSQL while no server runs, and compares every table. Run again, an interrupted copy goes on.',
    )
    .requiredOption('--from <url>', 'sqlite: and the file of the store')
    .requiredOption('--to <url>', 'postgres://… of an empty database; - reads it from standard input')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- store copy --from sqlite:./data/karba.db --to postgres://karba@localhost/karba',
    )
    .action(cli.action(copy))
}

async function copy(cli: Cli, { from, to, json }: Options): Promise<void> {
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

interface BackupOptions {
  json?: boolean
}

export function backupCommand(cli: Cli): Command {
  return new Command('backup')
    .description('Copies the store of SQLite into a new file, while the server goes on. Overwrites nothing.')
    .argument('<file>', 'the copy to make')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- backup /backups/karba-2026-11-15.db')
    .action(cli.action(makeBackup))
}

export function restoreCommand(cli: Cli): Command {
  return new Command('restore')
    .description(
      'Puts a copy in the place of the store, once it is checked, while no server runs. The store that was there is kept.',
    )
    .argument('<file>', 'a copy that `karba backup` has made')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- restore /backups/karba-2026-11-15.db')
    .action(cli.action(putBack))
}

async function makeBackup(cli: Cli, file: string, { json }: BackupOptions): Promise<void> {
  const config = cli.config()
  const begun = keepAliveClock.now()
  const bytes = await backUp(config, file, (copied) => cli.showProgress(`${megabytes(copied)} copied`))
  const ms = keepAliveClock.now() - begun
  cli.print(json, { file, bytes, ms }, [
    `${file} is a whole copy: ${megabytes(bytes)} in ${(ms / 1_000).toFixed(1)} s.`,
    config.masterKey === ''
      ? `Without the master key it opens nothing: copy ${config.dataDir}/master.key too, and keep it apart from the copies.`
      : 'Without the master key it opens nothing: keep KARBA_MASTER_KEY too, apart from the copies.',
  ])
  // For `karba doctor`, which says when the last one is old. The copy is good without it.
  const notNoted = await noteBackup(config, begun)
  if (notNoted === undefined) return
  cli.terminal.stderr.write(`karba: The copy is good, but \`karba doctor\` will not know of it: ${notNoted}.\n`)
}

async function putBack(cli: Cli, file: string, { json }: BackupOptions): Promise<void> {
  const kept = await restore(cli.config(), file, keepAliveClock.now())
  cli.print(json, { restored: file, kept }, [
    `The store is that of ${file} now.`,
    ...(kept === undefined ? [] : [`The one that was there is kept as ${kept}.`]),
    'Payments made since the copy are not in it: compare with the operators before you start the server.',
  ])
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

export function migrateCommand(cli: Cli): Command {
  return new Command('migrate')
    .description(
      'Brings the database up to this version, as a start of the server would. docs/operating.md says when older servers may go on.',
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- migrate')
    .action(cli.action(migrate))
}

async function migrate(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const runtime = await openRuntime(cli.config())
  await runtime.close()
  cli.print(json, { migrated: true }, ['The database is up to date.'])
}
