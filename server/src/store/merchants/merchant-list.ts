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
}

const MERCHANT_ACCOUNT = columns<MerchantAccount>({
  merchantId: 'm.merchant_id',
  name: 'm.name',
  createdAt: 'm.created_at',
  accountId: 'a.account_id',
  environment: 'a.environment',
  status: 'a.status',
})

export interface MerchantCursor {
  createdAt: number
  merchantId: string
}

/** The accounts of the next `most` merchants after a cursor: oldest merchant first, sandbox before live. */
export const listMerchantAccounts = (db: Queries, after: MerchantCursor, most: number): Promise<MerchantAccount[]> =>
  db.rows<MerchantAccount>(
    `select ${MERCHANT_ACCOUNT} from (
       select merchant_id, name, created_at from merchants
       where created_at > $1 or (created_at = $1 and merchant_id > $2) order by created_at, merchant_id limit $3
     ) m join accounts a on a.merchant_id = m.merchant_id
     order by m.created_at, m.merchant_id, a.environment desc`,
    [after.createdAt, after.merchantId, most],
  )
