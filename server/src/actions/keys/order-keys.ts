// The keys that merchants' servers sign orders with. Each is derived from a secret key when that is issued, and kept sealed: the secret key
// itself is stored nowhere (D-17, D-57).
import type { Clock } from '../../domain/clock-and-random.ts'
import { orderKeyOf } from '../../domain/order-proof.ts'
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

export const sealOrderKey = (tx: Queries, orderKeys: MasterBox, keyId: string, secretKey: string): Promise<string> =>
  sealForStore(tx, orderKeys, orderKeyOf(secretKey).toString('hex'), placeOf(keyId))

/** Of the account's secret keys that are valid now. */
export async function openOrderKeys({ db, clock, orderKeys }: OrderKeysDeps, accountId: string): Promise<Buffer[]> {
  const sealed = await findOrderKeys(db, accountId, clock.now())
  return sealed.map(({ keyId, orderKey }) => Buffer.from(orderKeys.open(orderKey, placeOf(keyId)), 'hex'))
}
