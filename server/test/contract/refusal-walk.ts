// Walks an operation of the contract through its refusals: a request starts with every fault and is
// repaired one fault at a time.
import { type KeyRestrictions, makeKey } from '../../src/actions/keys/manage-keys.ts'
import { addEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import type { SettlementState } from '../../src/domain/books/settlement.ts'
import { daysOfMonth } from '../../src/domain/countries/business-day.ts'
import { LINK_METHODS, type LinkMethod } from '../../src/domain/methods/methods.ts'
import type { ConnectionKey } from '../../src/domain/operators/connection-key.ts'
import { MOST_REFUNDS } from '../../src/domain/refunds/refund.ts'
import { MOST_ENDPOINTS } from '../../src/domain/webhooks/webhook-event.ts'
import {
  type MerchantRefusal,
  OPERATIONS,
  type Operation,
  type OperationId,
  type RefusalOf,
} from '../../src/merchant-api/contract.ts'
import {
  type ConnectDeps,
  type Connected,
  connectOperators,
} from '../../src/service/connect-operators.ts'
import { setCheckoutSettings, setLinkMethods } from '../../src/store/merchants/accounts.ts'
import { insertRow, putRow } from '../../src/store/rows.ts'
import { granted, TESTER } from '../kit/callers.ts'
import {
  head,
  openTestService,
  order,
  post,
  postTo,
  signOrder,
  type TestService,
} from '../kit/service.ts'
import type { StoreKind } from '../kit/stores.ts'
import type { VirtualClock } from '../kit/virtual-clock.ts'
import { change, endpointDeps } from '../kit/webhooks.ts'
import { address, LINK, newLink } from '../links/payer.ts'

export interface Sent {
  headers?: Record<string, string>
  reference?: string
  query?: Record<string, string>
  body?: Record<string, unknown>
}

export type RawAnswer = {
  code: number
  text: string
  headers: Record<string, string | string[] | number | undefined>
}

/**
 * Each request comes from its own address by default, so that no rate limit per address applies.
 * Files have pauses.
 */
export async function ask(
  service: TestService,
  operation: Operation,
  sent: Sent,
  remoteAddress = address(),
): Promise<RawAnswer> {
  const answering = service.app.inject({
    method: operation.method,
    url: pathOf(operation, sent),
    headers: sent.headers ?? {},
    remoteAddress,
    ...(sent.body && { payload: JSON.stringify(sent.body) }),
  })
  const { clock } = service
  const isPaced = operation.success === undefined && 'advanceUntil' in clock
  const answer = await (isPaced
    ? (clock as VirtualClock).advanceUntil('file', answering)
    : answering)
  return { code: answer.statusCode, text: answer.body, headers: answer.headers }
}

export function pathOf({ base, path }: Operation, { reference = '', query = {} }: Sent): string {
  const parameters = new URLSearchParams(query).toString()
  return (
    base +
    path.replace('{reference}', encodeURIComponent(reference)) +
    (parameters && `?${parameters}`)
  )
}

const SHOP = 'https://shop.example'
const CHECKOUT = { pages: 'on', wording: '', pageTitles: 'shown' } as const
/** No operator of Benin is connected. */
const SETTINGS = { KARBA_OPERATORS: 'airtel_ne' }
let names = 0
const chosen = (): string => `4f1c09ab37de82c65b1f0a9e7d3c2846${++names}`

/** The name of a connection that gives back whole payments only. */
const WHOLE_ONLY = 'whole-only'

async function connect(deps: ConnectDeps): Promise<Connected> {
  const connected = await connectOperators(deps)
  const refundsInPart = ({ connection }: ConnectionKey): boolean => connection !== WHOLE_ONLY
  return { ...connected, operators: { ...connected.operators, refundsInPart } }
}

export const openWorld = async (store?: StoreKind): Promise<World> =>
  makeWorld(await openTestService(store, SETTINGS, { connect }))

export type World = Awaited<ReturnType<typeof makeWorld>>

/** A service with the requests’ fixtures: all in live, except the key of the other environment. */
export async function makeWorld(service: TestService) {
  const { live: account, sandbox } = (await service.merchant()).accounts
  const { live: unvalidated } = (await service.merchant({ validateLive: false })).accounts
  const other = (await service.merchant()).accounts.live
  await post(service, account.secretKey, order({ transaction_id: 'taken' }))
  await post(service, account.secretKey, order({ transaction_id: 'held', order_reference: 'held' }))
  const link = await newLink(service, account.secretKey)
  const linkOfOther = await newLink(service, other.secretKey, { reference: chosen() })
  for (const { accountId } of [account, unvalidated]) await offer(service, accountId, LINK_METHODS)
  const elsewhereKey = await restricted(service, account.accountId, { networks: ['192.0.2.1'] })
  const powerlessKey = await restricted(service, account.accountId, { permissions: [] })
  const webhooksKey = await restricted(service, account.accountId, { permissions: ['webhooks'] })
  const keys = { sandboxKey: sandbox.secretKey, elsewhereKey, powerlessKey, webhooksKey }
  return { service, account, unvalidated, ...keys, link, linkOfOther }
}

async function restricted(
  service: TestService,
  accountId: string,
  to: Partial<KeyRestrictions>,
): Promise<string> {
  const wanted = { accountId, name: 'restricted', permissions: null, networks: null, ...to }
  return granted(await makeKey(service, TESTER, wanted)).key
}

/** The payment methods of the account’s links; its one site stays listed. */
async function offer({ db }: TestService, accountId: string, methods: readonly LinkMethod[]) {
  await setCheckoutSettings(db, accountId, { ...CHECKOUT, origins: [SHOP] })
  await setLinkMethods(db, accountId, methods)
}

type Step = (world: World) => Sent | Promise<Sent>
const bearer = (key: string): Sent => ({ headers: { authorization: `Bearer ${key}` } })
const json = (): Sent => ({ headers: { 'content-type': 'application/json' } })
const body = (fields: Record<string, unknown>) => (): Sent => ({ body: fields })
const query = (parameters: Record<string, string>) => (): Sent => ({ query: parameters })
const free = (): Sent => ({ body: { transaction_id: `free-${++names}` } })
const links =
  (methods: readonly LinkMethod[], fields = {}): Step =>
  async ({ service, account }) => {
    await offer(service, account.accountId, methods)
    return { body: fields }
  }

const WORST_HEAD = {
  'content-type': 'text/plain',
  'svc-target-environment': 'LIVE',
  'svc-payment-type': 'cash',
}
const GATE = {
  header_missing: () => ({ headers: { authorization: 'Basic x' } }),
  environment_not_allowed: () => ({ headers: { 'svc-target-environment': 'live' } }),
  payment_type_not_allowed: () => ({ headers: { 'svc-payment-type': 'mobile' } }),
  key_malformed: ({ sandboxKey }: World) => bearer(sandboxKey),
  content_type_not_json: json,
  key_not_valid: ({ unvalidated }: World) => bearer(unvalidated.secretKey),
  account_not_available: ({ elsewhereKey }: World) => bearer(elsewhereKey),
  address_not_allowed: ({ powerlessKey }: World) => bearer(powerlessKey),
  key_not_permitted: ({ account }: World) => bearer(account.secretKey),
}

/** In live the account’s unrestricted key may not (D-217). */
const WEBHOOKS_GATE = {
  ...GATE,
  address_not_allowed: ({ account }: World) => bearer(account.secretKey),
  key_not_permitted: ({ webhooksKey }: World) => bearer(webhooksKey),
}

const WORST_MORE = { order_reference: 12, metadata: { cart: 12 } }
const MORE = {
  order_reference_not_valid: body({ order_reference: 'held' }),
  metadata_not_valid: body({ metadata: { cart: '12' } }),
  order_reference_taken: () => ({ body: { order_reference: `free-${++names}` } }),
}
const WORST_LINK = {
  amount: 1,
  description: 12,
  reference: 'x',
  transaction_id: 'x\u0000',
  customer_name: 12,
  shouldExpire: 'no',
  on_success_redirection_url: 'ftp://x',
  ...WORST_MORE,
  minimum_amount: 100,
  suggested_amounts: [1],
  reusable: 'yes',
  expires_in_minutes: 4,
}
const LINK_BODY = {
  link_body_incomplete: body({ title: 12 }),
  amount_not_valid: body({ amount: LINK.amount }),
  title_not_valid: body({ title: LINK.title }),
  description_not_valid: body({ description: 'Deux pagnes' }),
  external_reference_not_valid: body({ transaction_id: 'taken' }),
  customer_name_not_valid: body({ customer_name: 'Awa' }),
  redirection_url_not_valid: body({ on_success_redirection_url: `${SHOP}/paid` }),
  operator_not_available: links(LINK_METHODS),
}

const HOOKS = 'https://hooks.example.com'
const WORST_ENDPOINT = { url: 'http://10.0.0.1/', events: 'all', secret_hash: 'short' }
const ENDPOINT_BODY = {
  webhook_url_not_valid: body({ url: `${HOOKS}/1` }),
  event_name_not_valid: body({ events: ['payment.succeeded'] }),
  secret_hash_not_valid: body({ secret_hash: 'a word of the shop' }),
}

/** The id of the account’s endpoint of this address, which is made if there is none. */
async function endpointAt({ service, account }: World, path: string): Promise<string> {
  const { accountId } = account
  const url = HOOKS + path
  const added = await addEndpoint(endpointDeps(service), TESTER, {
    accountId,
    url,
    secretHash: undefined,
    events: [],
  })
  return 'refused' in added && added.refused === 'endpoint_url_taken'
    ? added.existingReference
    : granted(added).endpointId
}

const WORST: Record<OperationId, Step> = {
  createPayment: () => ({
    headers: WORST_HEAD,
    body: {
      amount: 1,
      country: 'FR',
      currency: 'EUR',
      msisdn: 'x',
      transaction_id: 'x\u0000',
      ...WORST_MORE,
    },
  }),
  readPayment: () => ({ headers: WORST_HEAD, reference: 'unknown', query: { wait: '61' } }),
  createLink: async (world) => ({ headers: WORST_HEAD, ...(await links([], WORST_LINK)(world)) }),
  readLink: () => ({ reference: 'unknown' }),
  listEvents: () => ({ headers: WORST_HEAD, query: { after: '1'.repeat(41), limit: '0' } }),
  showAccount: () => ({ headers: WORST_HEAD }),
  readBalance: () => ({ headers: WORST_HEAD }),
  readStatement: () => ({ headers: WORST_HEAD, query: {} }),
  downloadMonth: () => ({ headers: WORST_HEAD, query: {} }),
  listSettlements: () => ({
    headers: WORST_HEAD,
    query: { from: '2026-11-02', to: '2026-11-01', after: 'x', limit: '0' },
  }),
  listRefunds: () => ({
    headers: WORST_HEAD,
    query: { status: 'paid', from: 'x', limit: '0', after: 'x', payment: 'no such' },
  }),
  readSettlement: () => ({
    headers: WORST_HEAD,
    reference: 'airtel_ne-0',
    query: { after: 'x', limit: '0' },
  }),
  confirmSettlement: () => ({ headers: WORST_HEAD, reference: 'airtel_ne-0', body: { amount: 0 } }),
  listEntries: () => ({ headers: WORST_HEAD, query: { after: 'x', limit: '0' } }),
  listPayments: () => ({
    headers: WORST_HEAD,
    query: {
      status: 'paid',
      operator: 'MTN',
      from: 'yesterday',
      limit: '0',
      after: 'x',
      payment: 'no such',
    },
  }),
  refundPayment: () => ({
    headers: WORST_HEAD,
    reference: 'unknown',
    body: { amount: 0, refund_id: '' },
  }),
  readRefund: () => ({ headers: WORST_HEAD, reference: 'unknown' }),
  cancelLink: ({ linkOfOther }) => ({ headers: WORST_HEAD, reference: linkOfOther }),
  createWebhookEndpoint: async (world) => {
    for (let nth = 1; nth <= MOST_ENDPOINTS; nth++) await endpointAt(world, `/${nth}`)
    return { headers: WORST_HEAD, body: WORST_ENDPOINT }
  },
  listWebhookEndpoints: () => ({ headers: WORST_HEAD }),
  changeWebhookEndpoint: () => ({
    headers: WORST_HEAD,
    reference: 'unknown',
    body: { ...WORST_ENDPOINT, status: 'gone' },
  }),
  rollWebhookSecret: () => ({
    headers: WORST_HEAD,
    reference: 'unknown',
    body: { keep_old_minutes: '60' },
  }),
  deleteWebhookEndpoint: () => ({ headers: WORST_HEAD, reference: 'unknown' }),
  testWebhookEndpoint: () => ({ headers: WORST_HEAD, reference: 'unknown' }),
  createLinkFromPage: async (world) => ({
    headers: { 'content-type': 'text/plain', origin: 'https://evil.example' },
    ...(await links([], { ...WORST_LINK, order: 'x' })(world)),
  }),
}

/**
 * Only an order that the merchant’s server signed claims a transaction_id or an order_reference.
 */
const signed =
  (change: () => object): Step =>
  async ({ account }) => ({
    body: { order: signOrder(account.secretKey, { ...LINK, ...change() }) },
  })

const REPAIRS: { [Id in OperationId]: Record<RefusalOf<Id>, Step> } = {
  createPayment: {
    ...GATE,
    ...MORE,
    body_incomplete: body({ customer_name: 12 }),
    country_not_allowed: body({ country: 'BJ' }),
    currency_not_allowed: body({ currency: 'XOF' }),
    amount_not_valid: body({ amount: 25 }),
    msisdn_not_valid: body({ msisdn: '0197123456' }),
    external_reference_not_valid: body({ transaction_id: 'taken' }),
    customer_name_not_valid: body({ customer_name: 'Awa' }),
    operator_not_available: body({ country: 'NE', msisdn: '96123456' }),
    external_reference_taken: free,
  },
  readPayment: {
    ...GATE,
    wait_not_valid: query({ wait: '0' }),
    payment_not_found: () => ({ reference: 'taken' }),
  },
  createLink: {
    ...GATE,
    ...LINK_BODY,
    ...MORE,
    minimum_amount_not_valid: body({ minimum_amount: undefined }),
    suggested_amounts_not_valid: body({ suggested_amounts: undefined }),
    reusable_not_valid: body({ reusable: false }),
    expires_in_minutes_not_valid: body({ expires_in_minutes: 5, shouldExpire: true }),
    link_reference_not_valid: ({ linkOfOther }) => ({ body: { reference: linkOfOther } }),
    should_expire_not_valid: body({ shouldExpire: false }),
    external_reference_taken: free,
    link_reference_taken: () => ({ body: { reference: chosen() } }),
  },
  readLink: { payment_not_found: ({ link }) => ({ reference: link }) },
  listEvents: {
    ...GATE,
    after_not_valid: query({ after: 'evt_unknown' }),
    limit_not_valid: query({ limit: '10' }),
    event_not_found: async ({ service: { db }, account: { accountId } }) => {
      await db.change('delete from events where account_id = :accountId', { accountId })
      await putRow(db, 'event_feeds', { accountId }, { lastSequence: 9 })
      await putRow(db, 'feed_starts', { accountId }, { removedTo: 9, removedUntil: 1 })
      return { query: { after: '0' } }
    },
    cursor_too_old: query({ after: '9' }),
  },
  showAccount: GATE,
  readBalance: GATE,
  readStatement: {
    ...GATE,
    statement_query_not_valid: query({ format: 'csv', from: '2026-11-02', to: '2026-11-01' }),
    period_not_valid: query({ to: '2026-11-30' }),
    period_without_movements: query({ connection: 'airtel_ne' }),
  },
  downloadMonth: {
    ...GATE,
    statement_query_not_valid: query({ month: '2099-12' }),
    month_not_over: query({ month: '2026-10' }),
    period_without_movements: async ({ service: { db }, account: { accountId } }) => {
      await insertRow(db, 'ledger_entries', {
        accountId,
        entry: 1,
        connection: 'airtel_ne',
        bookedAt: 1,
        kind: 'payment',
        day: daysOfMonth('2026-10').firstDay,
        debit: 'receivable',
        credit: 'sales',
        amountXof: 1_000,
        madeBy: 'tester',
      })
      await putRow(db, 'ledger_heads', { accountId }, { lastEntry: 1 })
      return {}
    },
  },
  listSettlements: {
    ...GATE,
    day_filter_not_valid: query({ to: '2026-11-02' }),
    limit_not_valid: query({ limit: '10' }),
    cursor_not_valid: query({ after: '1.1.a' }),
  },
  readSettlement: {
    ...GATE,
    limit_not_valid: query({ limit: '10' }),
    settlement_not_found: settlementThatIs('in_transit'),
    cursor_not_valid: query({ after: '1.1' }),
  },
  confirmSettlement: {
    ...GATE,
    receipt_not_valid: body({ amount: 1_000, received_on: '2999-01-01' }),
    settlement_not_found: settlementThatIs('returned'),
    received_on_not_valid: body({ received_on: '2020-01-01' }),
    settlement_returned: settlementThatIs('received'),
    settlement_confirmed: settlementThatIs('in_transit'),
  },
  listEntries: {
    ...GATE,
    after_not_valid: query({ after: '0' }),
    limit_not_valid: query({ limit: '10' }),
  },
  listPayments: {
    ...GATE,
    status_filter_not_valid: query({ status: 'succeeded' }),
    operator_filter_not_valid: query({ operator: 'airtel_ne' }),
    time_filter_not_valid: query({ from: '2020-01-01' }),
    limit_not_valid: query({ limit: '10' }),
    cursor_not_valid: query({ after: '999999' }),
    payment_not_found: query({ payment: 'taken' }),
  },
  listRefunds: {
    ...GATE,
    refund_filter_not_valid: query({ status: 'open' }),
    time_filter_not_valid: query({ from: '2020-01-01' }),
    limit_not_valid: query({ limit: '10' }),
    cursor_not_valid: query({ after: '999999.a' }),
    payment_not_found: query({ payment: 'taken' }),
  },
  refundPayment: {
    ...GATE,
    refund_amount_not_valid: body({ amount: 5_000 }),
    refund_id_not_valid: body({ refund_id: 'return-0' }),
    payment_not_found: async (world) => {
      await addRefunds(world, 'held', 1)
      return { reference: 'held' }
    },
    refund_id_taken: body({ refund_id: 'return-new' }),
    payment_not_refundable: async (world) => {
      const { reference = '' } = await paid(world)
      await world.service.db.change(
        'update payments set connection = :WHOLE_ONLY where external_reference = :reference',
        { reference, WHOLE_ONLY },
      )
      await addRefunds(world, reference, MOST_REFUNDS)
      return { reference }
    },
    refund_amount_too_large: body({ amount: 500 }),
    refund_in_part_not_possible: async ({ service }) => {
      await service.db.change(
        'update payments set connection = null where connection = :WHOLE_ONLY',
        { WHOLE_ONLY },
      )
      return {}
    },
    too_many_refunds: async ({ service }) => {
      await service.db.change("delete from refunds where refund_id = 'return-1'")
      return {}
    },
  },
  readRefund: {
    ...GATE,
    payment_not_found: () => ({ reference: 'taken' }),
    refund_not_found: async (world) => {
      const { reference = '' } = await paid(world)
      const { service, account } = world
      await postTo(service, `/api/v1/payments/${reference}/refund`, head(account.secretKey), '')
      return { reference }
    },
  },
  cancelLink: {
    ...GATE,
    payment_not_found: linkThatIs(`status = 'pending', attempt_reference = 'an attempt'`),
    link_being_paid: linkThatIs(`status = 'succeeded', validated_at = 1`),
    link_paid: async ({ service, account }) => ({
      reference: await newLink(service, account.secretKey),
    }),
  },
  listWebhookEndpoints: WEBHOOKS_GATE,
  createWebhookEndpoint: {
    ...WEBHOOKS_GATE,
    ...ENDPOINT_BODY,
    endpoint_url_taken: body({ url: `${HOOKS}/new` }),
    too_many_endpoints: async ({ service, account: { accountId } }) => {
      await service.db.change('delete from webhook_endpoints where account_id = :accountId', {
        accountId,
      })
      return {}
    },
  },
  changeWebhookEndpoint: {
    ...WEBHOOKS_GATE,
    ...ENDPOINT_BODY,
    endpoint_status_not_valid: body({ status: 'on' }),
    endpoint_not_found: async (world) => {
      await endpointAt(world, '/1')
      return { reference: await endpointAt(world, '/changed') }
    },
    endpoint_url_taken: body({ url: `${HOOKS}/changed` }),
  },
  rollWebhookSecret: {
    ...WEBHOOKS_GATE,
    secret_overlap_not_valid: body({ keep_old_minutes: 60 }),
    endpoint_not_found: async (world) => ({ reference: await endpointAt(world, '/rolled') }),
  },
  deleteWebhookEndpoint: {
    ...WEBHOOKS_GATE,
    endpoint_not_found: async (world) => ({ reference: await endpointAt(world, '/deleted') }),
  },
  testWebhookEndpoint: {
    ...WEBHOOKS_GATE,
    endpoint_not_found: async (world) => {
      const endpointId = await endpointAt(world, '/tested')
      await change(world.service, { endpointId }, { to: 'off' })
      return { reference: endpointId }
    },
    endpoint_off: async (world) => {
      const endpointId = await endpointAt(world, '/tested')
      await change(world.service, { endpointId }, { to: 'on' })
      return { reference: endpointId }
    },
  },
  createLinkFromPage: {
    ...LINK_BODY,
    key_malformed: ({ account }) => bearer(account.secretKey),
    content_type_not_json: json,
    secret_key_in_page: () => bearer(`pk_live_${'A'.repeat(40)}`),
    public_key_not_valid: ({ unvalidated }) => bearer(unvalidated.publicKey),
    origin_not_allowed: () => ({ headers: { origin: SHOP } }),
    account_not_available: ({ account }) => bearer(account.publicKey),
    order_not_valid: body({ order: null }),
    redirection_url_not_valid: async (world) => {
      const { body: order } = await signed(() => ({
        transaction_id: 'taken',
        order_reference: 12,
      }))(world)
      return { body: { ...order, ...LINK_BODY.redirection_url_not_valid().body } }
    },
    order_reference_not_valid: signed(() => ({ transaction_id: 'taken', order_reference: 'held' })),
    external_reference_taken: signed(() => ({
      transaction_id: `free-${++names}`,
      order_reference: 'held',
    })),
    order_reference_taken: signed(() => ({ transaction_id: `free-${++names}` })),
  },
}

async function paid({ service, account }: World): Promise<Sent> {
  const transactionId = `paid-${++names}`
  await post(service, account.secretKey, order({ transaction_id: transactionId }))
  await service.db.change(
    `update payments
     set status = 'succeeded', validated_at = 1, due_at = null, operator_reference = 'R'
     where external_reference = :transactionId`,
    { transactionId },
  )
  return { reference: transactionId }
}

/** Refunds of a franc each, named `return-0` and so on. */
async function addRefunds(
  { service, account }: World,
  transactionId: string,
  count: number,
): Promise<void> {
  for (let nth = 0; nth < count; nth++)
    await service.db.change(
      `insert into refunds (account_id, number, refund_reference, refund_id, status, requested_by,
       created_at, amount_xof)
       select account_id, number, :refund || reference, :refund, 'succeeded', 'tester', 1, 1
         from payments
       where account_id = :accountId and external_reference = :transactionId`,
      { transactionId, refund: `return-${nth}`, accountId: account.accountId },
    )
}

/** A line of a statement from 1970, of the account. */
function settlementThatIs(state: SettlementState): Step {
  return async ({ service: { db }, account: { accountId } }) => {
    const lineNumber = ++names
    const amountXof = state === 'returned' ? 1_000 : -1_000
    const key = { environment: 'live', connection: 'airtel_ne', lineNumber, accountId }
    await insertRow(db, 'statement_lines', {
      ...key,
      fileId: 'stm_1',
      rowNumber: lineNumber,
      identity: `walk ${lineNumber}`,
      bookedAt: 1,
      day: 0,
      type: 'settlement',
      amountXof,
      feeXof: 0,
      taxXof: 0,
      networkReference: '',
      ourReference: '',
      counterparty: '',
      text: '',
      isMatched: 1,
    })
    const receipt = {
      ...key,
      receivedXof: 900,
      receivedDay: 1,
      confirmedAt: 1,
      confirmedBy: 'tester',
    }
    if (state === 'received') await insertRow(db, 'settlement_receipts', receipt)
    return { reference: `airtel_ne-${lineNumber}` }
  }
}

/** A link whose payment has these columns. */
function linkThatIs(columns: string): Step {
  return async ({ service, account }) => {
    const reference = await newLink(service, account.secretKey)
    await service.db.change(
      `update payments set ${columns} where external_reference = :reference`,
      { reference },
    )
    return { reference }
  }
}

export type Walked = { refusal: MerchantRefusal | undefined; sent: Sent; answer: RawAnswer }

export async function* walk(world: World, id: OperationId): AsyncGenerator<Walked> {
  const repairs: Partial<Record<MerchantRefusal, Step>> = REPAIRS[id]
  let sent = await WORST[id](world)
  for (const refusal of OPERATIONS[id].refusals) {
    yield { refusal, sent, answer: await ask(world.service, OPERATIONS[id], sent) }
    const { headers, body, query, ...rest } = await (repairs[refusal] as Step)(world)
    sent = {
      ...sent,
      ...rest,
      headers: { ...sent.headers, ...headers },
      ...((sent.query || query) && { query: { ...sent.query, ...query } }),
      ...((sent.body || body) && { body: { ...sent.body, ...body } }),
    }
  }
  yield { refusal: undefined, sent, answer: await ask(world.service, OPERATIONS[id], sent) }
}
