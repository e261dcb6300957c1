// karba operator: the people of the company that runs the service, who sign in to the console of the dashboard.

import { Command, Option } from 'commander'
import { removeDemo } from '../actions/people/demo-people.ts'
import {
  createServicePerson,
  type FirstSignIn,
  listOperators,
  removeOperator,
  resetOperator,
} from '../actions/people/service-people.ts'
import type { Language, PersonRecord } from '../domain/person.ts'
import { SERVICE_ROLES, type ServiceRole } from '../domain/role.ts'
import { firstSignInFields, operatorFields } from '../wire/command-output.ts'
import { type Cli, granted } from './cli.ts'
import type { Column } from './table.ts'

interface CreateOptions {
  name: string
  email: string
  role: ServiceRole
  language: Language
  json?: boolean
}

export function operatorCommand(cli: Cli): Command {
  const operator = new Command('operator').description(
    'Makes, lists, helps and removes the people who run the service in the dashboard’s console.',
  )
  operator
    .command('create')
    .description('Makes one of them. The first password is shown this once, and must be changed at the first sign-in.')
    .requiredOption('--name <name>', 'what they are called')
    .requiredOption('--email <email>', 'what they sign in with')
    .addOption(new Option('--role <role>', 'what they may do').choices(SERVICE_ROLES).makeOptionMandatory())
    .addOption(new Option('--language <language>', 'of letters to them').choices(['fr', 'en']).default('fr'))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- operator create --name "Awa Diallo" --email awa@karba.example --role administrator',
    )
    .action(cli.action(create))
  operator
    .command('list')
    .description('Lists them, the oldest first.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- operator list')
    .action(cli.action(list))
  operator
    .command('reset <email>')
    .description('For one who lost password or phone: a new first password, and no authenticator app.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- operator reset awa@karba.example')
    .action(cli.action(reset))
  operator
    .command('remove <email>')
    .description('Removes one of them: their sessions end at once.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- operator remove awa@karba.example')
    .action(cli.action(remove))
  return operator
}

async function create(cli: Cli, { json, ...input }: CreateOptions): Promise<void> {
  const made = granted(await cli.withRuntime((runtime, caller) => createServicePerson(runtime, caller, input)))
  showSignIn(cli, json, made)
}

async function reset(cli: Cli, email: string, { json }: { json?: boolean }): Promise<void> {
  const made = granted(await cli.withRuntime((runtime, caller) => resetOperator(runtime, caller, { email })), {
    name: email,
  })
  showSignIn(cli, json, made)
}

const showSignIn = (cli: Cli, json: boolean | undefined, made: FirstSignIn): void =>
  cli.print(json, firstSignInFields(made), [
    `${made.email}  ${made.personId}`,
    `  ${made.password}`,
    '',
    'The password is shown this once, and must be changed at the first sign-in.',
  ])

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { rows } = granted(await cli.withRuntime((runtime, caller) => listOperators(runtime, caller)))
  const page = { rows, next: undefined }
  const none = 'Nobody runs the service in the dashboard yet: `karba operator create` makes the first.'
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
  const asked = { name: email }
  const { personId } = granted(
    await cli.withRuntime((runtime, caller) => removeOperator(runtime, caller, { email })),
    asked,
  )
  cli.print(json, { person: personId, removed: true }, [`${email} is removed.`])
}

export function demoCommand(cli: Cli): Command {
  const demo = new Command('demo').description('Removes the demo people and keys of the first start in development.')
  demo
    .command('remove')
    .description('Removes the demo people, ends their sessions and revokes the keys that the first start printed.')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nThe demo merchant and its payments stay. A start in production is refused before.\n\nExample:\n  npm run -s karba -- demo remove',
    )
    .action(cli.action(removeDemoPeople))
  return demo
}

async function removeDemoPeople(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { emails, keys } = granted(await cli.withRuntime((runtime, caller) => removeDemo(runtime, caller)))
  const isNothing = emails.length + keys === 0
  cli.print(json, { people: emails, keys }, [
    isNothing
      ? 'There are no demo people and no demo keys.'
      : `Removed: ${emails.length === 0 ? 'nobody' : emails.join(', ')}. Keys revoked: ${keys}.`,
  ])
}
