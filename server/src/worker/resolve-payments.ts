// Claims payments that are due and queues them in the dispatcher. Payments that a crashed process
// had claimed are claimed again here, since a claim is only a due time in the future. Payments to
// send and payments to poll are claimed separately. In each line the merchants are served in turn:
// one with a long backlog does not delay the others. Rechecks of failed payments go the same way.
import type { MoveDeps } from '../actions/deps.ts'
import { closePaymentLink } from '../actions/links/close-payment-link.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'
import type { DueLine } from '../domain/operators/operator-call.ts'
import type { OperatorPayment } from '../domain/payments/operator-payment.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import type { Dispatcher } from '../operators/dispatcher.ts'
import type { Database } from '../store/engine/database.ts'
import { claimExpired } from '../store/links/payment-links.ts'
import { claimDueRechecks, scheduleRecheck } from '../store/payments/payment-moves.ts'
import { findByRequestReference } from '../store/payments/payments.ts'
import {
  claimDuePayments,
  findAccountsInTurn,
  findLinesWithPending,
} from '../store/payments/pending-payments.ts'

export interface ResolveDeps {
  db: Database
  clock: Clock
  dispatcher: Pick<Dispatcher, 'claimLimits' | 'room' | 'take' | 'hasRoom'>
  leaseMs: number
}

/** How many accounts of a line are read in one round. The next round continues after them. */
const MOST_ACCOUNTS = 50

/** How far the turn through a line's accounts has come. */
interface Turn {
  lastAccount: string
  /** Which payments of each account this turn claims first. */
  first: 'oldest' | 'newest'
  /** Whether an account of this turn may have more that is due. */
  isMore: boolean
}

/** Returns one round; true when more payments may be due, or a queue was too full. */
export function paymentResolver({
  db,
  clock,
  dispatcher,
  leaseMs,
}: ResolveDeps): () => Promise<boolean> {
  const turns = new Map<string, Turn>()
  const oddTurns = new Map<string, boolean>()

  return async () => {
    const limits = dispatcher.claimLimits()
    const free = limits.filter(({ most }) => most > 0)
    const pending = await findLinesWithPending(db, free)
    // In equal shares: the line with the longest backlog must not use up all the room.
    const share = Math.floor(dispatcher.room() / pending.length)
    // Can be negative: creates go straight to the dispatcher, and may have used up the room since.
    const isMore = await Promise.all(
      pending.map((each) => claimInTurn(each, Math.min(each.most, share))),
    )
    return isMore.includes(true) || free.length < limits.length
  }

  async function claimInTurn(line: DueLine, most: number): Promise<boolean> {
    if (most <= 0) return true
    const turn = turnOf(line)
    const now = clock.now()
    const accounts = await findAccountsInTurn(db, line, turn.lastAccount, MOST_ACCOUNTS)
    const due = accounts.filter(({ firstDueAt }) => firstDueAt <= now).slice(0, most)
    const isOver = accounts.length < MOST_ACCOUNTS && due.length < most
    turn.lastAccount = (due.length === most ? due : accounts).at(-1)?.accountId ?? ''
    if (due.length > 0) {
      const mostOfEach = Math.floor(most / due.length)
      const accountIds = due.map(({ accountId }) => accountId)
      const claim = { ...line, accountIds, now, leaseMs, mostOfEach, first: turn.first }
      const claimed = await claimDuePayments(db, claim)
      for (const payment of oneOfEachInTurn(claimed)) dispatcher.take(payment, now)
      turn.isMore ||= claimed.some((some) => some.length === mostOfEach)
    }
    if (!isOver) return true
    turns.delete(keyOf(line))
    return turn.isMore
  }

  /**
   * Payments that have just become due for a status call mostly have payers who are approving now.
   * When more are due than can be polled, every other turn serves these, and the turns between
   * serve those that have waited longest. Alternates by turn and not by claim: with an even number
   * of claims in a turn, the same accounts would always get the same half.
   */
  function firstOf(line: DueLine): 'oldest' | 'newest' {
    const isOdd = !(oddTurns.get(keyOf(line)) ?? false)
    oddTurns.set(keyOf(line), isOdd)
    return line.kind === 'status' && isOdd ? 'newest' : 'oldest'
  }

  function turnOf(line: DueLine): Turn {
    return getOrMake(turns, keyOf(line), () => ({
      lastAccount: '',
      first: firstOf(line),
      isMore: false,
    }))
  }
}

const keyOf = ({ environment, connection, kind }: DueLine): string =>
  `${environment} ${connection} ${kind}`

function* oneOfEachInTurn(claimed: readonly OperatorPayment[][]): Generator<OperatorPayment> {
  const longest = Math.max(...claimed.map((some) => some.length))
  for (let place = 0; place < longest; place++) {
    for (const some of claimed) {
      const payment = some[place]
      if (payment !== undefined) yield payment
    }
  }
}

const MOST_RECHECKS = 50

/**
 * Asks operators again about requests that failed as never_received. If one was debited after all,
 * recording the report makes it an anomaly for a person: the payment itself stays failed (D-15). A
 * round returns true when more may be due.
 */
export async function recheckFailures({
  db,
  clock,
  dispatcher,
  leaseMs,
}: ResolveDeps): Promise<boolean> {
  const now = clock.now()
  const due = await claimDueRechecks(db, now, leaseMs, MOST_RECHECKS)
  for (const recheck of due) {
    const { requestReference } = recheck
    // An operator that is busy or down is asked later, when this claim expires: its own pending
    // payments come first.
    if (!dispatcher.hasRoom(recheck)) continue
    const payment = await findByRequestReference(db, requestReference)
    if (payment !== undefined) dispatcher.take(payment, now)
    await scheduleRecheck(db, recheck, now)
  }
  return due.length === MOST_RECHECKS
}

// Closes expired links. One with an attempt in progress is not due: its outcome decides (D-22,
// D-25).

const EXPIRY: ServiceItself = { is: 'service', part: 'link expiry' }
const MOST_AT_ONCE = 100
const LEASE_MS = 30_000

/** One round; true when more links may have expired. */
export async function expireLinks(deps: MoveDeps, eventWritten: () => void): Promise<boolean> {
  const due = await claimExpired(deps.db, deps.clock.now(), LEASE_MS, MOST_AT_ONCE)
  for (const linkReference of due) {
    const outcome = await closePaymentLink(deps, EXPIRY, { linkReference, because: 'expired' })
    if (!isRefused(outcome)) eventWritten()
  }
  return due.length === MOST_AT_ONCE
}
