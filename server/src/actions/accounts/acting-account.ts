// The account that a caller acts in.

import type { Account } from '../../domain/environment.ts'
import { type AccountCaller, isOfService, scopeOf } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findAccount } from '../../store/merchants/accounts.ts'

/** A merchant may leave out `named`. Another merchant's account is not found. */
export async function findActingAccount(
  db: Queries,
  caller: AccountCaller,
  named?: string,
): Promise<Account | RefusedAs<'account_not_found'>> {
  const accountId = named ?? (isOfService(caller) ? undefined : caller.accountId)
  const account =
    accountId === undefined ? undefined : await findAccount(db, scopeOf(caller), accountId)
  return account ?? { refused: 'account_not_found' }
}
