// Merchants with their two accounts, oldest first. Only for callers of the service.
import { type AccountCaller, isOfService } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { listMerchantAccounts, type MerchantAccount } from '../../store/merchants/merchant-list.ts'

export interface ListedMerchant {
  merchantId: string
  name: string
  createdAt: number
  /** Sandbox before live. */
  accounts: MerchantAccount[]
}

export async function listMerchants(
  { db }: { db: Database },
  caller: AccountCaller,
  { search, ...input }: PageInput & { search?: string | undefined },
): Promise<Page<ListedMerchant> | RefusedAs<'caller_not_allowed' | 'cursor_not_valid' | 'limit_not_valid'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const wanted = readPage(input, ['number', 'text'], [0, ''])
  if (isRefused(wanted)) return wanted
  const [createdAt, merchantId] = wanted.cursor
  const accounts = await listMerchantAccounts(db, { createdAt, merchantId }, wanted.limit + 1, search)
  const merchants = [...Map.groupBy(accounts, (account) => account.merchantId).values()].map(merchantOf)
  return pageOf(merchants, wanted.limit, (merchant) => [merchant.createdAt, merchant.merchantId])
}

function merchantOf(accounts: MerchantAccount[]): ListedMerchant {
  const { merchantId, name, createdAt } = accounts[0] as MerchantAccount
  return { merchantId, name, createdAt, accounts }
}
