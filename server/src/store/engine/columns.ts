// Rows leave the store in camelCase: each column is selected under the name that the code uses, so no row is copied.

/** `{ accountId: 'p.account_id' }` becomes `p.account_id as "accountId"`; a row type without its column does not compile. */
export const columns = <Row>(from: Readonly<Record<keyof Row & string, string>>): string =>
  Object.entries<string>(from)
    .map(([name, column]) => (name === column ? name : `${column} as "${name}"`))
    .join(', ')
