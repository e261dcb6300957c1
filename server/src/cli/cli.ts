// One call of `karba`: its arguments, streams, environment and exit code, and how commands use
// them. Commands read nothing from `process`, so that tests can run them in process.
import { hostname, userInfo } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { Page } from '../domain/lists/page.ts'
import type { Shell } from '../domain/people/caller.ts'
import { isRefused, type Refusal, type Refused } from '../domain/refusals/refusal.ts'
import { isPlainText } from '../domain/texts/free-text.ts'
import { keepAliveClock, openRuntime, type Runtime } from '../service/runtime.ts'
import { refusalFactFields } from '../wire/command-output.ts'
import { sentenceOf, statusOf } from '../wire/refusals.ts'
import { type Column, formatTable, MARKS, type Style } from './table.ts'

export interface Terminal {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
  env: Readonly<Record<string, string | undefined>>
}

/** A command, and how all commands add --json and their examples. */
export class KarbaCommand extends Command {
  override createCommand(name?: string): KarbaCommand {
    return new KarbaCommand(name)
  }

  json(printed = 'one JSON object'): this {
    return this.option('--json', `print ${printed}`)
  }

  examples(...lines: readonly string[]): this {
    const heading = lines.length === 1 ? 'Example:' : 'Examples:'
    return this.addHelpText(
      'after',
      ['', heading, ...lines.map((line) => `  npm run -s karba -- ${line}`)].join('\n'),
    )
  }
}

interface PrintedRows<Row> {
  json: boolean | undefined
  value: unknown
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  none: string
}

type PrintedPage<Row> = Omit<PrintedRows<Row>, 'rows'> & { page: Page<Row> }

export class Cli {
  readonly args: readonly string[]
  readonly terminal: Terminal
  exitCode = 0

  constructor(args: readonly string[], terminal: Terminal) {
    this.args = args
    this.terminal = terminal
  }

  /**
   * Makes a handler for Commander, which calls it with the arguments, the options and the command.
   */
  action<Args extends unknown[]>(
    handler: (cli: Cli, ...args: Args) => void | Promise<void>,
  ): (...args: Args) => void | Promise<void> {
    return (...args) => handler(this, ...args)
  }

  print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
    this.terminal.stdout.write(json ? `${jsonText(value)}\n` : `${lines.join('\n')}\n`)
  }

  printRows<Row>({ json, value, rows, columns, none }: PrintedRows<Row>): void {
    this.print(json, value, rows.length === 0 ? [none] : this.table(columns, rows))
  }

  /** Prints the command for the next page on stderr, so that a pipe gets only the table. */
  printPage<Row>({ page, ...printed }: PrintedPage<Row>): void {
    this.printRows({ ...printed, rows: page.rows })
    if (printed.json || page.next === undefined) return
    this.terminal.stderr.write(`There are more: ${commandAfter(this.args, page.next)}\n`)
  }

  /** Resolves when the reader of stdout has taken it. */
  write(chunk: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.stdout.write(chunk, () => resolve()))
  }

  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
    const { stdout } = this.terminal
    const width = stdout.isTTY ? stdout.columns : undefined
    return formatTable(columns, rows, { width, paint: (style, text) => this.paint(style, text) })
  }

  /** Colours on a terminal. NO_COLOR turns them off, FORCE_COLOR on. */
  paint(style: Style, text: string): string {
    const { stdout, env } = this.terminal
    const isColoured = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : stdout.isTTY && !env.NO_COLOR
    return isColoured ? styleText(style, text, { validateStream: false }) : text
  }

  mark(is: keyof typeof MARKS): string {
    const [style, mark] = MARKS[is]
    return this.paint(style, mark)
  }

  /** Overwrites one line on a terminal; elsewhere prints nothing. */
  showProgress(line: string): void {
    if (this.terminal.stderr.isTTY) this.terminal.stderr.write(`\r\u001b[K${line}\r`)
  }

  config(): Config {
    return readConfig(this.terminal.env)
  }

  caller(): Shell {
    return shellCaller(this.terminal.env)
  }

  /** Opens the store for one command. Only a command that creates data may create the store. */
  async withRuntime<T>(
    work: (runtime: Runtime, caller: Shell) => Promise<T>,
    { mayCreate = false }: { mayCreate?: boolean } = {},
  ): Promise<T> {
    const runtime = await openRuntime(this.config(), {
      machineClock: keepAliveClock,
      numbersAtOnce: 1,
      mayMigrate: false,
      mayCreate,
      created: (place) =>
        void this.terminal.stderr.write(
          `karba: There was no store: a new, empty one was made (${place}). If you expected one there, check DATABASE_URL and KARBA_DATA_DIR.\n`,
        ),
    })
    try {
      return await work(runtime, this.caller())
    } finally {
      await runtime.close()
    }
  }

  /** Runs one action on the store. A refusal ends the command with its sentence, about `name`. */
  async run<Input, Outcome extends object>(
    action: (runtime: Runtime, caller: Shell, input: Input) => Promise<Outcome>,
    input: Input,
    name?: string,
  ): Promise<Granted<Outcome>> {
    return granted(
      await this.withRuntime((runtime, caller) => action(runtime, caller, input)),
      name,
    )
  }

  /**
   * `-` reads the secret from standard input, so that it is neither in the shell's history nor in
   * the process list.
   */
  async readSecret(given: string): Promise<string> {
    if (given !== '-') return given
    const { stdin, stderr } = this.terminal
    if (stdin.isTTY) stderr.write('Type or paste it, then press Enter and Ctrl-D.\n')
    const secret = (await text(stdin)).replace(/\r?\n$/, '')
    // The input is not repeated: it is a secret.
    if (/[\r\n]/.test(secret)) throw new CommandFailed('Standard input must have one line.')
    return secret
  }
}

const NEXT: Partial<Record<Refusal, string>> = {
  account_not_available: '`karba merchant validate` validates an account.',
  account_not_found: '`karba merchant list` shows them all.',
  anomaly_not_found: '`karba anomalies` shows them all.',
  anomaly_not_late_money: '`karba anomalies resolve` closes it.',
  connection_not_found: '`karba operators list` shows them all.',
  delivery_not_found: '`karba webhook deliveries` shows the latest.',
  endpoint_not_found: '`karba webhook list` shows them all.',
  endpoint_off: '`karba webhook enable` turns it on.',
  key_not_found: '`karba keys list <account>` shows those of an account.',
  late_money_not_needed: '`karba anomalies refund` refunds it.',
  link_not_found: '`karba link list` shows the newest.',
  merchant_not_found: '`karba merchant list` shows them all.',
  operator_not_available: '`karba operators list` shows which networks are connected.',
  payment_not_found: '`karba payment list` shows the newest.',
  person_not_found: '`karba staff list` shows them.',
  refund_not_by_hand: '`karba refund tasks` shows those that do.',
}

/** Commands read every account, without a key: the sentences for callers of the API do not fit. */
const IN_COMMANDS: Partial<Record<Refusal, string>> = {
  payment_not_found: 'There is no such payment or link.',
}

/** `name` is the argument as the user typed it. */
function refusalText(refused: Refused, name: string | undefined): string {
  // A key is not repeated: it may be secret.
  const isAboutName = statusOf(refused.refused) === 404 && refused.refused !== 'key_not_found'
  const subject = name !== undefined && isAboutName ? `${name}: ` : ''
  const next =
    'existingReference' in refused
      ? `\`karba payment ${refused.existingReference}\` shows it.`
      : NEXT[refused.refused]
  const sentence = IN_COMMANDS[refused.refused] ?? sentenceOf(refused, 'en')
  return `${subject}${sentence}${next === undefined ? '' : ` ${next}`}`
}

type Granted<Outcome> = Exclude<Outcome, { refused: Refusal }>

export function granted<Outcome extends object>(outcome: Outcome, name?: string): Granted<Outcome> {
  if (!isRefused(outcome)) return outcome as Granted<Outcome>
  const refused: Refused = outcome as object as Refused
  throw new CommandFailed(refusalText(refused, name), refused.refused, refusalFactFields(refused))
}

export class CommandFailed extends Error {
  override name = 'CommandFailed'
  readonly code: string
  readonly facts: object

  constructor(message: string, code = 'failed', facts: object = {}) {
    super(message)
    this.code = code
    this.facts = facts
  }
}

/**
 * JSON leaves the control characters U+007F to U+009F alone: U+009B begins a command to the
 * terminal.
 */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  )

function commandAfter(args: readonly string[], next: string): string {
  const same = args.filter((arg, at) => !/^--after(=|$)/.test(arg) && args[at - 1] !== '--after')
  // After a bare `--` nothing is an option.
  const end = same.includes('--') ? same.indexOf('--') : same.length
  return `npm run -s karba -- ${same.toSpliced(end, 0, '--after', next).map(quoted).join(' ')}`
}

const quoted = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`

const LONGEST_NAME = 64

/** The system's user, for the audit log only: `amina`, or `amina as root` under sudo. @internal */
export function shellCaller(
  env: Terminal['env'],
  systemName: () => string = () => userInfo().username,
): Shell {
  const user = nameOrNumber(systemName)
  const before = env.SUDO_USER
  // Any user can set the variable: it adds a name and never replaces the system's user.
  const isOther = isPlainText(before, LONGEST_NAME) && before !== user
  return { is: 'shell', user: isOther ? `${before} as ${user}` : user, host: hostname() }
}

/** A container's user often has a number and no name. */
function nameOrNumber(systemName: () => string): string {
  try {
    return systemName()
  } catch {
    return String(process.geteuid?.() ?? 'unknown')
  }
}
