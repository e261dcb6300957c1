// Merchants and their accounts: one function, one statement.

import type { Account, AccountStatus, Environment } from '../../domain/environment.ts'
import type { CheckoutSettings } from '../../domain/links/payment-link.ts'
import { type LinkMethod, offeredMethods } from '../../domain/methods/methods.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  firstReturnedValue,
  firstRow,
  inScope,
  insertRow,
  isAnyRow,
  scopeValues,
  updateRows,
} from '../rows.ts'

export const insertMerchant = (tx: Queries, merchantId: string, name: string, createdAt: number) =>
  insertRow(tx, 'merchants', { merchantId, name, createdAt })

export const insertAccount = (
  tx: Queries,
  account: Account & { merchantId: string; createdAt: number },
) => insertRow(tx, 'accounts', { ...account })

interface StoredSettings extends Pick<CheckoutSettings, 'pages' | 'wording' | 'pageTitles'> {
  methods: string | null
  origins: string
}

/** The account must exist. */
export async function findCheckoutSettings(
  db: Queries,
  accountId: string,
): Promise<CheckoutSettings> {
  const [row] = await db.read<StoredSettings>(
    `select link_methods as methods, origins, pages, page_wording as wording,
       page_titles as "pageTitles"
     from accounts where account_id = :accountId`,
    { accountId },
  )
  if (row === undefined) throw new Error(`there is no account ${accountId}`)
  return { ...row, methods: offeredMethods(row.methods), origins: splitList(row.origins) }
}

export function setCheckoutSettings(
  db: Queries,
  accountId: string,
  { origins, pages, wording, pageTitles }: Omit<CheckoutSettings, 'methods'>,
): Promise<number> {
  return updateRows(
    db,
    'accounts',
    { accountId },
    { origins: origins.join(','), pages, pageWording: wording, pageTitles },
  )
}

/** The merchant's choice: from then on, a method that is new in the code is not offered. */
export const setLinkMethods = (db: Queries, accountId: string, methods: readonly LinkMethod[]) =>
  updateRows(db, 'accounts', { accountId }, { linkMethods: methods.join(',') })

const splitList = (text: string): string[] => text.split(',').filter((item) => item !== '')

const ACCOUNT = columnsOf<Account>({
  accountId: 'account_id',
  environment: 'environment',
  status: 'status',
})

export const findAccount = (db: Queries, scope: Scope, accountId: string) =>
  firstRow<Account>(
    db,
    `select ${ACCOUNT} from accounts where account_id = :accountId${inScope(scope)}`,
    { accountId, ...scopeValues(scope) },
  )

/** With the name of its merchant. The account must exist. */
export async function findNamedAccount(
  db: Queries,
  accountId: string,
): Promise<Account & { merchantName: string }> {
  const [account] = await db.read<Account & { merchantName: string }>(
    `select a.account_id as "accountId", a.environment, a.status, m.name as "merchantName"
     from accounts a join merchants m on m.merchant_id = a.merchant_id
     where a.account_id = :accountId`,
    { accountId },
  )
  if (account === undefined) throw new Error(`there is no account ${accountId}`)
  return account
}

/** In the order of their ids, after one. */
export const listAccountIds = async (db: Queries, after: string, most: number): Promise<string[]> =>
  (
    await db.read<{ accountId: string }>(
      `select account_id as "accountId" from accounts where account_id > :after
        order by account_id limit :most`,
      { after, most },
    )
  ).map(({ accountId }) => accountId)

export const isThereAMerchant = (db: Queries) => isAnyRow(db, 'select 1 from merchants limit 1')

/**
 * Locks the account until the commit, for rules that limit how many of something an account has.
 */
export const lockAccount = (tx: Queries, accountId: string) =>
  tx.change('update accounts set status = status where account_id = :accountId', { accountId })

/** The account that was changed; undefined when there is no such merchant. */
export const setAccountStatus = (
  db: Queries,
  merchantId: string,
  environment: Environment,
  status: AccountStatus,
  reason: string | null = null,
) =>
  firstReturnedValue<string>(
    db,
    `update accounts set status = :status, status_reason = :reason
     where merchant_id = :merchantId and environment = :environment returning account_id`,
    { merchantId, environment, status, reason },
  )

// Merchants with their accounts. Not limited to an account: only for callers of the service itself.

/** One of a merchant's two accounts, with the merchant's name. */
export interface MerchantAccount extends Account, MerchantCursor {
  name: string
  /** Why it has this status. */
  reason: string | null
  /** When the merchant requested validation; null when no request is open. */
  validationAskedAt: number | null
}

const MERCHANT_ACCOUNT = columnsOf<MerchantAccount>({
  merchantId: 'm.merchant_id',
  name: 'm.name',
  createdAt: 'm.created_at',
  accountId: 'a.account_id',
  environment: 'a.environment',
  status: 'a.status',
  reason: 'a.status_reason',
  validationAskedAt:
    '(select p.validation_asked_at from merchant_profiles p where p.merchant_id = m.merchant_id)',
})

export type MerchantCursor = { createdAt: number; merchantId: string }

/**
 * The accounts of the next `most` merchants after a cursor: oldest merchant first, sandbox before
 * live.
 */
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
      : ` and (lower(name) like :pattern escape '!' or merchant_id = :wanted
           or merchant_id in (select merchant_id from accounts where account_id = :wanted))`
  return db.read<MerchantAccount>(
    `select ${MERCHANT_ACCOUNT} from (
       select merchant_id, name, created_at from merchants
       where (created_at > :createdAt
         or (created_at = :createdAt and merchant_id > :merchantId))${isFound}
       order by created_at, merchant_id limit :most
     ) m join accounts a on a.merchant_id = m.merchant_id
     order by m.created_at, m.merchant_id, a.environment desc`,
    {
      createdAt: after.createdAt,
      merchantId: after.merchantId,
      most,
      ...(wanted === ''
        ? {}
        : { wanted, pattern: `%${wanted.replaceAll(/[!%_]/g, (each) => `!${each}`)}%` }),
    },
  )
}
