// karba backup and karba restore: a copy of an SQLite store, and the store from a copy.
import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { backUp, noteBackup, restore } from '../service/backup.ts'
import { keepAliveClock } from '../service/runtime.ts'
import { print } from './print.ts'

interface Options {
  json?: boolean
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('Copies the store of SQLite into a new file, while the server goes on. Overwrites nothing.')
    .argument('<file>', 'the copy to make')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- backup /backups/karba-2026-11-15.db')
    .action(makeBackup)
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'Puts a copy in the place of the store, once it is checked, while no server runs. The store that was there is kept.',
    )
    .argument('<file>', 'a copy that `karba backup` has made')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- restore /backups/karba-2026-11-15.db')
    .action(putBack)
}

async function makeBackup(file: string, { json }: Options): Promise<void> {
  const config = readConfig(process.env)
  const begun = keepAliveClock.now()
  const bytes = await backUp(config, file, showProgress())
  const ms = keepAliveClock.now() - begun
  print(json, { file, bytes, ms }, [
    `${file} is a whole copy: ${megabytes(bytes)} in ${(ms / 1_000).toFixed(1)} s.`,
    config.masterKey === ''
      ? `Without the master key it opens nothing: copy ${config.dataDir}/master.key too, and keep it apart from the copies.`
      : 'Without the master key it opens nothing: keep KARBA_MASTER_KEY too, apart from the copies.',
  ])
  // For `karba doctor`, which says when the last one is old. The copy is good without it.
  const notNoted = await noteBackup(config, begun)
  if (notNoted === undefined) return
  process.stderr.write(`karba: The copy is good, but \`karba doctor\` will not know of it: ${notNoted}.\n`)
}

async function putBack(file: string, { json }: Options): Promise<void> {
  const kept = await restore(readConfig(process.env), file, keepAliveClock.now())
  print(json, { restored: file, kept }, [
    `The store is that of ${file} now.`,
    ...(kept === undefined ? [] : [`The one that was there is kept as ${kept}.`]),
    'Payments made since the copy are not in it: compare with the operators before you start the server.',
  ])
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** A line that is written over again; only where somebody watches. */
function showProgress(): (bytes: number) => void {
  if (!process.stderr.isTTY) return () => {}
  return (bytes) => void process.stderr.write(`\r${megabytes(bytes)} copied\r`)
}
