// Counts how often each of many hashes was added, in 16 to 32 bytes for each: a Map of a million numbers takes 70 MB.

export interface HashCounter {
  has(hash: number): boolean
  /** Returns how often it was added, with this time. */
  add(hash: number): number
}

/** For at most so many different hashes: whole numbers of up to 52 bits. */
export function createHashCounter(most: number): HashCounter {
  const slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * most + 2)))
  /** Of the few that were added more than once. */
  const timesOf = new Map<number, number>()
  let added = 0
  /** The slot that holds it, or the empty one where it belongs. */
  const slotOf = (hash: number): number => {
    let at = hash % slots.length
    while (slots[at] !== 0 && slots[at] !== hash + 1) at = (at + 1) % slots.length
    return at
  }
  return {
    has: (hash) => slots[slotOf(hash)] !== 0,
    add(hash) {
      const at = slotOf(hash)
      if (slots[at] === 0) {
        if (++added > most) throw new RangeError(`more than ${most} different hashes`)
        slots[at] = hash + 1
        return 1
      }
      const times = (timesOf.get(hash) ?? 1) + 1
      timesOf.set(hash, times)
      return times
    },
  }
}
