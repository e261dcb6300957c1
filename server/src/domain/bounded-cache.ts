// A cache with a limited number of entries: a new entry evicts the least recently used one. An
// entry may have an expiry time. Pure: the time is an argument.
//
// A hit is one look-up in a Map and allocates nothing, since some caches are read at every request.
// The order of use is a linked list: 35 ns a hit. Deleting the key from the Map and inserting it
// again keeps that order too, but V8 leaves the old slot in the key's hash chain, and a key that
// was read repeatedly among 10,000 others cost 57 µs.

/** The value of a key, made and kept when there is none. */
export function getOrMake<Key, Value>(
  cache: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const kept = cache.get(key)
  if (kept !== undefined) return kept
  const made = make()
  cache.set(key, made)
  return made
}

interface Entry<Value> {
  key: string
  value: Value
  expiresAt: number
  older: Entry<Value>
  newer: Entry<Value>
}

export function boundedCache<Value>(mostEntries: number) {
  const entries = new Map<string, Entry<Value>>()
  /** Both ends of the list: its `newer` is the oldest entry, its `older` the newest. */
  const ends = {} as Entry<Value>
  ends.older = ends
  ends.newer = ends

  function unlink({ older, newer }: Entry<Value>): void {
    older.newer = newer
    newer.older = older
  }

  function linkAsNewest(entry: Entry<Value>): void {
    entry.older = ends.older
    entry.newer = ends
    entry.older.newer = entry
    ends.older = entry
  }

  function evict(entry: Entry<Value>): void {
    unlink(entry)
    entries.delete(entry.key)
  }

  return {
    /** Undefined when the key is missing, or its entry has expired at `now`. */
    get(key: string, now = 0): Value | undefined {
      const entry = entries.get(key)
      // An expired entry stays in its position: reading it is not a use, so it soon becomes the
      // oldest and is evicted.
      if (entry === undefined || entry.expiresAt <= now) return undefined
      unlink(entry)
      linkAsNewest(entry)
      return entry.value
    },
    /** Valid until `expiresAt`, or until it is evicted. */
    set(key: string, value: Value, expiresAt = Number.POSITIVE_INFINITY): void {
      const known = entries.get(key)
      if (known !== undefined) {
        known.value = value
        known.expiresAt = expiresAt
        unlink(known)
        linkAsNewest(known)
        return
      }
      if (entries.size >= mostEntries) evict(ends.newer)
      const entry = { key, value, expiresAt } as Entry<Value>
      linkAsNewest(entry)
      entries.set(key, entry)
    },
    delete(key: string): void {
      const entry = entries.get(key)
      if (entry !== undefined) evict(entry)
    },
  }
}

/** Work that callers share while it runs: a call during a run gets the result of that run. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
