// karba link: shows and cancels payment links. Making one is in link-create.ts, listing them in link-list.ts.
import { Command } from 'commander'
import { cancelLink, type ShownLink, showLink } from '../actions/links/show-link.ts'
import { isAmountOpen } from '../domain/link-state.ts'
import { isoTime } from '../wire/json.ts'
import { shownLinkFields } from '../wire/link.ts'
import { granted } from './command-failed.ts'
import { linkCreateCommand } from './link-create.ts'
import { linkListCommand } from './link-list.ts'
import { linkStateText } from './link-state-text.ts'
import { type LinkAddresses, linkAddresses } from './page-address.ts'
import { PAYMENT_NAMES } from './payment-names.ts'
import { print } from './print.ts'
import { type Column, table } from './table.ts'
import { plain } from './terminal-text.ts'
import { withRuntime } from './with-runtime.ts'

export function linkCommand(): Command {
  const link = new Command('link')
    .description('Makes, lists, shows and cancels payment links.')
    .addCommand(linkCreateCommand())
    .addCommand(linkListCommand())

  link
    .command('show')
    .description('Tells where a link stands: its state, its addresses, and every attempt to pay it.')
    .argument('<name>', PAYMENT_NAMES)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- link show 3v9k2m7q0x5c8n1p4r6t8w0y2a4c6e8g\n  npm run -s karba -- link show XF5X-ZEBB-9',
    )
    .action(show)

  link
    .command('cancel')
    .description('Closes a link that nobody has paid and nobody is paying just now.')
    .argument('<name>', PAYMENT_NAMES)
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- link cancel 3v9k2m7q0x5c8n1p4r6t8w0y2a4c6e8g')
    .action(cancel)
  return link
}

async function show(name: string, { json }: { json?: boolean }): Promise<void> {
  const { shown, addresses } = await withRuntime(async (runtime, caller) => {
    const shown = granted(await showLink(runtime, caller, { name }), { name })
    return { shown, addresses: linkAddresses(runtime.config, shown.link.linkReference) }
  })
  print(json, shownLinkFields({ ...shown, addresses }), linesOf(shown, addresses))
}

function linesOf({ link, state, attempts }: ShownLink, { page, share }: LinkAddresses): string[] {
  const { collected } = link
  const amount = isAmountOpen(link) ? `from ${link.minimumAmountXof} XOF` : `${link.amountXof} XOF`
  const payment = `payment ${link.reference}  ${plain(link.externalReference)}`
  const paid = collected && `paid ${collected.payments} times  ${collected.amountXof} XOF in all`
  const tried = attempts.length === 0 ? ['Nobody has tried to pay it yet.'] : table(ATTEMPTS, attempts)
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
    cell: ({ status, failureReason }) => (failureReason === null ? status : `${status}: ${failureReason}`),
    is: 'state',
  },
  { heading: 'ENDED', cell: ({ endedAt }) => (endedAt === null ? '' : isoTime(endedAt)), is: 'time' },
]

async function cancel(name: string, { json }: { json?: boolean }): Promise<void> {
  const cancelled = await withRuntime((runtime, caller) => cancelLink(runtime, caller, { name }))
  const { linkReference } = granted(cancelled, { name })
  print(json, { reference: linkReference, state: 'closed', because: 'cancelled' }, ['The link is cancelled.'])
}
