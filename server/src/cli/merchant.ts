// karba merchant: who may collect payments here.
import { Command, InvalidArgumentError, Option } from 'commander'
import { changeAccountStatus } from '../actions/merchants/change-account-status.ts'
import { type CheckoutSettingsChange, changeCheckoutSettings } from '../actions/merchants/change-checkout-settings.ts'
import { createMerchant, type NewAccount } from '../actions/merchants/create-merchant.ts'
import type { AccountStatus } from '../domain/account.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { isLinkMethod, LINK_METHODS, type LinkMethod } from '../domain/payment-link.ts'
import { isCustomerName } from '../domain/reference.ts'
import { findCheckoutSettings, listMerchants, type MerchantRow } from '../store/merchants/accounts.ts'
import { ACTOR, CommandFailed, done, isoTime, noSuchAccount, say, table, withRuntime } from './open.ts'

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

  merchant
    .command('list')
    .description('Lists merchants with their accounts.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- merchant list')
    .action(list)

  merchant
    .command('offer <account>')
    .description(
      'Shows what an account offers on its payment links and which sites may make one; with options, sets it.',
    )
    .option('--methods <methods>', `what can be paid with, of ${LINK_METHODS.join(',')}`, listOf(linkMethod))
    .option('--origins <origins>', 'the sites whose pages may make links; "" for none', listOf(String))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- merchant offer acc_0123456789ab\n  npm run -s karba -- merchant offer acc_0123456789ab --methods mobile,bank_card --origins https://shop.example,http://localhost:3000',
    )
    .action(settings)

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
  const wish = { name: options.name, validateLive: options.validateLive ?? false }
  const { merchantId, accounts } = await withRuntime((runtime) => createMerchant(runtime, wish, ACTOR))
  const { sandbox, live } = accounts
  say(options.json, { merchant: merchantId, sandbox: accountBody(sandbox), live: accountBody(live) }, [
    `${options.name}  ${merchantId}`,
    ...ENVIRONMENTS.flatMap((environment) => accountLines(environment, accounts[environment])),
    '',
    'The secret keys are shown this once: keep them now.',
  ])
}

function accountBody(account: NewAccount): object {
  const { accountId, publicKey, secretKey, validated } = account
  return { account: accountId, public_key: publicKey, secret_key: secretKey, validated }
}

function accountLines(environment: Environment, account: NewAccount): string[] {
  const state = account.validated ? 'validated' : 'not validated yet'
  return ['', `${environment}  ${account.accountId}  ${state}`, `  ${account.publicKey}`, `  ${account.secretKey}`]
}

async function list(options: { json?: boolean }): Promise<void> {
  const rows = await withRuntime(({ db }) => listMerchants(db))
  const byMerchant = Map.groupBy(rows, (row) => row.merchant_id)
  const bodies = [...byMerchant.values()].map((accounts) => {
    const { merchant_id: merchant, name, created_at: createdAt } = accounts[0] as MerchantRow
    const each = accounts.map(({ environment, account_id: account, status }) => [environment, { account, status }])
    return { merchant, name, created_at: isoTime(createdAt), ...Object.fromEntries(each) }
  })
  const cells = rows.map((row) => [row.merchant_id, row.environment, row.account_id, row.status, row.name])
  const lines = cells.length === 0 ? ['There is no merchant yet.'] : table(cells)
  say(options.json, bodies, lines)
}

interface StatusOptions {
  environment: Environment
  json?: boolean
}

async function changeStatus(merchantId: string, status: AccountStatus, options: StatusOptions): Promise<void> {
  const { environment } = options
  const found = await withRuntime((runtime) => changeAccountStatus(runtime, merchantId, { environment, status }, ACTOR))
  if (!found) throw new CommandFailed(`There is no merchant ${merchantId}. \`karba merchant list\` shows them all.`)
  say(options.json, { merchant: merchantId, environment, status }, [`${merchantId}: ${environment} is ${status}.`])
}

interface CheckoutSettingsOptions extends CheckoutSettingsChange {
  json?: boolean
}

async function settings(accountId: string, { json, ...change }: CheckoutSettingsOptions): Promise<void> {
  const isChange = Object.keys(change).length > 0
  const found = await withRuntime((runtime) => {
    const { db } = runtime
    return isChange ? changeCheckoutSettings(runtime, accountId, change, ACTOR) : findCheckoutSettings(db, accountId)
  })
  if (found === undefined) throw noSuchAccount(accountId)
  const { methods, origins } = done(found)
  say(json, { account: accountId, methods, origins }, [
    `methods  ${methods.join(', ')}`,
    `origins  ${origins.length === 0 ? 'none: no page can make a link' : origins.join(', ')}`,
  ])
}

function listOf<T>(read: (word: string) => T): (text: string) => T[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim())
    return words.filter((word) => word !== '').map(read)
  }
}

function linkMethod(word: string): LinkMethod {
  if (!isLinkMethod(word)) throw new InvalidArgumentError(`Choose from ${LINK_METHODS.join(', ')}.`)
  return word
}

function merchantName(text: string): string {
  if (!isCustomerName(text.trim())) throw new InvalidArgumentError('1 to 255 characters, none of them unprintable.')
  return text.trim()
}
