#!/usr/bin/env node
// The command karba for merchants: needs a secret key and the service's address. Reads and forwards
// only.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Karba, KarbaError, type PaymentsQuery } from '@karba/sdk'
import { listen } from './listen.ts'

const HELP = `karba <command>, with the secret key in SVC_SECRET_KEY (or --key-file) and the service in KARBA_URL (or --url)

  listen --forward-to <url>      posts events to your own address, as webhooks
         [--from-start]          begins with the oldest event
         [--secret-hash <text>] [--signing-secret <whsec_…>]   instead of generated ones
         [--place <file>]        where to store the position
  account                        checks the key: its account, endpoints and operators
  payments [--status <status>] [--from <time>] [--to <time>] [--operator <name>] [--limit <count>]
  payment <name> [--wait]        by reference or transaction_id; --wait for its outcome
  refund <name>                  the refund of a payment
  link <reference>               a payment link, with its state
  events [--after <sequence>]    every event after it

Output is JSON: one object, or one a line.
The operator of a service manages it with \`npm run -s karba --\` in Karba’s folder.
`

const OPTIONS = {
  url: { type: 'string' },
  'key-file': { type: 'string' },
  'forward-to': { type: 'string' },
  'from-start': { type: 'boolean' },
  'secret-hash': { type: 'string' },
  'signing-secret': { type: 'string' },
  place: { type: 'string' },
  status: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  operator: { type: 'string' },
  limit: { type: 'string' },
  after: { type: 'string' },
  wait: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const SEE_HELP = '`karba --help` lists commands and options.'

class UsageError extends Error {}

type Given = ReturnType<typeof read>['values']

function read() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true })
  } catch (error) {
    // The first sentence: the others explain the parser's syntax.
    throw new UsageError(`${(error as Error).message.replace(/\. [\s\S]*$|\.?$/, '.')} ${SEE_HELP}`)
  }
}

type Run = (karba: Karba, name: () => string, given: Given) => Promise<void>

const COMMANDS: Readonly<Record<string, Run>> = {
  listen: (karba, _, given) => {
    const {
      'forward-to': forwardTo = '',
      place,
      'secret-hash': secretHash,
      'signing-secret': signingSecret,
    } = given
    if (!URL.canParse(forwardTo))
      throw new UsageError(
        '--forward-to is an http or https address, such as http://localhost:3000/hook.',
      )
    const fromStart = given['from-start'] ?? false
    return listen({
      karba,
      secretKey: keyOf(given),
      forwardTo,
      fromStart,
      place,
      secretHash,
      signingSecret,
    })
  },
  account: async (karba) => show(await karba.showAccount()),
  payments: async (karba, _, { status, from, to, operator, limit }) => {
    const query = { status, from, to, operator, limit } as unknown as PaymentsQuery
    const { data } = await karba.listPayments(query)
    for (const payment of data) showLine(payment)
  },
  payment: async (karba, name, { wait }) =>
    show(await (wait ? karba.waitForPayment(name()) : karba.readPayment(name()))),
  refund: async (karba, name) => show(await karba.readRefund(name())),
  link: async (karba, name) => show(await karba.readLink(name())),
  events: async (karba, _, { after }) => {
    const options = { follow: false, ...(after !== undefined && { after }) }
    for await (const event of karba.events(options)) showLine(event)
  },
}

const show = (value: unknown, indent = 2): void =>
  void process.stdout.write(`${plain(JSON.stringify(value, null, indent))}\n`)
const showLine = (value: unknown): void => show(value, 0)

/** Escapes U+007F to U+009F, which JSON leaves alone: U+009B begins a command to the terminal. */
function plain(text: string): string {
  return text.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  )
}

function keyOf({ 'key-file': file }: Given): string {
  const key =
    file === undefined ? process.env.SVC_SECRET_KEY : readFileSync(file === '-' ? 0 : file, 'utf8')
  if (!key)
    throw new UsageError(
      'Put the secret key into the variable SVC_SECRET_KEY, or name a file with --key-file.',
    )
  return key.trim()
}

async function main(): Promise<void> {
  const { values, positionals } = read()
  const [command = '', ...names] = positionals
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  if (values.help || command === '' || command === 'help') return void process.stdout.write(HELP)
  if (run === undefined) throw new UsageError(`There is no command ${command}. ${SEE_HELP}`)
  const url = values.url ?? process.env.KARBA_URL ?? 'http://127.0.0.1:8080'
  if (!/^https?:/.test(url))
    throw new UsageError('Put the http or https address of the service into KARBA_URL or --url.')
  const name = (): string => {
    if (names.length !== 1)
      throw new UsageError(`${command} takes one name, a reference or transaction_id. ${SEE_HELP}`)
    return names[0] as string
  }
  await run(new Karba({ secretKey: keyOf(values), url }), name, values)
}

try {
  await main()
} catch (error) {
  const isOurs = error instanceof KarbaError || error instanceof UsageError
  const { message, stack } = error as Error
  const id =
    error instanceof KarbaError && error.requestId !== undefined ? ` (${error.requestId})` : ''
  process.stderr.write(isOurs ? `karba: ${plain(message)}${id}\n` : `${stack}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
