// Merchants with their accounts, for whoever looks after all of them.
import type { AccountStatus } from '../../domain/account.ts'
import type { Environment } from '../../domain/environment.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

/** A merchant seen from one of its two accounts. */
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

export interface MerchantPlace {
  createdAt: number
  merchantId: string
}

/** The accounts of so many merchants after a place: merchants in the order they came, sandbox before live. */
export const listMerchantAccounts = (db: Queries, after: MerchantPlace, most: number): Promise<MerchantAccount[]> =>
  db.rows<MerchantAccount>(
    `select ${MERCHANT_ACCOUNT} from (
       select merchant_id, name, created_at from merchants
       where created_at > $1 or (created_at = $1 and merchant_id > $2) order by created_at, merchant_id limit $3
     ) m join accounts a on a.merchant_id = m.merchant_id
     order by m.created_at, m.merchant_id, a.environment desc`,
    [after.createdAt, after.merchantId, most],
  )
