// Waits for a payment's outcome. The service holds its answer back until there is one, so that nobody polls every second; with a service that
// does not, this asks every few seconds.
import type { Payment } from './api-types.ts'
import type { CallOptions, Connection } from './connection.ts'

export interface WaitOptions extends CallOptions {
  /** How long to wait in all; 180 seconds by default. */
  timeoutMs?: number
}

const WAIT_MS = 180_000
/** What the service is asked to hold an answer back for. */
const HELD_SECONDS = 25
const LEAST_BETWEEN_MS = 2_000
/** A call has so long even when the wait itself is nearly over. */
const LEAST_CALL_MS = 5_000

const isOpen = ({ status }: Payment): boolean => status === 'initiated' || status === 'pending'

export async function waitForPayment(
  connection: Connection,
  name: string,
  options: WaitOptions = {},
): Promise<Payment> {
  const { timeoutMs = WAIT_MS, signal } = options
  const whole = connection.deadline({ ...options, timeoutMs })
  for (;;) {
    const askedAt = performance.now()
    const leftMs = whole.leftMs()
    const seconds = Math.min(HELD_SECONDS, Math.floor(leftMs / 1_000))
    const request = {
      method: 'GET',
      path: `/payments/${encodeURIComponent(name)}?wait=${seconds}`,
      answerWithinMs: seconds * 1_000,
    } as const
    const deadline = connection.deadline({ timeoutMs: leftMs + LEAST_CALL_MS, ...(signal && { signal }) })
    const payment = await connection.repeat<Payment>(request, deadline)
    if (!isOpen(payment) || whole.leftMs() < 1) return payment
    const tookMs = performance.now() - askedAt
    await whole.pause(Math.min(whole.leftMs(), Math.max(0, LEAST_BETWEEN_MS - tookMs)))
  }
}
