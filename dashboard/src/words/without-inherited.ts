// Texts are looked up by codes that come from the server and the store. Without a prototype, `constructor` and the like find no text.

export function withoutInherited<Table extends object>(table: Table): Table {
  for (const value of Object.values(table)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) withoutInherited(value)
  }
  return Object.setPrototypeOf(table, null)
}
