// Waits within a command that has nothing else to do.
import { keepAliveClock } from '../service/runtime.ts'

/** Keeps the process alive; ends early when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = (): void => resolve()
  const cancel = keepAliveClock.after(ms, end)
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  return promise.finally(() => {
    cancel()
    signal?.removeEventListener('abort', end)
  })
}
