// karba link create: a payment link made by hand, with a QR code to scan.
import { Command } from 'commander'
import { createLinkFor } from '../actions/links/create-payment-link.ts'
import { MAXIMUM_XOF } from '../domain/money.ts'
import { integer } from '../service/setting-readers.ts'
import { isoTime } from '../wire/json.ts'
import { newLinkFields } from '../wire/shown-link.ts'
import { argument } from './arguments.ts'
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
    .requiredOption('--amount <xof>', 'whole francs', argument(integer(1, MAXIMUM_XOF)))
    .requiredOption('--title <title>', 'what is paid for')
    .option('--description <text>', 'more about it')
    .option('--transaction-id <id>', 'your own reference, once in the account')
    .option('--no-expiry', 'can be paid for as long as it is not cancelled, instead of 30 minutes')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- link create acc_0123456789ab --amount 15000 --title "Commande 12"',
    )
    .action(create)
}

interface CreateOptions {
  amount: number
  title: string
  description?: string
  transactionId?: string
  expiry: boolean
  json?: boolean
}

async function create(accountId: string, options: CreateOptions): Promise<void> {
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
  const { title, amountXof, publicReference, expiresAt } = link
  print(options.json, newLinkFields(link, addresses), [
    `${plain(title)}  ${amountXof} XOF  ${publicReference}`,
    addresses.page,
    expiresAt === null ? 'Open until it is paid or cancelled.' : `Open until ${isoTime(expiresAt)}.`,
    '',
    ...qrBlocks(addresses.page, process.stdout.isTTY),
  ])
}

const orderOf = ({ amount, title, description, transactionId, expiry }: CreateOptions) => ({
  amount,
  title,
  description,
  reference: undefined,
  externalReference: transactionId,
  customerName: undefined,
  shouldExpire: expiry,
  onSuccessUrl: undefined,
  onFailedUrl: undefined,
  orderReference: undefined,
  metadata: undefined,
  minimumAmount: undefined,
  suggestedAmounts: undefined,
  reusable: undefined,
  expiresInMinutes: undefined,
})
