// Waits with a timeout. A timeout fails the test with a sentence that names the missing event.
import { setTimeout as pause } from 'node:timers/promises'

/** Long for anything that takes milliseconds on a quiet machine. */
const PATIENCE_MS = 60_000

/**
 * In a long wait a look comes after this share of the time so far: a look at a server may cost
 * milliseconds of CPU.
 */
const SHARE = 1 / 20
const LONGEST_PAUSE_MS = 250

/** Polls; returns the first value that is neither false nor undefined. */
export async function until<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
  patienceMs = PATIENCE_MS,
  lookEveryMs = 10,
): Promise<Exclude<Seen, false | undefined>> {
  const startedAt = performance.now()
  for (;;) {
    const seen = await look()
    if (seen !== false && seen !== undefined) return seen as Exclude<Seen, false | undefined>
    const waitedMs = performance.now() - startedAt
    if (waitedMs > patienceMs) throw tooLong(what, patienceMs)
    await pause(Math.max(lookEveryMs, Math.min(waitedMs * SHARE, LONGEST_PAUSE_MS)))
  }
}

export function within<Result>(
  what: string,
  coming: Promise<Result>,
  patienceMs = PATIENCE_MS,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLong(what, patienceMs)), patienceMs)
    coming.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const tooLong = (what: string, patienceMs: number): Error =>
  new Error(`waited ${patienceMs / 1_000} seconds, and there was still no ${what}`)
