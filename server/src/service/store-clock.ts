// The service uses the store's time: all processes that share a store agree about leases, due times
// and the age of a payment, whatever their own clocks say. It is read at intervals; in between, the
// monotonic clock counts.
import {
  type ClockJump,
  type MachineClock,
  NO_JUMP,
  type ServiceClock,
} from '../domain/clock-and-random.ts'

export interface StoreClock extends ServiceClock {
  stop(): void
}

export interface ClockDifference {
  isRight: boolean
  /** By how much this machine's clock is ahead of the store's; negative when it is behind. */
  aheadMs: number
}

export const ASKED_EVERY_MS = 5_000
/** A slower answer is too inexact and is ignored. */
const LONGEST_ANSWER_MS = 1_000
/**
 * With a larger difference this machine's clock is untrusted: nothing that depends on time is
 * claimed.
 */
export const MOST_OFF_MS = 5_000

type Anchor = { storeTime: number; monotonic: number }

/**
 * Throws when the store does not answer the first time. `changed` is called when the clock becomes
 * wrong or right.
 */
export async function followStore(
  machine: MachineClock,
  askStore: () => Promise<number>,
  changed: (difference: ClockDifference) => void = () => {},
): Promise<StoreClock> {
  let anchor = (await measure()).anchor
  let wasRight = true
  let lastJump: ClockJump = NO_JUMP
  let stopped = false
  let cancel = (): void => {}

  async function measure(): Promise<{ anchor: Anchor; uncertainMs: number }> {
    const before = machine.monotonic()
    const storeTime = await askStore()
    const after = machine.monotonic()
    return {
      anchor: { storeTime, monotonic: (before + after) / 2 },
      uncertainMs: (after - before) / 2,
    }
  }

  const timeBy = ({ storeTime, monotonic }: Anchor): number =>
    storeTime + machine.monotonic() - monotonic
  const aheadMs = (): number => Math.round(machine.now() - timeBy(anchor))
  // A machine that slept, or whose clock was set, differs at once, before the store is asked again.
  const isRight = (): boolean => Math.abs(aheadMs()) <= MOST_OFF_MS

  async function askAgain(): Promise<void> {
    try {
      const measured = await measure()
      // Two answers that agree within their round-trip times do not move the clock.
      const aheadOfUsMs = timeBy(measured.anchor) - timeBy(anchor)
      const isUseful = 2 * measured.uncertainMs <= LONGEST_ANSWER_MS
      if (!isUseful || Math.abs(aheadOfUsMs) <= measured.uncertainMs + 1) return
      const from = Math.floor(timeBy(anchor))
      anchor = measured.anchor
      if (Math.abs(aheadOfUsMs) > MOST_OFF_MS) lastJump = { from, to: Math.floor(timeBy(anchor)) }
    } catch {
      // The store is unavailable, so nothing can be claimed either. The monotonic clock keeps
      // counting.
    } finally {
      tellChange()
    }
  }

  function tellChange(): void {
    if (isRight() === wasRight) return
    wasRight = !wasRight
    changed({ isRight: wasRight, aheadMs: aheadMs() })
  }

  function schedule(): void {
    if (stopped) return
    cancel = machine.after(ASKED_EVERY_MS, () => void askAgain().then(schedule))
  }

  tellChange()
  schedule()
  return {
    now: () => Math.floor(timeBy(anchor)),
    after: machine.after,
    isRight,
    lastJump: () => lastJump,
    stop: () => {
      stopped = true
      cancel()
    },
  }
}
