// Waiting with an end: one deadline and one AbortSignal for a whole call, whatever it takes to answer it.
import { KarbaError } from './karba-error.ts'

export interface Deadline {
  leftMs(): number
  /** Throws once the caller has aborted. */
  check(): void
  /** Ends at the caller's abort, at the deadline, or after so long, whichever is first. */
  signalFor(mostMs: number): AbortSignal
  /** Rejects when the caller aborts. */
  pause(ms: number): Promise<void>
}

export function deadlineIn(ms: number, signal: AbortSignal | undefined): Deadline {
  const endsAt = performance.now() + ms
  const leftMs = (): number => Math.max(0, endsAt - performance.now())
  const check = (): void => {
    if (signal?.aborted) throw aborted(signal)
  }
  return {
    leftMs,
    check,
    signalFor: (mostMs) => {
      const over = AbortSignal.timeout(Math.ceil(Math.min(mostMs, leftMs())))
      return signal === undefined ? over : AbortSignal.any([signal, over])
    },
    pause: (pauseMs) =>
      new Promise((resolve, reject) => {
        check()
        const end = (settle: () => void) => (): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          settle()
        }
        const onAbort = end(() => reject(aborted(signal as AbortSignal)))
        const timer = setTimeout(
          end(() => resolve()),
          pauseMs,
        )
        signal?.addEventListener('abort', onAbort)
      }),
  }
}

const aborted = ({ reason }: AbortSignal): KarbaError =>
  new KarbaError({ code: 'aborted', message: 'The caller’s AbortSignal ended the call.', cause: reason })
