// karba merchant: makes, lists, validates and suspends merchants. The settings of an account's links are in merchant-checkout.ts.
import { Command, InvalidArgumentError, Option } from 'commander'
import { changeAccountStatus } from '../actions/merchants/change-account-status.ts'
import { createMerchant, type NewAccount } from '../actions/merchants/create-merchant.ts'
import { type ListedMerchant, listMerchants } from '../actions/merchants/list-merchants.ts'
import type { AccountStatus } from '../domain/account.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { LONGEST_CUSTOMER_NAME } from '../domain/reference.ts'
import { isShownText } from '../domain/shown-text.ts'
import { merchantFields, newMerchantFields } from '../wire/command-output.ts'
import { granted } from './command-failed.ts'
import { checkoutCommand } from './merchant-checkout.ts'
import { inviteCommand } from './merchant-invite.ts'
import { type PageOptions, readPages, withOptionalPages } from './page-options.ts'
import { print } from './print.ts'
import { printList } from './print-list.ts'
import type { Column } from './table.ts'
import { withRuntime } from './with-runtime.ts'

export function merchantCommand(): Command {
  const merchant = new Command('merchant').description(
    'Makes, lists, validates and suspends merchants, and says what their links offer.',
  )

  merchant
    .command('create')
    .description('Makes a merchant with a sandbox and a live account. The secret keys are shown this once.')
    .requiredOption('--name <name>', 'what the merchant is called', merchantName)
    .option('--validate-live', 'let the live account work at once')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- merchant create --name "Boutique Awa" --validate-live --json',
    )
    .action(create)

  withOptionalPages(merchant.command('list').description('Lists merchants with their accounts, the oldest first.'))
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- merchant list')
    .action(list)

  merchant.addCommand(checkoutCommand())
  merchant.addCommand(inviteCommand())

  for (const [verb, status, about] of [
    ['validate', 'validated', 'Lets an account work, or work again.'],
    ['suspend', 'suspended', 'Stops an account: its calls get 403 within a second.'],
  ] as const) {
    merchant
      .command(`${verb} <merchant>`)
      .description(about)
      .addOption(new Option('--environment <environment>', 'which account').choices(ENVIRONMENTS).makeOptionMandatory())
      .option('--json', 'print one JSON object')
      .addHelpText(
        'after',
        `\nExample:\n  npm run -s karba -- merchant ${verb} mer_0123456789abcdef --environment live`,
      )
      .action((merchantId: string, options: StatusOptions) => changeStatus(merchantId, status, options))
  }
  return merchant
}

async function create(options: { name: string; validateLive?: boolean; json?: boolean }): Promise<void> {
  const input = { name: options.name, validateLive: options.validateLive ?? false }
  const merchant = granted(
    await withRuntime((runtime, caller) => createMerchant(runtime, caller, input), { mayCreate: true }),
  )
  print(options.json, newMerchantFields(merchant), [
    `${options.name}  ${merchant.merchantId}`,
    ...ENVIRONMENTS.flatMap((environment) => accountLines(environment, merchant.accounts[environment])),
    '',
    'The secret keys are shown this once: keep them now.',
  ])
}

function accountLines(environment: Environment, account: NewAccount): string[] {
  const state = account.validated ? 'validated' : 'not validated yet'
  return ['', `${environment}  ${account.accountId}  ${state}`, `  ${account.publicKey}`, `  ${account.secretKey}`]
}

async function list(options: PageOptions): Promise<void> {
  const page = await withRuntime((runtime, caller) =>
    readPages((wanted) => listMerchants(runtime, caller, wanted), options),
  )
  printList({
    json: options.json,
    value: page.rows.map(merchantFields),
    page: { rows: page.rows.flatMap(({ accounts }) => accounts), next: page.next },
    columns: COLUMNS,
    none: 'There is no merchant yet.',
  })
}

const COLUMNS: readonly Column<ListedMerchant['accounts'][number]>[] = [
  { heading: 'MERCHANT', cell: ({ merchantId }) => merchantId },
  { heading: 'ENVIRONMENT', cell: ({ environment }) => environment },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'STATUS', cell: ({ status }) => status, is: 'state' },
  { heading: 'NAME', cell: ({ name }) => name, is: 'free text' },
]

interface StatusOptions {
  environment: Environment
  json?: boolean
}

async function changeStatus(
  merchantId: string,
  status: AccountStatus,
  { environment, json }: StatusOptions,
): Promise<void> {
  const change = { merchantId, environment, status }
  granted(await withRuntime((runtime, caller) => changeAccountStatus(runtime, caller, change)), { name: merchantId })
  print(json, { merchant: merchantId, environment, status }, [`${merchantId}: ${environment} is ${status}.`])
}

function merchantName(text: string): string {
  if (!isShownText(text.trim(), LONGEST_CUSTOMER_NAME))
    throw new InvalidArgumentError('1 to 255 characters, none of them invisible.')
  return text.trim()
}
