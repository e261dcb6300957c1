// Looks a name from outside up in a table: `__proto__` and `toString` are names like any other.

export const lookUp = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
