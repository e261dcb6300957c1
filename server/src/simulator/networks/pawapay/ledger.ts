// The books of the simulated pawaPay: deposits and refunds, with a state that follows from the clock. Knows nothing of HTTP.
import type { PayerDecision } from '../network.ts'
import type { Fate } from './numbers.ts'
import type { DepositOrder, RefundOrder } from './request-checks.ts'

interface Movement {
  createdAt: number
  /** From when on it is final. */
  endsAt: number
  failsWith: string | undefined
  /** Counts decisions, so that a callback of an earlier plan is not sent. */
  plan: number
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
/** How long a prompt waits on a payer's phone. */
const PROMPT_MS = 5 * 60_000

export function makeDeposit(order: DepositOrder, fate: Fate, now: number, decideAfterMs: number): Deposit {
  const decidedAt = now + decideAfterMs
  return {
    order,
    amountXof: Number(order.amount),
    createdAt: now,
    reconciledFrom: decidedAt,
    endsAt: decidedAt + (fate.reconciledForMs ?? 0),
    failsWith: fate.fails,
    stuckAs: fate.stuck,
    completedLateAt: undefined,
    refundFailsWith: fate.refundFails,
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

export function refundStatus({ createdAt, endsAt, enqueuedUntil, failsWith }: Refund, now: number): string {
  if (now >= endsAt) return failsWith === undefined ? 'COMPLETED' : 'FAILED'
  if (now < enqueuedUntil) return 'ENQUEUED'
  return now < createdAt + ACCEPTED_FOR_MS ? 'ACCEPTED' : 'PROCESSING'
}

export const isFinal = (status: string): boolean => status === 'COMPLETED' || status === 'FAILED'

/** False when it is decided already. */
export function decideDeposit(deposit: Deposit, decision: PayerDecision, now: number): boolean {
  const status = depositStatus(deposit, now)
  if (isFinal(status) || status === 'IN_RECONCILIATION') return false
  const codes = { approve: undefined, decline: 'PAYMENT_NOT_APPROVED', no_funds: 'INSUFFICIENT_BALANCE' }
  deposit.endsAt = decision === 'ignore' ? now + PROMPT_MS : now
  deposit.failsWith = decision === 'ignore' ? 'PAYMENT_NOT_APPROVED' : codes[decision]
  deposit.reconciledFrom = deposit.endsAt
  deposit.stuckAs = undefined
  deposit.plan++
  return true
}

/** What went back, and what is on its way. */
export function refundedXof(refunds: readonly Refund[], now: number): { done: number; underWay: number } {
  let [done, underWay] = [0, 0]
  for (const refund of refunds) {
    const status = refundStatus(refund, now)
    if (status === 'COMPLETED') done += refund.amountXof
    else if (status !== 'FAILED') underWay += refund.amountXof
  }
  return { done, underWay }
}
