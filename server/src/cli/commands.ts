// The command `karba` with its subcommands, one file for each. Nothing is run here: program.ts does that.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/** In the order in which the help lists them. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  merchant: async () => (await import('./merchant.ts')).merchantCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  payment: async () => (await import('./payment.ts')).paymentCommand(),
  refund: async () => (await import('./refund.ts')).refundCommand(),
  anomalies: async () => (await import('./anomalies.ts')).anomaliesCommand(),
  link: async () => (await import('./link.ts')).linkCommand(),
  webhook: async () => (await import('./webhook.ts')).webhookCommand(),
  listen: async () => (await import('./listen.ts')).listenCommand(),
  operator: async () => (await import('./operator.ts')).operatorCommand(),
  demo: async () => (await import('./demo.ts')).demoCommand(),
  operators: async () => (await import('./operators.ts')).operatorsCommand(),
  simulator: async () => (await import('./simulator.ts')).simulatorCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
  store: async () => (await import('./store.ts')).storeCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  'master-key': async () => (await import('./master-key.ts')).masterKeyCommand(),
  privacy: async () => (await import('./privacy.ts')).privacyCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
}

/** With the subcommand that is called, or with all of them: to load every one takes 0.4 s of CPU, most of them alone a third of that. */
export async function karbaCommand(called?: string): Promise<Command> {
  const karba = new Command('karba')
    .description('Runs and looks after a Karba: merchants, keys, payments, links, webhooks, settings.')
    .version(version, '--version', 'print the version')
    // What follows a subcommand is the subcommand’s, also where both have an option of the same name.
    .enablePositionalOptions()
    .helpCommand(false)
    .showHelpAfterError('(karba --help says how)')
    .addHelpText(
      'after',
      `
Examples:
  npm run -s karba -- merchant create --name "Boutique Awa"
  npm run -s karba -- keys roll acc_0123456789ab --keep-old 24h
  npm run -s karba -- payment list acc_0123456789ab --status failed --from 24h
  npm run -s karba -- link create acc_0123456789ab --amount 15000 --title "Commande 12"
  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook --secret-hash - < secret.txt
  npm run -s karba -- listen --forward-to http://localhost:3000/hook
  npm run -s karba -- doctor`,
    )

  const isKnown = called !== undefined && Object.hasOwn(SUBCOMMANDS, called)
  for (const [name, make] of Object.entries(SUBCOMMANDS)) {
    if (!isKnown || name === called) karba.addCommand(await make())
  }
  return karba
}
