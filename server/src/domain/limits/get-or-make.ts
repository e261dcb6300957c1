// Reads a Map or a cache, and fills it where it has nothing.

/** The value of a key, made and kept when there is none. */
export function getOrMake<Key, Value>(
  cache: { get(key: Key): Value | undefined; set(key: Key, value: NoInfer<Value>): unknown },
  key: Key,
  make: () => Value,
): Value {
  const kept = cache.get(key)
  if (kept !== undefined) return kept
  const made = make()
  cache.set(key, made)
  return made
}
