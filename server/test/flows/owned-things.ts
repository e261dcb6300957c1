// One account with one of everything: a payment with its events, links, an endpoint with
// deliveries, keys, an anomaly. For tests of access control.

import { createHash } from 'node:crypto'
import { bookedWallet } from '@karba/simulators'
import { writeArchive } from '../../src/actions/archives/write-archive.ts'
import { closeDifference } from '../../src/actions/books/close-difference.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { changePlace } from '../../src/actions/operators/money-changes.ts'
import { credentialsPlace } from '../../src/actions/operators/money-destinations.ts'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import { settlementName } from '../../src/domain/books/settlement.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf } from '../../src/domain/countries/business-day.ts'
import type { Environment } from '../../src/domain/environment.ts'
import {
  CONNECTION_ID_BYTES,
  makeConnectionId,
} from '../../src/domain/merchants/merchant-connection.ts'
import { MONEY_CHANGE_WAIT_MS } from '../../src/domain/merchants/money-change.ts'
import { LINK_METHODS } from '../../src/domain/methods/methods.ts'
import type { OperatorPayment } from '../../src/domain/payments/operator-payment.ts'
import type { OperatorAnswer, OperatorReport } from '../../src/domain/payments/operator-report.ts'
import type { MerchantCaller, Payer, ServiceItself } from '../../src/domain/people/caller.ts'
import { deliveryName } from '../../src/domain/webhooks/webhook-event.ts'
import type { HostedMethod } from '../../src/operators/operator.ts'
import { boxOf } from '../../src/service/master-key.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { listKeys } from '../../src/store/keys/api-keys.ts'
import { insertKeptSecret } from '../../src/store/keys/kept-secrets.ts'
import { insertPause } from '../../src/store/operators/connections.ts'
import { insertMerchantConnection } from '../../src/store/operators/merchant-connections.ts'
import { insertMoneyChange } from '../../src/store/operators/money-changes.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { insertRefund, leaveToPerson } from '../../src/store/payments/refunds.ts'
import { insertMember } from '../../src/store/people/members.ts'
import { insertPerson } from '../../src/store/people/people.ts'
import { insertRow } from '../../src/store/rows.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { payAtNetwork } from '../kit/late-money.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { PASSWORD_HASH } from '../kit/people.ts'
import { order, post, rowsByTable } from '../kit/service.ts'
import { importLines } from '../kit/shop-books.ts'
import type { VirtualService } from '../kit/virtual-service.ts'
import { endpointDeps, newEndpoint } from '../kit/webhooks.ts'
import { FAILS_AT_ONCE, newLink, onPage, SUCCEEDS_AT_ONCE, toProvider } from '../links/payer.ts'

const WORKER: ServiceItself = { is: 'service', part: 'worker' }

export interface Owned {
  merchant: NewMerchant
  accountId: string
  secretKey: string
  reference: string
  publicReference: string
  externalReference: string
  /** An unpaid link, and a link with an attempt in flight on a provider’s page. */
  link: string
  linkUnderWay: string
  keyId: string
  endpointId: string
  delivery: string
  eventId: string
  anomalyId: string
  /** A difference between the network's statement and the ledger. */
  exceptionId: string
  closedExceptionId: string
  /** An anomaly of a failed payment. */
  lateMoneyId: string
  /** The name of money that left the wallet. */
  settlement: string
  refundByHand: string
  staffEmail: string
  /** A connection of the account's own. */
  connectionId: string
  /** A change of where its money goes, which waits for a second owner. */
  changeId: string
  /** The endpoint, whose signing secret nobody has acknowledged. */
  keptSecret: string
  /** The bytes of an archived month. */
  archive: Buffer
}

/** A paused connection, which belongs to no account. */
export const CONNECTION = { environment: 'sandbox', connection: 'paused-network' } as const

export async function makeOwned(
  service: VirtualService,
  archive: Buffer = Buffer.alloc(0),
): Promise<Owned> {
  const { db, clock } = service
  const merchant = await service.merchant()
  const { accountId, secretKey } = merchant.accounts.sandbox
  const { endpointId } = await newEndpoint(
    service,
    accountId,
    `https://shop.example.com/${accountId}`,
  )
  const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
  await clock.advance(0)
  const payment = await paymentOf(service, body.reference)
  await insertAnomaly(db, payment, { kind: 'amount_mismatch', detail: {}, at: clock.now() })
  const [anomaly] = await db.read<{ anomaly_id: string }>(
    'select anomaly_id from payment_anomalies where account_id = :accountId',
    { accountId },
  )
  const lateMoneyId = await makeLateMoney(service, secretKey)
  const refundByHand = await makeRefundByHand(service, secretKey)
  await insertPause(db, {
    ...CONNECTION,
    since: clock.now(),
    reason: 'maintenance',
    pausedBy: 'tester',
  })
  const link = await newLink(service, secretKey)
  const linkUnderWay = await newLink(service, secretKey)
  await toProvider(service, linkUnderWay, onPage('wallet'))
  const [key] = await listKeys(db, accountId)
  const [event] = await db.read<{ event_id: string; sequence: number }>(
    'select event_id, sequence from events where account_id = :accountId order by sequence',
    { accountId },
  )
  if (key === undefined || event === undefined || anomaly === undefined) {
    throw new Error('the account has no key, or its payment no event or anomaly')
  }
  await db.change(
    `update webhook_deliveries set status = 'failed', due_at = null where account_id = :accountId`,
    { accountId },
  )
  const delivery = deliveryName({ accountId, endpointId, sequence: event.sequence, round: 0 })
  const staffEmail = `${accountId}@staff.example`
  await insertPerson(db, {
    personId: `per_${accountId}`,
    email: staffEmail,
    name: 'Awa',
    language: 'fr',
    passwordHash: '',
    serviceRole: 'support',
    isFirstPassword: false,
    createdAt: clock.now(),
  })
  const { reference, publicReference, externalReference } = payment
  await insertKeptSecret(db, { accountId, subject: endpointId, secret: null, madeAt: clock.now() })
  const connectionId = await makeConnection(service, accountId)
  return {
    merchant,
    accountId,
    secretKey,
    reference,
    publicReference,
    externalReference,
    link,
    linkUnderWay,
    endpointId,
    delivery,
    lateMoneyId,
    refundByHand,
    staffEmail,
    keyId: key.keyId,
    eventId: event.event_id,
    anomalyId: anomaly.anomaly_id,
    ...(await makeDifferences(service, { accountId, connectionId })),
    connectionId,
    settlement: await makeSettlement(service, accountId),
    changeId: await makeMoneyChange(service, merchant, { accountId, connectionId }),
    keptSecret: endpointId,
    archive,
  }
}

/** The bytes of an archived month, of no account. */
export async function makeArchive(service: VirtualService): Promise<Buffer> {
  const { content, finish } = granted(await writeArchive(service, TESTER, { month: '2001-01' }))
  const parts: Buffer[] = []
  for await (const part of content) parts.push(part)
  granted(await finish())
  return Buffer.concat(parts)
}

export async function makeConnection(
  { db, clock, random, master }: Pick<Runtime, 'db' | 'clock' | 'random' | 'master'>,
  accountId: string,
  environment: Environment = 'sandbox',
): Promise<string> {
  const connectionId = makeConnectionId(random.bytes(CONNECTION_ID_BYTES))
  const box = boxOf(master, 'network credentials', random)
  const at = clock.now()
  await insertMerchantConnection(db, {
    accountId,
    connectionId,
    environment,
    connector: 'pawapay',
    label: 'Mine',
    serves: 'moov_bj',
    credentials: box.seal('{"apiToken":"t"}', credentialsPlace(connectionId)),
    credentialsAt: at,
    state: 'active',
    createdAt: at,
    createdBy: 'tester',
  })
  return connectionId
}

/**
 * Other credentials, as an owner of the merchant asked for them. Whoever calls as `per_test` may
 * confirm them.
 */
async function makeMoneyChange(
  { db, clock, random, master }: VirtualService,
  { merchantId }: NewMerchant,
  { accountId, connectionId }: Pick<Owned, 'accountId' | 'connectionId'>,
): Promise<string> {
  const [changeId, askedBy, at] = [`chg_${accountId}`, `per_asks_${accountId}`, clock.now()]
  for (const personId of [askedBy, 'per_test'])
    await insertPerson(db, {
      personId,
      email: `${personId}@shop.example`,
      name: 'Awa',
      language: 'fr',
      passwordHash: await PASSWORD_HASH,
      serviceRole: null,
      isFirstPassword: false,
      createdAt: at,
    })
  await insertMember(db, { merchantId, personId: askedBy, role: 'owner', createdAt: at })
  const box = boxOf(master, 'network credentials', random)
  await insertMoneyChange(db, {
    accountId,
    changeId,
    kind: 'credentials',
    subject: connectionId,
    detail: JSON.stringify({ kind: 'credentials', label: 'Mine' }),
    credentials: box.seal('{"apiToken":"t"}', changePlace(changeId)),
    askedBy,
    askedAt: at,
    endsAt: at + MONEY_CHANGE_WAIT_MS,
    state: 'waiting',
    decidedBy: null,
    decidedAt: null,
  })
  return changeId
}

/**
 * Two top-ups at the account's own connection that a statement shows; of the second, somebody has
 * said what it was.
 */
async function makeDifferences(
  service: VirtualService,
  { accountId, connectionId }: Pick<Owned, 'accountId' | 'connectionId'>,
): Promise<Pick<Owned, 'exceptionId' | 'closedExceptionId'>> {
  const bookedAt = service.clock.now()
  const line = (text: string): StatementLine => ({
    line: 1,
    bookedAt,
    day: dayOf(bookedAt),
    type: 'top_up',
    amountXof: 1_500,
    feeXof: 0,
    taxXof: 0,
    balanceXof: null,
    networkReference: '',
    ourReference: '',
    counterparty: '',
    text,
  })
  await importLines(service, [line('open'), line('closed')], { connection: connectionId })
  const [open, closed] = await service.db.read<{ id: string }>(
    'select exception_id as id from book_exceptions where account_id = :accountId',
    { accountId },
  )
  if (open === undefined || closed === undefined)
    throw new Error('the statement made no differences')
  const closing = {
    exceptionId: closed.id,
    reason: 'other_income',
    note: 'Asked the network.',
  } as const
  granted(await closeDifference(service, ownerOf(accountId), closing))
  return { exceptionId: open.id, closedExceptionId: closed.id }
}

let settlements = 0

async function makeSettlement({ db }: VirtualService, accountId: string): Promise<string> {
  const lineNumber = ++settlements
  await insertRow(db, 'statement_lines', {
    ...CONNECTION,
    lineNumber,
    accountId,
    fileId: 'stm_1',
    rowNumber: 1,
    identity: `settlement ${lineNumber}`,
    bookedAt: 1,
    day: 0,
    type: 'settlement',
    amountXof: -1_000,
    feeXof: 0,
    taxXof: 0,
    networkReference: '',
    ourReference: '',
    counterparty: '',
    text: '',
    isMatched: 1,
  })
  return settlementName({ ...CONNECTION, lineNumber })
}

async function makeLateMoney(service: VirtualService, secretKey: string): Promise<string> {
  const { body } = await post(service, secretKey, order({ msisdn: FAILS_AT_ONCE }))
  await service.clock.advance(0)
  const payment = await paymentOf(service, body.reference)
  const detail = { recorded: 'failed', reported: 'succeeded', operatorReference: 'SIM-LATE' }
  await insertAnomaly(service.db, payment, {
    kind: 'success_after_failure',
    detail,
    at: service.clock.now(),
  })
  await payAtNetwork(service.db, payment.reference)
  const [late] = await service.db.read<{ anomaly_id: string }>(
    `select anomaly_id from payment_anomalies where account_id = :accountId
      and kind = 'success_after_failure'`,
    { accountId: payment.accountId },
  )
  return late?.anomaly_id as string
}

async function makeRefundByHand(service: VirtualService, secretKey: string): Promise<string> {
  const { db, clock } = service
  const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
  await clock.advance(0)
  const { accountId, number, reference } = await paymentOf(service, body.reference)
  const refund = {
    accountId,
    number,
    refundReference: reference,
    amountXof: 1_500,
    requestedBy: 'tester',
    createdAt: clock.now(),
  }
  await insertRefund(db, refund)
  await leaveToPerson(db, refund, { since: clock.now(), why: 'the network has no call for it' })
  return reference
}

/** Everything that an action needs. The operators get no calls, because the refusals come first. */
export function depsOf(service: VirtualService) {
  const provider = {
    name: 'bank_card',
    open: async () => 'https://provider.example/page',
    cancel: async () => ({ is: 'declined', reason: 'cancelled' }),
  } as unknown as HostedMethod
  return {
    ...service,
    ...endpointDeps(service),
    dispatcher: undefined,
    leaseMs: 10_000,
    linkMethods: () => LINK_METHODS,
    operatorFor: () => ({ operator: 'airtel_ne', connection: 'airtel_ne' }),
    pausedFor: () => undefined,
    hosted: () => provider,
    hostedAt: () => provider,
    recordOutcome: (report: OperatorReport) => recordOutcomes(service, WORKER, [report]),
    askOperator: async ({ amountXof }: OperatorPayment): Promise<OperatorAnswer> => ({
      is: 'succeeded',
      amountXof,
      operatorReference: 'OP-1',
    }),
    watcher: { watch: async () => undefined },
    isConnected: () => true,
    connectorOf: () => 'mtn-momo',
    networkCredentials: boxOf(service.master, 'network credentials', service.random),
    networks: {
      offered: () => [],
      readFields: () => ({ options: '{"apiToken":"t"}' }),
      test: async () => ({ is: 'accepted' as const }),
    },
    openWallet: bookedWallet,
    knowAtNetwork: async () => {},
    pageUrl: (linkReference: string) => `https://pay.example/${linkReference}`,
  }
}

export const ownerOf = (accountId: string): MerchantCaller => ({
  is: 'merchant_person',
  accountId,
  environment: 'sandbox',
  personId: 'per_test',
  role: 'owner',
})

export const payerOf = (linkReference: string): Payer => ({ is: 'payer', linkReference })

/** A refused call may consume a sequence number. The gap has no meaning. */
export const NOT_COMPARED = 'counters'

/** A digest of every table, or of one account’s rows in each. */
export async function digestOf(service: VirtualService, accountId = ''): Promise<string> {
  const hash = createHash('sha256')
  for (const [name, rows] of Object.entries(await rowsByTable(service))) {
    const own = rows.map((row) => JSON.stringify(row)).filter((row) => row.includes(accountId))
    if (name !== NOT_COMPARED) hash.update(`${name} ${own.sort().join()}`)
  }
  return hash.digest('hex')
}
