// Long polls: wakes the callers of this process that wait for a payment when it has an outcome
// (D-91). Outcomes are events, numbered within their account in the order of their commits: one
// query reads those after the last one seen, for all accounts with waiting callers.

import type { Payment } from '../../domain/payments/payment.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { findPosition, listMovedSince } from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'
import { EventTail } from '../events/event-tail.ts'
import { readPayment } from './read-payment.ts'

export interface PaymentWatcher {
  /**
   * Undefined when too many wait, or at the stop. Read the payment again after it: earlier events
   * are not reported.
   */
  watch(accountId: string, reference: string): Promise<Watch | undefined>
  eventWritten(): void
  stop(): void
  waiting(): number
}

interface Watch {
  /** Resolves when there may be an outcome, when the time is over, and when it is released. */
  wait(ms: number): Promise<void>
  release(): void
}

export interface WatcherDeps extends Pick<Deps, 'db' | 'clock'> {
  /** The query failed: it is tried again. */
  failed(error: unknown): void
  limits: WatchLimits
}

type WatchLimits = { most: number; mostOfAccount: number }

/** Of the connections that a process may hold, some are left for requests that do not wait. */
export const watchLimits = (connections: number): WatchLimits => ({
  most: Math.floor(connections * 0.8),
  mostOfAccount: 5_000,
})

const LOOK_EVERY_MS = 1_000
const LOOK_SOON_MS = 10
/** Two values for each account in one statement. */
const ACCOUNTS_AT_ONCE = 1_000

type WatchedAccount = { sequence: number; waiting: Map<number, Set<() => void>>; count: number }

export function paymentWatcher({ db, clock, failed, limits }: WatcherDeps): PaymentWatcher {
  const accounts = new Map<string, WatchedAccount>()
  let count = 0
  let isStopped = false
  const tail = new EventTail({
    clock,
    isFollowed: () => count > 0,
    look,
    failed,
    everyMs: LOOK_EVERY_MS,
    soonMs: LOOK_SOON_MS,
  })

  async function look(): Promise<void> {
    const watched = [...accounts].map(([accountId, { sequence }]) => ({ accountId, sequence }))
    for (let at = 0; at < watched.length; at += ACCOUNTS_AT_ONCE) {
      for (const moved of await listMovedSince(db, watched.slice(at, at + ACCOUNTS_AT_ONCE)))
        wake(moved)
    }
  }

  function wake({
    accountId,
    sequence,
    number,
  }: {
    accountId: string
    sequence: number
    number: number
  }): void {
    const account = accounts.get(accountId)
    if (account === undefined) return
    account.sequence = Math.max(account.sequence, sequence)
    for (const go of account.waiting.get(number) ?? []) go()
  }

  function join(
    accountId: string,
    { number, sequence }: { number: number; sequence: number },
  ): Watch {
    const account = accounts.get(accountId) ?? { sequence, waiting: new Map(), count: 0 }
    accounts.set(accountId, account)
    account.count++
    count++
    let go = (): void => {}
    let isOver = false
    const over = new Promise<void>((resolve) => {
      go = () => {
        isOver = true
        resolve()
      }
    })
    const others = account.waiting.get(number) ?? new Set()
    account.waiting.set(number, others.add(go))
    tail.followed()
    let isReleased = false
    return {
      async wait(ms) {
        if (isOver) return
        const cancel = clock.after(ms, go)
        await over
        cancel()
      },
      release() {
        if (isReleased) return
        isReleased = true
        go()
        others.delete(go)
        if (others.size === 0) account.waiting.delete(number)
        count--
        if (--account.count === 0) accounts.delete(accountId)
      },
    }
  }

  return {
    async watch(accountId, reference) {
      const isFull = (): boolean =>
        isStopped ||
        count >= limits.most ||
        (accounts.get(accountId)?.count ?? 0) >= limits.mostOfAccount
      if (isFull()) return undefined
      const position = await findPosition(db, accountId, reference)
      return position === undefined || isFull() ? undefined : join(accountId, position)
    },
    eventWritten: () => tail.eventWritten(),
    stop() {
      isStopped = true
      tail.stop()
      for (const { waiting } of accounts.values())
        for (const each of waiting.values()) for (const go of each) go()
    },
    waiting: () => count,
  }
}

// Reads a payment, and waits for an outcome for some time when it has none. When too many wait, or
// the process stops, the answer is the payment as it is now (D-91).

export interface WaitDeps extends Pick<Deps, 'db'> {
  watcher: Pick<PaymentWatcher, 'watch'>
}

interface WaitInput {
  name: string | undefined
  waitMs: number
  /** Aborted when the caller goes away. */
  gone: AbortSignal
}

export async function waitForPayment(
  { db, watcher }: WaitDeps,
  caller: MerchantCaller,
  { name, waitMs, gone }: WaitInput,
): Promise<Payment | RefusedAs<'payment_not_found'>> {
  const payment = await readPayment({ db }, caller, { name })
  if (isRefused(payment) || waitMs === 0 || hasOutcome(payment)) return payment
  const again = () => readPayment({ db }, caller, { name: payment.reference })
  const watch = await watcher.watch(caller.accountId, payment.reference)
  if (watch === undefined) return payment
  try {
    gone.addEventListener('abort', watch.release, { once: true })
    if (gone.aborted) return payment
    const meanwhile = await again()
    if (isRefused(meanwhile) || hasOutcome(meanwhile)) return meanwhile
    await watch.wait(waitMs)
    return gone.aborted ? payment : await again()
  } finally {
    watch.release()
  }
}

const hasOutcome = ({ status }: Payment): boolean => status !== 'initiated' && status !== 'pending'
