// Operations of the simulated MTN MoMo: payments, refunds, transfers and deposits. An operation's
// state follows from the time and the number of its request; only a person's decision changes it.
import type { FaultBoard, PartDeps } from '../network.ts'
import type { ApiUser } from './access.ts'
import { outcomeOf } from './numbers-and-faults.ts'

export type OperationKind = 'requesttopay' | 'refund' | 'transfer'

export interface Operation {
  kind: OperationKind
  /** The X-Reference-Id. */
  id: string
  /** The API user that sent it: no other user sees it. */
  user: string
  environment: string
  amount: number
  currency: string
  externalId: string | undefined
  party: { partyIdType: string; partyId: string }
  payerMessage: string | undefined
  payeeNote: string | undefined
  callbackUrl: string | undefined
  refundOf: string | undefined
  requestedAt: number
  /** When it is decided; infinite if never. */
  decidedAt: number
  reason: string | undefined
  /** From then on it is a success, though it had failed. */
  paidAt: number
  /** Until then its status is 404. */
  hiddenUntil: number
  financialTransactionId: string
}

export type Order = Pick<
  Operation,
  | 'id'
  | 'amount'
  | 'currency'
  | 'externalId'
  | 'party'
  | 'payerMessage'
  | 'payeeNote'
  | 'callbackUrl'
  | 'refundOf'
>

export type Status = 'PENDING' | 'SUCCESSFUL' | 'FAILED'

export function statusOf({ decidedAt, reason, paidAt }: Operation, now: number): Status {
  if (now >= paidAt) return 'SUCCESSFUL'
  if (now < decidedAt) return 'PENDING'
  return reason === undefined ? 'SUCCESSFUL' : 'FAILED'
}

/** When it moved the money, or will; infinite if never. */
export const succeededAt = ({ decidedAt, reason, paidAt }: Operation): number =>
  reason === undefined ? Math.min(decidedAt, paidAt) : paidAt

export const isFinal = (status: Status): boolean => status === 'SUCCESSFUL' || status === 'FAILED'

export interface ShownAs {
  now: number
  faults: FaultBoard
  /** How a failure's reason is written: as text, or as an object with code and message. */
  reasonForm: 'text' | 'object'
}

/** The status object, which is also the body of callbacks. The X-Reference-Id is in neither. */
export function shownOperation(
  operation: Operation,
  { now, faults, reasonForm }: ShownAs,
): Record<string, unknown> {
  const status = statusOf(operation, now)
  const { kind, party, externalId, payerMessage, payeeNote, financialTransactionId } = operation
  return {
    ...(status === 'SUCCESSFUL' && { financialTransactionId }),
    ...(externalId !== undefined && { externalId }),
    amount: shownAmount(operation.amount, faults),
    currency: faults.strikes('other_currency') ? 'USD' : operation.currency,
    [kind === 'requesttopay' ? 'payer' : 'payee']: party,
    ...(payerMessage !== undefined && { payerMessage }),
    ...(payeeNote !== undefined && { payeeNote }),
    status: faults.strikes('status_not_understood') ? 'ON_HOLD' : status,
    ...(status === 'FAILED' && shownReason(operation.reason as string, faults, reasonForm)),
  }
}

function shownAmount(asked: number, faults: FaultBoard): string | number {
  const amount = faults.strikes('other_amount') ? asked - 1 : asked
  if (faults.strikes('amount_as_number')) return amount
  if (faults.strikes('amount_with_decimals')) return amount.toFixed(4)
  if (faults.strikes('amount_with_commas'))
    return amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')
  // "12.50" is echoed as "12.5".
  return String(amount)
}

function shownReason(
  code: string,
  faults: FaultBoard,
  form: ShownAs['reasonForm'],
): Record<string, unknown> {
  if (faults.strikes('reason_left_out')) return {}
  const isObject = form === 'object' && !faults.strikes('reason_as_text')
  return { reason: isObject ? { code, message: code.toLowerCase().replaceAll('_', ' ') } : code }
}

// The wallet of the merchant at the simulated MTN MoMo: every accepted operation, its outcome, and
// the resulting balance. One wallet is seen through both products.

export interface WalletDeps extends PartDeps {
  /** Of production, with fees and settlements. */
  balanceXof(): number
}

export const FIRST_BALANCE = 1_000_000
const TEST_ENVIRONMENT = 'sandbox'
const MINUTE_MS = 60_000
const TEN_MINUTES_MS = 10 * MINUTE_MS

type Decision = Pick<Operation, 'reason' | 'decidedAt'>

export interface Wallet extends WalletDeps {
  /** By kind and X-Reference-Id. */
  operations: Map<string, Operation>
  /** The number of requests, by X-Reference-Id. */
  requests: Map<string, number>
}

export const openWallet = (deps: WalletDeps): Wallet => ({
  ...deps,
  operations: new Map(),
  requests: new Map(),
})

export function resetWallet({ operations, requests }: Wallet): void {
  operations.clear()
  requests.clear()
}

const keyOf = (kind: OperationKind, id: string): string => `${kind} ${id}`

const allOperations = ({ operations }: Wallet): Operation[] => [...operations.values()]

export function takeOrder(
  wallet: Wallet,
  kind: OperationKind,
  order: Order,
  user: ApiUser,
): Operation {
  const { clock, random, operations } = wallet
  const requestedAt = clock.now()
  const refunded =
    order.refundOf === undefined ? undefined : operations.get(keyOf('requesttopay', order.refundOf))
  const decision =
    kind === 'refund'
      ? decideRefund(wallet, order, refunded)
      : decideByNumber(wallet, kind, order, user)
  const operation: Operation = {
    ...order,
    ...decision,
    kind,
    user: user.id,
    environment: user.environment,
    party: refunded?.party ?? order.party,
    requestedAt,
    paidAt: Number.POSITIVE_INFINITY,
    hiddenUntil: requestedAt,
    financialTransactionId: String(Buffer.from(random.bytes(4)).readUInt32BE() + operations.size),
  }
  if (kind === 'requesttopay') applyFaults(wallet, operation)
  operations.set(keyOf(kind, order.id), operation)
  return operation
}

function decideByNumber(
  wallet: Wallet,
  kind: OperationKind,
  { party, amount }: Order,
  { environment }: ApiUser,
): Decision {
  const { clock, decideAfterMs } = wallet
  const { reason, afterMs = decideAfterMs } = outcomeOf(party.partyId, environment)
  const decidedAt = afterMs === 'never' ? Number.POSITIVE_INFINITY : clock.now() + afterMs
  if (kind === 'requesttopay') return { reason, decidedAt }
  const lacksFunds = amount > balanceIn(wallet, environment)
  const ofPayee = reason === 'PAYER_NOT_FOUND' ? 'PAYEE_NOT_FOUND' : reason
  return { reason: lacksFunds ? 'NOT_ENOUGH_FUNDS' : ofPayee, decidedAt }
}

function decideRefund(wallet: Wallet, order: Order, payment: Operation | undefined): Decision {
  const { clock, decideAfterMs, faults } = wallet
  const isLate = faults.strikes('refund_fails_later')
  const decidedAt = clock.now() + (isLate ? TEN_MINUTES_MS : decideAfterMs)
  const reason = isLate ? 'PAYEE_NOT_ALLOWED_TO_RECEIVE' : refusalOfRefund(wallet, order, payment)
  return { reason, decidedAt }
}

function refusalOfRefund(
  wallet: Wallet,
  { amount }: Order,
  payment: Operation | undefined,
): string | undefined {
  if (payment === undefined) return 'TRANSACTION_NOT_FOUND'
  if (statusOf(payment, wallet.clock.now()) !== 'SUCCESSFUL') return 'NOT_ALLOWED'
  const given = allOperations(wallet).filter(
    (each) => each.refundOf === payment.id && each.reason === undefined,
  )
  if (given.reduce((sum, each) => sum + each.amount, amount) > payment.amount) return 'NOT_ALLOWED'
  const lacksFunds =
    amount > balanceIn(wallet, payment.environment) || wallet.faults.strikes('no_float_for_refunds')
  return lacksFunds ? 'NOT_ENOUGH_FUNDS' : undefined
}

function applyFaults({ faults }: Wallet, operation: Operation): void {
  const { requestedAt } = operation
  // Counted where the answer is delayed.
  if (faults.isOn('callback_before_answer')) operation.decidedAt = requestedAt
  if (faults.strikes('hidden_for_a_minute')) operation.hiddenUntil = requestedAt + MINUTE_MS
  if (faults.strikes('hidden_for_twenty_minutes'))
    operation.hiddenUntil = requestedAt + 2 * TEN_MINUTES_MS
  if (faults.strikes('payee_not_allowed')) operation.reason = 'PAYEE_NOT_ALLOWED_TO_RECEIVE'
  if (faults.strikes('paid_after_failure')) {
    operation.reason = 'EXPIRED'
    operation.paidAt = operation.decidedAt + TEN_MINUTES_MS
  }
}

export function balanceIn(wallet: Wallet, environment: string): number {
  if (environment !== TEST_ENVIRONMENT) return wallet.balanceXof()
  const now = wallet.clock.now()
  return allOperations(wallet)
    .filter((each) => each.environment === environment && statusOf(each, now) === 'SUCCESSFUL')
    .reduce(
      (sum, { kind, amount }) => sum + (kind === 'requesttopay' ? amount : -amount),
      FIRST_BALANCE,
    )
}

/** Only an operation of this user. */
export function findOperation(
  { operations }: Wallet,
  kind: OperationKind,
  id: string,
  user: ApiUser,
): Operation | undefined {
  const found = operations.get(keyOf(kind, id))
  return found?.user === user.id ? found : undefined
}

/** False for an operation that a reset removed. */
export const isKept = ({ operations }: Wallet, operation: Operation): boolean =>
  operations.get(keyOf(operation.kind, operation.id)) === operation

/** Whether any user has used the id for this kind of operation. */
export const isTaken = ({ operations }: Wallet, kind: OperationKind, id: string): boolean =>
  operations.has(keyOf(kind, id))

/** Every operation of production, which is in francs; the test environment has euros. */
export const ofProduction = (wallet: Wallet): Operation[] =>
  allOperations(wallet).filter(({ environment }) => environment !== TEST_ENVIRONMENT)

export const paymentsOf = (wallet: Wallet): Operation[] =>
  allOperations(wallet).filter(({ kind }) => kind === 'requesttopay')

export const refundsOf = (wallet: Wallet, paymentId: string): number =>
  allOperations(wallet).filter(
    (each) => each.refundOf === paymentId && statusOf(each, wallet.clock.now()) === 'SUCCESSFUL',
  ).length

export const countRequest = ({ requests }: Wallet, id: string): void =>
  void requests.set(id, (requests.get(id) ?? 0) + 1)
