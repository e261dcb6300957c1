// Merchants, their accounts and their checkout settings, as commands print them in JSON.
import type { AccountStatus } from '../domain/account.ts'
import type { Environment } from '../domain/environment.ts'
import { isoTime } from './json.ts'

interface NewAccount {
  accountId: string
  publicKey: string
  secretKey: string
  validated: boolean
}

interface NewMerchant {
  merchantId: string
  accounts: Record<Environment, NewAccount>
}

/** A new merchant: the only output that shows its secret keys. */
export const newMerchantFields = ({ merchantId, accounts }: NewMerchant): object => ({
  merchant: merchantId,
  sandbox: newAccountFields(accounts.sandbox),
  live: newAccountFields(accounts.live),
})

const newAccountFields = ({ accountId, publicKey, secretKey, validated }: NewAccount): object => ({
  account: accountId,
  public_key: publicKey,
  secret_key: secretKey,
  validated,
})

interface ListedMerchant {
  merchantId: string
  name: string
  createdAt: number
  accounts: readonly { environment: Environment; accountId: string; status: AccountStatus }[]
}

export function merchantFields({ merchantId, name, createdAt, accounts }: ListedMerchant): object {
  const byEnvironment = accounts.map(({ environment, accountId, status }) => [
    environment,
    { account: accountId, status },
  ])
  return { merchant: merchantId, name, created_at: isoTime(createdAt), ...Object.fromEntries(byEnvironment) }
}

interface CheckoutSettings {
  methods: readonly string[]
  origins: readonly string[]
  pages: string
  wording: string
  pageTitles: string
}

export const checkoutSettingsFields = (accountId: string, settings: CheckoutSettings): object => ({
  account: accountId,
  methods: settings.methods,
  origins: settings.origins,
  pages: settings.pages,
  wording: settings.wording,
  page_titles: settings.pageTitles,
})
