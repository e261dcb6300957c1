// A month of books for the demo merchant's sandbox: payments, refunds and tariffs in the past, and
// the networks' statements with some faults. Each day is one commit, so that no worker sees a
// payment that waits for its network.
import { hash } from 'node:crypto'
import { settlementName } from '../../domain/books/settlement.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { dayOf, dayText, startOfDay } from '../../domain/countries/business-day.ts'
import type { Country } from '../../domain/countries/country.ts'
import type { Tariff } from '../../domain/ledger/tariff.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { OperatorAnswer } from '../../domain/payments/operator-report.ts'
import type { FailureReason } from '../../domain/payments/payment-status.ts'
import {
  type Caller,
  isOfService,
  type MerchantKey,
  type ServiceCaller,
  type ServiceItself,
} from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { networkMapping } from '../../statements/network-mappings.ts'
import type { Database, Transaction } from '../../store/engine/database.ts'
import { claimDueRefund } from '../../store/payments/refunds.ts'
import { findDemoStore } from '../../store/people/people.ts'
import { createPayment } from '../payments/create-payment.ts'
import { recordOutcomes } from '../payments/record-outcomes.ts'
import { recordRefundOutcome } from '../payments/record-refund-outcome.ts'
import { type RefundDeps, refundPayment } from '../payments/refund-payment.ts'
import { type ImportFileDeps, importStatementFile, setStatementColumns } from './import-file.ts'
import { confirmSettlement, listAccountSettlements } from './settlements.ts'
import { setTariff } from './tariffs.ts'

/** A movement in a wallet at a network; negative for a refund. */
export interface DemoMovement {
  kind: 'payment' | 'refund'
  at: number
  id: string
  reference: string
  clientReference: string
  msisdn: string
  amountXof: number
}

/** What the network takes, books and writes. */
export interface DemoWallet {
  tariff: Tariff
  book(movement: DemoMovement): void
  plant(fault: (typeof FAULTS)[number]['plants']): unknown
  statement(period: { from: number; to: number }): Uint8Array
}

export interface DemoDeps extends RefundDeps, Omit<ImportFileDeps, 'connectorOf'> {
  nextNumber(): Promise<number>
  /** A wallet at the network of a connector, which goes by this clock and these choices. */
  openWallet(
    connector: (typeof NETWORKS)[number]['connector'],
    deps: { clock: Pick<Clock, 'now'>; random: Random },
  ): DemoWallet
  /** The sandbox's network knows these payments as collected, so that people can refund them. */
  knowAtNetwork(
    payments: readonly Pick<DemoMovement, 'reference' | 'amountXof' | 'at'>[],
  ): Promise<void>
}

export interface DemoMonth {
  firstDay: number
  lastDay: number
  payments: number
  refunds: number
  lines: number
  exceptions: number
}

/** Why there is nothing to fill: the month is only for a store with the demo merchant alone. */
export type DemoUnfit = { unfit: 'no_demo' | 'other_merchants' | 'live_payments' | 'filled' }

const DAYS = 30
const [HOUR_MS, MINUTE_MS] = [3_600_000, 60_000]
const WORKER: ServiceItself = { is: 'service', part: 'demo' }

const NETWORKS = [
  {
    connection: 'airtel_ne',
    connector: 'airtel-money',
    country: 'NE',
    prefixes: ['96', '97'],
    aDay: 8,
  },
  {
    connection: 'mtn_bj',
    connector: 'mtn-momo',
    country: 'BJ',
    prefixes: ['0196', '0197'],
    aDay: 5,
  },
] as const satisfies readonly {
  connection: string
  connector: string
  country: Country
  prefixes: string[]
  aDay: number
}[]

/** Days are counted from the first one. */
const FAULTS = [
  { day: 4, connection: 'mtn_bj', plants: 'wrong_fee' },
  { day: 8, connection: 'airtel_ne', plants: 'repeated_line' },
  { day: 12, connection: 'mtn_bj', plants: 'withheld' },
  { day: 16, connection: 'airtel_ne', plants: 'missing_line' },
  { day: 19, connection: 'mtn_bj', plants: 'late_line' },
  { day: 22, connection: 'airtel_ne', plants: 'foreign_line' },
  { day: 25, connection: 'mtn_bj', plants: 'wrong_amount' },
] as const

/** On this day the network collects one payment that it has declined. */
const LATE_MONEY_ON = 14

const FAILURES: readonly FailureReason[] = ['declined', 'insufficient_funds', 'expired']
const CUSTOMERS = [
  'Awa Diallo',
  'Moussa Garba',
  'Aïcha Souley',
  'Koffi Adjovi',
  'Mariam Issoufou',
  'Pascal Hounsou',
]

type Chosen = ReturnType<typeof choices>

/** The same choices at every call. */
function choices() {
  let drawn = 0
  const bytes = (count: number): Buffer =>
    hash('sha256', `demo ${++drawn}`, 'buffer').subarray(0, count)
  const below = (end: number): number => bytes(6).readUIntBE(0, 6) % end
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
  return { bytes, below, pick }
}

interface Shop {
  deps: DemoDeps
  caller: ServiceCaller
  account: MerchantKey
  /** The time in the demo. */
  at: number
  choose: Chosen
  wallets: ReadonlyMap<string, DemoWallet>
  month: DemoMonth
  today: number
}

export async function fillDemoMonth(
  deps: DemoDeps,
  caller: Caller,
): Promise<DemoMonth | DemoUnfit | RefusedAs<'caller_not_allowed' | 'connection_not_found'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  for (const { connection } of NETWORKS)
    if (!(await deps.isConnected({ environment: 'sandbox', connection })))
      return { refused: 'connection_not_found' }
  const store = await findDemoStore(deps.db)
  if (store === undefined) return { unfit: 'no_demo' }
  if (store.otherMerchants > 0) return { unfit: 'other_merchants' }
  if (store.livePayments > 0) return { unfit: 'live_payments' }
  if (store.statements > 0) return { unfit: 'filled' }
  const { accountId } = store
  const choose = choices()
  const today = dayOf(deps.clock.now())
  const month = {
    firstDay: today - DAYS,
    lastDay: today - 1,
    payments: 0,
    refunds: 0,
    lines: 0,
    exceptions: 0,
  }
  const account = {
    is: 'merchant_key',
    accountId,
    environment: 'sandbox',
    keyId: 'key_demo',
    kind: 'secret',
  } as const
  const shop: Shop = { deps, caller, account, at: 0, choose, wallets: new Map(), month, today }
  const open = { clock: { now: () => shop.at }, random: choose }
  shop.wallets = new Map(
    NETWORKS.map(({ connection, connector }) => [connection, deps.openWallet(connector, open)]),
  )
  await setTariffs(shop)
  for (let day = 0; day < DAYS; day++) {
    await fillDay(shop, day)
    await importDay(shop, day)
    await confirmDay(shop, day)
  }
  return month
}

const demoClock = (shop: Shop): Clock => ({ ...shop.deps.clock, now: () => shop.at })

async function setTariffs(shop: Shop): Promise<void> {
  const { deps, caller, month } = shop
  shop.at = startOfDay(month.firstDay)
  for (const { connection } of NETWORKS) {
    const tariff = {
      ...(shop.wallets.get(connection) as DemoWallet).tariff,
      fromDay: month.firstDay,
    }
    const set = { environment: 'sandbox', connection, ...tariff } as const
    granted(await setTariff({ ...deps, clock: demoClock(shop) }, caller, set))
  }
}

type Network = (typeof NETWORKS)[number]

interface Order {
  network: Network
  at: number
  amountXof: number
  msisdn: string
  answer: OperatorAnswer
  /** Whether the network collects it: also money that it had declined. */
  isCollected: boolean
  isRefunded: boolean
}

const HIGHEST_STEP = 150
const OPENS_AT_HOUR = 7
const OPEN_MINUTES = 14 * 60

function ordersOf({ choose, month }: Shop, day: number): Order[] {
  const starts = startOfDay(month.firstDay + day) + OPENS_AT_HOUR * HOUR_MS
  return NETWORKS.flatMap((network) =>
    Array.from({ length: network.aDay - 2 + choose.below(5) }, (_, nth): Order => {
      const amountXof = 500 + 100 * choose.below(HIGHEST_STEP)
      const isLate = day === LATE_MONEY_ON && nth === 0 && network.connection === 'airtel_ne'
      const isPaid = !isLate && choose.below(100) < 85
      const reference = String(2_600_000_000 + choose.below(90_000_000))
      const digits = String(choose.below(1_000_000)).padStart(6, '0')
      return {
        network,
        at: starts + choose.below(OPEN_MINUTES) * MINUTE_MS,
        amountXof,
        msisdn: `${choose.pick(network.prefixes)}${digits}`,
        answer: isPaid
          ? { is: 'succeeded', amountXof, operatorReference: reference }
          : { is: 'declined', reason: choose.pick(FAILURES) },
        isCollected: isPaid || isLate,
        isRefunded: isPaid && choose.below(100) < 5,
      }
    }),
  ).sort((a, b) => a.at - b.at)
}

/** A create, an outcome and a refund take six entries of the history. */
const ENTRIES_EACH = 8

async function fillDay(shop: Shop, day: number): Promise<void> {
  const { deps } = shop
  const orders = ordersOf(shop, day)
  // Taken before the transaction: inside it, only `tx` may be used.
  const [numbers, entries]: [number[], number[]] = [[], []]
  for (const _ of orders) numbers.push(await deps.nextNumber())
  for (let count = orders.length * ENTRIES_EACH; count > 0; count--)
    entries.push(await deps.nextStoryEntry())
  const collected = await deps.db.transaction(async (tx) => {
    const inside = {
      ...deps,
      db: joining(deps.db, tx),
      clock: demoClock(shop),
      nextNumber: async () => numbers.shift() as number,
      nextStoryEntry: async () => entries.shift() as number,
    }
    const payments: OperatorPayment[] = []
    for (const order of orders) {
      const payment = await fillOrder(shop, inside, order)
      if (order.isCollected) payments.push(payment)
    }
    return payments
  })
  await deps.knowAtNetwork(
    collected.map(({ reference, amountXof }) => ({ reference, amountXof, at: shop.at })),
  )
}

/** Actions that open a transaction take part in this one. */
const joining = (db: Database, tx: Transaction): Database => ({
  ...db,
  read: (sql, values) => tx.read(sql, values),
  write: (sql, values) => tx.write(sql, values),
  change: (sql, values) => tx.change(sql, values),
  transaction: (work) => work(tx),
})

const DECIDED_AFTER_MS = 20_000
const REFUNDED_AFTER_MS = 2 * HOUR_MS

async function fillOrder(shop: Shop, deps: DemoDeps, order: Order): Promise<OperatorPayment> {
  const { network, amountXof, msisdn, answer } = order
  shop.at = order.at
  const payment = await create(shop, deps, order)
  shop.month.payments++
  shop.at += DECIDED_AFTER_MS
  await recordOutcomes(deps, WORKER, [{ payment, via: 'status', calledAt: shop.at, answer }])
  const wallet = shop.wallets.get(network.connection) as DemoWallet
  const { reference } = payment
  const operatorReference =
    answer.is === 'succeeded' ? answer.operatorReference : `${2_700_000_000 + payment.number}`
  const names = { id: reference, msisdn }
  const collected = {
    ...names,
    reference: operatorReference,
    clientReference: reference,
    amountXof,
  }
  if (order.isCollected) wallet.book({ ...collected, kind: 'payment', at: shop.at })
  if (!order.isRefunded) return payment
  shop.at += REFUNDED_AFTER_MS
  // By this name it is read in the transaction.
  const { refundReference } = granted(
    await refundPayment(deps, shop.caller, { name: payment.externalReference }),
  )
  const refund = await claimDueRefund(deps.db, refundReference, shop.at, 0)
  if (refund === undefined) throw new Error('the refund of the demo is not due')
  shop.at += DECIDED_AFTER_MS
  await recordRefundOutcome(deps, WORKER, {
    refund,
    answer: { is: 'succeeded', amountXof, operatorReference },
  })
  shop.month.refunds++
  const given = { ...names, reference: `${operatorReference}R`, clientReference: refundReference }
  wallet.book({ ...given, kind: 'refund', at: shop.at, amountXof: -amountXof })
  return payment
}

/** The dispatcher of the demo takes every payment, and its claim outlasts the demo. */
async function create(
  shop: Shop,
  deps: DemoDeps,
  { network, amountXof, msisdn }: Order,
): Promise<OperatorPayment> {
  const { choose, account, month } = shop
  const { connection, country } = network
  const taken: OperatorPayment[] = []
  const created = await createPayment(
    {
      ...deps,
      dispatcher: { hasRoom: () => true, take: (payment) => void taken.push(payment) },
      leaseMs: (DAYS + 2) * 24 * HOUR_MS,
      operatorFor: () => ({ operator: connection, connection }),
    },
    account,
    {
      amount: amountXof,
      country,
      currency: 'XOF',
      msisdn,
      customerName: choose.pick(CUSTOMERS),
      externalReference: `demo-${dayText(dayOf(shop.at))}-${month.payments + 1}`,
      metadata: { demo: 'books' },
    },
  )
  granted(created)
  return taken[0] as OperatorPayment
}

/** The file comes in the next morning. */
async function importDay(shop: Shop, day: number): Promise<void> {
  const { deps, caller, month } = shop
  const thatDay = month.firstDay + day
  shop.at = Math.min(startOfDay(thatDay + 1) + OPENS_AT_HOUR * HOUR_MS, deps.clock.now())
  for (const { connection, connector } of NETWORKS) {
    const wallet = shop.wallets.get(connection) as DemoWallet
    for (const fault of FAULTS)
      if (fault.day === day && fault.connection === connection) wallet.plant(fault.plants)
    const bytes = wallet.statement({ from: startOfDay(thatDay), to: startOfDay(thatDay + 1) })
    const open = async function* () {
      yield bytes
    }
    const file = {
      environment: 'sandbox',
      connection,
      name: `${connection}-${dayText(thatDay)}.csv`,
      open,
    } as const
    const importing = { ...deps, clock: demoClock(shop), connectorOf: () => connector }
    if (day === 0) {
      const mapping = networkMapping(
        connector,
        (await deps.statementParser.sample(open(), { group: 'demo' })).headings,
      )
      granted(await setStatementColumns(importing, caller, { ...file, isDryRun: false, mapping }))
    }
    const imported = granted(
      await importStatementFile(importing, caller, { ...file, isDryRun: false }),
    )
    month.lines += imported.added
    for (const count of [...Object.values(imported.exceptions), imported.missing])
      month.exceptions += count
  }
}

const BANK_TAKES_DAYS = 2
/** On this day the bank keeps a charge of one settlement. */
const BANK_CHARGE = { day: 20, connection: 'airtel_ne', francs: 500 }
const MOST_SETTLEMENTS = 10

/** The merchant finds the settlements of some days before on the bank's statement. */
async function confirmDay(shop: Shop, day: number): Promise<void> {
  const { deps, account, month } = shop
  const { accountId } = account
  const clock = demoClock(shop)
  const { rows } = granted(
    await listAccountSettlements(deps, account, { accountId, limit: MOST_SETTLEMENTS }),
  )
  for (const settlement of rows.filter(
    ({ leftDay }) => leftDay === month.firstDay + day - BANK_TAKES_DAYS,
  )) {
    const { connection, leftDay, amountXof } = settlement
    const isCharged = day === BANK_CHARGE.day && connection === BANK_CHARGE.connection
    const receipt = {
      accountId,
      name: settlementName(settlement),
      receivedDay: leftDay + 1,
      receivedXof: amountXof - (isCharged ? BANK_CHARGE.francs : 0),
      bankReference: `VIR-${dayText(leftDay + 1)}-${connection === 'airtel_ne' ? 1 : 2}`,
    }
    granted(await confirmSettlement({ ...deps, clock }, account, receipt))
    if (isCharged) month.exceptions++
  }
}

/** All that could refuse the demo's own calls was checked before. */
function granted<Outcome extends object>(outcome: Outcome): Exclude<Outcome, { refused: unknown }> {
  if (isRefused(outcome)) throw new Error(`a call of the demo was refused: ${outcome.refused}`)
  return outcome as Exclude<Outcome, { refused: unknown }>
}
