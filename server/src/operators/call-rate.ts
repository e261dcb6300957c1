// How many calls a second a network allows: calls are spaced evenly, so that no second of the network's own clock has many more.
import type { Clock } from '../domain/clock-and-random.ts'

export interface CallRate {
  /** Whether a call may begin now. If not, `later` is called once when the next one may; asking again meanwhile changes nothing. */
  allows(later: () => void): boolean
}

const NO_LIMIT: CallRate = { allows: () => true }

/** A timer is not more exact than this: of a network that allows more, as many calls as belong to so long may begin at once. */
const TOGETHER_MS = 10

export function callRate(clock: Clock, perSecond: number | undefined): CallRate {
  if (perSecond === undefined) return NO_LIMIT
  const gapMs = 1_000 / perSecond
  const leewayMs = Math.max(0, TOGETHER_MS - gapMs)
  /** When the next call would begin if all were evenly spaced. */
  let nextAt = Number.NEGATIVE_INFINITY
  let isWaiting = false
  return {
    allows: (later) => {
      const now = clock.now()
      // A clock that is set back makes nobody wait longer than it took until now.
      if (nextAt - now > gapMs + leewayMs) nextAt = now + gapMs
      const waitMs = nextAt - leewayMs - now
      if (waitMs <= 0) {
        nextAt = Math.max(nextAt, now) + gapMs
        return true
      }
      if (!isWaiting) {
        isWaiting = true
        clock.after(Math.ceil(waitMs), () => {
          isWaiting = false
          later()
        })
      }
      return false
    },
  }
}
