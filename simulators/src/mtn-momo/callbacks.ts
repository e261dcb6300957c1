// The callbacks of the simulated MTN MoMo, by the two versions of the network's own page: sent once
// (A), or repeated until the receiver answers within two seconds (B).
import type { PartDeps, WireCallback } from '../network.ts'
import { isFinal, type Operation, shownOperation, statusOf } from './wallet.ts'

export interface CallbackDeps extends PartDeps {
  version: 'A' | 'B'
  reasonForm: 'text' | 'object'
  /** False for an operation that a reset removed. */
  isKept(operation: Operation): boolean
}

const ANSWERED_WITHIN_MS = 2_000
const PENDING_EVERY_MS = 5_000

/**
 * After an unanswered callback: every second, then every two minutes, then every hour for a day.
 */
function pauseBefore(attempt: number): number | undefined {
  if (attempt <= 20) return 1_000
  if (attempt <= 50) return 2 * 60_000
  return attempt <= 74 ? 3_600_000 : undefined
}

/** Plans the callbacks of an operation that was just taken, or just decided. */
export function momoCallbacks({
  clock,
  sendCallback,
  faults,
  version,
  reasonForm,
  isKept,
}: CallbackDeps) {
  const lastSent = new WeakMap<Operation, string>()

  function plan(operation: Operation): void {
    if (operation.callbackUrl === undefined) return
    const now = clock.now()
    for (const at of [operation.decidedAt, operation.paidAt]) {
      if (Number.isFinite(at)) clock.after(Math.max(0, at - now), () => sendOutcome(operation))
    }
    if (faults.strikes('pending_callbacks')) repeatWhilePending(operation)
  }

  function sendOutcome(operation: Operation): void {
    const status = statusOf(operation, clock.now())
    if (!isKept(operation) || !isFinal(status) || lastSent.get(operation) === status) return
    lastSent.set(operation, status)
    if (faults.strikes('no_callbacks')) return
    if (faults.strikes('callback_twenty_times')) sendOften(operation)
    else if (faults.strikes('callback_by_put'))
      void send(operation, 'PUT').then(() => send(operation, 'POST'))
    else void sendUntilAnswered(operation, 0)
  }

  function repeatWhilePending(operation: Operation): void {
    clock.after(PENDING_EVERY_MS, () => {
      if (!isKept(operation) || isFinal(statusOf(operation, clock.now()))) return
      void send(operation)
      repeatWhilePending(operation)
    })
  }

  function sendOften(operation: Operation): void {
    const [quick, slow] = [20, 5]
    for (let at = 0; at < quick; at++) clock.after(at * 1_000, () => void send(operation))
    for (let at = 1; at <= slow; at++)
      clock.after(quick * 1_000 + at * 120_000, () => void send(operation))
  }

  async function sendUntilAnswered(operation: Operation, attempt: number): Promise<void> {
    const isAnswered = await send(operation)
    const pauseMs = isAnswered || version === 'A' ? undefined : pauseBefore(attempt + 1)
    if (pauseMs === undefined) return
    clock.after(pauseMs, () => {
      if (isKept(operation)) void sendUntilAnswered(operation, attempt + 1)
    })
  }

  async function send(
    operation: Operation,
    method: WireCallback['method'] = 'POST',
  ): Promise<boolean> {
    let cancel = (): void => {}
    const late = new Promise<undefined>((resolve) => {
      cancel = clock.after(ANSWERED_WITHIN_MS, () => resolve(undefined))
    })
    const callback = {
      method,
      url: operation.callbackUrl as string,
      headers: HEADERS,
      body: bodyOf(operation),
    }
    const code = await Promise.race([sendCallback(callback), late]).finally(() => cancel())
    return code !== undefined && code >= 200 && code < 300
  }

  function bodyOf(operation: Operation): string {
    const shown = shownOperation(operation, { now: clock.now(), faults, reasonForm })
    if (faults.strikes('callback_without_external_id')) delete shown.externalId
    if (faults.strikes('callback_says_otherwise')) {
      const isSuccess = shown.status === 'SUCCESSFUL'
      Object.assign(
        shown,
        isSuccess ? { status: 'FAILED', reason: 'EXPIRED' } : { status: 'SUCCESSFUL' },
      )
    }
    return JSON.stringify(shown)
  }

  return plan
}

const HEADERS = { 'content-type': 'application/json' }
