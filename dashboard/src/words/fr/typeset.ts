// French has a space before : ; ? ! and » and after «, at which no line may end. The tables are written with plain spaces; here they become U+00A0.
const unbroken = (text: string): string => text.replace(/ (?=[:;?!»])/g, '\u00a0').replaceAll('« ', '«\u00a0')

/** The same table, with every text and whatever its functions return set in this way. */
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
