// Live requests go before sandbox ones: while there is live traffic, only a few sandbox requests begin in each turn of the event loop, so that
// a merchant who tries things out, however hard, does not make another's customers wait. Without live traffic nobody waits.
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'

/** How long after a live request there counts as being live traffic. */
const LIVE_FOR_MS = 1_000
const SANDBOX_PER_TURN = 4

/** Returns a function that calls `go` at once, or in a later turn. */
export function liveFirst(clock: Pick<Clock, 'now'>): (environment: Environment, go: () => void) => void {
  let liveAt = Number.NEGATIVE_INFINITY
  let waiting: (() => void)[] = []

  function letSomeGo(): void {
    const going = waiting.slice(0, SANDBOX_PER_TURN)
    waiting = waiting.slice(SANDBOX_PER_TURN)
    if (waiting.length > 0) setImmediate(letSomeGo)
    for (const go of going) go()
  }

  return (environment, go) => {
    const now = clock.now()
    if (environment === 'live') {
      liveAt = now
      go()
    } else if (now - liveAt > LIVE_FOR_MS && waiting.length === 0) {
      go()
    } else {
      waiting.push(go)
      if (waiting.length === 1) setImmediate(letSomeGo)
    }
  }
}
