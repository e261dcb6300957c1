// Which wallets a merchant shares with others: those of the installation's connections, once
// several merchants may take payments. A merchant's own connections are never shared (D-173). Steps
// of other actions.

import { isMerchantConnection } from '../../domain/merchants/merchant-connection.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { findSoleAccount } from '../../store/books/settlements.ts'
import type { Queries } from '../../store/engine/database.ts'

type Account = Pick<MerchantCaller, 'accountId' | 'environment'>

/** Whether wallets of the installation hold money of others too. */
export const sharesWallets = async (
  db: Queries,
  { accountId, environment }: Account,
): Promise<boolean> => (await findSoleAccount(db, environment)) !== accountId

export async function sharedConnections(
  db: Queries,
  account: Account,
): Promise<(connection: string) => boolean> {
  const hasShared = await sharesWallets(db, account)
  return (connection) => hasShared && !isMerchantConnection(connection)
}
