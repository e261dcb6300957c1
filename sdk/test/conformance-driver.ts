// The driver of this SDK for clients/conformance: its README has the commands.
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import {
  type CallOptions,
  type EventToTest,
  Karba,
  KarbaError,
  type KarbaEvent,
  type OrderToSign,
  requestIdOf,
  testWebhook,
  verifyWebhook,
  type WebhookSecrets,
} from '../src/karba.ts'

interface Command {
  id: number
  do: string
  url?: string
  secret_key?: string
  timeout_ms?: number
  max_retries?: number
  operation?: string
  name?: string
  query?: never
  body?: never
  most?: number
  after?: number | string
  take?: number
  follow?: boolean
  headers?: Record<string, string>
  secret_hash?: string
  signing_secret?: string
  tolerance_seconds?: number
  signed_at?: string
  event?: EventToTest
  order?: OrderToSign
}

let client: Karba | undefined

function karba(): Karba {
  if (client === undefined) throw new Error('no client is open')
  return client
}

const nameOf = ({ name }: Command): string => name as string

const optionsOf = ({ timeout_ms: timeoutMs, max_retries: maxRetries }: Command): CallOptions => ({
  ...(timeoutMs !== undefined && { timeoutMs }),
  ...(maxRetries !== undefined && { maxRetries }),
})

type Call = (command: Command, options: CallOptions) => Promise<object>

const CALLS: Readonly<Record<string, Call>> = {
  createPayment: ({ body }, options) => karba().createPayment(body as never, options),
  readPayment: (command, options) => karba().readPayment(nameOf(command), options),
  listPayments: ({ query }, options) => karba().listPayments(query, options),
  refundPayment: (command, options) =>
    karba().refundPayment(nameOf(command), { ...(command.body as object | undefined), ...options }),
  readRefund: (command, options) => karba().readRefund(nameOf(command), options),
  listRefunds: ({ query }, options) => karba().listRefunds(query, options),
  createLink: ({ body }, options) => karba().createLink(body as never, options),
  readLink: (command, options) => karba().readLink(nameOf(command), options),
  cancelLink: (command, options) => karba().cancelLink(nameOf(command), options),
  listEvents: ({ query }, options) => karba().listEvents(query, options),
  readBalance: (_command, options) => karba().readBalance(options),
  listEntries: ({ query }, options) => karba().listEntries(query, options),
  readStatement: ({ query }, options) => karba().readStatement(query as never, options),
  downloadStatement: async ({ query }, options) =>
    fileOf(await karba().downloadStatement(query as never, options)),
  downloadMonth: async ({ query }, options) =>
    fileOf(await karba().downloadMonth(query as never, options)),
  listSettlements: ({ query }, options) => karba().listSettlements(query, options),
  readSettlement: (command, options) =>
    karba().readSettlement(nameOf(command), command.query, options),
  confirmSettlement: (command, options) =>
    karba().confirmSettlement(nameOf(command), command.body as never, options),
  showAccount: (_command, options) => karba().showAccount(options),
  createWebhookEndpoint: ({ body }, options) =>
    karba().createWebhookEndpoint(body as never, options),
  listWebhookEndpoints: (_command, options) => karba().listWebhookEndpoints(options),
  changeWebhookEndpoint: (command, options) =>
    karba().changeWebhookEndpoint(nameOf(command), command.body as never, options),
  rollWebhookSecret: (command, options) =>
    karba().rollWebhookSecret(nameOf(command), {
      ...(command.body as object | undefined),
      ...options,
    }),
  deleteWebhookEndpoint: (command, options) =>
    karba().deleteWebhookEndpoint(nameOf(command), options),
  testWebhookEndpoint: (command, options) => karba().testWebhookEndpoint(nameOf(command), options),
}

const fileOf = (bytes: Uint8Array): object => ({ file: Buffer.from(bytes).toString('base64') })

type Each = (command: Command) => AsyncIterable<object>

const ITERATORS: Readonly<Record<string, Each>> = {
  listPayments: ({ query }) => karba().eachPayment(query),
  listRefunds: ({ query }) => karba().eachRefund(query),
  listEntries: ({ query }) => karba().eachEntry(query),
  listSettlements: ({ query }) => karba().eachSettlement(query),
  readSettlement: (command) => karba().eachSettlementLine(nameOf(command), command.query),
}

async function each(command: Command): Promise<object> {
  const { operation = '', most = Number.POSITIVE_INFINITY } = command
  const rows: object[] = []
  for await (const row of found(ITERATORS, operation)(command)) {
    rows.push(row)
    if (rows.length >= most) break
  }
  return { rows }
}

/** Stops after `take` events as a crash would: the last of them was not handled to its end. */
async function events({ after, take = Number.POSITIVE_INFINITY, follow = false }: Command) {
  let kept: number | null = null
  const keep = (position: number): void => {
    kept = position
  }
  const taken: KarbaEvent[] = []
  const options = { ...(after !== undefined && { after }), keep, follow, pollEveryMs: 50 }
  for await (const event of karba().events(options)) {
    taken.push(event)
    if (taken.length >= take) break
  }
  return { events: taken, kept }
}

const secretsOf = (command: Command): WebhookSecrets => ({
  secretHash: command.secret_hash,
  signingSecret: command.signing_secret,
  toleranceSeconds: command.tolerance_seconds,
})

const COMMANDS: Readonly<Record<string, (command: Command) => object | Promise<object>>> = {
  open: (command) => {
    client = new Karba({
      secretKey: command.secret_key,
      url: command.url,
      ...optionsOf(command),
    })
    return { environment: client.environment }
  },
  call: (command) => found(CALLS, command.operation ?? '')(command, optionsOf(command)),
  each,
  wait: (command) => karba().waitForPayment(nameOf(command), optionsOf(command)),
  events,
  verify_webhook: (command) =>
    verifyWebhook(
      Buffer.from((command.body as string | undefined) ?? '', 'base64'),
      command.headers ?? {},
      secretsOf(command),
    ),
  test_webhook: async (command) => {
    const { secret_hash: secretHash, signing_secret: signingSecret } = command
    const signedAt = new Date(command.signed_at as string)
    const { headers, body } = await testWebhook(command.event as EventToTest, {
      secretHash,
      signingSecret,
      signedAt,
    })
    return { headers, body }
  },
  sign_order: async ({ order }) => ({ signed: await karba().signOrder(order as OrderToSign) }),
  show: () => ({
    shown: [
      inspect(client, { depth: 9, showHidden: true }),
      inspect({ client }),
      JSON.stringify(client),
      String(client),
    ],
  }),
}

function found<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined
  if (entry === undefined) throw new Error(`there is no ${name}`)
  return entry
}

const factsOf = (error: KarbaError): object => ({
  code: error.code,
  message: error.message,
  param: error.param,
  hint: error.hint,
  status: error.status,
  request_id: error.requestId,
  existing_reference: error.existingReference,
  kept_after: error.keptAfter,
  removed_until: error.removedUntil,
  shown: inspect(error, { depth: 9, showHidden: true }),
})

async function reply(command: Command): Promise<object> {
  const { id } = command
  try {
    const answer = await found(COMMANDS, command.do)(command)
    return { id, answer, request_id: requestIdOf(answer) }
  } catch (error) {
    return error instanceof KarbaError
      ? { id, error: factsOf(error) }
      : { id, fault: inspect(error) }
  }
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await reply(JSON.parse(line) as Command))}\n`)
