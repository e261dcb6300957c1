// What the store keeps sealed under the master key, for a rotation: read in slices and written anew. It knows no key and opens nothing.
import type { SealPurpose } from '../../domain/sealed-box.ts'
import type { Queries } from '../engine/database.ts'

export interface SealedColumn {
  table: 'webhook_endpoints' | 'api_keys' | 'people'
  /** The first column of the table's primary key. */
  owner: 'account_id' | 'person_id'
  /** Its last column: after the account, or the only one. */
  id: string
  column: string
  /** For which the key that seals it is derived. */
  purpose: SealPurpose
}

/** Every column that holds a sealed value. A new one is a line here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...['secret_hash', 'old_secret_hash', 'signing_secret', 'old_signing_secret'].map(
    (column): SealedColumn => ({
      table: 'webhook_endpoints',
      owner: 'account_id',
      id: 'endpoint_id',
      column,
      purpose: 'webhook secrets',
    }),
  ),
  { table: 'api_keys', owner: 'account_id', id: 'key_id', column: 'order_key', purpose: 'order keys' },
  { table: 'people', owner: 'person_id', id: 'person_id', column: 'totp_secret', purpose: 'totp secrets' },
]

export interface SealedValue {
  ownerId: string
  id: string
  sealed: string
}

/** Those after one, in the order of the primary key. */
export const listSealed = (
  tx: Queries,
  { table, owner, id, column }: SealedColumn,
  after: Pick<SealedValue, 'ownerId' | 'id'>,
  most: number,
): Promise<SealedValue[]> =>
  tx.rows(
    `select ${owner} as "ownerId", ${id} as id, ${column} as sealed from ${table}
     where (${owner}, ${id}) > ($1, $2) and ${column} is not null order by ${owner}, ${id} limit $3`,
    [after.ownerId, after.id, most],
  )

export async function writeSealed(
  tx: Queries,
  { table, owner, id: name, column }: SealedColumn,
  { ownerId, id, sealed }: SealedValue,
): Promise<void> {
  await tx.change(`update ${table} set ${column} = $3 where ${owner} = $1 and ${name} = $2`, [ownerId, id, sealed])
}
