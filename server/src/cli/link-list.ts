// karba link list: payment links by pages, the newest first.
import { Command, Option } from 'commander'
import { listNewestLinks } from '../actions/links/list-links.ts'
import { linkState } from '../domain/link-state.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import { type PaymentStatus, STATUSES } from '../domain/payment-status.ts'
import { isoTime } from '../wire/json.ts'
import { linkPageFields } from '../wire/link.ts'
import { linkStateText } from './link-state-text.ts'
import { findLinkAddresses } from './page-address.ts'
import { type PageOptions, readPages, withPages } from './page-options.ts'
import { printList } from './print-list.ts'
import type { Column } from './table.ts'
import { withRuntime } from './with-runtime.ts'

export function linkListCommand(): Command {
  const list = new Command('list')
    .description('Lists payment links, the newest first: of an account, or of all.')
    .argument('[account]', 'only the links of this account')
    .addOption(new Option('--status <status>', 'only those whose payment is in this state').choices(STATUSES))
  return withPages(list)
    .option('--json', 'print one JSON object: the links, and the cursor of the next page')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- link list acc_0123456789ab\n  npm run -s karba -- link list --status initiated --limit 20',
    )
    .action(printLinks)
}

async function printLinks(
  accountId: string | undefined,
  { status, ...options }: PageOptions & { status?: PaymentStatus },
): Promise<void> {
  const { page, now, config } = await withRuntime(async (runtime, caller) => ({
    page: await readPages((wanted) => listNewestLinks(runtime, caller, { accountId, status, ...wanted }), options, {
      name: accountId,
    }),
    now: runtime.clock.now(),
    config: runtime.config,
  }))
  const listed = page.rows.map((link) => ({
    link,
    state: linkState(link, now),
    addresses: findLinkAddresses(config, link.linkReference),
  }))
  const columns = columnsAt(now).filter(({ heading }) => heading !== 'ACCOUNT' || accountId === undefined)
  const none = 'There is no link of the kind.'
  printList({ json: options.json, value: linkPageFields({ rows: listed, next: page.next }), page, columns, none })
}

const columnsAt = (now: number): readonly Column<PaymentLink>[] => [
  { heading: 'LINK', cell: ({ linkReference }) => linkReference },
  { heading: 'PUBLIC', cell: ({ publicReference }) => publicReference },
  { heading: 'XOF', cell: ({ amountXof }) => String(amountXof), is: 'number' },
  { heading: 'STATE', cell: (link) => linkStateText(linkState(link, now)), is: 'state' },
  { heading: 'EXPIRES', cell: ({ expiresAt }) => (expiresAt === null ? 'never' : isoTime(expiresAt)), is: 'time' },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'TITLE', cell: ({ title }) => title, is: 'free text' },
]
