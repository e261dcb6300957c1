// karba demo: a month of books for the demo merchant, and the removal of the demo people and keys.

import { type DemoUnfit, fillDemoMonth } from '../actions/books/demo-month.ts'
import { removeDemo } from '../actions/people/demo-people.ts'
import { dayText } from '../domain/countries/business-day.ts'
import { refundsInPartOf } from '../service/connect-operators.ts'
import { isConnectedIn } from '../service/connections.ts'
import { knownToSimulator } from '../service/open-simulator.ts'
import { demoMonthFields } from '../wire/command-output.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'
import { networkSimulators } from './network-simulators.ts'

export function demoCommand(cli: Cli): KarbaCommand {
  const demo = new KarbaCommand('demo').description(
    'Fills the demo merchant’s books, and removes the demo people and keys of the first start in development.',
  )
  demo
    .command('books')
    .description(
      'Fills the demo merchant’s sandbox with a month of payments, refunds and networks’ statements.',
    )
    .json()
    .addHelpText(
      'after',
      '\nOnly in development in a clone of the repository, and on a store that has no other merchant and no live payment.',
    )
    .examples('demo books')
    .action(cli.action(fillBooks))
  demo
    .command('remove')
    .description(
      'Removes the demo people, ends their sessions and revokes the keys that the first start printed.',
    )
    .json()
    .addHelpText(
      'after',
      '\nThe demo merchant and its payments stay. Production does not start before this is done.',
    )
    .examples('demo remove')
    .action(cli.action(removeDemoPeople))
  return demo
}

const UNFIT: Readonly<Record<DemoUnfit['unfit'], string>> = {
  no_demo: 'This store has no demo merchant: the first start in development makes one.',
  other_merchants:
    'This store has other merchants. The demo’s books are only for a store with the demo merchant alone.',
  live_payments: 'This store has live payments. The demo’s books are only for a store without any.',
  filled: 'This store has statements of networks already.',
}

async function fillBooks(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  if (cli.config().mode === 'production')
    throw new CommandFailed('The demo’s books are only for development.')
  const { bookedWallet } = await networkSimulators()
  const outcome = await cli.withRuntime(async (runtime, caller) => {
    const { config, db } = runtime
    const connections = {
      isConnected: isConnectedIn(config, db),
      refundsInPart: await refundsInPartOf(config, db),
    }
    const network = { openWallet: bookedWallet, knowAtNetwork: knownToSimulator(db) }
    return fillDemoMonth({ ...runtime, ...connections, ...network }, caller)
  })
  const month = granted(outcome, 'sandbox/airtel_ne and sandbox/mtn_bj')
  if ('unfit' in month) throw new CommandFailed(UNFIT[month.unfit], month.unfit)
  const { payments, refunds, lines, exceptions, firstDay, lastDay } = month
  cli.print(json, demoMonthFields(month), [
    `${dayText(firstDay)} to ${dayText(lastDay)}: ${payments} payments, ${refunds} refunds, ${lines} lines of statements, ${exceptions} differences.`,
    'The dashboard shows them to the demo people. `karba statement differences` lists what differs.',
  ])
}

async function removeDemoPeople(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { emails, keys } = await cli.run(removeDemo, undefined)
  const isNothing = emails.length + keys === 0
  cli.print(json, { people: emails, keys }, [
    isNothing
      ? 'There are no demo people and no demo keys.'
      : `Removed: ${emails.length === 0 ? 'no people' : emails.join(', ')}. Keys revoked: ${keys}.`,
  ])
}
