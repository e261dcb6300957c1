// The ledger of the simulated pawaPay: deposits and refunds, whose state follows from the clock. No
// HTTP.
import type { PartDeps, PayerDecision, WireReaction } from '../network.ts'
import type { CallbackSender } from './callbacks.ts'
import { type DepositOrder, type RefundOrder, refusal, refused } from './checks.ts'
import type { Behaviour, FaultName } from './numbers-and-faults.ts'

interface Movement {
  createdAt: number
  /** From when on it is final. */
  endsAt: number
  failsWith: string | undefined
}

export interface Deposit extends Movement {
  order: DepositOrder
  amountXof: number
  stuckAs: string | undefined
  /** IN_RECONCILIATION from then on. */
  reconciledFrom: number
  /** Completed after it had failed: when. */
  completedLateAt: number | undefined
  refundFailsWith: string | undefined
  /** Counts decisions, so that a callback of an earlier plan is not sent. */
  plan: number
}

export interface Refund extends Movement {
  order: RefundOrder
  /** What is refunded: its payer is paid. */
  paid: DepositOrder
  amountXof: number
  enqueuedUntil: number
}

/** Accepted, and not yet with the provider. */
const ACCEPTED_FOR_MS = 1_000
const PROMPT_MS = 5 * 60_000

export function makeDeposit(
  order: DepositOrder,
  behaviour: Behaviour,
  now: number,
  decideAfterMs: number,
): Deposit {
  const decidedAt = now + decideAfterMs
  return {
    order,
    amountXof: Number(order.amount),
    createdAt: now,
    reconciledFrom: decidedAt,
    endsAt: decidedAt + (behaviour.reconciledForMs ?? 0),
    failsWith: behaviour.fails,
    stuckAs: behaviour.stuck,
    completedLateAt: undefined,
    refundFailsWith: behaviour.refundFails,
    plan: 0,
  }
}

export function depositStatus(deposit: Deposit, now: number): string {
  const { createdAt, endsAt, reconciledFrom, stuckAs, failsWith, completedLateAt } = deposit
  if (now < createdAt + ACCEPTED_FOR_MS && now < endsAt) return 'ACCEPTED'
  if (stuckAs !== undefined) return stuckAs
  if (completedLateAt !== undefined && now >= completedLateAt) return 'COMPLETED'
  if (now >= endsAt) return failsWith === undefined ? 'COMPLETED' : 'FAILED'
  return now >= reconciledFrom ? 'IN_RECONCILIATION' : 'PROCESSING'
}

export function refundStatus(
  { createdAt, endsAt, enqueuedUntil, failsWith }: Refund,
  now: number,
): string {
  if (now >= endsAt) return failsWith === undefined ? 'COMPLETED' : 'FAILED'
  if (now < enqueuedUntil) return 'ENQUEUED'
  return now < createdAt + ACCEPTED_FOR_MS ? 'ACCEPTED' : 'PROCESSING'
}

export const isFinal = (status: string): boolean => status === 'COMPLETED' || status === 'FAILED'

/** False when it is decided already. */
export function decideDeposit(deposit: Deposit, decision: PayerDecision, now: number): boolean {
  const status = depositStatus(deposit, now)
  if (isFinal(status) || status === 'IN_RECONCILIATION') return false
  const codes = {
    approve: undefined,
    decline: 'PAYMENT_NOT_APPROVED',
    no_funds: 'INSUFFICIENT_BALANCE',
  }
  deposit.endsAt = decision === 'ignore' ? now + PROMPT_MS : now
  deposit.failsWith = decision === 'ignore' ? 'PAYMENT_NOT_APPROVED' : codes[decision]
  deposit.reconciledFrom = deposit.endsAt
  deposit.stuckAs = undefined
  deposit.plan++
  return true
}

/** The refunded amount, including refunds in progress. */
export function refundedXof(
  refunds: readonly Refund[],
  now: number,
): { done: number; underWay: number } {
  let [done, underWay] = [0, 0]
  for (const refund of refunds) {
    const status = refundStatus(refund, now)
    if (status === 'COMPLETED') done += refund.amountXof
    else if (status !== 'FAILED') underWay += refund.amountXof
  }
  return { done, underWay }
}

// What the parts of the simulated pawaPay share: its books, and how it writes times and amounts.

export interface World extends PartDeps {
  callbacks: CallbackSender
  /** Of the books: fees and settlements are taken off, refunds under way are not. */
  balanceXof(): number
  deposits: Map<string, Deposit>
  refunds: Map<string, Refund>
  requests: Map<string, number>
}

export const isOn = ({ faults }: World, name: FaultName): boolean => faults.isOn(name)
export const strikes = ({ faults }: World, name: FaultName): boolean => faults.strikes(name)

export const refundsOf = ({ refunds }: World, depositId: string): Refund[] =>
  [...refunds.values()].filter(({ order }) => order.depositId === depositId)

export function walletBalance(world: World): number {
  return world.balanceXof() - refundedXof([...world.refunds.values()], world.clock.now()).underWay
}

/** Without parts of a second, as in the documents. */
export const writtenTime = (at: number): string =>
  new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')

export function writtenAmount(world: World, amountXof: number): string | number {
  if (isOn(world, 'amounts_as_numbers')) return amountXof
  if (isOn(world, 'amounts_with_four_decimals')) return `${amountXof}.0000`
  if (isOn(world, 'amounts_with_separators')) return `${amountXof.toLocaleString('en-US')}.00`
  return `${amountXof}.00`
}

export function writtenFailure(world: World, failureCode: string): object {
  if (isOn(world, 'reason_missing')) return {}
  if (isOn(world, 'reason_as_text')) return { failureReason: failureCode }
  return {
    failureReason: {
      failureCode,
      failureMessage: `The payment was not processed: ${failureCode}.`,
    },
  }
}

export const unknownError = (about: object = {}): WireReaction =>
  refused(
    refusal('UNKNOWN_ERROR', 'The request was not processed, for a reason that is not known.'),
    about,
  )

export function answered(world: World, about: object, answer: WireReaction): WireReaction {
  if (strikes(world, 'cut_after_registering')) return { cut: true }
  if (strikes(world, 'unknown_error_after_registering')) return unknownError(about)
  if (strikes(world, 'never_answers')) return { silent: true }
  return strikes(world, 'answers_too_late') ? { ...answer, afterMs: 30_000 } : answer
}
