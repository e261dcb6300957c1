// The real time, for tests over real sockets. Its timers keep no process alive: a transaction expires a day after the test has ended.
import type { Clock } from '../../../src/domain/clock-and-random.ts'

export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}
