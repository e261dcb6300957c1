// A merchant has one account in each environment, and each account is validated on its own (D-18).
import type { Environment } from './environment.ts'

export type AccountStatus = 'unvalidated' | 'validated' | 'suspended'

export interface Account {
  accountId: string
  environment: Environment
  status: AccountStatus
}
