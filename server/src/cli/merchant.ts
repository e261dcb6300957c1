// karba merchant: creates, lists, validates and suspends merchants, sets their checkout, and
// invites people.
import { InvalidArgumentError, Option } from 'commander'
import {
  type CheckoutSettingsChange,
  changeAccountStatus,
  changeCheckoutSettings,
  readCheckoutSettings,
} from '../actions/merchants/change-account.ts'
import { createMerchant, type NewAccount } from '../actions/merchants/create-merchant.ts'
import { type ListedMerchant, listMerchants } from '../actions/merchants/show-merchants.ts'
import { inviteToMerchant } from '../actions/people/team.ts'
import { type AccountStatus, ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { isLinkMethod, LINK_METHODS, type LinkMethod } from '../domain/methods/methods.ts'
import { MERCHANT_ROLES, type MerchantRole } from '../domain/people/role.ts'
import { isShownText, LONGEST_CUSTOMER_NAME } from '../domain/texts/free-text.ts'
import {
  checkoutSettingsFields,
  merchantFields,
  newMerchantFields,
} from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { listOf, type PageOptions, readPages, withOptionalPages } from './arguments.ts'
import { type Cli, granted, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function merchantCommand(cli: Cli): KarbaCommand {
  const merchant = new KarbaCommand('merchant').description(
    'Creates, lists, validates and suspends merchants, sets their checkout, and invites people to their teams.',
  )

  merchant
    .command('create')
    .description(
      'Creates a merchant with a sandbox and a live account. The secret keys are shown once.',
    )
    .requiredOption('--name <name>', 'the name of the merchant', merchantName)
    .option('--validate-live', 'validate the live account too')
    .json()
    .examples('merchant create --name "Boutique Awa" --validate-live --json')
    .action(cli.action(create))

  withOptionalPages(
    merchant.command('list').description('Lists merchants with their accounts, the oldest first.'),
  )
    .json('a JSON array')
    .examples('merchant list')
    .action(cli.action(list))

  merchant.addCommand(checkoutCommand(cli))
  // The old name of the command, still accepted.
  merchant.addCommand(checkoutCommand(cli, 'offer'), { hidden: true })
  merchant
    .command('invite')
    .description(
      'Invites a person to a merchant’s team in the dashboard, by an email that is valid for seven days.',
    )
    .argument('<merchant>', 'the merchant’s id')
    .requiredOption('--email <email>', 'the address of the invitation')
    .addOption(
      new Option('--role <role>', 'what they may do').choices(MERCHANT_ROLES).default('owner'),
    )
    .json()
    .examples('merchant invite mer_0123456789abcdef --email awa@boutique.example')
    .action(cli.action(invite))

  for (const [verb, status, about] of [
    ['validate', 'validated', 'Validates an account, also after a suspension.'],
    ['suspend', 'suspended', 'Suspends an account: within a second its API calls get 403.'],
  ] as const) {
    merchant
      .command(`${verb} <merchant>`)
      .description(about)
      .addOption(
        new Option('--environment <environment>', 'which account')
          .choices(ENVIRONMENTS)
          .makeOptionMandatory(),
      )
      .json()
      .examples(`merchant ${verb} mer_0123456789abcdef --environment live`)
      .action((merchantId: string, options: StatusOptions) =>
        changeStatus(cli, merchantId, status, options),
      )
  }
  return merchant
}

async function create(
  cli: Cli,
  options: { name: string; validateLive?: boolean; json?: boolean },
): Promise<void> {
  const input = { name: options.name, validateLive: options.validateLive ?? false }
  const merchant = granted(
    await cli.withRuntime((runtime, caller) => createMerchant(runtime, caller, input), {
      mayCreate: true,
    }),
  )
  cli.print(options.json, newMerchantFields(merchant), [
    `${options.name}  ${merchant.merchantId}`,
    ...ENVIRONMENTS.flatMap((environment) =>
      accountLines(environment, merchant.accounts[environment]),
    ),
    '',
    'The secret keys are shown only once: save them now.',
  ])
}

function accountLines(environment: Environment, account: NewAccount): string[] {
  const state = account.validated ? 'validated' : 'not validated yet'
  return [
    '',
    `${environment}  ${account.accountId}  ${state}`,
    `  ${account.publicKey}`,
    `  ${account.secretKey}`,
  ]
}

async function list(cli: Cli, options: PageOptions): Promise<void> {
  const page = await cli.withRuntime((runtime, caller) =>
    readPages((wanted) => listMerchants(runtime, caller, wanted), options),
  )
  cli.printPage({
    json: options.json,
    value: page.rows.map(merchantFields),
    page: { rows: page.rows.flatMap(({ accounts }) => accounts), next: page.next },
    columns: COLUMNS,
    none: 'No merchant yet.',
  })
}

const COLUMNS: readonly Column<ListedMerchant['accounts'][number]>[] = [
  { heading: 'MERCHANT', cell: ({ merchantId }) => merchantId },
  { heading: 'ENVIRONMENT', cell: ({ environment }) => environment },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'STATUS', cell: ({ status }) => status, is: 'state' },
  { heading: 'NAME', cell: ({ name }) => name, is: 'free text' },
]

type StatusOptions = { environment: Environment; json?: boolean }

async function changeStatus(
  cli: Cli,
  merchantId: string,
  status: AccountStatus,
  { environment, json }: StatusOptions,
) {
  await cli.run(changeAccountStatus, { merchantId, environment, status }, merchantId)
  cli.print(json, { merchant: merchantId, environment, status }, [
    `${merchantId}: ${environment} is ${status}.`,
  ])
}

function merchantName(text: string): string {
  if (!isShownText(text.trim(), LONGEST_CUSTOMER_NAME))
    throw new InvalidArgumentError('1 to 255 characters, none of them invisible.')
  return text.trim()
}

function checkoutCommand(cli: Cli, name = 'checkout'): KarbaCommand {
  return new KarbaCommand(name)
    .description(
      'Shows what an account offers on its payment links and which sites may make one; with options, sets it.',
    )
    .argument('<account>')
    .option(
      '--methods <methods>',
      `what can be paid with, of ${LINK_METHODS.join(',')}`,
      listOf(linkMethod),
    )
    .option(
      '--origins <origins>',
      'the sites whose pages may make links; "" for none',
      listOf(String),
    )
    .addOption(
      new Option('--pages <pages>', 'off: no page can be paid on, and sites make no links').choices(
        ['on', 'off'],
      ),
    )
    .option(
      '--wording <text>',
      'your own words on links that a page makes without a signed order; "" for none',
    )
    .addOption(
      new Option(
        '--page-titles <shown>',
        'whether payers see what such a page calls its order',
      ).choices(['shown', 'hidden']),
    )
    .json()
    .examples(
      'merchant checkout acc_0123456789ab',
      'merchant checkout acc_0123456789ab --methods mobile,bank_card --origins https://shop.example,http://localhost:3000',
      'merchant checkout acc_0123456789ab --wording "Tissus wax, Niamey" --page-titles hidden',
      'merchant checkout acc_0123456789ab --pages off',
    )
    .action(cli.action(showOrSet))
}

type CheckoutOptions = Omit<CheckoutSettingsChange, 'accountId'> & { json?: boolean }

async function showOrSet(
  cli: Cli,
  accountId: string,
  { json, ...change }: CheckoutOptions,
): Promise<void> {
  const isChange = Object.keys(change).length > 0
  const settings = await cli.withRuntime((runtime, caller) =>
    isChange
      ? changeCheckoutSettings(runtime, caller, { accountId, ...change })
      : readCheckoutSettings(runtime, caller, { accountId }),
  )
  const { methods, origins, pages, wording, pageTitles } = granted(settings, accountId)
  cli.print(
    json,
    checkoutSettingsFields(accountId, { methods, origins, pages, wording, pageTitles }),
    [
      `methods      ${methods.join(', ')}`,
      `origins      ${origins.length === 0 ? 'none: no page can make a link' : origins.join(', ')}`,
      `pages        ${pages === 'on' ? 'on' : 'off: nothing can be paid on them'}`,
      `wording      ${wording === '' ? 'none' : wording}`,
      `page titles  ${pageTitles}`,
    ],
  )
}

function linkMethod(name: string): LinkMethod {
  if (!isLinkMethod(name)) throw new InvalidArgumentError(`Choose from ${LINK_METHODS.join(', ')}.`)
  return name
}

type InviteOptions = { email: string; role: MerchantRole; json?: boolean }

async function invite(
  cli: Cli,
  merchantId: string,
  { email, role, json }: InviteOptions,
): Promise<void> {
  const invited = await cli.run(inviteToMerchant, { merchantId, email, role }, merchantId)
  const until = isoTime(invited.endsAt)
  cli.print(json, { invitation: invited.invitationId, email: invited.email, role, until }, [
    `${invited.email} is invited to ${invited.merchantName} as ${role}, until ${until}. A running server sends the email.`,
  ])
}
