// Fair shares of one process: the networks that callers are counted by, slots that people share,
// and turns of work. Packages that limit concurrency, such as p-queue, serve callers in the order
// of their arrival; here networks take turns, and the longest gives way.

// Networks. One customer can have a whole IPv6 /56 or /48, with 65,536 networks of 64 bits. Limits
// count in these steps too. Carriers put many customers into a /48, so the wider steps allow more.

/** How much more than its own network's limit the /56 and the /48 around it may use. */
export const WIDER_SHARES = [4, 16] as const

const OF_64_BITS = /^([\da-f]+):([\da-f]+):([\da-f]+):([\da-f]+)::\/64$/

/**
 * The /56 and the /48 around a network of 64 bits, as `networkOf` writes it; none around an IPv4
 * address.
 */
export function widerNetworks(network: string): [of56: string, of48: string] | [] {
  const [, first, second, third, fourth] = OF_64_BITS.exec(network) ?? []
  if (fourth === undefined) return []
  const of48 = `${first}:${second}:${third}`
  return [`${of48}:${(Number.parseInt(fourth, 16) & 0xff00).toString(16)}::/56`, `${of48}::/48`]
}

/** The widest of them: the group that a queue serves in turn. */
export const widestNetwork = (network: string): string => widerNetworks(network)[1] ?? network

// Slots, such as live streams and exports. Each person has a few. Merchants whose live account is
// not validated yet, which anyone can sign up, share a part of them, and each of their networks a
// part of that.

export interface SlotLimits {
  most: number
  ofPerson: number
  /**
   * Of all merchants that are not validated, of one network of theirs, and of the /48 around it.
   */
  unvalidated: { most: number; ofNetwork: number; ofWidest: number }
}

export type SlotHolder = { personId: string; network: string; isValidated: boolean }

/** Which limit is reached: the person's own, or one that is shared with others. */
export type SlotRefusal = 'own' | 'shared'

/** Returns a function that takes a slot and returns its release. */
export function sharedSlots({ most, ofPerson, unvalidated }: SlotLimits) {
  const taken = new Map<string, number>()

  function add(name: string, change: 1 | -1): void {
    const count = (taken.get(name) ?? 0) + change
    if (count === 0) taken.delete(name)
    else taken.set(name, count)
  }

  return ({ personId, network, isValidated }: SlotHolder): (() => void) | SlotRefusal => {
    const own: [string, number] = [`person ${personId}`, ofPerson]
    const shared: [string, number][] = [['all', most]]
    if (!isValidated) {
      shared.push(['unvalidated', unvalidated.most], [`network ${network}`, unvalidated.ofNetwork])
      shared.push([`widest ${widestNetwork(network)}`, unvalidated.ofWidest])
    }
    const isFull = ([name, limit]: [string, number]): boolean => (taken.get(name) ?? 0) >= limit
    if (isFull(own)) return 'own'
    if (shared.some(isFull)) return 'shared'
    const names = [own, ...shared].map(([name]) => name)
    for (const name of names) add(name, 1)
    let isHeld = true
    return () => {
      if (isHeld) for (const name of names) add(name, -1)
      isHeld = false
    }
  }
}

// Turns. Work runs a few at a time; groups take turns, and when too many calls wait, the longest
// group loses its newest. So a network that asks for more than all others together delays only
// itself.

type Waiting = { start(): void; giveUp(): void }

export type FairTurns = {
  atOnce: number
  mostWaiting: number
  mostWaitingOfGroup: number
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
    const longest = [...groups.values()].reduce((most, each) =>
      each.length > most.length ? each : most,
    )
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
