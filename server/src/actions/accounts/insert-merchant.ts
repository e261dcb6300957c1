// The rows of a new merchant: itself, and an account for each environment (D-18).
import { type AccountStatus, ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { base32 } from '../../domain/payments/reference.ts'
import { maskCardNumbers } from '../../domain/texts/free-text.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertAccount, insertMerchant } from '../../store/merchants/accounts.ts'
import type { Deps } from '../deps.ts'

export type MerchantInput = { name: string; validateLive: boolean }

interface InsertedAccount {
  accountId: string
  validated: boolean
}

/** Without keys, and without a line in the audit log: the caller writes it. */
export async function insertMerchantWithAccounts(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  tx: Queries,
  { name, validateLive }: MerchantInput,
): Promise<{
  merchantId: string
  createdAt: number
  accounts: Record<Environment, InsertedAccount>
}> {
  const merchantId = `mer_${base32(random.bytes(10), 16)}`
  const createdAt = clock.now()
  await insertMerchant(tx, merchantId, maskCardNumbers(name), createdAt)
  const accounts = {} as Record<Environment, InsertedAccount>
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
