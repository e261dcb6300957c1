// karba operator: the staff of the service, who sign in to the console of the dashboard.
import { Option } from 'commander'
import { removeDemo } from '../actions/people/demo-people.ts'
import * as staff from '../actions/people/service-people.ts'
import type { PersonRecord } from '../domain/person.ts'
import { SERVICE_ROLES } from '../domain/role.ts'
import { firstSignInFields, operatorFields } from '../wire/command-output.ts'
import { type Cli, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function operatorCommand(cli: Cli): KarbaCommand {
  const operator = new KarbaCommand('operator').description(
    'Creates, lists, resets and removes the staff of the dashboard’s console.',
  )
  operator
    .command('create')
    .description(
      'Creates a member of staff. The first password is shown once and must be changed at the first sign-in.',
    )
    .requiredOption('--name <name>', 'their name')
    .requiredOption('--email <email>', 'the email address for sign-in')
    .addOption(new Option('--role <role>', 'what they may do').choices(SERVICE_ROLES).makeOptionMandatory())
    .addOption(new Option('--language <language>', 'the language of their emails').choices(['fr', 'en']).default('fr'))
    .json()
    .examples('operator create --name "Awa Diallo" --email awa@karba.example --role administrator')
    .action(cli.action(create))
  operator
    .command('list')
    .description('Lists the staff, oldest first.')
    .json('a JSON array')
    .examples('operator list')
    .action(cli.action(list))
  operator
    .command('reset <email>')
    .description('After a lost password or phone: sets a new first password and removes the authenticator app.')
    .json()
    .examples('operator reset awa@karba.example')
    .action(cli.action(reset))
  operator
    .command('remove <email>')
    .description('Removes a member of staff and ends their sessions.')
    .json()
    .examples('operator remove awa@karba.example')
    .action(cli.action(remove))
  return operator
}

async function create(cli: Cli, { json, ...input }: staff.NewServicePerson & { json?: boolean }): Promise<void> {
  showSignIn(cli, json, await cli.run(staff.createServicePerson, input))
}

async function reset(cli: Cli, email: string, { json }: { json?: boolean }): Promise<void> {
  showSignIn(cli, json, await cli.run(staff.resetOperator, { email }, email))
}

const showSignIn = (cli: Cli, json: boolean | undefined, made: staff.FirstSignIn): void =>
  cli.print(json, firstSignInFields(made), [
    `${made.email}  ${made.personId}`,
    `  ${made.password}`,
    '',
    'The password is shown only once and must be changed at the first sign-in.',
  ])

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { rows } = await cli.run(staff.listOperators, undefined)
  const page = { rows, next: undefined }
  const none = 'No staff yet: `karba operator create` creates the first.'
  cli.printList({ json, value: rows.map(operatorFields), page, columns: COLUMNS, none })
}

const COLUMNS: readonly Column<PersonRecord>[] = [
  { heading: 'PERSON', cell: ({ personId }) => personId },
  { heading: 'ROLE', cell: ({ serviceRole }) => serviceRole ?? '' },
  { heading: 'CODES', cell: ({ totpSince }) => (totpSince === null ? 'off' : 'on') },
  { heading: 'EMAIL', cell: ({ email }) => email },
  { heading: 'NAME', cell: ({ name }) => name, is: 'free text' },
]

async function remove(cli: Cli, email: string, { json }: { json?: boolean }): Promise<void> {
  const { personId } = await cli.run(staff.removeOperator, { email }, email)
  cli.print(json, { person: personId, removed: true }, [`${email} is removed.`])
}

export function demoCommand(cli: Cli): KarbaCommand {
  const demo = new KarbaCommand('demo').description(
    'Removes the demo people and keys of the first start in development.',
  )
  demo
    .command('remove')
    .description('Removes the demo people, ends their sessions and revokes the keys that the first start printed.')
    .json()
    .addHelpText('after', '\nThe demo merchant and its payments stay. Production does not start before this is done.')
    .examples('demo remove')
    .action(cli.action(removeDemoPeople))
  return demo
}

async function removeDemoPeople(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { emails, keys } = await cli.run(removeDemo, undefined)
  const isNothing = emails.length + keys === 0
  cli.print(json, { people: emails, keys }, [
    isNothing
      ? 'There are no demo people and no demo keys.'
      : `Removed: ${emails.length === 0 ? 'no people' : emails.join(', ')}. Keys revoked: ${keys}.`,
  ])
}
