// karba demo: removes what the first start in development made and printed.
import { Command } from 'commander'
import { removeDemo } from '../actions/people/demo-people.ts'
import { granted } from './command-failed.ts'
import { print } from './print.ts'
import { withRuntime } from './with-runtime.ts'

export function demoCommand(): Command {
  const demo = new Command('demo').description('Removes the demo people and keys of the first start in development.')
  demo
    .command('remove')
    .description('Removes the demo people, ends their sessions and revokes the keys that the first start printed.')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nThe demo merchant and its payments stay. A start in production is refused before.\n\nExample:\n  npm run -s karba -- demo remove',
    )
    .action(remove)
  return demo
}

async function remove({ json }: { json?: boolean }): Promise<void> {
  const { emails, keys } = granted(await withRuntime((runtime, caller) => removeDemo(runtime, caller)))
  const isNothing = emails.length + keys === 0
  print(json, { people: emails, keys }, [
    isNothing
      ? 'There are no demo people and no demo keys.'
      : `Removed: ${emails.length === 0 ? 'nobody' : emails.join(', ')}. Keys revoked: ${keys}.`,
  ])
}
