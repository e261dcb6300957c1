// A merchant is born with two accounts, one for each environment, and a pair of keys for each (D-18).
import type { AccountStatus } from '../../domain/account.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { base32 } from '../../domain/reference.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { insertAccount, insertMerchant } from '../../store/merchants/accounts.ts'
import { type IssueKeysDeps, issueKeys, type KeyPair } from '../keys/issue-keys.ts'

export interface NewAccount extends KeyPair {
  accountId: string
  validated: boolean
}

export interface NewMerchant {
  merchantId: string
  accounts: Record<Environment, NewAccount>
}

export interface MerchantWish {
  name: string
  validateLive: boolean
}

export function createMerchant(
  deps: IssueKeysDeps & { db: Database },
  wish: MerchantWish,
  actor: string,
): Promise<NewMerchant> {
  return deps.db.transaction((tx) => createMerchantIn(deps, tx, wish, actor))
}

export async function createMerchantIn(
  deps: IssueKeysDeps,
  tx: Queries,
  wish: MerchantWish,
  actor: string,
): Promise<NewMerchant> {
  const { clock, random } = deps
  const merchantId = `mer_${base32(random.bytes(10), 16)}`
  const createdAt = clock.now()
  await insertMerchant(tx, merchantId, wish.name, createdAt)
  const accounts = {} as Record<Environment, NewAccount>
  for (const environment of ENVIRONMENTS) {
    // Short, because every index entry of every payment begins with it.
    const accountId = `acc_${base32(random.bytes(10), 12)}`
    const validated = environment === 'sandbox' || wish.validateLive
    const status: AccountStatus = validated ? 'validated' : 'unvalidated'
    await insertAccount(tx, { accountId, merchantId, environment, status, createdAt })
    accounts[environment] = { accountId, validated, ...(await issueKeys(deps, tx, accountId, environment)) }
  }
  const detail = { name: wish.name, live_validated: wish.validateLive }
  await insertAudit(tx, { at: createdAt, actor, action: 'merchant.create', subject: merchantId, detail })
  return { merchantId, accounts }
}
