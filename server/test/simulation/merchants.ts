// The merchants of a simulated world and their servers: they create, read, retry and record every
// answer. Servers accept events, are down, or fail to acknowledge. The invariants compare the
// answers with the store.

import type { FastifyInstance } from 'fastify'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { ENVIRONMENTS, type Environment } from '../../src/domain/environment.ts'
import { SCENARIOS } from '../../src/simulator/scenarios.ts'
import type { Attempt, WebhookSender } from '../../src/webhooks/send.ts'
import type { CrashingProcess } from '../kit/crashing-service.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { head } from '../kit/service.ts'
import type { FaultPercent } from './faulty-network.ts'
import type { Phone } from './network-kinds.ts'

export interface Account {
  accountId: string
  environment: Environment
  secretKey: string
}

export interface Order {
  account: Account
  externalReference: string
  amountXof: number
  /** Undefined when the answer was lost. */
  answered?: { code: number; reference?: string | undefined }
}

interface Reading {
  order: Order
  status: string
  /** The number of completed reads when this one was sent. */
  asked: number
}

export type Merchants = ReturnType<typeof merchantsOf>

/** No answer means an unknown outcome. */
const unanswered = (): void => {}

const ORDINARY = ['96123456', '90112233', '+22794556677', '93445566']

/** `phones`: the numbers that the real networks prompt, in live. */
export function merchantsOf(
  made: readonly NewMerchant[],
  random: SeededRandom,
  phones: readonly Phone[],
) {
  const accounts = made.flatMap(({ accounts: both }) =>
    ENVIRONMENTS.map((environment): Account => ({ ...both[environment], environment })),
  )
  const live = accounts.filter(({ environment }) => environment === 'live')
  const orders: Order[] = []
  /** Accounts that have suspended a connection of their own: their creates may be refused. */
  const suspended = new Set<string>()
  /** The results of reads, in order. */
  const readings: Reading[] = []

  function phoneOf({ environment }: Account): Phone {
    if (environment === 'live' && phones.length > 0 && random.percent(90))
      return random.pick(phones)
    const tests = environment === 'sandbox' && random.percent(80)
    return { country: 'NE', msisdn: tests ? random.pick(SCENARIOS).msisdn : random.pick(ORDINARY) }
  }

  function createPayment(app: FastifyInstance): void {
    const again = orders.length > 0 && random.percent(12) ? random.pick(orders) : undefined
    const account =
      again?.account ?? random.pick(phones.length > 0 && random.percent(70) ? live : accounts)
    const externalReference = again?.externalReference ?? `order-${orders.length}`
    const order: Order = { account, externalReference, amountXof: random.between(50, 1_000_000) }
    const phone = phoneOf(account)
    orders.push(order)
    const payload = JSON.stringify({
      amount: order.amountXof,
      country: phone.country,
      currency: 'XOF',
      msisdn: phone.msisdn,
      transaction_id: externalReference,
      customer_name: 'Awa Diallo',
    })
    const headers = head(account.secretKey)
    void app
      .inject({ method: 'POST', url: '/api/v1/payments', headers, payload })
      .then((answer) => {
        const { reference } = answer.json<{ reference?: string }>()
        const existing = answer.headers['svc-existing-reference'] as string | undefined
        order.answered = { code: answer.statusCode, reference: reference ?? existing }
      }, unanswered)
  }

  function readPayment(app: FastifyInstance): void {
    if (orders.length === 0) return
    const order = random.pick(orders)
    const name = random.percent(50)
      ? order.externalReference
      : (order.answered?.reference ?? order.externalReference)
    const asked = readings.length
    const request = { url: `/api/v1/payments/${name}`, headers: head(order.account.secretKey) }
    void app.inject(request).then((answer) => {
      if (answer.statusCode === 200)
        readings.push({ order, asked, status: answer.json<{ status: string }>().status })
    }, unanswered)
  }

  return { orders, readings, accounts, suspended, createPayment, readPayment }
}

interface ReceivedEvent {
  url: string
  eventId: string
  body: string
}

export interface Receivers {
  faultPercent: FaultPercent
  /** In the order of arrival, with repeats. */
  received: ReceivedEvent[]
  senderOf(process: CrashingProcess): WebhookSender
}

const answer = (status: number | null, error: string | null = null): Attempt => ({
  status,
  error,
  durationMs: 1,
  answer: '',
  retryAfterMs: null,
})

export function receiversOf(random: SeededRandom): Receivers {
  const receivers: Receivers = {
    faultPercent: 0,
    received: [],
    senderOf: (process) => ({
      send: ({ url, headers, body }) =>
        process.call(async () => {
          const fault = random.percent(receivers.faultPercent)
            ? random.pick(['down', 'unsaid', 'busy'] as const)
            : 'none'
          if (fault === 'none' || fault === 'unsaid') {
            receivers.received.push({ url, eventId: headers['webhook-id'] as string, body })
          }
          if (fault === 'none') return answer(200)
          return fault === 'busy' ? answer(503) : answer(null, 'no answer')
        }),
      close: async () => {},
    }),
  }
  return receivers
}
