// karba staff: the staff of the service, who sign in to the console of the dashboard.
import { Option } from 'commander'
import {
  createStaff,
  type FirstSignIn,
  listStaff,
  type NewStaff,
  removeStaff,
  resetStaff,
} from '../actions/people/service-people.ts'
import type { PersonRecord } from '../domain/people/person.ts'
import { SERVICE_ROLES } from '../domain/people/role.ts'
import { LANGUAGES } from '../domain/texts/language.ts'
import { firstSignInFields, staffFields } from '../wire/command-output.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function staffCommand(cli: Cli): KarbaCommand {
  const command = new KarbaCommand('staff').description(
    'Creates, lists, resets and removes the staff of the dashboard’s console.',
  )
  command
    .command('create')
    .description(
      'Creates a member of staff. The first password is shown once and must be changed at the first sign-in.',
    )
    .requiredOption('--name <name>', 'their name')
    .requiredOption('--email <email>', 'the email address for sign-in')
    .addOption(
      new Option('--role <role>', 'what they may do').choices(SERVICE_ROLES).makeOptionMandatory(),
    )
    .addOption(
      new Option('--language <language>', 'the language of their emails')
        .choices(LANGUAGES)
        .default('fr'),
    )
    .json()
    .examples('staff create --name "Awa Diallo" --email awa@karba.example --role administrator')
    .action(cli.action(create))
  command
    .command('list')
    .description('Lists the staff, oldest first.')
    .json('a JSON array')
    .examples('staff list')
    .action(cli.action(list))
  command
    .command('reset <email>')
    .description(
      'After a lost password or phone: sets a new first password and removes the authenticator app.',
    )
    .json()
    .examples('staff reset awa@karba.example')
    .action(cli.action(reset))
  command
    .command('remove <email>')
    .description('Removes a member of staff and ends their sessions.')
    .json()
    .examples('staff remove awa@karba.example')
    .action(cli.action(remove))
  return command
}

async function create(cli: Cli, { json, ...input }: NewStaff & { json?: boolean }): Promise<void> {
  showSignIn(cli, json, await cli.run(createStaff, input))
}

async function reset(cli: Cli, email: string, { json }: { json?: boolean }): Promise<void> {
  showSignIn(cli, json, await cli.run(resetStaff, { email }, email))
}

const showSignIn = (cli: Cli, json: boolean | undefined, made: FirstSignIn): void =>
  cli.print(json, firstSignInFields(made), [
    `${made.email}  ${made.personId}`,
    `  ${made.password}`,
    '',
    'The password is shown only once and must be changed at the first sign-in.',
  ])

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { rows } = await cli.run(listStaff, undefined)
  const none = 'No staff yet: `karba staff create` creates the first.'
  cli.printRows({ json, value: rows.map(staffFields), rows, columns: COLUMNS, none })
}

const COLUMNS: readonly Column<PersonRecord>[] = [
  { heading: 'PERSON', cell: ({ personId }) => personId },
  { heading: 'ROLE', cell: ({ serviceRole }) => serviceRole ?? '' },
  { heading: 'CODES', cell: ({ totpSince }) => (totpSince === null ? 'off' : 'on') },
  { heading: 'EMAIL', cell: ({ email }) => email },
  { heading: 'NAME', cell: ({ name }) => name, is: 'free text' },
]

async function remove(cli: Cli, email: string, { json }: { json?: boolean }): Promise<void> {
  const { personId } = await cli.run(removeStaff, { email }, email)
  cli.print(json, { person: personId, removed: true }, [`${email} is removed.`])
}
