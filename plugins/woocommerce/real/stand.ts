// A shop with lines between it and Karba, and what the cases share: orders, waiting, and the audit
// that compares every payment at Karba with its order.
import { readFileSync } from 'node:fs'
import type { PaymentEvent } from '../../../sdk/src/api-types.ts'
import { type SignedWebhook, testWebhook } from '../../../sdk/src/test-webhook.ts'
import { until } from '../../../server/test/kit/waiting.ts'
import { type Line, type Message, openLine, passes } from './line.ts'
import { openShop, type Shop, type ShopWishes } from './open-shop.ts'

export const SUCCEEDS = '40410000000'
export const DECLINES = '40410000006'
export const NOT_CLEAR = '40410000002'
/** Only the phone of the sandbox decides; nothing happens in 15 minutes. */
export const STAYS_OPEN = '40410000127'

const KEY_TEST = 'Karba\\WooCommerce\\Shop\\KeyTest::run'
const WEBHOOK = '/?wc-api=karba_webhook&environment=sandbox'

const IS_HPOS = `select option_value v from {prefix}options
  where option_name = 'woocommerce_custom_orders_table_enabled'`
const ORDERS_IN_TABLES = `select id, status, transaction_id paid_by from {prefix}wc_orders
  where type = 'shop_order'`
const ORDERS_IN_POSTS = `select p.ID id, p.post_status status, (select meta_value
    from {prefix}postmeta m where m.post_id = p.ID and meta_key = '_transaction_id' limit 1) paid_by
  from {prefix}posts p where post_type = 'shop_order'`

export interface MadeOrder {
  id: number
  key: string
  result?: string
  redirect?: string
}

export interface AttemptRow {
  transaction_id: string
  order_reference: string
  state: string
  reference: string
  link_reference: string
  page_url: string
}

export interface OrderState {
  id: number
  status: string
  paid_by: string
  refunded: number
  noted: string[]
  attempts: AttemptRow[]
  notes: string[]
}

export interface Count {
  orders: number
  paid: number
  held: number
  cancelled: number
  settled: number
  open: number
  completed_twice: number
  stock_twice: number
  mailed_twice: number
  without_stock: number
  without_mail: number
}

interface Endpoint {
  id: string
  signing_secret: string
}

interface Payment {
  external_reference: string
  order_reference?: string
  reference: string
  status: string
  amount: number
}

export interface Stand {
  shop: Shop
  /** From the shop to Karba. */
  line: Line
  /** Karba's webhooks to the shop. */
  post: Line
  secret(): string
  /** Activates the plugin and lets it register itself, as saving its settings does. */
  install(): Promise<void>
  orders(count: number, pay?: { number: string; way?: string }): Promise<MadeOrder[]>
  states(orders: readonly MadeOrder[]): Promise<OrderState[]>
  count(orders: readonly { id: number }[]): Promise<Count>
  /** Karba's own view of a payment. */
  karba(path: string, options?: RequestInit): Promise<Response>
  /** Waits until Karba has decided the payments of the orders. */
  decided(orders: readonly MadeOrder[], status?: string): Promise<void>
  catchUp(): Promise<void>
  /** Waits until no order of these is open in the shop. */
  settled(orders: readonly MadeOrder[]): Promise<Count>
  webhook(
    kind: 'payment.succeeded',
    data: Partial<PaymentEvent['data']>,
    secret?: string,
    signedAt?: Date,
  ): Promise<SignedWebhook>
  send(webhook: Pick<SignedWebhook, 'headers' | 'body'>): Promise<number>
  audit(): Promise<Audit>
  close(): Promise<void>
}

export interface Audit {
  payments: number
  orders: number
  lost: string[]
  wrong: string[]
}

export async function openStand(wishes: ShopWishes): Promise<Stand> {
  const shop = await openShop(wishes)
  const line = await openLine(() => shop.karba.url)
  const post = await openLine(() => shop.url)
  await shop.probe('option', { name: 'woocommerce_karba_settings', value: { url: line.url } })
  await shop.probe('run', { call: KEY_TEST, arguments: ['sandbox'] })
  const key = shop.karba.sandbox.key

  const karba = (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${shop.karba.url}/api/v1${path}`, {
      ...options,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'svc-target-environment': 'sandbox',
        'svc-payment-type': 'mobile',
      },
    })

  /** The shop has registered itself. Its webhooks now come by the line. */
  async function moveEndpoint(): Promise<string> {
    const { id, signing_secret: secret }: Endpoint = await shop.probe('run', {
      call: 'Karba\\WooCommerce\\Shop\\Settings::endpoint',
      arguments: ['sandbox'],
    })
    const body = JSON.stringify({ url: post.url + WEBHOOK })
    const moved = await karba(`/webhook_endpoints/${id}`, { method: 'POST', body })
    if (moved.status !== 200) throw new Error(`the endpoint did not move: ${await moved.text()}`)
    return secret
  }
  let secret = await moveEndpoint()

  async function eachPayment(): Promise<Payment[]> {
    const found: Payment[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
      const answer = await karba(`/payments?limit=1000${query}`)
      const page = (await answer.json()) as { data: Payment[]; next: string | null }
      found.push(...page.data)
      after = page.next
    }
    return found
  }

  const idsOf = (orders: readonly { id: number }[]) => ({
    from: Math.min(...orders.map(({ id }) => id)),
    to: Math.max(...orders.map(({ id }) => id)),
  })
  const count = (orders: readonly { id: number }[]): Promise<Count> =>
    shop.probe('count', idsOf(orders))

  return {
    shop,
    line,
    post,
    secret: () => secret,
    install: async () => {
      await shop.probe('activate')
      await shop.probe('run', { call: KEY_TEST, arguments: ['sandbox'] })
      secret = await moveEndpoint()
    },
    karba,
    count,
    orders: (number, pay) => shop.probe('orders', { count: number, ...pay }),
    states: (orders) => shop.probe('states', { ids: orders.map(({ id }) => id) }),
    decided: async (orders, status = 'succeeded') => {
      const { from, to } = idsOf(orders)
      const isOurs = ({ order_reference: name = '' }: Payment): boolean => {
        const id = Number(name.split('-')[1])
        return id >= from && id <= to
      }
      await until(
        `outcome of ${orders.length} payments`,
        async () => {
          const ours = (await eachPayment()).filter(isOurs)
          return ours.length > 0 && ours.every((each) => each.status === status)
        },
        120_000,
        500,
      )
    },
    catchUp: async () => {
      await shop.probe('hook', { name: 'karba_catch_up' })
    },
    settled: async (orders) => {
      await until(
        'end of open payments',
        async () => (await count(orders)).open === 0,
        180_000,
        250,
      )
      return count(orders)
    },
    webhook: (event, data, signingSecret = secret, signedAt = new Date()) =>
      testWebhook({ event, data }, { signingSecret, signedAt }),
    send: async ({ headers, body }) => {
      const answer = await fetch(shop.url + WEBHOOK, { method: 'POST', headers, body })
      await answer.text()
      return answer.status
    },
    audit: () => audit(shop, eachPayment),
    close: async () => {
      line.close()
      post.close()
      await shop.close()
    },
  }
}

/** Every succeeded payment has an order that is paid by it or refunded, or is on hold. */
async function audit(shop: Shop, eachPayment: () => Promise<Payment[]>): Promise<Audit> {
  const isHpos = (await shop.probe('sql', {
    sql: IS_HPOS,
  })) as { v: string }[]
  const orders = new Map<number, { status: string; paid_by: string }>()
  const rows = (await shop.probe('sql', {
    sql: isHpos[0]?.v === 'yes' ? ORDERS_IN_TABLES : ORDERS_IN_POSTS,
  })) as { id: string; status: string; paid_by: string | null }[]
  for (const { id, status, paid_by: paidBy } of rows)
    orders.set(Number(id), { status, paid_by: paidBy ?? '' })
  const attempts = (await shop.probe('sql', {
    sql: 'select transaction_id, order_id, state from {prefix}karba_attempts',
  })) as { transaction_id: string; order_id: string; state: string }[]
  const attemptOf = new Map(attempts.map((each) => [each.transaction_id, each]))
  const payments = (await eachPayment()).filter(({ status }) => status === 'succeeded')
  const lost: string[] = []
  const paidOrders = new Map<number, number>()
  for (const payment of payments) {
    const attempt = attemptOf.get(payment.external_reference)
    const order = attempt && orders.get(Number(attempt.order_id))
    const isPaid = /^wc-(processing|completed|refunded)$/.test(order?.status ?? '')
    const isHeld = attempt?.state === 'held'
    if (isPaid && order?.paid_by === payment.reference)
      paidOrders.set(
        Number(attempt?.order_id),
        (paidOrders.get(Number(attempt?.order_id)) ?? 0) + 1,
      )
    else if (!isHeld)
      lost.push(`${payment.external_reference}: ${attempt?.state}, ${order?.status}`)
  }
  const references = new Set(payments.map(({ reference }) => reference))
  const wrong = [...orders]
    .filter(([, { status }]) => /^wc-(processing|completed)$/.test(status))
    .filter(([, { paid_by: paidBy }]) => !references.has(paidBy))
    .map(([id, { status }]) => `${id}: ${status} without a payment`)
  return { payments: payments.length, orders: orders.size, lost, wrong }
}

/** Loses, passes or repeats webhooks. */
export const repeatsEach = (line: Line, times: number): void => {
  line.fate = async (message, passOn) => {
    const replies = await Promise.all(Array.from({ length: times }, () => passOn(message)))
    return replies[0] as { status: number }
  }
}

/** Karba believes that the shop has them. */
export const losesEach = (line: Line): void => {
  line.fate = async () => ({ status: 204 })
}

export const passesEach = (line: Line): void => {
  line.fate = passes
}

export const isRead = ({ method, path }: Message): boolean =>
  method === 'GET' && /^\/api\/v1\/payments\/[^/?]+$/.test(path)

/** The workers of PHP-FPM, by the kernel's list of its children. */
export function workersOf(masterPid: number): number[] {
  const text = readFileSync(`/proc/${masterPid}/task/${masterPid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** The same work for each, so many at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      await work(items[index] as Item, index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
