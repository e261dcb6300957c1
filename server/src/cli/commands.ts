// The command `karba` with all its subcommands, one file for each. Nothing is run here: program.ts does that.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { anomaliesCommand } from './anomalies.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { configCommand } from './config.ts'
import { doctorCommand } from './doctor.ts'
import { keysCommand } from './keys.ts'
import { linkCommand } from './link.ts'
import { listenCommand } from './listen.ts'
import { masterKeyCommand } from './master-key.ts'
import { merchantCommand } from './merchant.ts'
import { migrateCommand } from './migrate.ts'
import { operatorCommand } from './operator.ts'
import { operatorsCommand } from './operators.ts'
import { paymentCommand } from './payment.ts'
import { privacyCommand } from './privacy.ts'
import { refundCommand } from './refund.ts'
import { simulatorCommand } from './simulator.ts'
import { storeCommand } from './store.ts'
import { verifyCommand } from './verify.ts'
import { webhookCommand } from './webhook.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

export function karbaCommand(): Command {
  return (
    new Command('karba')
      .description('Runs and looks after a Karba: merchants, keys, payments, links, webhooks, settings.')
      .version(version, '--version', 'print the version')
      // What follows a subcommand is the subcommand’s, also where both have an option of the same name.
      .enablePositionalOptions()
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
      .addCommand(operatorCommand())
      .addCommand(operatorsCommand())
      .addCommand(simulatorCommand())
      .addCommand(auditCommand())
      .addCommand(verifyCommand())
      .addCommand(backupCommand())
      .addCommand(restoreCommand())
      .addCommand(storeCommand())
      .addCommand(migrateCommand())
      .addCommand(masterKeyCommand())
      .addCommand(privacyCommand())
      .addCommand(doctorCommand())
      .addCommand(configCommand())
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
  )
}
