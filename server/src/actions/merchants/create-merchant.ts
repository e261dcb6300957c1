// Creates a merchant with two accounts, one for each environment, and a pair of keys for each
// (D-18). Audited.

import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { type AccountCaller, isOfService, type ServiceCaller } from '../../domain/people/caller.ts'
import type { Refused } from '../../domain/refusals/refusal.ts'
import {
  isShownText,
  LONGEST_CUSTOMER_NAME,
  maskCardNumbers,
} from '../../domain/texts/free-text.ts'
import { holdsWebAddress } from '../../domain/texts/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertMerchantWithAccounts, type MerchantInput } from '../accounts/insert-merchant.ts'
import type { Deps } from '../deps.ts'
import { type IssueKeysDeps, issueKeys, type KeyPair } from '../keys/manage-keys.ts'

export interface NewAccount extends KeyPair {
  accountId: string
  validated: boolean
}

export type NewMerchant = { merchantId: string; accounts: Record<Environment, NewAccount> }

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
