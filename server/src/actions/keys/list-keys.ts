// The keys of an account: public keys in full, secret keys by their first characters only.
import type { AccountCaller } from '../../domain/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { type ApiKey, listKeys } from '../../store/keys/api-keys.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export async function listAccountKeys(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId }: { accountId: string },
): Promise<{ keys: ApiKey[] } | RefusedAs<'account_not_found'>> {
  const account = await findActingAccount(db, caller, accountId)
  return isRefused(account) ? account : { keys: await listKeys(db, account.accountId) }
}
