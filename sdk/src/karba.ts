// The client for a merchant's server: one method for each operation of the API, with the names of
// the API.
import type {
  Account,
  Balance,
  CreatedLink,
  CreatedPayment,
  DeletedWebhookEndpoint,
  EntriesQuery,
  Entry,
  EntryList,
  Feed,
  KarbaEvent,
  Link,
  LinkOrder,
  ListedPayment,
  ListedRefund,
  PageQuery,
  Payment,
  PaymentList,
  PaymentOrder,
  PaymentsQuery,
  Refund,
  RefundList,
  RefundOrder,
  RefundsQuery,
  SecretRoll,
  SentWebhookTest,
  Settlement,
  SettlementLines,
  SettlementList,
  SettlementReceipt,
  SettlementsQuery,
  Statement,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointList,
  WebhookEndpointOrder,
  WebhookEndpointWithSecret,
} from './api-types.ts'
import {
  type CallOptions,
  Connection,
  MAX_RETRIES,
  type Request,
  requestIdOf,
} from './connection.ts'
import { createSafely } from './create-safely.ts'
import { type EventsOptions, eventFeed } from './event-feed.ts'
import {
  type ApiErrorCode,
  KarbaError,
  type KarbaErrorCode,
  type SdkErrorCode,
} from './karba-error.ts'
import {
  type OrderToSign,
  randomHex,
  signOrder,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookSecrets,
} from './signatures.ts'
import { type EventToTest, type SignedWebhook, testWebhook } from './test-webhook.ts'
import { type WaitOptions, waitForPayment } from './wait-for-payment.ts'

export type * from './api-types.ts'
export type {
  ApiErrorCode,
  CallOptions,
  EventsOptions,
  EventToTest,
  KarbaErrorCode,
  OrderToSign,
  SdkErrorCode,
  SignedWebhook,
  WaitOptions,
  WebhookHeaders,
  WebhookSecrets,
}
export { KarbaError, requestIdOf, signOrder, testWebhook, verifyWebhook }

export interface KarbaOptions {
  /**
   * `sk_sandbox_…` or `sk_live_…`; the prefix chooses the environment. Never in a page. As the
   * environment has it: where it is not set, the constructor throws and says so.
   */
  secretKey: string | undefined
  /** The address of the service, without /api/v1. As the environment has it, too. */
  url: string | undefined
  /** For one call with its retries; 30 seconds by default. */
  timeoutMs?: number | undefined
  /** How often a call is repeated whose answer was lost or a 503; 7 by default, 0 for never. */
  maxRetries?: number | undefined
  /** Replaces the runtime's own. */
  fetch?: typeof globalThis.fetch | undefined
}

/** A payment with the address of its receipt, once it has one. */
export type ReadPayment = Payment & { receipt_url?: string }

/** A payment, refund, fee or other line of the network's statement. */
export type SettlementLine = SettlementLines['lines'][number]

/** A link with the address of its page. */
export interface ReadLink extends Link {
  page_url: string
}

export interface EventsQuery {
  after?: number | string
  limit?: number
  replays_after?: number | 'latest'
}

/**
 * `amount` in francs, and your own name of the refund; without them, what is left of the payment.
 */
export type RefundOptions = RefundOrder & CallOptions

export interface StatementQuery {
  connection: string
  /** Days, such as 2026-11-01; both inclusive. */
  from: string
  to: string
}

export interface StatementFileQuery extends Omit<StatementQuery, 'connection'> {
  /** Without it, one file of all connections; JSON needs one. */
  connection?: string
  format: 'json' | 'csv' | 'xlsx' | 'camt053' | 'syscohada' | 'pdf'
  /** Of headings and labels; French by default. */
  language?: 'fr' | 'en'
}

export interface MonthQuery {
  /** Such as 2026-10; its last day must be over. */
  month: string
  /** Of the files; French by default. */
  language?: 'fr' | 'en'
}

const TIMEOUT_MS = 30_000
const RANDOM_BYTES = 16
const MOST_STATEMENT_BYTES = 2 ** 29

export class Karba {
  readonly url: string
  readonly environment: 'sandbox' | 'live'
  readonly #secretKey: string
  readonly #connection: Connection

  constructor(options: KarbaOptions) {
    const {
      secretKey,
      url,
      timeoutMs = TIMEOUT_MS,
      maxRetries = MAX_RETRIES,
      fetch = globalThis.fetch,
    } = options
    refuseInBrowser()
    if (!secretKey) throw misused(notSet('secretKey', 'the secret key'))
    if (!url) throw misused(notSet('url', 'the address of the service'))
    const [, environment] = /^sk_(sandbox|live)_\w+$/.exec(secretKey) ?? []
    if (environment === undefined)
      throw misused(
        'secretKey must begin with sk_sandbox_ or sk_live_, then have letters and digits: was it copied whole?',
      )
    if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
      throw misused('url is the http or https address of the service.')
    this.url = url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
    this.environment = environment as 'sandbox' | 'live'
    this.#secretKey = secretKey
    this.#connection = new Connection({
      url: this.url,
      secretKey,
      environment: this.environment,
      timeoutMs,
      maxRetries,
      fetch,
    })
    // What `console.log` shows: never the key. A method with this name would keep bundlers from
    // removing the class.
    const shown = {
      value: () => `Karba { url: '${this.url}', environment: '${this.environment}' }`,
    }
    Object.defineProperty(this, Symbol.for('nodejs.util.inspect.custom'), shown)
  }

  /**
   * Creates one payment, even when answers are lost. Its status is not final: wait for the outcome.
   */
  createPayment(order: PaymentOrder, options?: CallOptions): Promise<CreatedPayment> {
    const isOrder = ({ external_reference: id, amount, msisdn }: Payment): boolean =>
      id === order.transaction_id && amount === Number(order.amount) && msisdn === order.msisdn
    const creation = {
      request: { method: 'POST', path: '/payments', body: order },
      lookAt: payment(order.transaction_id),
      lookAtExisting: (reference?: string) => payment(reference ?? order.transaction_id),
      recognise: (body: unknown) =>
        isOrder(body as Payment) ? createdPayment(body as Payment) : undefined,
    } as const
    return createSafely(this.#connection, creation, options)
  }

  /** By its reference or by your transaction_id. */
  async readPayment(name: string, options?: CallOptions): Promise<ReadPayment> {
    return this.#get(payment(checked(name)).path, options)
  }

  /** Resolves at the outcome, or with the pending payment at the timeout: check `status`. */
  async waitForPayment(name: string, options?: WaitOptions): Promise<ReadPayment> {
    return waitForPayment(this.#connection, checked(name), options)
  }

  /** One page, newest first. `eachPayment` iterates over all pages. */
  listPayments(query: PaymentsQuery = {}, options?: CallOptions): Promise<PaymentList> {
    return this.#get(`/payments${queryOf(query)}`, options)
  }

  /** All payments, newest first. */
  eachPayment(
    query: PaymentsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<ListedPayment, void, void> {
    return eachOf((page: PaymentsQuery) => this.listPayments(page, options), query)
  }

  /** One payment with its fee and refunds, by its reference or your transaction_id. */
  async readListedPayment(name: string, options?: CallOptions): Promise<ListedPayment> {
    const { data } = await this.listPayments({ payment: checked(name) }, options)
    return data[0] as ListedPayment
  }

  /**
   * Without an amount it refunds what is left of the payment, and a repeated call returns the same
   * refund. For a part, a repeated call refunds again unless it has the same `refund_id`.
   */
  async refundPayment(
    name: string,
    { amount, refund_id, ...options }: RefundOptions = {},
  ): Promise<Refund> {
    const path = `${payment(checked(name)).path}/refund`
    // Chosen here, so that a part whose answer is lost is not refunded again by the retry.
    const id = refund_id ?? (amount === undefined ? undefined : randomHex(RANDOM_BYTES))
    const body = id === undefined ? undefined : { amount, refund_id: id }
    return this.#repeat({ method: 'POST', path, ...(body !== undefined && { body }) }, options)
  }

  /** The latest refund of a payment, with all of them and what is left. */
  async readRefund(name: string, options?: CallOptions): Promise<Refund> {
    return this.#get(`${payment(checked(name)).path}/refund`, options)
  }

  /** One page, newest first. `eachRefund` iterates over all pages. */
  listRefunds(query: RefundsQuery = {}, options?: CallOptions): Promise<RefundList> {
    return this.#get(`/refunds${queryOf(query)}`, options)
  }

  /** All refunds, newest first; with `status: 'open'`, those that have not ended. */
  eachRefund(
    query: RefundsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<ListedRefund, void, void> {
    return eachOf((page: RefundsQuery) => this.listRefunds(page, options), query)
  }

  /** Checks the key: its account, webhook endpoints and operators. */
  showAccount(options?: CallOptions): Promise<Account> {
    return this.#get('/account', options)
  }

  /** Where your money is: to receive, in the wallet, in transit, in the bank. */
  readBalance(options?: CallOptions): Promise<Balance> {
    return this.#get('/balance', options)
  }

  /** What happened at a connection in a period, with a running balance. */
  readStatement(query: StatementQuery, options?: CallOptions): Promise<Statement> {
    return this.#repeat(
      { method: 'GET', path: `/statements${queryOf(query)}`, mostBytes: MOST_STATEMENT_BYTES },
      options,
    )
  }

  /** The same as a file: for a spreadsheet or accounting software. */
  downloadStatement(query: StatementFileQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#download(`/statements${queryOf(query)}`, options)
  }

  /**
   * A month for your accountant: one ZIP with the statements of all connections, the journal and
   * the differences.
   */
  downloadMonth(query: MonthQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#download(`/statements/package${queryOf(query)}`, options)
  }

  /** One page of the money that left your wallets for your bank, the newest first. */
  listSettlements(query: SettlementsQuery = {}, options?: CallOptions): Promise<SettlementList> {
    return this.#get(`/settlements${queryOf(query)}`, options)
  }

  /** All settlements, the newest first. */
  eachSettlement(
    query: SettlementsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Settlement, void, void> {
    return eachOf((page: SettlementsQuery) => this.listSettlements(page, options), query)
  }

  /**
   * A settlement with the payments, refunds and fees since the one before, one page of them.
   * `eachSettlementLine` iterates over all pages.
   */
  async readSettlement(
    name: string,
    query: PageQuery = {},
    options?: CallOptions,
  ): Promise<SettlementLines> {
    return this.#get(`${settlementPath(name)}${queryOf(query)}`, options)
  }

  /** All lines of a settlement. */
  eachSettlementLine(
    name: string,
    query: PageQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<SettlementLine, void, void> {
    const readPage = async (page: PageQuery) => {
      const { lines, next } = await this.readSettlement(name, page, options)
      return { data: lines, next }
    }
    return eachOf(readPage, query)
  }

  /** Your bank has the money. A repeated call with the same amount gets the same answer. */
  async confirmSettlement(
    name: string,
    receipt: SettlementReceipt,
    options?: CallOptions,
  ): Promise<Settlement> {
    return this.#repeat(
      { method: 'POST', path: `${settlementPath(name)}/confirm`, body: receipt },
      options,
    )
  }

  /** One page of ledger entries, the oldest first. */
  listEntries(query: EntriesQuery = {}, options?: CallOptions): Promise<EntryList> {
    return this.#get(`/entries${queryOf(query)}`, options)
  }

  /** All ledger entries, the oldest first. */
  eachEntry(query: EntriesQuery = {}, options?: CallOptions): AsyncGenerator<Entry, void, void> {
    return eachOf((page: EntriesQuery) => this.listEntries(page, options), query)
  }

  /** Creates one link, even when answers are lost. */
  createLink(order: LinkOrder, options?: CallOptions): Promise<CreatedLink> {
    // Chosen here, so that a lost answer can be found by it.
    const body = { ...order, reference: order.reference ?? randomHex(RANDOM_BYTES) }
    const link = { method: 'GET', path: linkPath(body.reference) } as const
    const isOrder = ({ reference, title }: Link): boolean =>
      reference === body.reference && title === order.title
    const creation = {
      request: {
        method: 'POST',
        path: '/external_payments',
        paymentType: 'external_payment',
        body,
      },
      lookAt: link,
      lookAtExisting: () => link,
      recognise: (found: unknown) =>
        isOrder(found as Link) ? createdLink(found as ReadLink) : undefined,
    } as const
    return createSafely(this.#connection, creation, options)
  }

  async readLink(reference: string, options?: CallOptions): Promise<ReadLink> {
    return this.#get(linkPath(checked(reference)), options)
  }

  /** Closes an unpaid link; a repeated call gets the same answer. */
  async cancelLink(reference: string, options?: CallOptions): Promise<Link> {
    const path = `${linkPath(checked(reference))}/cancel`
    return this.#repeat({ method: 'POST', path, paymentType: 'external_payment' }, options)
  }

  /**
   * Answers the signing secret, once. When an answer was lost, the retry is refused with
   * `endpoint_url_taken`: roll the secret of the endpoint that `existingReference` names.
   */
  createWebhookEndpoint(
    order: WebhookEndpointOrder,
    options?: CallOptions,
  ): Promise<WebhookEndpointWithSecret> {
    return this.#repeat({ method: 'POST', path: '/webhook_endpoints', body: order }, options)
  }

  /** All of the account and environment, without their secrets. */
  listWebhookEndpoints(options?: CallOptions): Promise<WebhookEndpointList> {
    return this.#get('/webhook_endpoints', options)
  }

  /** What is left out stays. */
  async changeWebhookEndpoint(
    id: string,
    change: WebhookEndpointChange,
    options?: CallOptions,
  ): Promise<WebhookEndpoint> {
    return this.#repeat({ method: 'POST', path: endpointPath(id), body: change }, options)
  }

  /** Answers the new signing secret. The old one ends at once, or after `keep_old_minutes`. */
  async rollWebhookSecret(
    id: string,
    { keep_old_minutes = 0, ...options }: SecretRoll & CallOptions = {},
  ): Promise<WebhookEndpointWithSecret> {
    const path = `${endpointPath(id)}/roll_secret`
    return this.#repeat({ method: 'POST', path, body: { keep_old_minutes } }, options)
  }

  /** When an answer was lost, the retry is refused with `endpoint_not_found`: it is deleted. */
  async deleteWebhookEndpoint(id: string, options?: CallOptions): Promise<DeletedWebhookEndpoint> {
    return this.#repeat({ method: 'POST', path: `${endpointPath(id)}/delete` }, options)
  }

  /** Sends a `webhook.test` event; a retry after a lost answer sends another. */
  async testWebhookEndpoint(id: string, options?: CallOptions): Promise<SentWebhookTest> {
    return this.#repeat({ method: 'POST', path: `${endpointPath(id)}/test` }, options)
  }

  /** One page of the feed. `events` iterates over it. */
  listEvents(query: EventsQuery = {}, options?: CallOptions): Promise<Feed> {
    return this.#get(`/events${queryOf(query)}`, options)
  }

  /** Every event of the account in order, and new ones as they arrive. */
  events(options: EventsOptions = {}): AsyncGenerator<KarbaEvent, void, void> {
    return eventFeed(this.#connection, options)
  }

  /** For the button on your page, which then cannot change the order. */
  signOrder(order: OrderToSign): Promise<string> {
    return signOrder(this.#secretKey, order)
  }

  toJSON(): object {
    return { url: this.url, environment: this.environment }
  }

  #get<Body>(path: string, options: CallOptions | undefined): Promise<Body> {
    return this.#repeat({ method: 'GET', path }, options)
  }

  #download(path: string, options: CallOptions | undefined): Promise<Uint8Array> {
    return this.#repeat(
      { method: 'GET', path, isFile: true, mostBytes: MOST_STATEMENT_BYTES },
      options,
    )
  }

  #repeat<Body>(request: Request, options: CallOptions | undefined): Promise<Body> {
    return this.#connection.repeat(request, this.#connection.deadline(options))
  }
}

/** Every row of a list, page by page. */
async function* eachOf<Query extends { after?: unknown }, Row>(
  list: (query: Query) => Promise<{ data: Row[]; next: Query['after'] | null }>,
  query: Query,
): AsyncGenerator<Row, void, void> {
  for (let page = query; ; ) {
    const { data, next } = await list(page)
    yield* data
    if (next === null || next === undefined) return
    page = { ...page, after: next }
  }
}

function createdLink(found: ReadLink): CreatedLink {
  const {
    validated_at: _at,
    transaction_id: _paid,
    payments_count: _count,
    collected_amount: _sum,
    ...link
  } = found
  return link
}

const payment = (name: string) =>
  ({ method: 'GET', path: `/payments/${encodeURIComponent(name)}` }) as const

const settlementPath = (name: string): string => `/settlements/${encodeURIComponent(checked(name))}`

const endpointPath = (id: string): string => `/webhook_endpoints/${encodeURIComponent(checked(id))}`

const linkPath = (reference: string): string =>
  `/external_payments/${encodeURIComponent(reference)}`

const createdPayment = ({
  status,
  reference,
  public_reference,
  meta_data,
}: Payment): CreatedPayment => ({
  status,
  reference,
  public_reference,
  ...(meta_data !== undefined && { meta_data: { ...meta_data } }),
})

function queryOf(query: object): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`
}

/** These names would change the path of the request. */
function checked(name: string): string {
  if (typeof name !== 'string' || ['', '.', '..'].includes(name))
    throw misused(`'${name}' cannot be a reference.`)
  return name
}

function refuseInBrowser(): void {
  if ('document' in globalThis)
    throw misused(
      'A secret key must never be in a page: revoke it, and use the button with your public key.',
    )
}

const notSet = (name: string, what: string): string =>
  `${name} is not set. Is ${what} in the environment of this process?`

const misused = (message: string): KarbaError => new KarbaError({ code: 'configuration', message })
