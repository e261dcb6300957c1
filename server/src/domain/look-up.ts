// Looks a name from outside up in a table: `__proto__`, `constructor` and `toString` are names like any other, and not
// in the table.

export const lookUp = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
