// Waits for a payment's outcome by long polls, at least two seconds apart in case the service
// answers at once.
import type { Payment } from './api-types.ts'
import type { CallOptions, Connection } from './connection.ts'

export interface WaitOptions extends CallOptions {
  /** 180 seconds by default. */
  timeoutMs?: number
}

const WAIT_MS = 180_000
const LONG_POLL_SECONDS = 25
const LEAST_BETWEEN_MS = 2_000
/** The deadline of the last call goes beyond the timeout by this. */
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
    const seconds = Math.min(LONG_POLL_SECONDS, Math.floor(leftMs / 1_000))
    const request = {
      method: 'GET',
      path: `/payments/${encodeURIComponent(name)}?wait=${seconds}`,
      answerWithinMs: seconds * 1_000,
    } as const
    const deadline = connection.deadline({
      timeoutMs: leftMs + LEAST_CALL_MS,
      ...(signal && { signal }),
    })
    const payment = await connection.repeat<Payment>(request, deadline)
    if (!isOpen(payment) || whole.leftMs() < 1) return payment
    const tookMs = performance.now() - askedAt
    await whole.pause(Math.min(whole.leftMs(), Math.max(0, LEAST_BETWEEN_MS - tookMs)))
  }
}
