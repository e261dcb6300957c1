// A payment with its story: every exchange with its operator and every move, in order; as it is now, or as it was at a given time.
import type { AccountCaller } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import { type MadeMove, type PaymentStatus, statusAt } from '../../domain/payment-status.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { listStory, type StoryEntry } from '../../store/payments/payment-story.ts'
import { findOutcome, type PaymentOutcome } from '../../store/payments/pending-payments.ts'
import { type FindPaymentDeps, findNamedPayment } from './find-payment.ts'

export interface ShownPayment extends PaymentOutcome {
  payment: OperatorPayment
  /** The status with which it was recorded. */
  began: PaymentStatus
  story: StoryEntry[]
}

export async function showPayment(
  deps: FindPaymentDeps,
  caller: AccountCaller,
  { name, at }: { name: string; at?: number | undefined },
): Promise<ShownPayment | RefusedAs<'payment_not_found' | 'payment_name_ambiguous' | 'payment_not_recorded_then'>> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const { accountId, number, createdAt } = payment
  const fullStory = await listStory(deps.db, accountId, number)
  const moves = movesOf(fullStory)
  const now = (await findOutcome(deps.db, accountId, number)) as PaymentOutcome
  const began = moves[0]?.from ?? now.status
  if (at === undefined) return { payment, ...now, began, story: fullStory }
  const status = statusAt(moves, { status: began, at: createdAt }, at)
  if (status === undefined) return { refused: 'payment_not_recorded_then', createdAt }
  const operatorReference = status === 'succeeded' || status === 'refunded' ? now.operatorReference : null
  return { payment, status, operatorReference, began, story: fullStory.filter((entry) => entry.at <= at) }
}

const movesOf = (story: readonly StoryEntry[]): MadeMove[] =>
  story.filter(({ kind }) => kind === 'moved').map((entry) => ({ at: entry.at, ...entry.detail }) as MadeMove)
