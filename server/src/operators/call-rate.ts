// How many calls a second a network allows: calls are spaced evenly, so that no second of the network's own clock has more.
import type { Clock } from '../domain/clock-and-random.ts'

export interface CallRate {
  /** Whether a call may begin now. If not, `later` is called once when the next one may; asking again meanwhile changes nothing. */
  allows(later: () => void): boolean
}

const NO_LIMIT: CallRate = { allows: () => true }

export function callRate(clock: Clock, perSecond: number | undefined): CallRate {
  if (perSecond === undefined) return NO_LIMIT
  const gapMs = 1_000 / perSecond
  let nextAt = Number.NEGATIVE_INFINITY
  let isWaiting = false
  return {
    allows: (later) => {
      const now = clock.now()
      // A clock that is set back makes nobody wait longer than one gap.
      if (nextAt - now > gapMs) nextAt = now + gapMs
      if (now >= nextAt) {
        // A timer that came a little late does not lower the rate; after a pause there is no catching up.
        nextAt = now - nextAt < gapMs ? nextAt + gapMs : now + gapMs
        return true
      }
      if (!isWaiting) {
        isWaiting = true
        clock.after(Math.ceil(nextAt - now), () => {
          isWaiting = false
          later()
        })
      }
      return false
    },
  }
}
