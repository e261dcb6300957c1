// karba privacy: erases the number and name of a payer who requests it.
import { Option } from 'commander'
import { erasePayer } from '../actions/privacy/erase-payer.ts'
import { COUNTRIES, type Country } from '../domain/countries/country.ts'
import { type Cli, KarbaCommand } from './cli.ts'

export function privacyCommand(cli: Cli): KarbaCommand {
  const privacy = new KarbaCommand('privacy').description(
    'Erases a payer’s personal data from the store.',
  )
  privacy
    .command('erase')
    .description(
      'Erases a payer’s name and all but the last two digits of the number everywhere in the store. Amounts, references and states stay. It cannot be undone.',
    )
    .argument(
      '<number>',
      '+227 96 12 34 56, 0022796123456, or a local one with --country; - reads it from standard input',
    )
    .addOption(
      new Option('--country <country>', 'of a number without its country code').choices(COUNTRIES),
    )
    .json()
    .examples('privacy erase "+227 96 12 34 56"', 'privacy erase 96123456 --country NE')
    .action(cli.action(erase))
  return privacy
}

async function erase(
  cli: Cli,
  given: string,
  { country, json }: { country?: Country; json?: boolean },
): Promise<void> {
  const number = await cli.readSecret(given)
  const erased = await cli.run(erasePayer, { number, country })
  const { payments, attempts, texts, files } = erased
  cli.print(json, erased, [
    `Masked: the number and name in ${payments} payments, the number in ${attempts} attempts on links, and in ${texts} events, answers and notes.`,
    ...(files > 0
      ? [`Removed: ${files} statement files that named the number; their lines stay.`]
      : []),
    'Amounts, references and states are unchanged. Older backups, archives and logs still have the data.',
  ])
}
