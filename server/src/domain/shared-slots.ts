// Slots of one process that many people share, such as live streams and exports. Each person has a few; merchants whose live account is not validated
// yet, which anybody can sign up, have a part of them, and their networks have a share of that part.
import { widestNetwork } from './network-steps.ts'

export interface SlotLimits {
  most: number
  ofPerson: number
  /** Of all merchants that are not validated, of one network of theirs, and of the /48 around it. */
  unvalidated: { most: number; ofNetwork: number; ofWidest: number }
}

export interface SlotHolder {
  personId: string
  network: string
  isValidated: boolean
}

/** Whose limit is reached: the person's own, or one that is shared with others. */
export type SlotRefusal = 'own' | 'shared'

/** Returns a function that takes a slot; what that returns gives the slot back, once. */
export function sharedSlots({
  most,
  ofPerson,
  unvalidated,
}: SlotLimits): (holder: SlotHolder) => (() => void) | SlotRefusal {
  const taken = new Map<string, number>()

  function add(name: string, change: 1 | -1): void {
    const count = (taken.get(name) ?? 0) + change
    if (count === 0) taken.delete(name)
    else taken.set(name, count)
  }

  return ({ personId, network, isValidated }) => {
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
