// Refunds of the simulated pawaPay: one at a time for each deposit, whole or in parts, paid from
// the merchant's wallet.
import { BENIN } from '../countries.ts'
import type { WireReaction } from '../network.ts'
import { providerStatus } from './account.ts'
import {
  isRefusal,
  type RefundOrder,
  type Refusal,
  readRefundOrder,
  refusal,
  refused,
} from './checks.ts'
import { providerTransactionId } from './deposits.ts'
import {
  answered,
  type Deposit,
  depositStatus,
  type Refund,
  refundedXof,
  refundStatus,
  refundsOf,
  strikes,
  unknownError,
  type World,
  walletBalance,
  writtenAmount,
  writtenFailure,
  writtenTime,
} from './ledger.ts'

/** How long a provider that is DELAYED takes to come back. */
const DELAY_MS = 10 * 60_000

export function requestRefund(world: World, fields: Record<string, unknown>): WireReaction {
  const named = typeof fields.refundId === 'string' ? { refundId: fields.refundId } : {}
  const order = readRefundOrder(fields)
  if (isRefusal(order)) return refused(order, named)
  if (strikes(world, 'refunds_not_allowed'))
    return refused(
      refusal('REFUNDS_NOT_ALLOWED', 'Refunds are not enabled for this account.'),
      named,
    )
  const known = world.refunds.get(order.refundId)
  if (known !== undefined) return { code: 200, body: initiation(known, 'DUPLICATE_IGNORED') }
  const checked = checkRefund(world, order)
  if (isRefusal(checked)) return refused(checked, named)
  if (strikes(world, 'cut_before_registering')) return { cut: true }
  if (strikes(world, 'unknown_error')) return unknownError(named)
  const refund = makeRefund(world, order, checked)
  world.refunds.set(order.refundId, refund)
  planCallback(world, refund)
  return answered(world, named, { code: 200, body: initiation(refund, 'ACCEPTED') })
}

const initiation = ({ order, createdAt }: Refund, status: string): object => ({
  refundId: order.refundId,
  status,
  created: writtenTime(createdAt),
})

type Refundable = { deposit: Deposit; amountXof: number }

function checkRefund(world: World, order: RefundOrder): Refundable | Refusal {
  const now = world.clock.now()
  const { depositId, amount, currency = 'XOF' } = order
  const deposit = world.deposits.get(depositId)
  if (deposit === undefined) return refusal('NOT_FOUND', `Deposit with ID ${depositId} not found`)
  if (depositStatus(deposit, now) !== 'COMPLETED')
    return refusal('INVALID_STATE', `Deposit with ID ${depositId} is not completed`)
  if (strikes(world, 'deposit_not_finished'))
    return refusal('INVALID_STATE', `Deposit with ID ${depositId} has not finished processing`)
  if (strikes(world, 'refunded_elsewhere')) refundInDashboard(world, deposit)
  const { done, underWay } = refundedXof(refundsOf(world, depositId), now)
  const left = deposit.amountXof - done
  if (left <= 0)
    return refusal('DEPOSIT_ALREADY_REFUNDED', `Deposit with ID ${depositId} is refunded already`)
  if (underWay > 0 || strikes(world, 'another_refund_under_way'))
    return refusal(
      'REFUND_IN_PROGRESS',
      `Another refund of the deposit with ID ${depositId} is in progress`,
    )
  if (currency !== deposit.order.currency)
    return refusal('INVALID_CURRENCY', `The currency '${currency}' is not the deposit’s`)
  if (amount?.includes('.'))
    return refusal('INVALID_AMOUNT', 'The provider supports no decimals in amounts.')
  const amountXof = amount === undefined ? left : Number(amount)
  if (amountXof < 1)
    return refusal('AMOUNT_OUT_OF_BOUNDS', 'The amount is below the least that can be refunded.')
  if (amountXof > left)
    return refusal('AMOUNT_TOO_LARGE', `No more than '${left}' can be refunded.`)
  if (providerStatus(world.faults) === 'CLOSED')
    return refusal(
      'PROVIDER_TEMPORARILY_UNAVAILABLE',
      'The provider takes no payments at the moment.',
    )
  if (walletBalance(world) < amountXof || strikes(world, 'wallet_empty'))
    return refusal('PAWAPAY_WALLET_OUT_OF_FUNDS', 'The wallet does not hold the amount.')
  return { deposit, amountXof }
}

function makeRefund(world: World, order: RefundOrder, { deposit, amountXof }: Refundable): Refund {
  const createdAt = world.clock.now()
  const enqueuedUntil = createdAt + (providerStatus(world.faults) === 'DELAYED' ? DELAY_MS : 0)
  return {
    order,
    paid: deposit.order,
    amountXof,
    createdAt,
    enqueuedUntil,
    endsAt: enqueuedUntil + world.decideAfterMs,
    failsWith: deposit.refundFailsWith,
  }
}

/** By a person, under an id that no client knows. */
function refundInDashboard(world: World, { order, amountXof }: Deposit): void {
  const { depositId } = order
  const now = world.clock.now()
  const refundId = `in the dashboard: ${depositId}`
  const refund = { createdAt: now, enqueuedUntil: now, endsAt: now, failsWith: undefined }
  world.refunds.set(refundId, { order: { refundId, depositId }, paid: order, amountXof, ...refund })
}

export function showRefund(world: World, refundId: string): WireReaction {
  const refund = world.refunds.get(refundId)
  if (refund === undefined) return { code: 200, body: { status: 'NOT_FOUND' } }
  const { clientReferenceId } = refund.order
  const data = { ...refundBody(world, refund), ...(clientReferenceId && { clientReferenceId }) }
  return { code: 200, body: { status: 'FOUND', data } }
}

function refundBody(world: World, refund: Refund): object {
  const { order, amountXof, createdAt, failsWith } = refund
  const status = refundStatus(refund, world.clock.now())
  const { currency, phoneNumber, provider } = refund.paid
  return {
    refundId: order.refundId,
    status,
    amount: writtenAmount(world, amountXof),
    currency,
    country: BENIN.alpha3,
    recipient: { type: 'MMO', accountDetails: { phoneNumber, provider } },
    created: writtenTime(createdAt),
    ...(status === 'COMPLETED' && { providerTransactionId: providerTransactionId(order.refundId) }),
    ...(status === 'FAILED' && failsWith !== undefined && writtenFailure(world, failsWith)),
    ...(order.metadata && { metadata: order.metadata }),
  }
}

function planCallback(world: World, refund: Refund): void {
  world.clock.after(refund.endsAt - world.clock.now(), () => {
    const isReset = world.refunds.get(refund.order.refundId) !== refund
    if (!isReset) world.callbacks.send('REFUND', () => refundBody(world, refund))
  })
}
