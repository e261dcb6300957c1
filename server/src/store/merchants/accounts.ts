// Merchants and their accounts: one function, one statement.
import type { Account, AccountStatus } from '../../domain/account.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Queries } from '../engine/database.ts'

export interface MerchantRow {
  merchant_id: string
  name: string
  created_at: number
  account_id: string
  environment: Environment
  status: AccountStatus
}

export async function insertMerchant(tx: Queries, merchantId: string, name: string, createdAt: number): Promise<void> {
  await tx.change('insert into merchants (merchant_id, name, created_at) values ($1, $2, $3)', [
    merchantId,
    name,
    createdAt,
  ])
}

export async function insertAccount(
  tx: Queries,
  account: Account & { merchantId: string; createdAt: number },
): Promise<void> {
  await tx.change(
    `insert into accounts (account_id, merchant_id, environment, status, created_at) values ($1, $2, $3, $4, $5)`,
    [account.accountId, account.merchantId, account.environment, account.status, account.createdAt],
  )
}

/** One row for each account: merchants in the order they came, sandbox before live. */
export async function listMerchants(db: Queries): Promise<MerchantRow[]> {
  return db.rows<MerchantRow>(
    `select m.merchant_id, m.name, m.created_at, a.account_id, a.environment, a.status
     from merchants m join accounts a on a.merchant_id = m.merchant_id
     order by m.created_at, m.merchant_id, a.environment desc`,
  )
}

/** What an account offers on its links, and the sites that may make one with its public key. */
export interface CheckoutSettings {
  methods: string[]
  origins: string[]
}

export async function findCheckoutSettings(db: Queries, accountId: string): Promise<CheckoutSettings | undefined> {
  const [row] = await db.rows<{ link_methods: string; origins: string }>(
    'select link_methods, origins from accounts where account_id = $1',
    [accountId],
  )
  return row && { methods: words(row.link_methods), origins: words(row.origins) }
}

export async function setCheckoutSettings(
  db: Queries,
  accountId: string,
  { methods, origins }: CheckoutSettings,
): Promise<boolean> {
  const changed = await db.change('update accounts set link_methods = $2, origins = $3 where account_id = $1', [
    accountId,
    methods.join(','),
    origins.join(','),
  ])
  return changed === 1
}

const words = (text: string): string[] => text.split(',').filter((word) => word !== '')

export async function findAccount(db: Queries, accountId: string): Promise<Account | undefined> {
  const [row] = await db.rows<MerchantRow>(
    'select account_id, environment, status from accounts where account_id = $1',
    [accountId],
  )
  return row && { accountId: row.account_id, environment: row.environment, status: row.status }
}

/** Until the commit nobody else holds it: for rules on how many of something an account has. False when there is none. */
export async function lockAccount(tx: Queries, accountId: string): Promise<boolean> {
  return (await tx.change('update accounts set status = status where account_id = $1', [accountId])) === 1
}

export async function setAccountStatus(
  db: Queries,
  merchantId: string,
  environment: Environment,
  status: AccountStatus,
): Promise<boolean> {
  const changed = await db.change('update accounts set status = $3 where merchant_id = $1 and environment = $2', [
    merchantId,
    environment,
    status,
  ])
  return changed === 1
}
