// What the store keeps sealed under the master key, for a rotation: read in slices and written anew. It knows no key and opens nothing.
import type { SealPurpose } from '../../domain/sealed-box.ts'
import type { Queries } from '../engine/database.ts'

export interface SealedColumn {
  table: 'webhook_endpoints' | 'api_keys'
  /** The last column of the table's primary key, after the account. */
  id: string
  column: string
  /** For which the key that seals it is derived. */
  purpose: SealPurpose
}

/** Every column that holds a sealed value. A new one is a line here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...['secret_hash', 'old_secret_hash', 'signing_secret', 'old_signing_secret'].map(
    (column): SealedColumn => ({ table: 'webhook_endpoints', id: 'endpoint_id', column, purpose: 'webhook secrets' }),
  ),
  { table: 'api_keys', id: 'key_id', column: 'order_key', purpose: 'order keys' },
]

export interface SealedValue {
  accountId: string
  id: string
  sealed: string
}

/** Those after one, in the order of the primary key. */
export const listSealed = (
  tx: Queries,
  { table, id, column }: SealedColumn,
  after: Pick<SealedValue, 'accountId' | 'id'>,
  most: number,
): Promise<SealedValue[]> =>
  tx.rows(
    `select account_id as "accountId", ${id} as id, ${column} as sealed from ${table}
     where (account_id, ${id}) > ($1, $2) and ${column} is not null order by account_id, ${id} limit $3`,
    [after.accountId, after.id, most],
  )

export async function writeSealed(
  tx: Queries,
  { table, id: name, column }: SealedColumn,
  { accountId, id, sealed }: SealedValue,
): Promise<void> {
  await tx.change(`update ${table} set ${column} = $3 where account_id = $1 and ${name} = $2`, [accountId, id, sealed])
}
