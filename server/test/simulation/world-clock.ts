// The time of a simulated world. Timers run on time that only moves forward; the service's clock on the wall can be set forward
// and back beside it, as a machine's can, while the network keeps the true time. Whoever dies takes his timers with him.
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'

/** Its own `now` is the true time. */
export interface WorldClock extends Omit<VirtualClock, 'after'> {
  /** A clock on a wall of this world; `isSet` ones follow when clocks are set. */
  clockOf(owner: object, isSet: boolean): Clock
  setWalls(byMs: number): void
  forget(owner: object): void
}

export function worldClock(startAt: number): WorldClock {
  const time = virtualClock(startAt)
  const callOffs = new Map<object, Set<() => void>>()
  let wallsAhead = 0

  function callOffsOf(owner: object): Set<() => void> {
    const known = callOffs.get(owner) ?? new Set()
    callOffs.set(owner, known)
    return known
  }

  return {
    ...time,
    clockOf: (owner, isSet) => ({
      now: () => time.now() + (isSet ? wallsAhead : 0),
      after(ms, work) {
        const own = callOffsOf(owner)
        const callOff = (): void => {
          own.delete(callOff)
          cancel()
        }
        const cancel = time.after(ms, () => {
          own.delete(callOff)
          work()
        })
        own.add(callOff)
        return callOff
      },
    }),
    setWalls: (byMs) => {
      wallsAhead += byMs
    },
    forget: (owner) => {
      for (const callOff of callOffsOf(owner)) callOff()
      callOffs.delete(owner)
    },
  }
}
