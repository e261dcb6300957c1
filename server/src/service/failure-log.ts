// Counts failures of background work for the log. An outage of the store fails all work in flight
// at once: such failures within a second are one line with their count. Other failures are bugs or
// settings: each has its own line, at once.
import type { Clock } from '../domain/clock-and-random.ts'
import { isStoreFailure } from '../http/errors.ts'

const COUNTED_FOR_MS = 1_000

export interface FailureLog {
  failed(error: unknown): void
  /** Writes what is counted so far: for the end of the process. */
  flush(): void
}

/** `write` writes a line with these fields. */
export function failureLog(
  clock: Pick<Clock, 'after'>,
  write: (fields: { err: unknown; count?: number }) => void,
): FailureLog {
  /** By message. */
  const counted = new Map<string, { error: Error; count: number }>()

  function writeCounted(message: string): void {
    const failures = counted.get(message)
    counted.delete(message)
    if (failures !== undefined) write({ count: failures.count, err: failures.error })
  }

  return {
    failed(error) {
      if (!isStoreFailure(error)) return write({ err: error })
      const { message } = error as Error
      const failures = counted.get(message)
      if (failures !== undefined) {
        failures.count++
        return
      }
      counted.set(message, { error: error as Error, count: 1 })
      clock.after(COUNTED_FOR_MS, () => writeCounted(message))
    },
    flush() {
      for (const message of [...counted.keys()]) writeCounted(message)
    },
  }
}
