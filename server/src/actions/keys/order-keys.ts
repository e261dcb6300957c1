// The keys that merchants' servers sign orders with. Each is derived from a secret key when that is issued, and kept sealed: the secret key
// itself is stored nowhere (D-17, D-57). Only a key that may create has one: a signed order creates a link.

import { orderKeyOf } from '../../domain/api-key.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { readPermissions } from '../../domain/key-permission.ts'
import type { MasterBox, SealedBox } from '../../domain/sealed-box.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { findOrderKeys } from '../../store/keys/api-keys.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'

export interface OrderKeysDeps {
  db: Database
  clock: Clock
  orderKeys: SealedBox
}

const placeOf = (keyId: string): string => `${keyId} order_key`

const maySign = (permissions: string | null): boolean => readPermissions(permissions)?.includes('create') ?? true

/** Null for a key that may not create. */
export const sealOrderKey = async (
  tx: Queries,
  orderKeys: MasterBox,
  { keyId, permissions }: { keyId: string; permissions: string | null },
  secretKey: string,
): Promise<string | null> =>
  maySign(permissions) ? sealForStore(tx, orderKeys, orderKeyOf(secretKey).toString('hex'), placeOf(keyId)) : null

/** Of the account's secret keys that are valid now and may create. */
export async function openOrderKeys({ db, clock, orderKeys }: OrderKeysDeps, accountId: string): Promise<Buffer[]> {
  const sealed = await findOrderKeys(db, accountId, clock.now())
  return sealed.map(({ keyId, orderKey }) => Buffer.from(orderKeys.open(orderKey, placeOf(keyId)), 'hex'))
}
