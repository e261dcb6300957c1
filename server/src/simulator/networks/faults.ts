// The faults that a simulated network can be told to have: which are on, and for how many more times.

/** The names of one network's faults, each with a sentence for its page. */
export type FaultTable = Readonly<Record<string, string>>

export interface FaultBoard {
  /** What can be switched on. */
  known: FaultTable
  /** Switches a fault on, for so many times or until it is switched off. False for a name that is not known. */
  on(name: string, times?: number): boolean
  off(name: string): void
  allOff(): void
  /** Those that are on, with how many times are left; `null` for one without an end. */
  active(): Record<string, number | null>
  /** Whether the fault strikes now: counts it down. */
  strikes(name: string): boolean
  /** Whether it is on, without counting. */
  isOn(name: string): boolean
}

export function faultBoard(known: FaultTable): FaultBoard {
  const left = new Map<string, number>()
  return {
    known,
    on: (name, times = Number.POSITIVE_INFINITY) => {
      if (!Object.hasOwn(known, name)) return false
      left.set(name, times)
      return true
    },
    off: (name) => void left.delete(name),
    allOff: () => left.clear(),
    active: () => Object.fromEntries([...left].map(([name, times]) => [name, Number.isFinite(times) ? times : null])),
    strikes: (name) => {
      const times = left.get(name) ?? 0
      if (times <= 0) return false
      if (times === 1) left.delete(name)
      else left.set(name, times - 1)
      return true
    },
    isOn: (name) => left.has(name),
  }
}
