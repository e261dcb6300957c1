// Runs the command `karba`: builds the called subcommand, and prints why it failed.
import { Command, CommanderError } from 'commander'
import { startRefusalOf } from '../service/runtime.ts'
import { VERSION } from '../service/version.ts'
import { failureFields } from '../wire/command-output.ts'
import { Cli, CommandFailed, jsonText, type Terminal } from './cli.ts'

/** In the order in which the help lists them. */
const SUBCOMMANDS: Readonly<Record<string, (cli: Cli) => Promise<Command>>> = {
  merchant: async (cli) => (await import('./merchant.ts')).merchantCommand(cli),
  keys: async (cli) => (await import('./keys.ts')).keysCommand(cli),
  payment: async (cli) => (await import('./payment.ts')).paymentCommand(cli),
  refund: async (cli) => (await import('./refund.ts')).refundCommand(cli),
  anomalies: async (cli) => (await import('./anomalies.ts')).anomaliesCommand(cli),
  link: async (cli) => (await import('./link.ts')).linkCommand(cli),
  webhook: async (cli) => (await import('./webhook.ts')).webhookCommand(cli),
  staff: async (cli) => (await import('./staff.ts')).staffCommand(cli),
  demo: async (cli) => (await import('./demo.ts')).demoCommand(cli),
  operators: async (cli) => (await import('./operators.ts')).operatorsCommand(cli),
  tariff: async (cli) => (await import('./tariff.ts')).tariffCommand(cli),
  statement: async (cli) => (await import('./statement.ts')).statementCommand(cli),
  settlement: async (cli) => (await import('./settlement.ts')).settlementCommand(cli),
  simulator: async (cli) => (await import('./simulator.ts')).simulatorCommand(cli),
  audit: async (cli) => (await import('./audit.ts')).auditCommand(cli),
  verify: async (cli) => (await import('./verify.ts')).verifyCommand(cli),
  backup: async (cli) => (await import('./store.ts')).backupCommand(cli),
  restore: async (cli) => (await import('./store.ts')).restoreCommand(cli),
  drill: async (cli) => (await import('./store.ts')).drillCommand(cli),
  archive: async (cli) => (await import('./archive.ts')).archiveCommand(cli),
  store: async (cli) => (await import('./store.ts')).storeCommand(cli),
  migrate: async (cli) => (await import('./store.ts')).migrateCommand(cli),
  'master-key': async (cli) => (await import('./master-key.ts')).masterKeyCommand(cli),
  privacy: async (cli) => (await import('./privacy.ts')).privacyCommand(cli),
  doctor: async (cli) => (await import('./doctor.ts')).doctorCommand(cli),
  config: async (cli) => (await import('./doctor.ts')).configCommand(cli),
}

/** Returns the exit code: 0, 1 for a failure, 2 for a usage error. */
export async function runKarba(given: readonly string[], terminal: Terminal): Promise<number> {
  // `karba help keys roll` is `karba keys roll --help`: Commander's own help command knows one
  // level only.
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  // Files that a command writes are readable by its own user only, as the server's files are.
  process.umask(0o077)
  const cli = new Cli(args, terminal)
  // Read here and not from Commander, which has no options when it cannot parse the call.
  const wantsJson = isJsonWanted(args)
  try {
    await (await karbaCommand(cli, args[0], wantsJson)).parseAsync(args, { from: 'user' })
    return cli.exitCode
  } catch (error) {
    return reportFailure(terminal, error, wantsJson)
  }
}

const isJsonWanted = (args: readonly string[]): boolean => args.includes('--json')

/**
 * For a command that waits for something that nothing will ever do: a bug, which must not look like
 * a success.
 */
export function reportStopped(args: readonly string[], { stderr }: Terminal): number {
  const message =
    'The command stopped before its end: this is a bug of Karba. What it has stored so far stays. `karba verify` checks the store.'
  const failure = jsonText(failureFields('unexpected', message, {}))
  stderr.write(isJsonWanted(args) ? `${failure}\n` : `karba: ${message}\n`)
  return 1
}

/**
 * With the called subcommand only: loading all takes 0.4 s of CPU, most of them alone a third of
 * that.
 */
export async function karbaCommand(cli: Cli, called?: string, wantsJson = false): Promise<Command> {
  const karba = new Command('karba')
    .description(
      'Manages a Karba installation: merchants, keys, payments, links, webhooks, settings.',
    )
    .version(VERSION, '--version', 'print the version')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  npm run -s karba -- merchant create --name "Boutique Awa"
  npm run -s karba -- keys roll acc_0123456789ab --keep-old 24h
  npm run -s karba -- payment list acc_0123456789ab --status failed --from 24h
  npm run -s karba -- link create acc_0123456789ab --amount 15000 --title "Commande 12"
  npm run -s karba -- webhook add acc_0123456789ab --url https://shop.example/hook
  npm run -s karba -- doctor`,
    )

  const isKnown = called !== undefined && Object.hasOwn(SUBCOMMANDS, called)
  for (const [name, make] of Object.entries(SUBCOMMANDS)) {
    if (!isKnown || name === called) karba.addCommand(await make(cli))
  }
  for (const command of everyCommand(karba)) connect(command, cli.terminal, wantsJson)
  return karba
}

/**
 * Commander writes to the terminal and throws: it would exit with 1 on a usage error, and ours is
 * 2.
 */
function connect(command: Command, { stdout, stderr }: Terminal, wantsJson: boolean): void {
  command
    // Options after a subcommand belong to the subcommand, also where both have an option of the
    // same name.
    .enablePositionalOptions()
    .hook('preSubcommand', passJson)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Every failure of the command begins in the same way.
      outputError: (text, write) => write(text.replace(/^error: /, 'karba: ')),
      getOutHelpWidth: () => (stdout.isTTY ? (stdout.columns ?? 80) : 80),
    })
  // Commander does not pass this setting on to commands that are added.
  if (!wantsJson)
    command.showHelpAfterError(`\`npm run -s karba --${wordsOf(command)} --help\` shows the usage.`)
  else command.configureOutput({ outputError: () => {} })
}

/**
 * `karba audit --json verify`: the command that is called prints what it does, whichever took the
 * option.
 */
function passJson(command: Command, called: Command): void {
  const takesJson = called.options.some(({ long }) => long === '--json')
  if (command.opts().json === true && takesJson) called.setOptionValue('json', true)
}

/** The words that call a command, ` keys roll`; none for karba itself. */
const wordsOf = (command: Command): string =>
  command.parent === null ? '' : `${wordsOf(command.parent)} ${command.name()}`

function* everyCommand(command: Command): Generator<Command> {
  yield command
  for (const child of command.commands) yield* everyCommand(child)
}

function reportFailure({ stderr }: Terminal, error: unknown, json: boolean): number {
  const writeJson = (code: string, message: string, facts: object): void =>
    void stderr.write(`${jsonText(failureFields(code, message, facts))}\n`)
  if (error instanceof CommanderError) {
    // Commander ends --help and --version with an error too.
    if (error.exitCode === 0) return 0
    // Without --json, Commander has printed the message already.
    if (json) writeJson('usage', error.message.replace(/^error: /, ''), {})
    return 2
  }
  const { message, stack } = error as Error
  const code = error instanceof CommandFailed ? error.code : startRefusalOf(error)
  // An error without a code is a bug: print the stack.
  if (!json) stderr.write(code === undefined ? `${stack}\n` : `karba: ${message}\n`)
  else {
    const unexpected = code ? {} : { stack }
    const facts = error instanceof CommandFailed ? error.facts : unexpected
    writeJson(code ?? 'unexpected', message, facts)
  }
  return 1
}
