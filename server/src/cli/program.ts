// The program behind the command `karba`: one file a subject. Errors go to stderr: exit code 1 for what went wrong, 2 for wrong
// usage. Commands open the same store as a running server and work beside it.
import { Command, CommanderError } from 'commander'
import { isStartRefusal } from '../service/runtime.ts'
import { auditCommand } from './audit.ts'
import { configCommand } from './config.ts'
import { keysCommand } from './keys.ts'
import { linkCommand } from './link.ts'
import { listenCommand } from './listen.ts'
import { merchantCommand } from './merchant.ts'
import { CommandFailed } from './open.ts'
import { anomaliesCommand, paymentCommand, refundCommand } from './payment.ts'
import { simulatorCommand } from './simulator.ts'
import { webhookCommand } from './webhook.ts'

// Whatever a command writes is for its own user alone, as the server's files are.
process.umask(0o077)

const program = new Command('karba')
  .description('Runs and looks after a Karba: merchants, keys, payments, links, webhooks, settings.')
  .helpCommand(false)
  .showHelpAfterError('(karba --help says how)')
  .addCommand(merchantCommand())
  .addCommand(keysCommand())
  .addCommand(paymentCommand())
  .addCommand(refundCommand())
  .addCommand(anomaliesCommand())
  .addCommand(linkCommand())
  .addCommand(webhookCommand())
  .addCommand(listenCommand())
  .addCommand(simulatorCommand())
  .addCommand(auditCommand())
  .addCommand(configCommand())
  .addHelpText(
    'after',
    `
Examples:
  npm run -s karba -- merchant create --name "Boutique Awa"
  npm run -s karba -- keys roll acc_0123456789ab --keep-old 24h
  npm run -s karba -- link create acc_0123456789ab --amount 15000 --title "Commande 12"
  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash - < secret.txt
  npm run -s karba -- listen --forward-to http://localhost:3000/hook
  npm run -s karba -- config`,
  )

// Commander's own way out of a wrong call is exit code 1; ours is 2, for every command below as well.
for (const command of everyCommand(program)) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}

function* everyCommand(command: Command): Generator<Command> {
  yield command
  for (const child of command.commands) yield* everyCommand(child)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const plain = error instanceof CommandFailed || isStartRefusal(error)
  process.stderr.write(plain ? `karba: ${(error as Error).message}\n` : `${(error as Error).stack}\n`)
  return 1
}
