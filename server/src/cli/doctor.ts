// karba doctor: looks over the installation and says of each thing that it is right, or what to mend.
import { Command } from 'commander'
import { type CheckResult, checkUp } from '../service/check-up.ts'
import { keepAliveClock } from '../service/runtime.ts'
import { markOf } from './check-marks.ts'
import { print } from './print.ts'
import { checkSentence } from './sentences/check-up-sentences.ts'
import { languageOf } from './sentences/language.ts'
import { withRuntime } from './with-runtime.ts'

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Looks over this installation: settings, files, database, clock, disk, operators, backups.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nLeaves with 1 when something is dangerous.\n\nExample:\n  npm run -s karba -- doctor')
    .action(examine)
}

async function examine({ json }: { json?: boolean }): Promise<void> {
  const results = await withRuntime(({ config, db }) => checkUp({ config, db, machineTime: keepAliveClock.now }))
  const language = languageOf(process.env)
  const told = results.map((result) => ({ ...result, sentence: checkSentence(result, language) }))
  print(
    json,
    told.map(({ name, is, sentence }) => ({ name, is, sentence })),
    told.map(lineOf),
  )
  if (results.some(({ is }) => is === 'dangerous')) process.exitCode = 1
}

const lineOf = ({ is, sentence }: CheckResult & { sentence: string }): string => `${markOf(is)} ${sentence}`
