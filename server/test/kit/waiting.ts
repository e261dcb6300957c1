// Waiting with an end. Whatever a test waits for, it fails with a sentence that says what did not come.
import { setTimeout as pause } from 'node:timers/promises'

/** Long for whatever takes milliseconds on a quiet machine: what reaches it will not come. */
const PATIENCE_MS = 60_000

/** Looks again and again; gives back what it saw when that is anything but false or undefined. */
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

/** For what comes by itself. */
export function within<Result>(what: string, coming: Promise<Result>, patienceMs = PATIENCE_MS): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLong(what, patienceMs)), patienceMs)
    coming.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const tooLong = (what: string, patienceMs: number): Error =>
  new Error(`waited ${patienceMs / 1_000} seconds, and there was still no ${what}`)
