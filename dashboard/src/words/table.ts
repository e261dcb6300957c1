// Prepares a table of texts.
import { typesetText } from '../../../server/src/dashboard-api/contract.ts'

/** The same table with French spaces, also in the texts that its functions return. */
export function typeset<Table>(table: Table): Table {
  const set = (value: unknown): unknown => {
    if (typeof value === 'string') return typesetText(value, 'fr')
    if (typeof value === 'function') return (...facts: unknown[]) => set(value(...facts))
    if (Array.isArray(value)) return value.map(set)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, set(each)]))
  }
  return set(table) as Table
}

/**
 * The server and the store name texts by codes. Without a prototype, `constructor` and the like
 * find no text.
 */
export function withoutInherited<Table extends object>(table: Table): Table {
  for (const value of Object.values(table)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      withoutInherited(value)
  }
  return Object.setPrototypeOf(table, null)
}
