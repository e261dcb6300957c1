// Runs work a few at a time. Those who wait are served group by group in turn, and when too many wait, the group with the most gives up its newest:
// one network that asks for more than all others together makes only itself wait.

interface Waiting {
  start(): void
  giveUp(): void
}

export interface FairTurns {
  atOnce: number
  mostWaiting: number
  mostWaitingOfGroup: number
  /** What work is refused with that cannot be done soon. */
  busy(): Error
}

export function fairTurns({ atOnce, mostWaiting, mostWaitingOfGroup, busy }: FairTurns) {
  /** In the order of their turns. */
  const groups = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  function makeRoom(mine: number): void {
    if (mine >= mostWaitingOfGroup) throw busy()
    if (waiting < mostWaiting) return
    const longest = [...groups.values()].reduce((most, each) => (each.length > most.length ? each : most))
    if (longest.length <= mine + 1) throw busy()
    longest.pop()?.giveUp()
    waiting--
  }

  function wait(group: string): Promise<void> {
    makeRoom(groups.get(group)?.length ?? 0)
    return new Promise((start, reject) => {
      const mine = groups.get(group) ?? []
      groups.set(group, mine)
      mine.push({ start, giveUp: () => reject(busy()) })
      waiting++
    })
  }

  /** The next in turn; its group goes to the end. */
  function next(): Waiting | undefined {
    const [group, mine] = groups.entries().next().value ?? []
    if (group === undefined || mine === undefined) return undefined
    const first = mine.shift()
    groups.delete(group)
    if (mine.length > 0) groups.set(group, mine)
    waiting--
    return first
  }

  return async <T>(group: string, work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await wait(group)
    else running++
    try {
      return await work()
    } finally {
      const turn = next()
      if (turn === undefined) running--
      else turn.start()
    }
  }
}
