// karba store copy: moves a store from SQLite to PostgreSQL, for a service that has outgrown one file.
import { Command } from 'commander'
import { copyStore } from '../service/copy-store.ts'
import { print } from './print.ts'
import { readSecret } from './read-secret.ts'

interface Options {
  from: string
  to: string
  json?: boolean
}

export function storeCommand(): Command {
  return new Command('store').description('Moves a store into another database.').addCommand(copyCommand())
}

function copyCommand(): Command {
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
    .action(copy)
}

async function copy({ from, to, json }: Options): Promise<void> {
  const tables = await copyStore({ from, to: await readSecret(to), progress: showProgress() })
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
  print(json, { rows, tables }, [
    `${rows} rows in ${Object.keys(tables).length} tables were copied, and both stores hold the same.`,
    'Start the server with that DATABASE_URL and the same master key. Keep the file until you are sure, and start nothing on it.',
  ])
}

/** A line that is written over again; only where somebody watches. */
function showProgress(): Parameters<typeof copyStore>[0]['progress'] {
  if (!process.stderr.isTTY) return () => {}
  return ({ is, table, rows }) => void process.stderr.write(`\r\u001b[K${table}: ${rows} rows ${is}\r`)
}
