// Merchants with their accounts. Not limited to an account: only for callers of the service itself.
import type { AccountStatus } from '../../domain/account.ts'
import type { Environment } from '../../domain/environment.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

/** One of a merchant's two accounts, with the merchant's name. */
export interface MerchantAccount {
  merchantId: string
  name: string
  createdAt: number
  accountId: string
  environment: Environment
  status: AccountStatus
  /** Why it has this status. */
  reason: string | null
}

const MERCHANT_ACCOUNT = columns<MerchantAccount>({
  merchantId: 'm.merchant_id',
  name: 'm.name',
  createdAt: 'm.created_at',
  accountId: 'a.account_id',
  environment: 'a.environment',
  status: 'a.status',
  reason: 'a.status_reason',
})

export interface MerchantCursor {
  createdAt: number
  merchantId: string
}

/** The accounts of the next `most` merchants after a cursor: oldest merchant first, sandbox before live. */
export function listMerchantAccounts(
  db: Queries,
  after: MerchantCursor,
  most: number,
  /** Part of a name, or a whole id. */
  search = '',
): Promise<MerchantAccount[]> {
  const wanted = search.trim().toLowerCase()
  const isFound =
    wanted === ''
      ? ''
      : ` and (lower(name) like $5 escape '!' or merchant_id = $4
           or merchant_id in (select merchant_id from accounts where account_id = $4))`
  return db.rows<MerchantAccount>(
    `select ${MERCHANT_ACCOUNT} from (
       select merchant_id, name, created_at from merchants
       where (created_at > $1 or (created_at = $1 and merchant_id > $2))${isFound}
       order by created_at, merchant_id limit $3
     ) m join accounts a on a.merchant_id = m.merchant_id
     order by m.created_at, m.merchant_id, a.environment desc`,
    [
      ...[after.createdAt, after.merchantId, most],
      ...(wanted === '' ? [] : [wanted, `%${wanted.replaceAll(/[!%_]/g, (each) => `!${each}`)}%`]),
    ],
  )
}
