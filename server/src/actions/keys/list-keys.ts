// The keys of an account: public keys in full, secret keys by their first characters only, each with its maker.
import type { AccountCaller } from '../../domain/caller.ts'
import { permissionsOfKey, permissionsOfRole, readPermissions } from '../../domain/key-permission.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { type ApiKey, listKeys } from '../../store/keys/api-keys.ts'
import { findAccountOfMerchant, listMembers } from '../../store/people/members.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface ListedKey extends Omit<ApiKey, 'madeBy'> {
  /** `hasRights` while the maker's role in the team may give what the key may do. */
  madeBy: { name: string; hasRights: boolean } | null
}

export async function listAccountKeys(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId }: { accountId: string },
): Promise<{ keys: ListedKey[] } | RefusedAs<'account_not_found'>> {
  const account = await findActingAccount(db, caller, accountId)
  if (isRefused(account)) return account
  return { keys: await withMakers(db, account.accountId, await listKeys(db, account.accountId)) }
}

async function withMakers(db: Queries, accountId: string, keys: readonly ApiKey[]): Promise<ListedKey[]> {
  const makers = [...new Set(keys.flatMap(({ madeBy }) => madeBy ?? []))]
  const names = await namesOfPeople(db, makers)
  const { merchantId = '' } = (await findAccountOfMerchant(db, accountId)) ?? {}
  const roles = new Map((await listMembers(db, merchantId)).map(({ personId, role }) => [personId, role]))
  return keys.map(({ madeBy, ...key }) => {
    if (madeBy === null) return { ...key, madeBy: null }
    const role = roles.get(madeBy)
    const held = role === undefined ? [] : permissionsOfRole(role)
    const needed = permissionsOfKey(key.kind, readPermissions(key.permissions))
    return {
      ...key,
      madeBy: { name: names.get(madeBy) ?? madeBy, hasRights: needed.every((each) => held.includes(each)) },
    }
  })
}
