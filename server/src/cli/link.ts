// karba link: creates, lists, shows and cancels payment links.
import { Option } from 'commander'
import { cancelLink } from '../actions/links/close-payment-link.ts'
import { createLinkFor } from '../actions/links/create-payment-link.ts'
import { listNewestLinks, type ShownLink, showLink } from '../actions/links/read-payment-link.ts'
import { type Config, integer } from '../config.ts'
import { isAmountOpen, type LinkState, linkState } from '../domain/links/link-state.ts'
import { LIFE_MINUTES, type PaymentLink } from '../domain/links/payment-link.ts'
import { MAXIMUM_XOF } from '../domain/payments/money.ts'
import { type PaymentStatus, STATUSES } from '../domain/payments/payment-status.ts'
import { qrModules } from '../http/qr-code.ts'
import { findServerAddress } from '../service/server-address.ts'
import { isoTime } from '../wire/json.ts'
import { linkPageFields, newLinkFields, shownLinkFields } from '../wire/link.ts'
import {
  argument,
  listOf,
  PAYMENT_NAMES,
  type PageOptions,
  readPages,
  withPages,
} from './arguments.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'
import { type Column, plain } from './table.ts'

export function linkCommand(cli: Cli): KarbaCommand {
  const link = new KarbaCommand('link').description(
    'Creates, lists, shows and cancels payment links.',
  )
  link
    .command('create <account>')
    .description('Creates a payment link and prints its address and a QR code.')
    .option('--amount <xof>', 'whole francs', XOF)
    .option(
      '--minimum-amount <xof>',
      'instead of --amount: the payer types an amount of at least this',
      XOF,
    )
    .option(
      '--suggested <xof,…>',
      'up to four amounts to choose from, with --minimum-amount',
      listOf(XOF),
    )
    .requiredOption('--title <title>', 'what is paid for')
    .option('--description <text>', 'more about it')
    .option('--transaction-id <id>', 'your own reference, unique in the account')
    .option('--reusable', 'for a poster: any number of payers, each with a payment of their own')
    .option(
      '--expires-in <minutes>',
      'instead of 30; a reusable link never expires without it',
      MINUTES,
    )
    .option('--no-expiry', 'stays open until it is cancelled, instead of 30 minutes')
    .json()
    .examples(
      'link create acc_0123456789ab --amount 15000 --title "Commande 12"',
      'link create acc_0123456789ab --reusable --minimum-amount 500 --suggested 1000,2000 --title "Un don"',
    )
    .action(cli.action(create))
  const list = link
    .command('list')
    .description('Lists payment links, the newest first: of an account, or of all.')
    .argument('[account]', 'only the links of this account')
    .addOption(
      new Option('--status <status>', 'only those whose payment is in this state').choices(
        STATUSES,
      ),
    )
  withPages(list)
    .json('one JSON object: the links, and the cursor of the next page')
    .examples('link list acc_0123456789ab', 'link list --status initiated --limit 20')
    .action(cli.action(printLinks))
  link
    .command('show')
    .description('Shows a link: its state, its addresses, and every attempt to pay it.')
    .argument('<name>', PAYMENT_NAMES)
    .json()
    .examples('link show 3v9k2m7q0x5c8n1p4r6t8w0y2a4c6e8g', 'link show XF5X-ZEBB-9')
    .action(cli.action(show))
  link
    .command('cancel')
    .description('Closes a link that is not paid and has no payment in progress.')
    .argument('<name>', PAYMENT_NAMES)
    .json()
    .examples('link cancel 3v9k2m7q0x5c8n1p4r6t8w0y2a4c6e8g')
    .action(cli.action(cancel))
  return link
}

async function show(cli: Cli, name: string, { json }: { json?: boolean }): Promise<void> {
  const { shown, addresses } = await cli.withRuntime(async (runtime, caller) => {
    const shown = granted(await showLink(runtime, caller, { name }), name)
    return { shown, addresses: linkAddresses(runtime.config, shown.link.linkReference) }
  })
  cli.print(json, shownLinkFields({ ...shown, addresses }), linesOf(cli, shown, addresses))
}

function linesOf(
  cli: Cli,
  { link, state, attempts }: ShownLink,
  { page, share }: LinkAddresses,
): string[] {
  const { collected } = link
  const amount = isAmountOpen(link) ? `from ${link.minimumAmountXof} XOF` : `${link.amountXof} XOF`
  const payment = `payment ${link.reference}  ${plain(link.externalReference)}`
  const paid = collected && `paid ${collected.payments} times  ${collected.amountXof} XOF in all`
  const tried =
    attempts.length === 0 ? ['No attempt to pay it yet.'] : cli.table(ATTEMPTS, attempts)
  return [
    `${plain(link.title)}  ${amount}  ${link.publicReference}  ${linkStateText(state)}`,
    `${link.environment}  ${link.accountId}  ${paid ?? payment}`,
    link.expiresAt === null ? 'never expires' : `expires ${isoTime(link.expiresAt)}`,
    ...(link.origin === null ? [] : [`made by a page of ${link.origin}`]),
    '',
    `page   ${page}`,
    `share  ${share}`,
    // Each payer of a reusable link has a link and attempts of their own.
    ...(collected === null ? ['', ...tried] : []),
  ]
}

const ATTEMPTS: readonly Column<ShownLink['attempts'][number]>[] = [
  { heading: 'ATTEMPT', cell: ({ attempt }) => String(attempt), is: 'number' },
  { heading: 'BEGUN', cell: ({ createdAt }) => isoTime(createdAt), is: 'time' },
  { heading: 'METHOD', cell: ({ method }) => method },
  { heading: 'OPERATOR', cell: ({ operator }) => operator },
  {
    heading: 'OUTCOME',
    cell: ({ status, failureReason }) =>
      failureReason === null ? status : `${status}: ${failureReason}`,
    is: 'state',
  },
  {
    heading: 'ENDED',
    cell: ({ endedAt }) => (endedAt === null ? '' : isoTime(endedAt)),
    is: 'time',
  },
]

async function cancel(cli: Cli, name: string, { json }: { json?: boolean }): Promise<void> {
  const { linkReference } = await cli.run(cancelLink, { name }, name)
  cli.print(json, { reference: linkReference, state: 'closed', because: 'cancelled' }, [
    'The link is cancelled.',
  ])
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

async function create(
  cli: Cli,
  accountId: string,
  options: CreateOptions,
  command: KarbaCommand,
): Promise<void> {
  const isOne = (options.amount === undefined) !== (options.minimumAmount === undefined)
  if (!isOne) command.error('error: a link has either --amount or --minimum-amount')
  const { link, addresses } = await cli.withRuntime(async (runtime, caller) => {
    const { config } = runtime
    // Checked before the link is created: a link without a known address is useless and cannot be
    // deleted.
    linkAddresses(config, '')
    // Loaded here, because it knows every network and no other command about links needs it: 0.2 s
    // of CPU.
    const { possibleMethods } = await import('../service/connect-operators.ts')
    const deps = { ...runtime, linkMethods: await possibleMethods(config, runtime.db, accountId) }
    const link = granted(
      await createLinkFor(deps, caller, { accountId, order: orderOf(options) }),
      accountId,
    )
    return { link, addresses: linkAddresses(config, link.linkReference) }
  })
  const { title, amountXof, openAmount, publicReference, expiresAt, isReusable } = link
  const amount = openAmount === null ? `${amountXof} XOF` : `from ${openAmount.minimumXof} XOF`
  const untilWhen = isReusable
    ? 'Open to any number of payers until it is cancelled.'
    : 'Open until it is paid or cancelled.'
  cli.print(options.json, newLinkFields(link, addresses), [
    `${plain(title)}  ${amount}  ${publicReference}`,
    addresses.page,
    expiresAt === null ? untilWhen : `Open until ${isoTime(expiresAt)}.`,
    '',
    ...qrBlocks(addresses.page, cli.terminal.stdout.isTTY),
  ])
}

/** Without `--no-expiry`, the kind of link decides about its expiry. */
const orderOf = ({
  transactionId,
  expiry,
  suggested,
  expiresIn,
  json: _,
  ...order
}: CreateOptions) => ({
  ...order,
  externalReference: transactionId,
  shouldExpire: expiry ? undefined : false,
  suggestedAmounts: suggested,
  expiresInMinutes: expiresIn,
})

async function printLinks(
  cli: Cli,
  accountId: string | undefined,
  { status, ...options }: PageOptions & { status?: PaymentStatus },
): Promise<void> {
  const { page, now, config } = await cli.withRuntime(async (runtime, caller) => ({
    page: await readPages(
      (wanted) => listNewestLinks(runtime, caller, { accountId, status, ...wanted }),
      options,
      accountId,
    ),
    now: runtime.clock.now(),
    config: runtime.config,
  }))
  const listed = page.rows.map((link) => ({
    link,
    state: linkState(link, now),
    addresses: findLinkAddresses(config, link.linkReference),
  }))
  const columns = columnsAt(now).filter(
    ({ heading }) => heading !== 'ACCOUNT' || accountId === undefined,
  )
  const none = 'No link matches.'
  cli.printPage({
    json: options.json,
    value: linkPageFields({ rows: listed, next: page.next }),
    page,
    columns,
    none,
  })
}

const columnsAt = (now: number): readonly Column<PaymentLink>[] => [
  { heading: 'LINK', cell: ({ linkReference }) => linkReference },
  { heading: 'PUBLIC', cell: ({ publicReference }) => publicReference },
  { heading: 'XOF', cell: ({ amountXof }) => String(amountXof), is: 'number' },
  { heading: 'STATE', cell: (link) => linkStateText(linkState(link, now)), is: 'state' },
  {
    heading: 'EXPIRES',
    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : isoTime(expiresAt)),
    is: 'time',
  },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'TITLE', cell: ({ title }) => title, is: 'free text' },
]

const linkStateText = (state: LinkState): string =>
  state.is === 'closed' ? `closed: ${state.because}` : state.is.replace('_', ' ')

type LinkAddresses = { page: string; share: string }

/** Undefined when PORT is 0 and no server is running. */
function findLinkAddresses(
  { publicUrl, host, port, dataDir }: Pick<Config, 'publicUrl' | 'host' | 'port' | 'dataDir'>,
  linkReference: string,
): LinkAddresses | undefined {
  const origin = publicUrl || (port === 0 ? findServerAddress(dataDir) : originOf(host, port))
  if (origin === undefined) return undefined
  const page = `${origin}/pay/${linkReference}`
  return { page, share: `${page}/share` }
}

function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function linkAddresses(config: Config, linkReference: string): LinkAddresses {
  const addresses = findLinkAddresses(config, linkReference)
  if (addresses !== undefined) return addresses
  throw new CommandFailed(
    'PORT is 0: set PUBLIC_URL to the address of the pages.',
    'page_address_not_known',
  )
}

const BLOCKS = [' ', '▄', '▀', '█'] as const

/** Dark on light on any terminal; no colours without a terminal. */
const ON_WHITE = '\u001b[30;107m'
const RESET = '\u001b[0m'

function qrBlocks(address: string, isTerminal: boolean | undefined): string[] {
  const rows = qrModules(address)
  const lines: string[] = []
  for (let at = 0; at < rows.length; at += 2) {
    const [upper = [], lower = []] = [rows[at], rows[at + 1]]
    const line = upper
      .map((isDark, column) => BLOCKS[(isDark ? 2 : 0) + (lower[column] ? 1 : 0)])
      .join('')
    lines.push(isTerminal ? ON_WHITE + line + RESET : line)
  }
  return lines
}
