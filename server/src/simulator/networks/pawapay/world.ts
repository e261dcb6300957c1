// What the parts of the simulated pawaPay share: its books, its faults and its clock; and how it writes times and amounts.
import type { Clock } from '../../../domain/clock-and-random.ts'
import type { FaultBoard } from '../faults.ts'
import type { WireReaction } from '../network.ts'
import type { CallbackSender } from './callbacks.ts'
import type { FaultName } from './fault-table.ts'
import { type Deposit, depositStatus, type Refund, refundedXof } from './ledger.ts'
import { refusal, refused } from './refusal.ts'

export interface World {
  clock: Clock
  faults: FaultBoard
  decideAfterMs: number
  callbacks: CallbackSender
  /** What the wallet held before the first deposit. */
  walletXof: number
  deposits: Map<string, Deposit>
  refunds: Map<string, Refund>
  /** How often each deposit was asked for. */
  requests: Map<string, number>
}

export const isOn = ({ faults }: World, name: FaultName): boolean => faults.isOn(name)
export const strikes = ({ faults }: World, name: FaultName): boolean => faults.strikes(name)

export const refundsOf = ({ refunds }: World, depositId: string): Refund[] =>
  [...refunds.values()].filter(({ order }) => order.depositId === depositId)

export function walletBalance(world: World): number {
  const now = world.clock.now()
  const { done, underWay } = refundedXof([...world.refunds.values()], now)
  const paid = [...world.deposits.values()].filter((deposit) => depositStatus(deposit, now) === 'COMPLETED')
  return world.walletXof + paid.reduce((sum, { amountXof }) => sum + amountXof, 0) - done - underWay
}

/** Without parts of a second, as in the documents. */
export const writtenTime = (at: number): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')

export function writtenAmount(world: World, amountXof: number): string | number {
  if (isOn(world, 'amounts_as_numbers')) return amountXof
  if (isOn(world, 'amounts_with_four_decimals')) return `${amountXof}.0000`
  if (isOn(world, 'amounts_with_separators')) return `${amountXof.toLocaleString('en-US')}.00`
  return `${amountXof}.00`
}

export function writtenFailure(world: World, failureCode: string): object {
  if (isOn(world, 'reason_missing')) return {}
  if (isOn(world, 'reason_as_text')) return { failureReason: failureCode }
  return { failureReason: { failureCode, failureMessage: `The payment was not processed: ${failureCode}.` } }
}

export const unknownError = (about: object = {}): WireReaction =>
  refused(refusal('UNKNOWN_ERROR', 'The request was not processed, for a reason that is not known.'), about)

/** A fault between the decision and its answer. */
export function answered(world: World, about: object, answer: WireReaction): WireReaction {
  if (strikes(world, 'cut_after_registering')) return { cut: true }
  if (strikes(world, 'unknown_error_after_registering')) return unknownError(about)
  if (strikes(world, 'never_answers')) return { silent: true }
  return strikes(world, 'answers_too_late') ? { ...answer, afterMs: 30_000 } : answer
}
