// karba migrate: brings the database to the tables of this version. Only this and a start of the server do; other commands leave it as it is.
import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { openRuntime } from '../service/runtime.ts'
import { print } from './print.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Brings the database up to this version, as a start of the server would. docs/operating.md says when older servers may go on.',
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- migrate')
    .action(migrate)
}

async function migrate({ json }: { json?: boolean }): Promise<void> {
  const runtime = await openRuntime(readConfig(process.env))
  await runtime.close()
  print(json, { migrated: true }, ['The database is up to date.'])
}
