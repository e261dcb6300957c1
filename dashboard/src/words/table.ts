// Prepares a table of texts.

/** French has a space before : ; ? ! and » and after «, where no line may break: it becomes U+00A0. */
const unbroken = (text: string): string => text.replace(/ (?=[:;?!»])/g, '\u00a0').replaceAll('« ', '«\u00a0')

/** The same table with French spaces, also in the texts that its functions return. */
export function typeset<Table>(table: Table): Table {
  const set = (value: unknown): unknown => {
    if (typeof value === 'string') return unbroken(value)
    if (typeof value === 'function') return (...facts: unknown[]) => set(value(...facts))
    if (Array.isArray(value)) return value.map(set)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, set(each)]))
  }
  return set(table) as Table
}

/** The server and the store name texts by codes. Without a prototype, `constructor` and the like find no text. */
export function withoutInherited<Table extends object>(table: Table): Table {
  for (const value of Object.values(table)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) withoutInherited(value)
  }
  return Object.setPrototypeOf(table, null)
}
