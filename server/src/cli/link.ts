// karba link: payment links made, looked at and cancelled by hand.
import { Command } from 'commander'
import { type CloseLinkDeps, closePaymentLink } from '../actions/links/close-payment-link.ts'
import { createPaymentLink } from '../actions/links/create-payment-link.ts'
import { type LinkState, linkState } from '../actions/links/link-state.ts'
import { findLinkToShow, type LinkRow } from '../actions/links/read-payment-link.ts'
import { type Config, integer } from '../config.ts'
import type { Account } from '../domain/account.ts'
import { MAXIMUM_XOF } from '../domain/money.ts'
import { isRefused, type Refusal } from '../domain/refusal.ts'
import { ADVICE } from '../merchant-api/contract.ts'
import { possibleMethods } from '../service/connect-operators.ts'
import type { Database } from '../store/engine/database.ts'
import { type AttemptRow, listAttempts } from '../store/links/link-attempts.ts'
import { findAccount } from '../store/merchants/accounts.ts'
import { numbersFor } from '../store/service/numbers.ts'
import { argument } from './arguments.ts'
import { ACTOR, CommandFailed, isoTime, noSuchAccount, say, table, withRuntime } from './open.ts'
import { qrBlocks } from './qr-blocks.ts'

export function linkCommand(): Command {
  const link = new Command('link').description('Makes, shows and cancels payment links.')

  link
    .command('create <account>')
    .description('Makes a payment link and shows its address, for people with a QR code to scan.')
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

  link
    .command('show <reference>')
    .description('Tells where a link stands: its state, its addresses, and every attempt to pay it.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- link show 3v9k2m7q0x5c8n1p4r6t8w0y2a4c6e8g')
    .action(show)

  link
    .command('cancel <reference>')
    .description('Closes a link that nobody has paid and nobody is paying just now.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- link cancel 3v9k2m7q0x5c8n1p4r6t8w0y2a4c6e8g')
    .action(cancel)
  return link
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
  const { made, pageUrl } = await withRuntime(async (runtime) => {
    const { db, config } = runtime
    const pageOf = pagesOf(config)
    const account = await validatedAccount(db, accountId)
    const deps = { ...runtime, nextNumber: paymentNumbers(db, clock), linkMethods: possibleMethods(config) }
    const outcome = await createPaymentLink(deps, account, {
      amount: options.amount,
      title: options.title,
      description: options.description,
      reference: undefined,
      externalReference: options.transactionId,
      customerName: undefined,
      shouldExpire: options.expiry,
      onSuccessUrl: undefined,
      onFailedUrl: undefined,
    })
    if (isRefused(outcome)) throw refused(outcome.refused)
    return { made: outcome, pageUrl: pageOf(outcome.linkReference) }
  })
  const expires = made.expiresAt === null ? undefined : isoTime(made.expiresAt)
  const body = {
    reference: made.linkReference,
    page_url: pageUrl,
    share_url: shareOf(pageUrl),
    public_reference: made.publicReference,
    ...(expires !== undefined && { expires_at: expires }),
  }
  say(options.json, body, [
    `${made.title}  ${made.amountXof} XOF  ${made.publicReference}`,
    pageUrl,
    expires === undefined ? 'Open until it is paid or cancelled.' : `Open until ${expires}.`,
    '',
    ...qrBlocks(pageUrl, process.stdout.isTTY),
  ])
}

async function validatedAccount(db: Database, accountId: string): Promise<Account> {
  const account = await findAccount(db, accountId)
  if (account === undefined) throw noSuchAccount(accountId)
  if (account.status === 'validated') return account
  throw new CommandFailed(`The account ${accountId} is ${account.status}: \`karba merchant validate\` lets it work.`)
}

const refused = (refusal: Refusal): CommandFailed => new CommandFailed(`No link was made. ${ADVICE[refusal]}`)

async function show(reference: string, options: { json?: boolean }): Promise<void> {
  const { row, attempts, state, pageUrl } = await withRuntime(async ({ db, clock, config }) => {
    const row = await linkNamed(db, reference)
    const attempts = await listAttempts(db, row.account_id, row.number)
    return { row, attempts, state: linkState(row, clock.now()), pageUrl: pagesOf(config)(reference) }
  })
  say(options.json, linkBody(row, attempts, state, pageUrl), [
    `${row.title}  ${row.amount_xof} XOF  ${row.public_reference}  ${stateWords(state)}`,
    `${row.environment}  ${row.account_id}  payment ${row.reference}  ${row.external_reference}`,
    row.expires_at === null ? 'never expires' : `expires ${isoTime(row.expires_at)}`,
    ...(row.origin === null ? [] : [`made by a page of ${row.origin}`]),
    '',
    `page   ${pageUrl}`,
    `share  ${shareOf(pageUrl)}`,
    '',
    ...(attempts.length === 0 ? ['Nobody has tried to pay it yet.'] : table(attempts.map(attemptCells))),
  ])
}

function linkBody(row: LinkRow, attempts: AttemptRow[], state: LinkState, pageUrl: string): object {
  return {
    reference: row.link_reference,
    state: state.is,
    ...(state.is === 'closed' && { because: state.because }),
    account: row.account_id,
    environment: row.environment,
    payment_reference: row.reference,
    public_reference: row.public_reference,
    external_reference: row.external_reference,
    title: row.title,
    amount: row.amount_xof,
    ...(row.expires_at !== null && { expires_at: isoTime(row.expires_at) }),
    ...(row.origin !== null && { origin: row.origin }),
    page_url: pageUrl,
    share_url: shareOf(pageUrl),
    attempts: attempts.map(({ attempt, method, operator, status, failure_reason, created_at, ended_at }) => ({
      attempt,
      method,
      operator,
      status,
      ...(failure_reason !== null && { failure_reason }),
      created_at: isoTime(created_at),
      ...(ended_at !== null && { ended_at: isoTime(ended_at) }),
    })),
  }
}

const stateWords = (state: LinkState): string =>
  state.is === 'closed' ? `closed: ${state.because}` : state.is.replace('_', ' ')

function attemptCells({
  attempt,
  method,
  operator,
  status,
  failure_reason,
  created_at,
  ended_at,
}: AttemptRow): string[] {
  const outcome = failure_reason === null ? status : `${status}: ${failure_reason}`
  return [String(attempt), isoTime(created_at), method, operator, outcome, ended_at === null ? '' : isoTime(ended_at)]
}

async function cancel(reference: string, options: { json?: boolean }): Promise<void> {
  await withRuntime(async (runtime) => {
    const { db, clock } = runtime
    await linkNamed(db, reference)
    const deps: CloseLinkDeps = { ...runtime, nextStoryEntry: storyNumbers(db) }
    if (await closePaymentLink(deps, reference, 'cancelled', ACTOR)) return
    const state = linkState(await linkNamed(db, reference), clock.now())
    if (state.is === 'under_way') throw new CommandFailed('Somebody is paying this link just now. Try again later.')
    throw new CommandFailed(`This link cannot be cancelled any more: it is ${stateWords(state)}.`)
  })
  say(options.json, { reference, state: 'closed', because: 'cancelled' }, ['The link is cancelled.'])
}

async function linkNamed(db: Database, reference: string): Promise<LinkRow> {
  const row = await findLinkToShow(db, reference)
  if (row === undefined) throw new CommandFailed(`There is no link ${reference}.`)
  return row
}

/** Where a server with these settings has its pages. */
function pagesOf({ publicUrl, host, port }: Config): (linkReference: string) => string {
  if (publicUrl === '' && port === 0)
    throw new CommandFailed('PORT is any free one: PUBLIC_URL must say where pages are.')
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const own = `http://${name.includes(':') ? `[${name}]` : name}:${port}`
  return (linkReference) => `${publicUrl || own}/pay/${linkReference}`
}

const shareOf = (pageUrl: string): string => `${pageUrl}/share`
