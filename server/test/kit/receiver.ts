// Webhook receivers: a merchant’s server with real HTTP, and receivers on a virtual clock that are
// a function of the test.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventMove } from '../../src/actions/events/write-event.ts'
import type { EndpointInput } from '../../src/actions/webhooks/endpoints.ts'
import { ENVIRONMENTS } from '../../src/domain/environment.ts'
import type { OperatorAnswer } from '../../src/domain/payments/operator-report.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import type { Attempt, WebhookRequest } from '../../src/webhooks/send.ts'
import { prompting } from './direct-operators.ts'
import { seededRandom } from './seeded-random.ts'
import type { StoreKind } from './stores.ts'
import { openVirtualService, type VirtualService } from './virtual-service.ts'
import { until, within } from './waiting.ts'
import { type AddedEndpoint, change, newEndpoint, writeEvents } from './webhooks.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** Read from the body. */
  event: { id: string; event: string; data: Record<string, unknown> }
}

interface Reply {
  status: number
  text: string
}

export interface Receiver {
  url: string
  /** In the order of arrival, before they are answered. */
  got: Received[]
  /** How many of them it has answered. */
  answered: number
  /** Its answer from now on. */
  answer: Reply
  /** Its handler of an event: answers as above, unless a test sets it. */
  handle(event: Received): number | Reply | Promise<number | Reply>
  /** Resolves with the nth event, counted from 1. */
  nth(count: number): Promise<Received>
  close(): Promise<void>
  open(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const got: Received[] = []
  let server: Server
  let port = 0

  async function open(): Promise<void> {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      // A sender may be killed in the middle of a request.
      for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const { url: path = '', headers } = request
      const received = { path, headers, body, event: JSON.parse(body.toString()) }
      got.push(received)
      // An error of a test's own receiver, for example during the service's close, is a failure of
      // the receiver.
      const reply = await Promise.resolve(receiver.handle(received)).catch(() => 500)
      const { status, text } = typeof reply === 'number' ? { status: reply, text: '' } : reply
      response.writeHead(status).end(text)
      receiver.answered++
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  const receiver: Receiver = {
    url: '',
    got,
    answered: 0,
    answer: { status: 200, text: 'thanks' },
    handle: () => receiver.answer,
    nth: (count) => until(`request ${count} at the receiver`, () => got[count - 1]),
    async close() {
      server.closeAllConnections()
      server.close()
      await within('end of the receiver', once(server, 'close'))
    },
    open,
  }
  await open()
  receiver.url = `http://127.0.0.1:${port}`
  return receiver
}

export interface SentWebhook extends WebhookRequest {
  at: number
  /** Of the address: it identifies the receiver. */
  path: string
  /** Read from the body. */
  event: { id: string; event: string; data: { reference: string } }
}

/** A status; no connection; or no answer until the deadline. */
export type ReceiverAnswer =
  | number
  | 'refused'
  | 'hangs'
  | { status: number; retryAfterMs?: number; afterMs?: number }

export interface WebhookService extends VirtualService {
  /** Every request sent to a receiver, in order. */
  sent: SentWebhook[]
  /** The receivers' behaviour. A test sets it. */
  receivers: { answer(sent: SentWebhook): ReceiverAnswer }
  /**
   * Sleeps until the next endpoint is due and the service has polled; false when nothing is due any
   * more.
   */
  sleepUntilDue(): Promise<boolean>
  /** Repeats that until nothing is due. */
  sleepUntilNothingIsDue(afterEach?: () => Promise<unknown>): Promise<void>
  /** Fails when the service has logged an error. */
  remove(): Promise<void>
}

export const HOST = 'https://shop.example.com'
export const TIMEOUT_MS = 10_000
export const LOOK_EVERY_MS = 500
const SEED = 20_261_115
/** More than any test needs: ten attempts for each of some hundred events. */
const MOST_SLEEPS = 10_000

export async function openWebhookService(store: StoreKind): Promise<WebhookService> {
  const sent: SentWebhook[] = []
  const receivers: WebhookService['receivers'] = { answer: () => 200 }
  const errors: string[] = []

  async function send(request: WebhookRequest): Promise<Attempt> {
    const at = clock.now()
    const one = {
      ...request,
      at,
      path: new URL(request.url).pathname,
      event: JSON.parse(request.body),
    }
    sent.push(one)
    const answer = receivers.answer(one)
    const pass = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))
    const nothing = { status: null, answer: '', retryAfterMs: null }
    if (answer === 'refused')
      return { ...nothing, durationMs: 0, error: 'the connection was refused' }
    if (answer === 'hangs') {
      await pass(TIMEOUT_MS)
      return { ...nothing, durationMs: TIMEOUT_MS, error: 'no answer within 10 seconds' }
    }
    const {
      status,
      retryAfterMs = null,
      afterMs = 0,
    } = typeof answer === 'number' ? { status: answer } : answer
    if (afterMs > 0) await pass(afterMs)
    return { status, durationMs: afterMs, answer: `said ${status}`, error: null, retryAfterMs }
  }

  const overrides = {
    random: seededRandom(SEED),
    log: makeLog('error', { write: (line) => void errors.push(line) }),
    connect: connectAtOnce,
    sender: { send, close: async () => {} },
  }
  const service = await openVirtualService(store, {}, overrides)
  const { clock } = service

  async function sleepUntilDue(): Promise<boolean> {
    const [row] = await service.db.read<{ due_at: number | null }>(
      `select min(due_at) as due_at from webhook_endpoints where status = 'on'`,
    )
    assert.deepEqual(errors, [])
    if (row?.due_at == null) return false
    const ms = row.due_at - clock.now()
    if (ms > LOOK_EVERY_MS) await clock.sleep(ms)
    await clock.advance(LOOK_EVERY_MS)
    return true
  }

  return {
    ...service,
    sent,
    receivers,
    sleepUntilDue,
    sleepUntilNothingIsDue: async (afterEach) => {
      for (let sleeps = 0; await sleepUntilDue(); sleeps++) {
        assert.ok(sleeps < MOST_SLEEPS, `after ${MOST_SLEEPS} sleeps there is still something due`)
        await afterEach?.()
      }
    },
    remove: async () => {
      await service.remove()
      assert.deepEqual(errors, [])
    },
  }
}

/** Every payment succeeds in the answer to its request, and so does every refund. */
async function connectAtOnce({ config }: ConnectDeps): Promise<Connected> {
  const amounts = new Map<string, number>()
  const succeeded = (reference: string): OperatorAnswer => ({
    is: 'succeeded',
    amountXof: amounts.get(reference) as number,
    operatorReference: reference,
  })
  const operator = (name: string): Operator => ({
    name,
    request: async ({ reference, amountXof }) => {
      amounts.set(reference, amountXof)
      return succeeded(reference)
    },
    status: async (reference) => succeeded(reference),
    refund: async ({ reference }) => succeeded(reference),
    refundStatus: async ({ refundReference }) => succeeded(refundReference),
    parseCallback: () => undefined,
  })
  const connected = ENVIRONMENTS.flatMap((environment) =>
    config.operators.map((name) => prompting(environment, operator(name))),
  )
  return { operators: operatorRegistry(connected), close: async () => {} }
}

/** A new account with one endpoint, whose receiver answers so; the endpoint before is removed. */
export async function beginAccount(
  service: WebhookService,
  answer: (sent: SentWebhook) => ReceiverAnswer,
  before: AddedEndpoint | undefined,
  input?: Partial<EndpointInput>,
) {
  if (before !== undefined) await change(service, before, { to: 'removed' })
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  service.receivers.answer = answer
  service.sent.length = 0
  return {
    accountId,
    secretKey,
    endpoint: await newEndpoint(service, accountId, `${HOST}/${accountId}`, input),
  }
}

/** Writes events, and lets the dispatcher look once. */
export async function sendEvents(
  service: WebhookService,
  accountId: string,
  numbers: readonly number[],
  to?: EventMove['to'],
): Promise<void> {
  await writeEvents(service, accountId, numbers, to)
  await service.clock.advance(LOOK_EVERY_MS)
}
