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

export interface Callbacks extends CallbackDeps {
  /** The outcome that was sent last. */
  lastSent: WeakMap<Operation, string>
}

export const openCallbacks = (deps: CallbackDeps): Callbacks => ({
  ...deps,
  lastSent: new WeakMap(),
})

/** Plans the callbacks of an operation that was just taken, or just decided. */
export function planCallbacks(callbacks: Callbacks, operation: Operation): void {
  const { clock, faults } = callbacks
  if (operation.callbackUrl === undefined) return
  const now = clock.now()
  for (const at of [operation.decidedAt, operation.paidAt]) {
    if (Number.isFinite(at))
      clock.after(Math.max(0, at - now), () => sendOutcome(callbacks, operation))
  }
  if (faults.strikes('pending_callbacks')) repeatWhilePending(callbacks, operation)
}

function sendOutcome(callbacks: Callbacks, operation: Operation): void {
  const { clock, faults, isKept, lastSent } = callbacks
  const status = statusOf(operation, clock.now())
  if (!isKept(operation) || !isFinal(status) || lastSent.get(operation) === status) return
  lastSent.set(operation, status)
  if (faults.strikes('no_callbacks')) return
  if (faults.strikes('callback_twenty_times')) sendOften(callbacks, operation)
  else if (faults.strikes('callback_by_put'))
    void send(callbacks, operation, 'PUT').then(() => send(callbacks, operation, 'POST'))
  else void sendUntilAnswered(callbacks, operation, 0)
}

function repeatWhilePending(callbacks: Callbacks, operation: Operation): void {
  const { clock, isKept } = callbacks
  clock.after(PENDING_EVERY_MS, () => {
    if (!isKept(operation) || isFinal(statusOf(operation, clock.now()))) return
    void send(callbacks, operation)
    repeatWhilePending(callbacks, operation)
  })
}

function sendOften(callbacks: Callbacks, operation: Operation): void {
  const { clock } = callbacks
  const [quick, slow] = [20, 5]
  for (let at = 0; at < quick; at++) clock.after(at * 1_000, () => void send(callbacks, operation))
  for (let at = 1; at <= slow; at++)
    clock.after(quick * 1_000 + at * 120_000, () => void send(callbacks, operation))
}

async function sendUntilAnswered(
  callbacks: Callbacks,
  operation: Operation,
  attempt: number,
): Promise<void> {
  const { clock, version, isKept } = callbacks
  const isAnswered = await send(callbacks, operation)
  const pauseMs = isAnswered || version === 'A' ? undefined : pauseBefore(attempt + 1)
  if (pauseMs === undefined) return
  clock.after(pauseMs, () => {
    if (isKept(operation)) void sendUntilAnswered(callbacks, operation, attempt + 1)
  })
}

async function send(
  callbacks: Callbacks,
  operation: Operation,
  method: WireCallback['method'] = 'POST',
): Promise<boolean> {
  const { clock, sendCallback } = callbacks
  let cancel = (): void => {}
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ANSWERED_WITHIN_MS, () => resolve(undefined))
  })
  const callback = {
    method,
    url: operation.callbackUrl as string,
    headers: HEADERS,
    body: bodyOf(callbacks, operation),
  }
  const code = await Promise.race([sendCallback(callback), late]).finally(() => cancel())
  return code !== undefined && code >= 200 && code < 300
}

function bodyOf({ clock, faults, reasonForm }: Callbacks, operation: Operation): string {
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

const HEADERS = { 'content-type': 'application/json' }
