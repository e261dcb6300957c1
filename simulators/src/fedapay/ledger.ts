// One transaction of the simulated FedaPay. Its status is computed from the time and its planned
// moves, so that a clock jump changes nothing: the last move that is due gives the status.
import { createHmac } from 'node:crypto'
import type { BookedPayment, PartDeps, PayerDecision } from '../network.ts'
import { behaviourOf, type FedapayFault, type Status } from './numbers-and-faults.ts'

export type Move = { at: number; to: Status; errorCode?: string }

export interface Customer {
  id: number
  firstname: string | null
  lastname: string | null
  email: string | null
  phoneNumber: { number: string; country: string } | null
  createdAt: number
}

export interface Transaction {
  id: number
  reference: string
  merchantReference: string | null
  amount: number
  description: string
  callbackUrl: string | null
  customMetadata: object | null
  customer: Customer | null
  createdAt: number
  expiresAt: number
  /** How the payer pays, after the first attempt. */
  mode: string | null
  /** The numbers that prompts were sent to. */
  number: string
  token: string | null
  moves: Move[]
  /** The number of requests: creations under its reference, and prompts. */
  requests: number
  isDeleted: boolean
}

export const TRANSFERRED_AFTER_MS = 72 * 3_600_000

const NOT_TERMINAL: readonly Status[] = ['pending', 'declined', 'canceled']

export function statusAt({ moves, createdAt, expiresAt }: Transaction, now: number): Move {
  const latest = moves.filter(({ at }) => at <= now).at(-1) ?? {
    at: createdAt,
    to: 'pending' as const,
  }
  if (latest.to === 'pending' && now >= expiresAt) return { at: expiresAt, to: 'expired' }
  if (latest.to === 'approved' && now >= latest.at + TRANSFERRED_AFTER_MS)
    return { at: latest.at + TRANSFERRED_AFTER_MS, to: 'transferred' }
  return latest
}

/** Whether it may still be paid: FedaPay lets a payer try again after a refusal. */
export const isOpen = (transaction: Transaction, now: number): boolean =>
  !transaction.isDeleted && NOT_TERMINAL.includes(statusAt(transaction, now).to)

function forgetPlans(transaction: Transaction, now: number): void {
  transaction.moves = transaction.moves.filter(({ at }) => at <= now)
}

const countOf = ({ moves }: Transaction, now: number, to: Status): number =>
  moves.filter((move) => move.at <= now && move.to === to).length

export const debitsOf = (transaction: Transaction, now: number): number =>
  countOf(transaction, now, 'approved')
const refundsOf = (transaction: Transaction, now: number): number =>
  countOf(transaction, now, 'refunded')

/** When it last became this, for the fields `approved_at`, `declined_at` and the like. */
export const timeOf = (transaction: Transaction, now: number, to: Status): number | null => {
  const current = statusAt(transaction, now)
  if (current.to === to) return current.at
  return transaction.moves.filter((move) => move.at <= now && move.to === to).at(-1)?.at ?? null
}

/** When it first became this; null if it has not. */
export const firstTimeOf = ({ moves }: Transaction, now: number, to: Status): number | null =>
  moves.find((move) => move.at <= now && move.to === to)?.at ?? null

/** How a card is called on a transaction. */
const PAGE_MODE = 'stripe_gw'
const EXPIRES_AFTER_MS = 24 * 3_600_000
const EXPIRES_EARLY_AFTER_MS = 10 * 60_000
const PENDING_EVENT_EVERY_MS = 20_000
const DECISIONS: Readonly<Record<Exclude<PayerDecision, 'ignore'>, Omit<Move, 'at'>>> = {
  approve: { to: 'approved' },
  decline: { to: 'declined' },
  no_funds: { to: 'canceled', errorCode: 'INSUFFICIENT_FUND_ERROR' },
}

export interface LedgerDeps extends PartDeps {
  announce(event: string, transaction: Transaction): void
}

export type WantedTransaction = Pick<
  Transaction,
  'amount' | 'description' | 'callbackUrl' | 'merchantReference' | 'customMetadata' | 'customer'
>

const FIRST_ID = 100_000_000
const IDS = 800_000_000

/** The transactions of the simulated FedaPay, deleted ones included. */
export interface Ledger extends LedgerDeps {
  transactions: Map<number, Transaction>
  lastId: number
}

export const openLedger = (deps: LedgerDeps): Ledger => ({
  ...deps,
  transactions: new Map(),
  // By the time, so that a simulator that was started again gives no id twice, as the network gives
  // none.
  lastId: FIRST_ID + (Math.floor(deps.clock.now() / 1_000) % IDS),
})

export function resetLedger({ transactions }: Ledger): void {
  // Their planned moves are dropped.
  for (const transaction of transactions.values()) transaction.isDeleted = true
  transactions.clear()
}

const isOn = ({ faults }: Ledger, fault: FedapayFault): boolean => faults.isOn(fault)

/** A deleted transaction sends no webhook. */
function sendEvent({ announce }: Ledger, event: string, transaction: Transaction): void {
  if (!transaction.isDeleted) announce(event, transaction)
}

export const liveTransactions = ({ transactions }: Ledger): Transaction[] =>
  [...transactions.values()].filter(({ isDeleted }) => !isDeleted)

export const findById = (ledger: Ledger, id: string): Transaction | undefined =>
  liveTransactions(ledger).find((each) => String(each.id) === id)

export const findByReference = (ledger: Ledger, reference: string): Transaction | undefined =>
  liveTransactions(ledger).find((each) => each.merchantReference === reference)

export const findByToken = (ledger: Ledger, token: unknown): Transaction | undefined =>
  typeof token === 'string'
    ? liveTransactions(ledger).find((each) => each.token === token)
    : undefined

export function createTransaction(ledger: Ledger, wanted: WantedTransaction): Transaction {
  const { clock, random } = ledger
  const now = clock.now()
  ledger.lastId++
  const expiresAfterMs = isOn(ledger, 'expires_early') ? EXPIRES_EARLY_AFTER_MS : EXPIRES_AFTER_MS
  const letters = Buffer.from(random.bytes(3)).toString('hex').slice(0, 3)
  const transaction: Transaction = {
    ...wanted,
    id: ledger.lastId,
    reference: `trx_${letters}_${now}`,
    createdAt: now,
    expiresAt: now + expiresAfterMs,
    mode: null,
    number: '',
    token: null,
    moves: [],
    requests: 1,
    isDeleted: false,
  }
  ledger.transactions.set(transaction.id, transaction)
  sendEvent(ledger, 'created', transaction)
  clock.after(expiresAfterMs, () => {
    if (statusAt(transaction, clock.now()).to === 'expired')
      sendEvent(ledger, 'expired', transaction)
  })
  return transaction
}

/** A JSON web token for the transaction, valid for a day, as FedaPay's are. */
export function tokenOf({ clock, random }: Ledger, transaction: Transaction): string {
  if (transaction.token !== null) return transaction.token
  const seconds = Math.floor(clock.now() / 1_000)
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = `${part({ typ: 'JWT', alg: 'HS256' })}.${part({ sub: transaction.id, exp: seconds + 86_400 })}`
  transaction.token = `${head}.${createHmac('sha256', random.bytes(16)).update(head).digest('base64url')}`
  return transaction.token
}

/** Each prompt can be approved separately: a payer who is prompted twice may pay twice. */
export function promptPayer(
  ledger: Ledger,
  transaction: Transaction,
  mode: string,
  number: string,
): void {
  transaction.mode = mode
  transaction.number = number
  const delayMs = isOn(ledger, 'webhook_before_the_answer') ? 0 : ledger.decideAfterMs
  let at = ledger.clock.now() + delayMs
  for (const { afterMs = 0, ...move } of behaviourOf(number, mode).moves) {
    at += afterMs
    planMove(ledger, transaction, { ...move, at })
  }
  if (isOn(ledger, 'pending_webhooks_repeated')) repeatPending(ledger, transaction)
}

function planMove(ledger: Ledger, transaction: Transaction, move: Move): void {
  const { clock } = ledger
  transaction.moves = [...transaction.moves, move].sort((a, b) => a.at - b.at)
  const isPlanned = (): boolean => transaction.moves.includes(move)
  clock.after(move.at - clock.now(), () => {
    if (isPlanned()) sendEvent(ledger, move.to === 'pending' ? 'updated' : move.to, transaction)
  })
  if (move.to !== 'approved') return
  clock.after(move.at + TRANSFERRED_AFTER_MS - clock.now(), () => {
    if (isPlanned() && statusAt(transaction, clock.now()).to === 'transferred')
      sendEvent(ledger, 'transferred', transaction)
  })
}

function repeatPending(ledger: Ledger, transaction: Transaction): void {
  const { clock } = ledger
  clock.after(PENDING_EVENT_EVERY_MS, () => {
    if (transaction.isDeleted || statusAt(transaction, clock.now()).to !== 'pending') return
    sendEvent(ledger, 'updated', transaction)
    repeatPending(ledger, transaction)
  })
}

export function decide(ledger: Ledger, id: string, decision: PayerDecision): boolean {
  const now = ledger.clock.now()
  const transaction = findById(ledger, id) ?? findByReference(ledger, id)
  if (transaction === undefined || transaction.token === null) return false
  const isLate = isOn(ledger, 'paid_after_expiry') && statusAt(transaction, now).to === 'expired'
  if (!isOpen(transaction, now) && !isLate) return false
  forgetPlans(transaction, now)
  transaction.mode ??= PAGE_MODE
  if (decision !== 'ignore') planMove(ledger, transaction, { ...DECISIONS[decision], at: now })
  return true
}

export function bookedPayments({ clock, transactions }: Ledger): BookedPayment[] {
  const now = clock.now()
  return [...transactions.values()].map((each) => ({
    id: String(each.id),
    clientReference: each.merchantReference ?? '',
    msisdn: each.number,
    amountXof: each.amount,
    status: each.isDeleted ? 'deleted' : statusAt(each, now).to,
    debits: debitsOf(each, now),
    refunds: refundsOf(each, now),
    requests: each.requests,
  }))
}

/**
 * The e-mail address names a customer: one who comes again is the same, with a new name or number.
 */
export function customerBook(now: () => number) {
  const customers = new Map<number, Customer>()
  let lastId = 2_300_000
  return {
    all: (): Customer[] => [...customers.values()],
    byId: (id: unknown): Customer | undefined => customers.get(Number(id)),
    remove: (id: number): boolean => customers.delete(id),
    reset: () => customers.clear(),
    save(wanted: Partial<Omit<Customer, 'id' | 'createdAt'>>, id?: number): Customer {
      const known =
        id ??
        [...customers.values()].find(({ email }) => email !== null && email === wanted.email)?.id
      const before = customers.get(known ?? 0)
      const blank = {
        firstname: null,
        lastname: null,
        email: null,
        phoneNumber: null,
        createdAt: now(),
      }
      const customer = { ...blank, ...before, ...wanted, id: before?.id ?? ++lastId }
      customers.set(customer.id, customer)
      return customer
    },
  }
}
