// karba verify: reads the whole store, and says what is not as it must be. Exits with 1 when there is anything.
import { Command } from 'commander'
import type { Sum } from '../actions/verify/account-sums.ts'
import { type Verification, verifyStore } from '../actions/verify/verify-store.ts'
import { verificationFields } from '../wire/command-output.ts'
import { granted } from './command-failed.ts'
import { findingText } from './finding-text.ts'
import { print } from './print.ts'
import { type Column, table } from './table.ts'
import { withRuntime } from './with-runtime.ts'

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'Reads everything in the store and names what is not as it must be. Changes nothing; works beside a server.',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExit code: 0 when all is well, 1 when something was found.\n\nExample:\n  npm run -s karba -- verify',
    )
    .action(verify)
}

async function verify({ json }: { json?: boolean }): Promise<void> {
  const verification = granted(
    await withRuntime((runtime, caller) => verifyStore({ ...runtime, progress: showProgress() }, caller)),
  )
  const findings = verification.findings.map((finding) => ({ ...finding, message: findingText(finding) }))
  print(json, verificationFields(verification, findings), [
    ...findings.map(({ message }) => message),
    ...sumsOf(verification),
    summaryOf(verification),
  ])
  if (verification.found > 0) process.exitCode = 1
}

/** A line that is written over again; only where somebody watches. */
function showProgress(): (rows: number) => void {
  if (!process.stderr.isTTY) return () => {}
  return (rows) => void process.stderr.write(`\r${rows.toLocaleString('en')} rows read\r`)
}

const sumsOf = ({ accounts }: Verification): string[] =>
  accounts.length === 0 ? [] : ['', ...table(COLUMNS, accounts), '']

function summaryOf({ payments, found, findings }: Verification): string {
  const read = `${payments.toLocaleString('en')} payments were read`
  if (found === 0) return `${read}, and all is as it must be.`
  const more = found > findings.length ? ` The first ${findings.length} are above.` : ''
  return `${read}, and ${found.toLocaleString('en')} things are not as they must be.${more}`
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
