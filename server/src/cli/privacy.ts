// karba privacy: what a payer may ask for: that the service forgets their number and name.

import { Command, Option } from 'commander'
import { erasePayer } from '../actions/privacy/erase-payer.ts'
import { COUNTRIES, type Country } from '../domain/country.ts'
import { type Cli, granted } from './cli.ts'

interface Options {
  country?: Country
  json?: boolean
}

export function privacyCommand(cli: Cli): Command {
  const privacy = new Command('privacy').description('Erases what the store holds of a payer.')
  privacy
    .command('erase')
    .description(
      'Leaves of a payer’s number its last two digits, and nothing of the name, wherever the store has them. Amounts, references and states stay. It cannot be undone.',
    )
    .argument(
      '<number>',
      '+227 96 12 34 56, 0022796123456, or a local one with --country; - reads it from standard input',
    )
    .addOption(new Option('--country <country>', 'of a number without its country code').choices(COUNTRIES))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- privacy erase "+227 96 12 34 56"\n  npm run -s karba -- privacy erase 96123456 --country NE',
    )
    .action(cli.action(erase))
  return privacy
}

async function erase(cli: Cli, given: string, { country, json }: Options): Promise<void> {
  const number = await cli.readSecret(given)
  const erased = granted(await cli.withRuntime((runtime, caller) => erasePayer(runtime, caller, { number, country })))
  const { payments, attempts, texts } = erased
  cli.print(json, erased, [
    `Masked: the number and name in ${payments} payments, the number in ${attempts} attempts on links, and in ${texts} events, answers and notes.`,
    'Amounts, references and states are as they were. Copies of the store and logs from before still have them.',
  ])
}
