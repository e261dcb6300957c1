// Deposits of the simulated pawaPay: requests, status calls and callbacks.
import { BENIN } from '../countries.ts'
import type { PayerDecision, WireReaction } from '../network.ts'
import { enabledProviders, LIMITS, providerStatus } from './account.ts'
import {
  type DepositOrder,
  isRefusal,
  type Refusal,
  readDepositOrder,
  refusal,
  refused,
} from './checks.ts'
import {
  answered,
  type Deposit,
  decideDeposit,
  depositStatus,
  isFinal,
  isOn,
  makeDeposit,
  strikes,
  unknownError,
  type World,
  writtenAmount,
  writtenFailure,
  writtenTime,
} from './ledger.ts'
import { type Behaviour, behaviourOf, subscriberIn } from './numbers-and-faults.ts'

const HOUR_MS = 3_600_000
const COMPLETED_LATE_MS = 10 * 60_000

export function requestDeposit(world: World, fields: Record<string, unknown>): WireReaction {
  const named = typeof fields.depositId === 'string' ? { depositId: fields.depositId } : {}
  const id = named.depositId?.toLowerCase() ?? ''
  world.requests.set(id, (world.requests.get(id) ?? 0) + 1)
  const order = readDepositOrder(fields)
  if (isRefusal(order)) return refused(order, named)
  if (strikes(world, 'parameter_refused'))
    return refused(
      refusal('INVALID_PARAMETER', "The parameter 'payer' contains an invalid value."),
      named,
    )
  if (strikes(world, 'deposits_not_allowed'))
    return refused(
      refusal('DEPOSITS_NOT_ALLOWED', 'Deposits are not enabled for this account.'),
      named,
    )
  const known = world.deposits.get(order.depositId)
  if (known !== undefined) return { code: 200, body: initiation(known, 'DUPLICATE_IGNORED') }
  const wrong = refusalOf(world, order)
  if (wrong !== undefined) return refused(wrong, named)
  if (strikes(world, 'cut_before_registering')) return { cut: true }
  if (strikes(world, 'unknown_error')) return unknownError(named)
  const deposit = makeDeposit(
    order,
    plannedBehaviour(world, order),
    world.clock.now(),
    world.decideAfterMs,
  )
  const accepted = { code: 200, body: initiation(deposit, 'ACCEPTED') }
  if (strikes(world, 'accepted_and_forgotten')) return accepted
  return register(world, deposit, named, accepted)
}

function register(
  world: World,
  deposit: Deposit,
  named: object,
  accepted: WireReaction,
): WireReaction {
  world.deposits.set(deposit.order.depositId, deposit)
  if (strikes(world, 'failed_then_completed')) {
    deposit.failsWith = 'PAYMENT_NOT_APPROVED'
    deposit.completedLateAt = deposit.endsAt + COMPLETED_LATE_MS
  }
  if (strikes(world, 'callback_before_answer')) {
    deposit.endsAt = world.clock.now()
    sendCallback(world, deposit)
    return { ...accepted, afterMs: 50 } as WireReaction
  }
  planCallbacks(world, deposit)
  return answered(world, named, accepted)
}

const initiation = ({ order, createdAt }: Deposit, status: string): object => ({
  depositId: order.depositId,
  status,
  ...(status === 'ACCEPTED' && { nextStep: 'FINAL_STATUS' }),
  created: writtenTime(createdAt),
})

function plannedBehaviour(world: World, { phoneNumber }: DepositOrder): Behaviour {
  const behaviour = behaviourOf(subscriberIn(phoneNumber) ?? '')
  return isOn(world, 'long_reconciliation') ? { ...behaviour, reconciledForMs: HOUR_MS } : behaviour
}

function refusalOf(world: World, order: DepositOrder): Refusal | undefined {
  const { provider, currency, phoneNumber, amount } = order
  if (!enabledProviders(world.faults).includes(provider))
    return refusal('INVALID_PROVIDER', `The provider '${provider}' is not enabled.`)
  if (currency !== 'XOF')
    return refusal(
      'INVALID_CURRENCY',
      `The currency '${currency}' is not supported with provider '${provider}'.`,
    )
  if (subscriberIn(phoneNumber) === undefined)
    return refusal(
      'INVALID_PHONE_NUMBER',
      `The phone number does not fit the provider '${provider}'.`,
    )
  if (amount.includes('.'))
    return refusal('INVALID_AMOUNT', `The provider '${provider}' supports no decimals in amounts.`)
  if (Number(amount) < LIMITS.min || Number(amount) > LIMITS.max) {
    const range = `more than '${LIMITS.min}' and less than '${LIMITS.max}'`
    return refusal(
      'AMOUNT_OUT_OF_BOUNDS',
      `The amount must be ${range} for provider '${provider}'.`,
    )
  }
  if (providerStatus(world.faults) === 'OPERATIONAL') return undefined
  return refusal(
    'PROVIDER_TEMPORARILY_UNAVAILABLE',
    `The provider '${provider}' takes no payments at the moment.`,
  )
}

export function showDeposit(world: World, depositId: string): WireReaction {
  const deposit = world.deposits.get(depositId)
  const isHidden =
    deposit && isOn(world, 'not_found_at_first') && world.clock.now() < deposit.createdAt + 60_000
  if (deposit === undefined || isHidden) return { code: 200, body: { status: 'NOT_FOUND' } }
  const { clientReferenceId } = deposit.order
  const data = { ...depositBody(world, deposit), ...(clientReferenceId && { clientReferenceId }) }
  return { code: 200, body: { status: 'FOUND', data } }
}

/** As in a status call; a callback has all of it but clientReferenceId. */
function depositBody(world: World, deposit: Deposit): object {
  const { order, amountXof, createdAt, failsWith } = deposit
  const status = depositStatus(deposit, world.clock.now())
  const isPaid = status === 'COMPLETED'
  const shownXof = isPaid && isOn(world, 'another_amount') ? amountXof + 100 : amountXof
  return {
    depositId: order.depositId,
    status,
    amount: writtenAmount(world, shownXof),
    currency: isPaid && isOn(world, 'another_currency') ? 'XAF' : order.currency,
    country: BENIN.alpha3,
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: order.phoneNumber, provider: order.provider },
    },
    customerMessage: order.customerMessage ?? 'Simulated Merchant',
    created: writtenTime(createdAt),
    ...(isPaid && { providerTransactionId: providerTransactionId(order.depositId) }),
    ...(status === 'FAILED' && failsWith !== undefined && writtenFailure(world, failsWith)),
    ...(order.metadata && { metadata: order.metadata }),
  }
}

/** The provider's own number for a movement, the same each time it is shown. */
export const providerTransactionId = (id: string): string =>
  String(Number.parseInt(id.slice(0, 8), 16)).padStart(10, '0')

function sendCallback(world: World, deposit: Deposit): void {
  world.callbacks.send('DEPOSIT', () => depositBody(world, deposit))
}

function planCallbacks(world: World, deposit: Deposit): void {
  const { clock } = world
  const { plan, endsAt, completedLateAt, stuckAs } = deposit
  const ifPlanned = (act: () => void) => () => {
    if (deposit.plan === plan) act()
  }
  const outcome = ifPlanned(() => sendCallback(world, deposit))
  if (stuckAs === undefined) {
    clock.after(endsAt - clock.now(), outcome)
    if (completedLateAt !== undefined) clock.after(completedLateAt - clock.now(), outcome)
  }
  const pending = ifPlanned(() => sendPending(world, deposit))
  if (isOn(world, 'pending_callbacks')) clock.after(2_000, pending)
}

function sendPending(world: World, deposit: Deposit): void {
  const { plan } = deposit
  if (isFinal(depositStatus(deposit, world.clock.now()))) return
  world.callbacks.send('DEPOSIT', () => ({ ...depositBody(world, deposit), status: 'PROCESSING' }))
  world.clock.after(2_000, () => {
    if (deposit.plan === plan) sendPending(world, deposit)
  })
}

export function decide(world: World, depositId: string, decision: PayerDecision): boolean {
  const deposit = world.deposits.get(depositId.toLowerCase())
  if (deposit === undefined || !decideDeposit(deposit, decision, world.clock.now())) return false
  planCallbacks(world, deposit)
  return true
}
