// karba verify: reads the whole store and reports inconsistencies. Exits with 1 on any finding.
import { type Sum, type Verification, verifyStore } from '../actions/verify/verify-store.ts'
import type { Finding, FindingKind } from '../domain/verify/evidence.ts'
import { verificationFields } from '../wire/command-output.ts'
import { type Cli, granted, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function verifyCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('verify')
    .description(
      'Reads the whole store and reports inconsistencies. Changes nothing; works while a server runs.',
    )
    .json()
    .addHelpText('after', '\nExit code: 0 without findings, 1 with findings.')
    .examples('verify')
    .action(cli.action(verify))
}

async function verify(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const progress = (rows: number): void =>
    cli.showProgress(`${rows.toLocaleString('en')} rows read`)
  const verification = granted(
    await cli.withRuntime((runtime, caller) => verifyStore({ ...runtime, progress }, caller)),
  )
  const { accounts } = verification
  const findings = verification.findings.map((finding) => ({
    ...finding,
    message: findingText(finding),
  }))
  cli.print(json, verificationFields(verification, findings), [
    ...findings.map(({ message }) => message),
    ...(accounts.length === 0 ? [] : ['', ...cli.table(COLUMNS, accounts), '']),
    summaryOf(verification),
  ])
  if (verification.found > 0) cli.exitCode = 1
}

function summaryOf({ payments, found, findings }: Verification): string {
  const read = `${payments.toLocaleString('en')} payments were read`
  if (found === 0) return `${read}, and no inconsistency was found.`
  const more = found > findings.length ? ` The first ${findings.length} are above.` : ''
  return `${read}, and ${found.toLocaleString('en')} inconsistencies were found.${more}`
}

type Account = Verification['accounts'][number]

const sumText = ({ count, amountXof }: Sum): string =>
  count === 0 ? '-' : `${amountXof.toLocaleString('en')} XOF (${count.toLocaleString('en')})`

const sumColumn = (heading: string, sum: (account: Account) => Sum): Column<Account> => ({
  heading,
  cell: (account) => sumText(sum(account)),
  is: 'number',
})

const COLUMNS: readonly Column<Account>[] = [
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  sumColumn('INITIATED', ({ byStatus }) => byStatus.initiated),
  sumColumn('PENDING', ({ byStatus }) => byStatus.pending),
  sumColumn('SUCCEEDED', ({ byStatus }) => byStatus.succeeded),
  sumColumn('FAILED', ({ byStatus }) => byStatus.failed),
  sumColumn('REFUNDED', ({ byStatus }) => byStatus.refunded),
  sumColumn('OF WHICH BY THE MERCHANT', ({ refunds }) => refunds),
]

type Sentence = (subject: string, account: string) => string

const SENTENCES: Readonly<Record<FindingKind, Sentence>> = {
  payment_without_account: (payment, account) =>
    `Payment ${payment} belongs to the account ${account}, which does not exist.`,
  payment_number_not_given_out: (payment) =>
    `Payment ${payment} has a number that was never given out.`,
  payment_number_twice: (number) => `The payment number ${number} exists more than once.`,
  public_reference_wrong: (payment) =>
    `Payment ${payment} cannot be found by its public reference.`,
  reference_not_found: (payment) => `Payment ${payment} cannot be found by its reference.`,
  transaction_id_not_found: (payment) =>
    `Payment ${payment} cannot be found by its transaction_id.`,
  outcome_without_event: (payment) => `Payment ${payment} has its outcome, but no event for it.`,
  event_twice: (payment) => `The outcome of payment ${payment} has more than one event.`,
  event_contradicts_payment: (payment) => `An event of payment ${payment} contradicts its status.`,
  event_without_payment: (sequence, account) =>
    `Event ${sequence} of ${account} is about a payment that does not exist.`,
  events_missing: (gap, account) => `The feed of ${account} lacks its events ${gap}.`,
  figures_do_not_add_up: (outcome, account) =>
    `The daily figures of ${account} of ${outcome} payments differ from its events.`,
  poster_does_not_add_up: (poster) =>
    `The counts of the reusable link ${poster} differ from its payments.`,
  succeeded_without_time: (payment) =>
    `Payment ${payment} succeeded, and its time is not recorded.`,
  pending_not_due: (payment) => `Payment ${payment} is pending, and no check is scheduled.`,
  outcome_still_due: (payment) => `Payment ${payment} has its outcome, and is still due.`,
  initiated_without_link: (payment) =>
    `Payment ${payment} waits for a payer, and its link does not exist.`,
  link_without_payment: (link) => `Link ${link} has no payment.`,
  attempt_without_payment: (attempt) => `Attempt ${attempt} has no payment.`,
  attempt_without_link: (payment) =>
    `Payment ${payment} has attempts, and its link does not exist.`,
  attempt_does_not_match: (payment) =>
    `Payment ${payment} names an attempt that does not exist or is in another state.`,
  attempt_left_pending: (payment) =>
    `Payment ${payment} has a pending attempt that it does not name.`,
  refund_without_payment: (refund) => `Refund ${refund} has no payment.`,
  refund_without_success: (payment) => `Payment ${payment} has a refund, but never succeeded.`,
  refund_not_shown: (payment) =>
    `The refunds of payment ${payment} gave back its amount, but the payment is not refunded.`,
  refunds_do_not_add_up: (payment) =>
    `The refunds of payment ${payment} differ from what the payment says, or exceed its amount.`,
  refund_not_due: (payment) =>
    `The refund of payment ${payment} is pending, and no check is scheduled.`,
  books_differ: (payment) =>
    `The ledger entries of payment ${payment} differ from its amount or state.`,
  payment_in_two_places: (payment) =>
    `Payment ${payment} is still to be received, and a line of the network’s statement has it as something else.`,
  line_not_booked_once: (line) =>
    `Line ${line} of the networks’ statements is not booked once, as a whole.`,
  line_unexplained: (difference) =>
    `The difference ${difference} is closed, and its money is still unexplained: give it a reason with \`karba statement correct\`.`,
  import_cut_off: (file) =>
    `The import of the statement’s file ${file} was cut off: a running server goes on with it within two minutes.`,
  opening_differs: (connection, account) =>
    `What ${account} had in its wallet at ${connection} before the first statement differs from the network’s files.`,
  network_id_of_another: (request) =>
    `Request ${request} has an id of the network’s that another payment had first.`,
  entry_without_payment: (entry, account) =>
    `Ledger entry ${entry} of ${account} is about a payment that does not exist.`,
  entries_missing: (gap, account) => `The ledger of ${account} lacks its entries ${gap}.`,
  balance_does_not_add_up: (about, account) =>
    `The balance of ${account} in ${about} differs from the sum of its ledger entries.`,
  audit_entries_missing: (gap) => `The audit log lacks its entries ${gap}.`,
  audit_entry_altered: (entry) =>
    `Entry ${entry} of the audit log was altered, or is not in its place.`,
  migration_changed: (name) => `The migration ${name} differs from the applied one.`,
  migration_missing: (name) => `The migration ${name} was not applied.`,
  file_damaged: (fault) => `The database is damaged: ${fault}.`,
}

export const findingText = ({ kind, subject, accountId }: Finding): string =>
  SENTENCES[kind](subject, accountId ?? 'no account')
