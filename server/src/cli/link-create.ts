// karba link create: a payment link made by hand, with a QR code to scan.
import { Command } from 'commander'
import { createLinkFor } from '../actions/links/create-payment-link.ts'
import { integer } from '../config.ts'
import { MAXIMUM_XOF } from '../domain/money.ts'
import { LIFE_MINUTES } from '../domain/open-amount.ts'
import { isoTime } from '../wire/json.ts'
import { newLinkFields } from '../wire/shown-link.ts'
import { argument, listOf } from './arguments.ts'
import { granted } from './command-failed.ts'
import { linkAddresses } from './page-address.ts'
import { print } from './print.ts'
import { qrBlocks } from './qr-blocks.ts'
import { plain } from './terminal-text.ts'
import { withRuntime } from './with-runtime.ts'

export function linkCreateCommand(): Command {
  return new Command('create')
    .description('Makes a payment link and shows its address, for people with a QR code to scan.')
    .argument('<account>')
    .option('--amount <xof>', 'whole francs', XOF)
    .option('--minimum-amount <xof>', 'instead of --amount: the payer types what they give, at least this', XOF)
    .option('--suggested <xof,…>', 'up to four amounts to choose from, beside --minimum-amount', listOf(XOF))
    .requiredOption('--title <title>', 'what is paid for')
    .option('--description <text>', 'more about it')
    .option('--transaction-id <id>', 'your own reference, once in the account')
    .option('--reusable', 'for a poster: any number of people pay it, each with a payment of their own')
    .option('--expires-in <minutes>', 'instead of 30; a reusable link never expires without it', MINUTES)
    .option('--no-expiry', 'can be paid for as long as it is not cancelled, instead of 30 minutes')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- link create acc_0123456789ab --amount 15000 --title "Commande 12"\n  npm run -s karba -- link create acc_0123456789ab --reusable --minimum-amount 500 --suggested 1000,2000 --title "Un don"',
    )
    .action(create)
}

const XOF = argument(integer(1, MAXIMUM_XOF))
const MINUTES = argument(integer(LIFE_MINUTES.least, LIFE_MINUTES.most))

interface CreateOptions {
  amount?: number
  minimumAmount?: number
  suggested?: number[]
  reusable?: boolean
  expiresIn?: number
  title: string
  description?: string
  transactionId?: string
  expiry: boolean
  json?: boolean
}

async function create(accountId: string, options: CreateOptions, command: Command): Promise<void> {
  const isOne = (options.amount === undefined) !== (options.minimumAmount === undefined)
  if (!isOne) command.error('error: a link has either --amount or --minimum-amount')
  const { link, addresses } = await withRuntime(async (runtime, caller) => {
    const { config } = runtime
    // Checked before the link is made: a link whose address is not known would be of no use, and cannot be deleted.
    linkAddresses(config, '')
    // Loaded here, because it knows every network and no other command about links needs it: 0.2 s of CPU.
    const { possibleMethods } = await import('../service/connect-operators.ts')
    const deps = { ...runtime, linkMethods: possibleMethods(config) }
    const link = granted(await createLinkFor(deps, caller, { accountId, order: orderOf(options) }), { name: accountId })
    return { link, addresses: linkAddresses(config, link.linkReference) }
  })
  const { title, amountXof, openAmount, publicReference, expiresAt, isReusable } = link
  const amount = openAmount === null ? `${amountXof} XOF` : `from ${openAmount.minimumXof} XOF`
  const untilWhen = isReusable
    ? 'Open to any number of payers until it is cancelled.'
    : 'Open until it is paid or cancelled.'
  print(options.json, newLinkFields(link, addresses), [
    `${plain(title)}  ${amount}  ${publicReference}`,
    addresses.page,
    expiresAt === null ? untilWhen : `Open until ${isoTime(expiresAt)}.`,
    '',
    ...qrBlocks(addresses.page, process.stdout.isTTY),
  ])
}

/** `--no-expiry` is the only word about it: without, the kind of link decides. */
const orderOf = ({ title, description, transactionId, expiry, ...options }: CreateOptions) => ({
  amount: options.amount,
  title,
  description,
  reference: undefined,
  externalReference: transactionId,
  customerName: undefined,
  shouldExpire: expiry ? undefined : false,
  onSuccessUrl: undefined,
  onFailedUrl: undefined,
  orderReference: undefined,
  metadata: undefined,
  minimumAmount: options.minimumAmount,
  suggestedAmounts: options.suggested,
  reusable: options.reusable,
  expiresInMinutes: options.expiresIn,
})
