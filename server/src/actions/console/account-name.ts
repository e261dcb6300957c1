// Whose account it is, for people who look after all of them.
import type { ServicePerson } from '../../domain/caller.ts'
import { namesOfMerchants } from '../../store/console/waiting-payments.ts'
import type { Database } from '../../store/engine/database.ts'

export async function findAccountName(
  { db }: { db: Database },
  _caller: ServicePerson,
  { accountId }: { accountId: string },
): Promise<{ merchantName: string }> {
  const names = await namesOfMerchants(db, [accountId])
  return { merchantName: names.get(accountId) ?? '' }
}
