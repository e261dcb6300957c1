// A whole service on a virtual clock, on either store: operators that answer at once, and merchants' servers that are a function of
// the test. Days of retries pass in a second, and what was sent when is known to the millisecond.
import assert from 'node:assert/strict'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { ENVIRONMENTS } from '../../src/domain/environment.ts'
import type { OperatorAnswer } from '../../src/domain/outcome.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import type { Attempt, WebhookRequest, WebhookSender } from '../../src/webhooks/send.ts'
import { newMerchant } from '../kit/merchant.ts'
import type { StoreKind, StorePlace } from '../kit/stores.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { openWatchedStore } from '../kit/watched-store.ts'
import { seededRandom } from '../simulation/seeded-random.ts'

export interface Sent extends WebhookRequest {
  at: number
  /** Of the address: receivers are told apart by it. */
  path: string
  /** Read from the body. */
  told: { id: string; event: string; data: { reference: string } }
}

/** A status; no connection; or no answer until the time is over. */
export type Receipt = number | 'refused' | 'hangs' | { status: number; retryAfterMs?: number; afterMs?: number }

export interface ToldService extends Service {
  place: StorePlace
  clock: VirtualClock
  /** Every request that left for a merchant, in order. */
  sent: Sent[]
  /** What the merchants' servers do. A test sets it. */
  merchants: { answer(sent: Sent): Receipt }
  merchant(): Promise<NewMerchant>
  /** The service sleeps until the next lane is due, and has looked by then; false when nothing is due any more. */
  sleepToNext(): Promise<boolean>
  /** Fails when the service has logged an error. */
  remove(): Promise<void>
}

export const HOST = 'https://shop.example.com'
export const TIMEOUT_MS = 10_000
export const LOOK_EVERY_MS = 500
const SEED = 20_261_115

export async function openTold(store: StoreKind, settings: Record<string, string> = {}): Promise<ToldService> {
  const place = await store.makePlace(settings)
  const clock = virtualClock()
  const sent: Sent[] = []
  const merchants: ToldService['merchants'] = { answer: () => 200 }

  async function send(request: WebhookRequest): Promise<Attempt> {
    const one = { ...request, at: clock.now(), path: new URL(request.url).pathname, told: JSON.parse(request.body) }
    sent.push(one)
    const receipt = merchants.answer(one)
    const nothing = { status: null, answer: '', retryAfterMs: null }
    if (receipt === 'refused') return { ...nothing, durationMs: 0, error: 'the connection was refused' }
    if (receipt === 'hangs') {
      await new Promise<void>((resolve) => clock.after(TIMEOUT_MS, resolve))
      return { ...nothing, durationMs: TIMEOUT_MS, error: 'no answer within 10 seconds' }
    }
    const { status, retryAfterMs = null, afterMs = 0 } = typeof receipt === 'number' ? { status: receipt } : receipt
    if (afterMs > 0) await new Promise<void>((resolve) => clock.after(afterMs, resolve))
    return { status, durationMs: afterMs, answer: `said ${status}`, error: null, retryAfterMs }
  }

  const sender: WebhookSender = { send, close: async () => {} }
  const errors: string[] = []
  const service = await openService(place.config, {
    clock,
    random: seededRandom(SEED),
    log: makeLog('error', { write: (line) => void errors.push(line) }),
    store: openWatchedStore(place.config, clock),
    connect: connectAtOnce,
    sender,
  })
  return {
    ...service,
    place,
    clock,
    sent,
    merchants,
    merchant: () => newMerchant(service),
    sleepToNext: async () => {
      const [row] = await service.db.rows<{ due_at: number | null }>(
        `select min(due_at) as due_at from webhook_endpoints where status = 'on'`,
      )
      assert.deepEqual(errors, [])
      if (row?.due_at == null) return false
      const ms = row.due_at - clock.now()
      if (ms > LOOK_EVERY_MS) await clock.sleep(ms)
      await clock.advance(LOOK_EVERY_MS)
      return true
    },
    remove: async () => {
      let isClosed = false
      const closing = service.close().finally(() => {
        isClosed = true
      })
      // It waits for attempts under way, and those for the clock.
      while (!isClosed) await clock.advance(1_000)
      await closing
      await place.remove()
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
    parseCallback: () => undefined,
  })
  const connected = ENVIRONMENTS.flatMap((environment) =>
    config.operators.map((name) => ({ environment, operator: operator(name) })),
  )
  return { operators: operatorRegistry(connected), close: async () => {} }
}
