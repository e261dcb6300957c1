// Waits with a timeout. A timeout fails the test with a sentence that names the missing event.
import { setTimeout as pause } from 'node:timers/promises'

/** Long for anything that takes milliseconds on a quiet machine. */
const PATIENCE_MS = 60_000

/** Polls; returns the first value that is neither false nor undefined. */
export async function until<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
  patienceMs = PATIENCE_MS,
  lookEveryMs = 10,
): Promise<Exclude<Seen, false | undefined>> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (seen !== false && seen !== undefined) return seen as Exclude<Seen, false | undefined>
    if (performance.now() > deadline) throw tooLong(what, patienceMs)
    await pause(lookEveryMs)
  }
}

export function within<Result>(what: string, coming: Promise<Result>, patienceMs = PATIENCE_MS): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLong(what, patienceMs)), patienceMs)
    coming.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const tooLong = (what: string, patienceMs: number): Error =>
  new Error(`waited ${patienceMs / 1_000} seconds, and there was still no ${what}`)
