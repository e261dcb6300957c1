// Creates a merchant with two accounts, one for each environment, and a pair of keys for each
// (D-18). Audited.
import { type AccountCaller, isOfService, type ServiceCaller } from '../../domain/caller.ts'
import { type AccountStatus, ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { isShownText, LONGEST_CUSTOMER_NAME, maskCardNumbers } from '../../domain/free-text.ts'
import { base32 } from '../../domain/reference.ts'
import type { Refused } from '../../domain/refusal.ts'
import { holdsWebAddress } from '../../domain/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertAccount, insertMerchant } from '../../store/merchants/accounts.ts'
import type { Deps } from '../deps.ts'
import { type IssueKeysDeps, issueKeys, type KeyPair } from '../keys/manage-keys.ts'

export interface NewAccount extends KeyPair {
  accountId: string
  validated: boolean
}

export type NewMerchant = { merchantId: string; accounts: Record<Environment, NewAccount> }

export type MerchantInput = { name: string; validateLive: boolean }

export async function createMerchant(
  deps: IssueKeysDeps & Pick<Deps, 'db'>,
  caller: AccountCaller,
  input: MerchantInput,
): Promise<NewMerchant | Refused> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  // Payers read it.
  if (!isShownText(input.name, LONGEST_CUSTOMER_NAME)) return { refused: 'merchant_name_not_valid' }
  if (holdsWebAddress(input.name)) return { refused: 'name_holds_address' }
  return deps.db.transaction((tx) => createMerchantIn(deps, tx, caller, input))
}

export async function createMerchantIn(
  deps: IssueKeysDeps,
  tx: Queries,
  caller: ServiceCaller,
  input: MerchantInput,
): Promise<NewMerchant> {
  const {
    merchantId,
    createdAt,
    accounts: made,
  } = await insertMerchantWithAccounts(deps, tx, input)
  const accounts = {} as Record<Environment, NewAccount>
  for (const environment of ENVIRONMENTS) {
    const { accountId, validated } = made[environment]
    accounts[environment] = {
      accountId,
      validated,
      ...(await issueKeys(deps, tx, accountId, environment)),
    }
  }
  const detail = { name: maskCardNumbers(input.name), live_validated: input.validateLive }
  await insertAudit(tx, caller, {
    at: createdAt,
    action: 'merchant.create',
    subject: merchantId,
    detail,
  })
  return { merchantId, accounts }
}

/** Without keys, and without a line in the audit log: the caller writes it. */
export async function insertMerchantWithAccounts(
  { clock, random }: Pick<IssueKeysDeps, 'clock' | 'random'>,
  tx: Queries,
  { name, validateLive }: MerchantInput,
): Promise<{
  merchantId: string
  createdAt: number
  accounts: Record<Environment, Pick<NewAccount, 'accountId' | 'validated'>>
}> {
  const merchantId = `mer_${base32(random.bytes(10), 16)}`
  const createdAt = clock.now()
  await insertMerchant(tx, merchantId, maskCardNumbers(name), createdAt)
  const accounts = {} as Record<Environment, Pick<NewAccount, 'accountId' | 'validated'>>
  for (const environment of ENVIRONMENTS) {
    // Short, because every index entry of every payment begins with it.
    const accountId = `acc_${base32(random.bytes(10), 12)}`
    const validated = environment === 'sandbox' || validateLive
    const status: AccountStatus = validated ? 'validated' : 'unvalidated'
    await insertAccount(tx, { accountId, merchantId, environment, status, createdAt })
    accounts[environment] = { accountId, validated }
  }
  return { merchantId, createdAt, accounts }
}
